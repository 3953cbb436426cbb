// The runs of the table: 128 GPUs below eight leaves and sixteen spines, three kinds of traffic, each balancer of the
// catalogue with a transport that suits it, and some links to the spines down from the start.
// Invariants: failed links and the permutation are drawn from named streams, the same for every balancer; a balancer
// that is not named here is taken with the transport that takes anything.

import { type Mechanisms, mechanisms } from '#weft/backends/packet/mechanisms.js';
import { RandomStream } from '#weft/base/random.js';

export const leaves = 8;
export const spines = 16;
const hostsPerLeaf = 16;
const hosts = leaves * hostsPerLeaf;

export const traffics = ['permutation', 'all-to-all', 'ring AllReduce'] as const;
export type Traffic = (typeof traffics)[number];

/** Links to the spines that are down, of 128. */
export const failedLinks = [0, 1, 6] as const;

/** A balancer, its transport, and what goes with them. */
export interface PathChoice {
  readonly balancing: string;
  readonly transport: string;
  /** settings besides, as lines of a scenario */
  readonly settings: string;
}

const lossless = '';
const lossy = 'pfc: { enabled: false }\nswitch: { trimming: true, buffer: 4MiB, dropThreshold: 0.125 }\n';
/** Packets seldom overtake each other: go-back-N takes it. */
const inOrder = new Set(['ecmp', 'letflow', 'conga', 'conweave']);

/** Every balancer of the catalogue, and some twice. */
export function pathChoices(catalogue: Mechanisms = mechanisms): PathChoice[] {
  return Object.keys(catalogue.balancers).flatMap((balancing): PathChoice[] => {
    const goBackN = { balancing, transport: 'go-back-n', settings: lossless };
    const uec = { balancing, transport: 'uec', settings: lossy };
    if (balancing === 'ecmp') return [goBackN, uec];
    if (inOrder.has(balancing)) return [goBackN];
    if (balancing === 'reps') return [uec, { ...uec, settings: `${lossy}uec: { maximumWindow: 3 }\n` }];
    if (balancing !== 'spray') return [uec];
    const inTurn = 'spray: { order: round-robin }\n';
    return [
      { balancing, transport: 'irn', settings: 'irn: { nackThreshold: 64 }\n' },
      uec,
      { ...uec, settings: `${lossy}${inTurn}` },
    ];
  });
}

/** Which links are down, as leaf and spine. */
export function downLinks(count: number): (readonly [leaf: number, spine: number])[] {
  const all = Array.from({ length: leaves * spines }, (_, i) => [Math.floor(i / spines), i % spines] as const);
  return shuffled(all, 'failed links').slice(0, count);
}

/** The scenario of a run; a trace stands beside it as trace.csv. */
export function scenarioOf(traffic: Traffic, choice: PathChoice, failed: number): string {
  const events = downLinks(failed).map(([leaf, spine]) => `{ at: 0us, link: "leaf[${leaf}]-spine[${spine}]" }`);
  return `${common(spines, '100Gbps', events)}transport: { algorithm: ${choice.transport} }
routing: { balancing: ${choice.balancing} }
ecn:
  thresholds:
    - { rate: 100Gbps, minimum: 50kB, maximum: 200kB, probability: 1 }
${choice.settings}${work(traffic)}`;
}

/** The same work for streams over one spine that is as fast as all: what no choice of paths can be faster than. */
export function boundOf(traffic: Traffic, failed: number): string {
  const lost = new Map<number, number>();
  for (const [leaf] of downLinks(failed)) lost.set(leaf, (lost.get(leaf) ?? 0) + 1);
  const events = [...lost].map(
    ([leaf, count]) => `{ at: 0us, rate: ${(spines - count) * 100}Gbps, link: "leaf[${leaf}]-spine[0]" }`,
  );
  return `${common(1, `${spines * 100}Gbps`, events)}backend: fluid\n${work(traffic)}`;
}

/** Transfers of a kind of traffic: nanoseconds, source, destination, bytes. */
export function traceOf(traffic: Traffic): string {
  const lines: string[] = [];
  const to = permutation();
  if (traffic === 'permutation') for (let host = 0; host < hosts; host++) lines.push(`0,${host},${to[host]!},16000000`);
  if (traffic === 'all-to-all')
    for (let step = 1; step < hosts; step++)
      for (let host = 0; host < hosts; host++) lines.push(`0,${host},${(host + step) % hosts},32768`);
  return `${lines.join('\n')}\n`;
}

function common(spineCount: number, spineRate: string, events: readonly string[]): string {
  return `fabric: { generate: leaf-spine, leaves: ${leaves}, spines: ${spineCount}, hostsPerLeaf: ${hostsPerLeaf}, hostRate: 100Gbps, spineRate: ${spineRate} }
failures: { events: [ ${events.join(', ')} ] }
`;
}

/** Neighbours in the ring are below different leaves, as ranks of a scheduler that knows nothing of leaves. */
function work(traffic: Traffic): string {
  if (traffic !== 'ring AllReduce') return 'traffic: { trace: trace.csv }\n';
  const ranks = Array.from({ length: hosts }, (_, i) => (i % leaves) * hostsPerLeaf + Math.floor(i / leaves));
  return `workload: { ranks: "${ranks.join(',')}", layers: [ { name: gradients, forward: { compute: 1us, collective: allreduce, group: dp, size: 4MB } } ] }
collectives: { profile: document, algorithm: ring }
`;
}

/** Every host sends to one below another leaf, and receives from one. */
function permutation(): number[] {
  const order = shuffled(
    Array.from({ length: hosts }, (_, i) => i),
    'permutation',
  );
  for (let again = 0; again < hosts; again++)
    for (let host = 0; host < hosts; host++) {
      if (Math.floor(order[host]! / hostsPerLeaf) !== Math.floor(host / hostsPerLeaf)) continue;
      const other = (host + hostsPerLeaf + again) % hosts;
      [order[host], order[other]] = [order[other]!, order[host]!];
    }
  return order;
}

function shuffled<T>(list: readonly T[], name: string): T[] {
  const random = new RandomStream(1, name);
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.nextBelow(i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}
