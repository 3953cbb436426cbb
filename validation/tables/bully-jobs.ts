// Barrier and bully of Taffet's dissertation 5.4 (docs/SOURCES.md): which hosts each job has, and the traffic that
// routes are made from, at the source's size or below.
// Invariants: a random allocation has one bully host more than uplinks on exactly two leaves, both of the first pod,
// and none of these sends within its leaf, as the source's. The modified one has fewer than uplinks on every leaf, and
// differs by hosts that were idle.

import { TrafficBuilder, type Traffic } from '#weft/flows/traffic/matrix.js';
import { shuffled } from '#weft/flows/traffic/synthetic-patterns.js';
import { findProgram } from '#weft/programs/families/catalogue.js';
import { barrierBytes } from '#weft/programs/machine.js';
import { RankOperation } from '#weft/programs/rank-program.js';

/** A fabric as quartz1 is, and the jobs on it. */
export interface BullySize {
  readonly name: string;
  readonly shape: {
    readonly pods: number;
    readonly edgesPerPod: number;
    readonly hostsPerEdge: number;
    readonly aggregationPerPod: number;
    readonly cores: number;
    readonly coreGroups: number;
  };
  /** ranks in a row of the barrier, and rows */
  readonly grid: readonly [x: number, y: number];
  readonly barrierRounds: number;
  /** hosts of the bully; what is left is idle */
  readonly bullies: number;
  /** whether Partitioned Binary is solved: HiGHS does not solve the layers of quartz1 */
  readonly isSolved: boolean;
}

const quartz1 = { pods: 4, edgesPerPod: 24, hostsPerEdge: 32, aggregationPerPod: 16, cores: 48, coreGroups: 2 };
const halved = { pods: 4, edgesPerPod: 6, hostsPerEdge: 16, aggregationPerPod: 8, cores: 12, coreGroups: 2 };

/** The source's size, and half of it in every dimension of the fabric. */
export const bullySizes: readonly BullySize[] = [
  { name: 'half', shape: halved, grid: [16, 16], barrierRounds: 100, bullies: 124, isSolved: true },
  { name: 'whole', shape: quartz1, grid: [32, 64], barrierRounds: 100, bullies: 1000, isSolved: false },
];

/** Hosts of each job, by rank of the fabric, in ascending order: ranks of programs are mapped to them in turn. */
export interface Allocation {
  readonly barrier: readonly number[];
  readonly bully: readonly number[];
}

/** The seed of the runs, by which the bully draws its pairs. */
export const runSeed = 1;
const mostDraws = 100_000;

/** The first allocation of a row of random ones that is as unlucky as the source's. @throws Error if none is */
export function randomAllocation(size: BullySize): Allocation & { readonly seed: number } {
  for (let seed = 1; seed <= mostDraws; seed++) {
    const drawn = allocationOf(size, seed);
    if (isAsUnlucky(size, drawn)) return { ...drawn, seed };
  }
  throw new Error(`no unlucky allocation of ${size.name} size in ${mostDraws} draws`);
}

/** The same with a host fewer of the bully than uplinks on every leaf, by giving the rest idle hosts elsewhere. */
export function modifiedAllocation(size: BullySize, { barrier, bully }: Allocation): Allocation {
  const most = size.shape.aggregationPerPod - 1;
  const counts = bulliesByLeaf(size, bully);
  const taken = new Set([...barrier, ...bully]);
  const idle = Array.from({ length: hostsOf(size) }, (_, host) => host).filter((host) => !taken.has(host));
  const moved = bully.map((host) => {
    if (counts[leafOf(size, host)]! <= most) return host;
    const at = idle.findIndex((other) => counts[leafOf(size, other)]! < most);
    if (at < 0) throw new Error('no idle host is left on a leaf that has room for the bully');
    const [other] = idle.splice(at, 1);
    counts[leafOf(size, host)]!--;
    counts[leafOf(size, other!)]!++;
    return other!;
  });
  return { barrier, bully: moved.sort((a, b) => a - b) };
}

/** How many hosts of a job each leaf has. */
export function bulliesByLeaf(size: BullySize, hosts: readonly number[]): Int32Array {
  const counts = new Int32Array(size.shape.pods * size.shape.edgesPerPod);
  for (const host of hosts) counts[leafOf(size, host)]!++;
  return counts;
}

/** What a pair sends, for routes to be made from. */
export interface Weights {
  readonly name: string;
  /** of a pair of the bully; of a pair of the barrier that sends so many messages in a round of three barriers */
  readonly bully: number;
  readonly barrier: (messages: number) => number;
}

const [roundMessages, bullyBytes] = [100, 200 * 1024];
const bullyMessages = 40 * roundMessages;
/** What a host of the bully sends in a round. */
export const bullyRoundBytes = roundMessages * bullyBytes;
const largestPacketBytes = 4096;
/** 5.4.2: half of the packets, each as a full one, and half of the bytes. */
const mixed = (packets: number, bytes: number): number => (packets * largestPacketBytes + bytes) / 2;

/**
 * 5.4.1's stylised matrix, and 5.4.2's weights: bytes as they are found again, without the barrier's, and as they are
 * counted; packets and bytes.
 */
export const weights = {
  stylised: { name: 'stylised', bully: 100, barrier: () => 1 },
  bytes: { name: 'bytes', bully: bullyMessages * bullyBytes, barrier: () => 0 },
  countedBytes: {
    name: 'bytes',
    bully: bullyMessages * bullyBytes,
    barrier: (messages) => 100 * messages * barrierBytes,
  },
  mixed: {
    name: 'mixed',
    bully: mixed((bullyMessages * bullyBytes) / largestPacketBytes, bullyMessages * bullyBytes),
    barrier: (messages) => 100 * messages * mixed(1, barrierBytes),
  },
} as const satisfies Readonly<Record<string, Weights>>;

/** The traffic of both jobs under an allocation. */
export function bullyTraffic(size: BullySize, { barrier, bully }: Allocation, weighting: Weights): Traffic {
  const hosts = hostsOf(size);
  const builder = new TrafficBuilder(hosts, 'relative');
  partnersOf(bully.length).forEach((partner, rank) => {
    builder.add(bully[rank]!, bully[partner]!, weighting.bully);
  });
  for (const [pair, messages] of barrierPairs(size.grid)) {
    const [from, to] = [Math.floor(pair / barrier.length), pair % barrier.length];
    builder.add(barrier[from]!, barrier[to]!, weighting.barrier(messages));
  }
  const phases = [{ name: 'all', matrix: builder.build() }];
  return { name: weighting.name, hostCount: hosts, unit: 'relative', note: '', phases };
}

/** Who sends whom how many messages in a round: both ways of the edges of the trees of rows, columns and all. */
function barrierPairs([x, y]: readonly [number, number]): Map<number, number> {
  const ranks = x * y;
  const pairs = new Map<number, number>();
  const tree = (count: number, rankOf: (place: number) => number): void => {
    for (let place = 1; place < count; place++) {
      const [below, above] = [rankOf(place), rankOf((place - 1) >> 1)];
      for (const pair of [below * ranks + above, above * ranks + below]) pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
    }
  };
  for (let row = 0; row < y; row++) tree(x, (place) => row * x + place);
  for (let column = 0; column < x; column++) tree(y, (place) => place * x + column);
  tree(ranks, (place) => place);
  return pairs;
}

/** Messages of all rounds of the barrier. */
export function barrierMessages({ grid, barrierRounds }: BullySize): number {
  return barrierRounds * [...barrierPairs(grid).values()].reduce((sum, messages) => sum + messages, 0);
}

/** The partner of every rank of the bully, as its program has it. */
function partnersOf(ranks: number): number[] {
  const program = findProgram('bully')!.make({ messageSize: 1, messages: 1, rounds: 1 }, ranks, runSeed);
  const operation = new RankOperation();
  return Array.from({ length: ranks }, (_, rank) => {
    program.read(rank, 0, operation);
    return operation.peer;
  });
}

const hostsOf = ({ shape }: BullySize): number => shape.pods * shape.edgesPerPod * shape.hostsPerEdge;
const leafOf = ({ shape }: BullySize, host: number): number => Math.floor(host / shape.hostsPerEdge);

function allocationOf(size: BullySize, seed: number): Allocation {
  const order = [...shuffled(hostsOf(size), seed)];
  const ranks = size.grid[0] * size.grid[1];
  const ascending = (from: number, to: number): number[] => order.slice(from, to).sort((a, b) => a - b);
  return { barrier: ascending(0, ranks), bully: ascending(ranks, ranks + size.bullies) };
}

function isAsUnlucky(size: BullySize, { barrier, bully }: Allocation): boolean {
  const { aggregationPerPod: uplinks, edgesPerPod } = size.shape;
  const counts = bulliesByLeaf(size, bully);
  const overfull = [...counts.keys()].filter((leaf) => counts[leaf]! > uplinks);
  if (overfull.length !== 2 || overfull.some((leaf) => leaf >= edgesPerPod || counts[leaf] !== uplinks + 1))
    return false;
  const surplus = counts.reduce((sum, count) => sum + Math.max(0, count - (uplinks - 1)), 0);
  if (surplus > hostsOf(size) - barrier.length - bully.length) return false;
  return partnersOf(bully.length).every((partner, rank) => {
    const leaf = leafOf(size, bully[rank]!);
    return !overfull.includes(leaf) || leaf !== leafOf(size, bully[partner]!);
  });
}
