// Which tables the next epoch has: those in use, others that were measured, ftree's, or new ones.
// Invariants: decisions see counters and what follows from them alone, never what was sent. Loads of tables that were in
// use are measured; all others are predicted, and count only if the gain is above what the prediction may be wrong by.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { interSwitchPorts, loadPerTraffic, loadsOfFlows } from '../../optimization/table-loads.js';
import { changedEntries, type ForwardingTables } from '../../routing/forwarding-tables.js';

/** Loads that differ by less count as the same. */
const sameLoad = 1e-3;
/**
 * What is counted under the same tables, and what hosts send and take in under any, differs by at most this share in
 * epochs of the same traffic, and so do loads from those that traffic found in the other epoch would have.
 */
export const sameCounts = 0.02;
/** The same where switches hash: acknowledgements go back by other ways than tables say. */
export const sameHashedCounts = 0.06;

/** Tables that were in use. */
export interface TriedTables {
  readonly epoch: number;
  readonly tables: ForwardingTables;
  /** largest load between switches, summed over phases */
  readonly measured: number;
  /** what hosts sent, by lane, and took in: the same under any tables */
  readonly ends: HostEnds;
  /** load of every link between switches, by sending port, summed over phases */
  readonly loads: Float64Array;
  /** what was found of its traffic; null: nobody asked */
  told: Traffic | null;
}

/** What hosts sent and took in, by host; and by host and lane what they sent. */
export interface HostEnds {
  readonly byHost: Float64Array;
  readonly byLane: Float64Array;
  readonly lanes: number;
}

/** Tables that might come next. */
export interface Candidate {
  readonly kind: 'new' | 'ftree';
  readonly tables: ForwardingTables;
  readonly predicted: number;
  /** the same by other traffic, which says how far to trust that */
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

/** Sums of several phases, by port. */
export function summed(phases: readonly Float64Array[]): Float64Array {
  const [first, ...others] = phases;
  return first!.map((load, port) => others.reduce((sum, own) => sum + own[port]!, load));
}

/**
 * What every host sent and took in, over all phases. It is the same under any tables, by lane as well: the first link
 * of a pair is that of its host, and its lane that of its level.
 */
export function endsOf({ fabric }: RoutedFabric, phases: readonly Float64Array[], lanes: number): HostEnds {
  const { hosts, portOffset, portPeer } = fabric;
  const byHost = new Float64Array(2 * hosts.length);
  const byLane = new Float64Array(lanes * hosts.length);
  hosts.forEach((host, rank) => {
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      for (let lane = 0; lane < lanes; lane++)
        for (const counters of phases) {
          const sent = counters[port * lanes + lane]! || 0;
          byHost[2 * rank]! += sent;
          byLane[rank * lanes + lane]! += sent;
          byHost[2 * rank + 1]! += counters[portPeer[port]! * lanes + lane]! || 0;
        }
  });
  return { byHost, byLane, lanes };
}

/**
 * Whether two epochs had the same traffic, as far as counters tell, so that their loads may be compared: under the same
 * tables all links carried the same; under others hosts sent the same by lane, or what was found of one epoch explains
 * what links carried in the other. Sums by host alone say little: pairs drawn anew leave them as they are.
 * @param share by which counts may differ
 */
export function isSameTraffic(source: RoutedFabric, a: TriedTables, b: TriedTables, share = sameCounts): boolean {
  if (a === b) return true;
  if (difference(a.ends.byHost, b.ends.byHost) > share) return false;
  if (changedEntries(a.tables, b.tables) === 0) return difference(a.loads, b.loads) <= share;
  const { lanes } = a.ends;
  if (lanes > 1 && lanes === b.ends.lanes && difference(a.ends.byLane, b.ends.byLane) <= share) return true;
  return explains(source, a, b, share) || explains(source, b, a, share);
}

/** Whether what was found of one epoch has links carry under the tables of another one what they carried there. */
function explains(source: RoutedFabric, { told }: TriedTables, { tables, loads }: TriedTables, share: number): boolean {
  return told !== null && difference(summed(predictedLoads(source, tables, told)), loads) <= share;
}

/** How far two columns are from each other, as a share of their mean sum. */
function difference(a: Float64Array, b: Float64Array): number {
  let apart = 0;
  let size = 0;
  a.forEach((own, i) => {
    apart += Math.abs(own - b[i]!);
    size += own + b[i]!;
  });
  return size === 0 ? 0 : (2 * apart) / size;
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

/** The tables that a loop began with: what is left where the traffic changes, and nothing is known of what comes. */
export function firstTables(now: TriedTables, first: TriedTables): TablesChoice {
  const { tables, measured: expected } = first;
  const isKept = changedEntries(tables, now.tables) === 0;
  return { kind: isKept ? 'keep' : 'return', tables, ofEpoch: 0, expected, gain: null, uncertainty: 0 };
}
