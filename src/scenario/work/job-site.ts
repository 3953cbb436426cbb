// What the jobs of a scenario are made of besides its text.

import type { Profile } from '../../collectives/selection.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { InputFiles } from '../input-files.js';
import type { PinTable } from '../network/plan-pins.js';

/** What jobs are made of besides the scenario. */
export interface JobSite {
  readonly fabric: Fabric;
  readonly pins: PinTable;
  /** by rank of the fabric; null: all at 1 */
  readonly computeSpeed: Float64Array | null;
  readonly files: InputFiles;
  /** of the run */
  readonly seed: number;
  /** null: it has mistakes */
  readonly profile: Profile | null;
}
