// The ways of a job's own flows as its owner knows them: the links of its hosts, and between switches those shortest
// ways on which samples of its packets were seen, as much on each as the samples say.
//   Samples tell traffic apart by classes of ranks, so flows of one class to another share what is seen of them all.

import type { RandomStream } from '../base/random.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import type { ObservedFlows } from './observed-flows.js';
import { networkPort, SpreadWays } from './spread-ways.js';

/** Samples of a job, row by row: packets on a link, and between which classes of ranks. */
export interface JobSamples {
  readonly rows: number;
  readonly port: ArrayLike<number>;
  readonly sourceRank: ArrayLike<number>;
  readonly destinationRank: ArrayLike<number>;
  /** ranks of a class; 0: not told apart */
  readonly classRanks: ArrayLike<number>;
  readonly traffic: ArrayLike<number>;
}

/**
 * Some flows, with the ways that samples show of them.
 * @param which flows, ascending
 * @param random each flow takes one way, drawn by what was seen; null: each takes all of them
 */
export function ownerFlows(
  fabric: Fabric,
  flows: ObservedFlows,
  which: Int32Array,
  samples: JobSamples,
  random: RandomStream | null = null,
): ObservedFlows {
  const { portNeighbour, portPeer } = fabric;
  const ways = new SpreadWays(fabric);
  const seen = new SeenTraffic(samples);
  const offsets = new Int32Array(which.length + 1);
  const ports: number[] = [];
  const places: number[] = [];
  const shares: number[] = [];
  const put = (port: number, place: number, share: number): void => {
    ports.push(port);
    places.push(place);
    shares.push(share);
  };
  which.forEach((flow, i) => {
    const [source, destination] = [flows.source[flow]!, flows.destination[flow]!];
    const [up, down] = endPorts(fabric, source, destination);
    put(up, 0, 1);
    offsets[i + 1] = ports.length;
    if (portNeighbour[up] === destination) return;
    const way = ways.between(portNeighbour[up]!, portNeighbour[down]!);
    const all = way.distances.length === 0 ? 0 : way.distances[0]!;
    let at = portNeighbour[up]!;
    for (let left = all, from = 0; left > 0; left--) {
      let to = from;
      while (to < way.distances.length && way.distances[to] === left) to++;
      const weights = Array.from(way.ports.subarray(from, to), (port) =>
        seen.packets(port, flows.sourceRank[flow]!, flows.destinationRank[flow]!),
      );
      if (random !== null) {
        const next = drawn(random, fabric, way.ports.subarray(from, to), weights, at);
        put(next, all - left + 1, 1);
        at = portNeighbour[next]!;
        from = to;
        continue;
      }
      const sum = weights.reduce((whole, own) => whole + own, 0);
      for (let k = from; k < to; k++) {
        const share = sum > 0 ? weights[k - from]! / sum : way.shares[k]!;
        if (share > 0) put(way.ports[k]!, all - left + 1, share);
      }
      from = to;
    }
    put(portPeer[down]!, all + 1, 1);
    offsets[i + 1] = ports.length;
  });
  const some = <T extends Int32Array | Float64Array>(column: T): T =>
    which.map((flow) => column[flow]!) as unknown as T;
  const floats = (column: Float64Array): Float64Array => Float64Array.from(which, (flow) => column[flow]!);
  return {
    count: which.length,
    source: some(flows.source),
    destination: some(flows.destination),
    startPs: floats(flows.startPs),
    finishPs: floats(flows.finishPs),
    idealPs: floats(flows.idealPs),
    wireBytes: floats(flows.wireBytes),
    job: some(flows.job),
    sourceRank: some(flows.sourceRank),
    destinationRank: some(flows.destinationRank),
    phase: some(flows.phase),
    offsets,
    ports: Int32Array.from(ports),
    places: Uint8Array.from(places),
    shares: Float32Array.from(shares),
  };
}

/**
 * The links of two hosts: the one between them where they have one, as a GPU and its NVSwitch; those to a switch of their
 * server where they have one in common, else those to the network.
 */
function endPorts(fabric: Fabric, source: number, destination: number): readonly [up: number, down: number] {
  const { portOffset, portNeighbour, portPeer, nodeKind } = fabric;
  for (let up = portOffset[source]!; up < portOffset[source + 1]!; up++)
    if (portNeighbour[up] === destination) return [up, portPeer[up]!];
  for (let up = portOffset[source]!; up < portOffset[source + 1]!; up++) {
    if (nodeKind[portNeighbour[up]!] !== NodeKind.nvswitch) continue;
    for (let down = portOffset[destination]!; down < portOffset[destination + 1]!; down++)
      if (portNeighbour[down] === portNeighbour[up]) return [up, down];
  }
  return [networkPort(fabric, source), networkPort(fabric, destination)];
}

/** One of the ports of a node, in proportion to their weights; of such without any weight each alike. */
function drawn(
  random: RandomStream,
  { portNode }: Fabric,
  ports: Int32Array,
  weights: readonly number[],
  node: number,
): number {
  const own = Array.from(ports.keys()).filter((i) => portNode[ports[i]!] === node);
  const sum = own.reduce((whole, i) => whole + weights[i]!, 0);
  let left = random.nextFraction() * (sum > 0 ? sum : own.length);
  for (const i of own) {
    left -= sum > 0 ? weights[i]! : 1;
    if (left < 0) return ports[i]!;
  }
  return ports[own.at(-1)!]!;
}

/** Packets by link and classes of ranks. */
class SeenTraffic {
  private readonly packetsOf = new Map<string, number>();
  private readonly classRanks: number;

  constructor({ rows, port, sourceRank, destinationRank, classRanks, traffic }: JobSamples) {
    let ranks = 0;
    for (let row = 0; row < rows; row++) {
      ranks = Math.max(ranks, classRanks[row]!);
      const key = `${port[row]!} ${sourceRank[row]!} ${destinationRank[row]!}`;
      this.packetsOf.set(key, (this.packetsOf.get(key) ?? 0) + Math.max(0, traffic[row]!));
    }
    this.classRanks = ranks;
  }

  packets(port: number, source: number, destination: number): number {
    const first = (rank: number): number => (this.classRanks === 0 || rank < 0 ? -1 : rank - (rank % this.classRanks));
    return this.packetsOf.get(`${port} ${first(source)} ${first(destination)}`) ?? 0;
  }
}
