// Which tables the next epoch has: those in use, others that were measured, ftree's, or new ones.
// Invariants: decisions see counters and what follows from them alone, never what was sent. Loads of tables that were in
// use are measured; all others are predicted, and count only if the gain is above what the prediction may be wrong by.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { interSwitchPorts, loadPerTraffic, loadsOfFlows } from '../../optimization/table-loads.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';

/** Loads that differ by less count as the same. */
const sameLoad = 1e-3;
/** What hosts send and take in differs by at most this share in epochs of the same traffic. */
const sameTraffic = 0.02;

/** Tables that were in use. */
export interface TriedTables {
  readonly epoch: number;
  readonly tables: ForwardingTables;
  /** largest load between switches, summed over phases */
  readonly measured: number;
  /** what hosts sent and took in, by host */
  readonly ends: Float64Array;
}

/** Tables that might come next. */
export interface Candidate {
  readonly kind: 'new' | 'ftree';
  readonly tables: ForwardingTables;
  readonly predicted: number;
  /** the same by other traffic that counters would allow as well */
  readonly otherwise: number;
}

/** What comes next, and why. */
export interface TablesChoice {
  readonly kind: 'keep' | 'return' | 'new' | 'ftree';
  readonly tables: ForwardingTables;
  /** epoch whose tables they are; null: they were never in use */
  readonly ofEpoch: number | null;
  /** largest load that is expected, measured or predicted */
  readonly expected: number;
  /** share of the best measured load by which the best candidate is below it; null: there was none */
  readonly gain: number | null;
  /** share that predictions may be wrong by */
  readonly uncertainty: number;
}

/** Load of every link between switches from counters, by sending port, in units of traffic; 0 elsewhere. */
export function measuredLoads({ fabric, tree }: RoutedFabric, counters: Float64Array, lanes: number): Float64Array {
  const between = interSwitchPorts(tree);
  return loadPerTraffic(fabric).map((worth, port) => {
    let sum = 0;
    if (between[port] === 1) for (let lane = 0; lane < lanes; lane++) sum += counters[port * lanes + lane]! || 0;
    return sum * worth;
  });
}

/** Load of every link between switches by phase, as tables would have it of some traffic. */
export function predictedLoads({ tree }: RoutedFabric, tables: ForwardingTables, { phases }: Traffic): Float64Array[] {
  const between = interSwitchPorts(tree);
  return phases.map(({ matrix }) =>
    loadsOfFlows(tables, routableTraffic(tree, matrix)).map((load, port) => (between[port] === 1 ? load : 0)),
  );
}

/** Sum over phases of the largest load. */
export function sumOfLargest(phases: readonly Float64Array[]): number {
  return phases.reduce((sum, loads) => sum + loads.reduce((most, own) => Math.max(most, own), 0), 0);
}

/** What every host sent and took in, over all phases: it is the same under any tables. */
export function endsOf({ fabric }: RoutedFabric, phases: readonly Float64Array[], lanes: number): Float64Array {
  const { hosts, portOffset, portPeer } = fabric;
  const ends = new Float64Array(2 * hosts.length);
  const sumOf = (port: number): number =>
    phases.reduce((sum, counters) => {
      for (let lane = 0; lane < lanes; lane++) sum += counters[port * lanes + lane]! || 0;
      return sum;
    }, 0);
  hosts.forEach((host, rank) => {
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++) {
      ends[2 * rank]! += sumOf(port);
      ends[2 * rank + 1]! += sumOf(portPeer[port]!);
    }
  });
  return ends;
}

/** Whether hosts sent and took in the same, so that loads of two epochs may be compared. */
export function isSameTraffic(a: Float64Array, b: Float64Array): boolean {
  let difference = 0;
  let size = 0;
  a.forEach((own, i) => {
    difference += Math.abs(own - b[i]!);
    size += own + b[i]!;
  });
  return 2 * difference <= sameTraffic * size;
}

/**
 * Chooses tables.
 * @param now those in use @param tried all that were in use with the same traffic, `now` among them
 * @param candidates others @param known share that predictions may be wrong by, whichever is taken
 */
export function chooseTables(
  now: TriedTables,
  tried: readonly TriedTables[],
  candidates: readonly Candidate[],
  known: number,
): TablesChoice {
  const best = tried.reduce((least, own) => (own.measured < least.measured * (1 - sameLoad) ? own : least), now);
  const next = candidates.reduce<Candidate | null>(
    (least, own) => (least === null || own.predicted < least.predicted * (1 - sameLoad) ? own : least),
    null,
  );
  const gain = next === null || best.measured === 0 ? null : 1 - next.predicted / best.measured;
  const doubt = next === null || best.measured === 0 ? 0 : (next.otherwise - next.predicted) / best.measured;
  const uncertainty = Math.max(known, doubt);
  if (next !== null && gain !== null && gain > Math.max(uncertainty, sameLoad))
    return { kind: next.kind, tables: next.tables, ofEpoch: null, expected: next.predicted, gain, uncertainty };
  const { epoch: ofEpoch, tables, measured: expected } = best;
  return { kind: best === now ? 'keep' : 'return', tables, ofEpoch, expected, gain, uncertainty };
}
