// A program that runs: its operations, its ranks on hosts, the machine under it.

import type { Machine } from './machine.js';
import type { RankProgram } from './rank-program.js';

export interface PlacedProgram {
  readonly name: string;
  /** which of the catalogue it is */
  readonly kind: string;
  readonly program: RankProgram;
  /** by rank: its host (node id) */
  readonly hosts: Int32Array;
  readonly machine: Machine;
  /** by rank: the speed at which it computes; null: all at 1 */
  readonly computeSpeed: Float64Array | null;
  /** when it begins, in picoseconds */
  readonly startPs: number;
  /** of everything that it sends: what pins ask; 0: nothing */
  readonly trafficClass: number;
}
