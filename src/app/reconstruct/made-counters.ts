// Counters that traffic makes, as a monitor would read them: of some nodes, with noise, missing readings, and readings
// that come early or late.
// Invariants: what tables do not lead is neither counted nor sent; every disturbance has a random stream of its own.
// The model of late readings: a node is read up to a share of the interval early or late, and traffic is steady, so all
// that it counted is that much less or more.

import { wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { RandomStream } from '../../base/random.js';
import { type Fabric, NodeKind } from '../../fabric/fabric.js';
import { shownName } from '../../fabric/port-identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficBuilder, TrafficColumn, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import type { CountingNodes, ReconstructionRequest } from './reconstruction-request.js';

/** What was counted; NaN where nothing was read. */
export interface Counted {
  /** by row of the routing matrix: what a port sent on a lane */
  readonly counters: Float64Array;
  /** by port that sends: what the other end of the link received, on all lanes */
  readonly received: Float64Array;
}

/** Traffic that tables lead, and what it counts. */
export interface CountedTraffic extends Pick<Counted, 'counters'> {
  readonly sent: TrafficMatrix;
  readonly warnings: readonly Diagnostic[];
}

/** What every row counts of some traffic; pairs without a way are left out of it. */
export function countersOf(given: TrafficMatrix, source: RoutedFabric, rows: PairCounters): CountedTraffic {
  const { fabric, identity } = source;
  const counters = new Float64Array(rows.count);
  const unled = new TrafficBuilder(given.hostCount, given.unit);
  let example = '';
  const column = new TrafficColumn(given.hostCount);
  for (let to = 0; to < given.hostCount; to++) {
    given.toDestination(to, column);
    for (let i = 0; i < column.length; i++) {
      const from = column.sources[i]!;
      const count = rows.open(fabric.hosts[from]!, fabric.hosts[to]!, null);
      for (let row = 0; row < count; row++)
        counters[rows.rows[row]!]! += column.weights[i]! * (rows.shares === null ? 1 : rows.shares[row]!);
      if (count > 0) continue;
      if (unled.length === 0) example = [from, to].map((rank) => shownName(identity, fabric.hosts[rank]!)).join(' to ');
      unled.add(from, to, column.weights[i]!);
    }
  }
  if (unled.length === 0) return { counters, sent: given, warnings: [] };
  return {
    counters,
    sent: without(given, unled.build()),
    warnings: [
      {
        severity: 'warning',
        code: 'unrouted-pairs',
        file: '--tables',
        ...wholeFile,
        message: `${unled.length} of ${given.pairCount} pairs that send have no way by the tables: they are left out`,
        got: example,
        hint: 'weft route repair gives every pair a way',
      },
    ],
  };
}

/** A matrix without the pairs of another one. */
function without(given: TrafficMatrix, left: TrafficMatrix): TrafficMatrix {
  const { hostCount } = given;
  const builder = new TrafficBuilder(hostCount, given.unit);
  const [column, out] = [new TrafficColumn(hostCount), new TrafficColumn(hostCount)];
  for (let to = 0; to < hostCount; to++) {
    given.toDestination(to, column);
    left.toDestination(to, out);
    const gone = new Set(out.sources.subarray(0, out.length));
    for (let i = 0; i < column.length; i++)
      if (!gone.has(column.sources[i]!)) builder.add(column.sources[i]!, to, column.weights[i]!);
  }
  return builder.build();
}

/** Whether the counters of each node are read. */
export function countingNodes({ nodeKind }: Fabric, ports: CountingNodes = 'all'): readonly boolean[] {
  return Array.from(nodeKind, (kind) => ports === 'all' || (kind === NodeKind.host) === (ports === 'hosts'));
}

/** Counters as they are read: of some nodes, disturbed. @param exact what every row counts */
export function asRead(
  exact: Float64Array,
  { fabric }: RoutedFabric,
  { ports, noise = 0, missing = 0, skew = 0 }: Pick<ReconstructionRequest, 'ports' | 'noise' | 'missing' | 'skew'>,
  seed: number,
): Counted {
  const { portCount, portNode, portPeer, nodeCount } = fabric;
  const lanes = exact.length / portCount;
  const [ofNoise, ofMissing, ofSkew] = ['noise of counters', 'missing counters', 'skew of readings'].map(
    (name) => new RandomStream(seed, name),
  ) as [RandomStream, RandomStream, RandomStream];
  const isCounting = countingNodes(fabric, ports);
  const late = Float64Array.from({ length: nodeCount }, () => 1 + skew * (2 * ofSkew.nextFraction() - 1));
  const wasRead = Array.from(portNode, (node) => ofMissing.nextFraction() >= missing && isCounting[node]!);
  const shown = (count: number, port: number): number =>
    wasRead[port]! ? Math.max(0, count * late[portNode[port]!]! * (1 + noise * normal(ofNoise))) : NaN;
  const totals = Float64Array.from({ length: portCount }, (_, port) =>
    exact.subarray(port * lanes, (port + 1) * lanes).reduce((sum, own) => sum + own, 0),
  );
  return {
    counters: exact.map((count, row) => shown(count, Math.floor(row / lanes))),
    received: totals.map((count, port) => shown(count, portPeer[port]!)),
  };
}

/** A number of mean 0 and variance 1, nearly normal: the sum of twelve uniform ones (no engine rounds it differently). */
function normal(random: RandomStream): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += random.nextFraction();
  return sum;
}

/**
 * How far, as a share of what was counted, exact traffic is expected to be from disturbed counters: the root of the
 * variances of noise and of uniform skew.
 */
export function expectedResidual({ noise = 0, skew = 0 }: Pick<ReconstructionRequest, 'noise' | 'skew'>): number {
  return Math.sqrt(noise * noise + (skew * skew) / 3);
}
