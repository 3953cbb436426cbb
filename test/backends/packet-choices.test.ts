// How balancers that decide packet by packet choose among next hops: at random without a bias, in turn, or by queues that
// are given here. One leaf switch of a leaf-spine fabric, asked again and again.

import { describe, expect, it } from 'vitest';
import { AdaptiveBalancing } from '../../src/backends/packet/balancing/adaptive.js';
import type { DataBalancing, QueueBalancingParts } from '../../src/backends/packet/balancing/data-balancing.js';
import { Drill } from '../../src/backends/packet/balancing/drill.js';
import { RandomSpray, RoundRobinSpray } from '../../src/backends/packet/balancing/spray.js';
import { Kind, PacketWord } from '../../src/backends/packet/packets.js';
import { noRoute } from '../../src/backends/packet/plug-ins.js';
import { QueuePairs } from '../../src/backends/packet/queue-pairs.js';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { EventRecords } from '../../src/engine/event-records.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { chiSquare, onceInAMillion } from '../support/chi-square.js';
import { seed } from '../support/seed.js';

const spines = 8;
// hosts 0 to 3, leaves 4 and 5, spines 6 to 13
const fabric = generateFabric('leaf-spine', { leaves: 2, spines, hostsPerLeaf: 2 });
const order = 'descending-node-id';

/** Asks one leaf for the spines of data packets from host 0 to host 2. */
class Leaf {
  readonly tracer = new PathTracer(new EqualCostRoutes(fabric, order));
  /** by spine, what waits behind the port of leaf 4 that leads to it */
  readonly backlogs = new Float64Array(spines);
  private readonly records = new EventRecords();
  private readonly pairs = new QueuePairs();
  private readonly balancing: DataBalancing;
  private readonly packet: number;

  constructor(
    make: (parts: QueueBalancingParts) => DataBalancing,
    own: Readonly<Record<string, Record<string, number>>> = {},
  ) {
    const { tracer, records, pairs } = this;
    this.balancing = make({
      fabric,
      tracer,
      records,
      pairs,
      seed,
      pathsMayChange: false,
      settings: { ...defaultPacketSettings(), own },
      ports: { backlogBytes: (port) => this.backlogs[this.spineOf(port)]! },
    });
    const pair = pairs.allocate();
    pairs.source[pair] = 0;
    pairs.destination[pair] = 2;
    this.packet = records.allocate();
    const at = this.packet << 3;
    records.words[at + PacketWord.pair] = pair;
    records.words[at + PacketWord.head] = Kind.data;
    records.words[at + PacketWord.port] = this.balancing.connect(pair);
  }

  /** The spine, from 0, of the next packet; -1: none. */
  next(): number {
    const port = this.balancing.next(this.packet);
    return port === noRoute ? -1 : this.spineOf(port);
  }

  /** How many of so many packets each spine gets. */
  counts(packets: number): number[] {
    const counts = Array.from({ length: spines }, () => 0);
    for (let i = 0; i < packets; i++) counts[this.next()]!++;
    return counts;
  }

  /** Routes without the links of the leaf to some spines. */
  withoutSpines(failed: readonly number[]): void {
    const isUp = new Uint8Array(fabric.linkCount).fill(1);
    for (let port = fabric.portOffset[4]!; port < fabric.portOffset[5]!; port++)
      if (failed.includes(this.spineOf(port))) isUp[fabric.portLink[port]!] = 0;
    this.tracer.use(new EqualCostRoutes(fabric, order, { isUp, mostLinks: 4 }));
  }

  private spineOf(port: number): number {
    return fabric.portNode[fabric.portPeer[port]!]! - 6;
  }
}

const random = (): Leaf => new Leaf((parts) => new RandomSpray(parts));
const inTurn = (): Leaf => new Leaf((parts) => new RoundRobinSpray(parts));
const adaptive = (): Leaf => new Leaf((parts) => new AdaptiveBalancing(parts));
const drill = (samples: number, memory: number): Leaf =>
  new Leaf((parts) => new Drill(parts), { drill: { samples, memory } });

describe(`choices of packets (WEFT_SEED=${seed})`, () => {
  it.each([
    ['spraying at random', random],
    ['adaptive routing among empty queues', adaptive],
    ['DRILL with one sample and no memory', () => drill(1, 0)],
    ['DRILL among empty queues, without memory', () => drill(2, 0)],
  ])('%s gives every spine its share, also behind any other', (_, make) => {
    const leaf = make();
    expect(chiSquare(leaf.counts(16_000))).toBeLessThan(onceInAMillion(spines));
    const followers = Array.from({ length: spines * spines }, () => 0);
    let last = leaf.next();
    for (let i = 0; i < 32_000; i++) {
      const now = leaf.next();
      followers[last * spines + now]!++;
      last = now;
    }
    expect(chiSquare(followers)).toBeLessThan(onceInAMillion(followers.length));
  });

  it('spraying in turn gives every spine every eighth packet', () => {
    const leaf = inTurn();
    const first = Array.from({ length: spines }, () => leaf.next());
    expect([...first].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (let round = 0; round < 3; round++) expect(Array.from({ length: spines }, () => leaf.next())).toEqual(first);
  });

  it('adaptive routing takes the shortest queue, and the shortest ones alike', () => {
    const leaf = adaptive();
    leaf.backlogs.set([900, 300, 300, 700, 300, 301, 5000, 400]);
    const counts = leaf.counts(9000);
    expect(counts.filter((_, spine) => ![1, 2, 4].includes(spine))).toEqual([0, 0, 0, 0, 0]);
    expect(chiSquare([1, 2, 4].map((spine) => counts[spine]!))).toBeLessThan(onceInAMillion(3));
  });

  it('DRILL takes the longest of eight queues as often as all its samples are of it', () => {
    const leaf = drill(2, 0);
    leaf.backlogs.set([1, 1, 1, 1, 1, 1, 1, 2]);
    const packets = 64_000;
    const [longest] = leaf.counts(packets).slice(-1);
    // one in 64, by the binomial distribution within five standard deviations
    const deviation = Math.sqrt((packets * 63) / 64 / 64);
    expect(Math.abs(longest! - packets / 64)).toBeLessThan(5 * deviation);
  });

  it('DRILL comes back to the best one that it has seen, while it is the best', () => {
    const leaf = drill(1, 1);
    leaf.backlogs.set([8, 7, 6, 5, 4, 3, 2, 1]);
    let best = Infinity;
    for (let i = 0; i < 200; i++) {
      const backlog = leaf.backlogs[leaf.next()]!;
      expect(backlog).toBeLessThanOrEqual(best);
      best = backlog;
    }
    expect(best).toBe(1);
    leaf.backlogs[7] = 100;
    const later = leaf.counts(200);
    // of all that it meets again it takes the next best one
    expect(later[6]).toBeGreaterThan(100);
  });

  it.each([
    ['spraying at random', random],
    ['spraying in turn', inTurn],
    ['adaptive routing', adaptive],
    ['DRILL', () => drill(2, 1)],
  ])('%s keeps to the spines that are left, and says when there is none', (_, make) => {
    const leaf = make();
    leaf.counts(100);
    leaf.withoutSpines([0, 3, 7]);
    const counts = leaf.counts(5000);
    expect(counts.map((count) => count > 0)).toEqual([false, true, true, false, true, true, true, false]);
    leaf.withoutSpines([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(leaf.next()).toBe(-1);
  });
});
