// What every transport must do, whatever the network does to its packets: every byte delivered once, completion only
// with all of them, no livelock, nothing left behind, the same every time. Written against the interface: Weft's own
// transports pass it, and one that is added from outside.

import { describe, expect, it } from 'vitest';
import type { LossModel } from '../../src/engine/link-hazards.js';
import { Kind, kindMask, PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketParts } from '../../src/backends/packet/parts.js';
import { type Mechanism, mechanisms } from '../../src/backends/packet/mechanisms.js';
import { RandomStream } from '../../src/base/random.js';
import { runWith, type SeamRun } from '../seams/run.js';
import { selectiveRepeat } from '../seams/selective-repeat.js';
import { spray } from '../seams/spray.js';
import { seed } from '../support/seed.js';

const transports = { ...mechanisms.transports, 'selective-repeat': selectiveRepeat };
const payload = 1000;

/** A packet as a rule of losses sees it. */
interface Seen {
  readonly kind: number;
  readonly sequence: number;
  /** how often a packet of this kind and number was seen before on this link */
  readonly before: number;
}

/** Loses what a rule says, on the first link of its way. */
function losing(rule: (seen: Seen) => boolean): Mechanism<PacketParts, LossModel> {
  const make = ({ records, fabric }: PacketParts): LossModel => {
    const counts = new Map<string, number>();
    return {
      always: true,
      loses: (packet, port) => {
        // what comes from a host
        if (!fabric.hosts.includes(fabric.portNode[fabric.portPeer[port]!]!)) return false;
        const words = records.words.subarray(packet << 3, (packet + 1) << 3);
        const [kind, sequence] = [words[PacketWord.head]! & kindMask, words[PacketWord.sequence]!];
        const key = `${kind} ${sequence} ${port}`;
        const before = counts.get(key) ?? 0;
        counts.set(key, before + 1);
        return rule({ kind, sequence, before });
      },
    };
  };
  return { description: 'by a rule', make };
}

const isData = ({ kind }: Seen): boolean => kind === Kind.data;
const isAnswer = ({ kind }: Seen): boolean => kind === Kind.ack || kind === Kind.nack;

function run(
  transport: string,
  rule: (seen: Seen) => boolean,
  options: { balancing?: string; packets?: number } = {},
): Promise<SeamRun> {
  const { balancing = 'ecmp', packets = 60 } = options;
  const sizes = [packets * payload, packets * payload - 1, payload - 1];
  return runWith(
    { transports, balancers: { spray }, lossModels: { rule: losing(rule) } },
    `
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 3 }
packet: { payload: ${payload} }
transport: { algorithm: ${transport} }
routing: { balancing: ${balancing} }
loss: { model: rule }
queuePair: { retransmissionTimeout: 200us, retries: 100 }
traffic:
  transfers:
${sizes.map((size, i) => `    - { source: ${i}, destination: ${3 + i}, size: ${size} }\n`).join('')}`,
  );
}

/** The run is sound, and every byte of its three flows was delivered exactly once. */
function expectAllDelivered({ summary, broken }: SeamRun, packets = 60): void {
  expect(broken).toEqual([]);
  expect([summary.outcome, summary.finished]).toEqual(['finished', 3]);
  expect(summary.counters.payloadBytesDelivered).toBe(2 * packets * payload + payload - 2);
}

describe.each(Object.keys(transports))('%s', (transport) => {
  it('sends nothing twice where nothing is lost', async () => {
    const clean = await run(transport, () => false);
    expectAllDelivered(clean);
    expect(clean.summary.counters['retransmittedBytes']! + clean.summary.counters['timeouts']!).toBe(0);
    expect(clean.summary.counters['dataPacketsSent']).toBe(121);
  });

  it.each<[string, (seen: Seen) => boolean]>([
    ['the first packet', (seen) => isData(seen) && seen.sequence === 0 && seen.before === 0],
    ['the first packet four times', (seen) => isData(seen) && seen.sequence === 0 && seen.before < 4],
    ['the last packet', (seen) => isData(seen) && seen.sequence === 59 && seen.before === 0],
    ['every packet once', (seen) => isData(seen) && seen.before === 0],
    ['the first answer', (seen) => isAnswer(seen) && seen.sequence <= 1 && seen.before === 0],
    ['every answer that comes for the first time', (seen) => isAnswer(seen) && seen.before === 0],
    ['every other packet', (seen) => isData(seen) && seen.sequence % 2 === 1 && seen.before === 0],
  ])('brings everything when %s is lost', async (_, rule) => {
    const lossy = await run(transport, rule);
    expectAllDelivered(lossy);
    expect(lossy.summary.counters['packetsLost']).toBeGreaterThan(0);
  });

  it.each([1, 2, 3])(
    `brings everything under random loss of data and answers, try %i (WEFT_SEED=${seed})`,
    async (n) => {
      const random = new RandomStream(seed, `transport ${n}`);
      expectAllDelivered(await run(transport, () => random.nextFraction() < 0.05 * n));
    },
  );

  it(`brings everything when packets overtake each other and are lost (WEFT_SEED=${seed})`, async () => {
    const random = new RandomStream(seed, 'transport, out of order');
    expectAllDelivered(await run(transport, () => random.nextFraction() < 0.02, { balancing: 'spray' }));
  });

  it('ends as blocked, with a reason, where nothing ever arrives', async () => {
    const { summary } = await run(transport, isData, { packets: 3 });
    expect(['blocked', 'finished']).toContain(summary.outcome);
    expect(summary.finished).toBe(0);
    expect(summary.verdicts.find(({ name }) => name === 'all flows finished')?.ok).toBe(false);
  }, 60_000);

  it('does the same every time', async () => {
    const twice = [0, 1].map(() =>
      run(transport, (seen) => isData(seen) && seen.sequence % 7 === 3 && seen.before === 0),
    );
    const [first, second] = await Promise.all(twice);
    expect(second!.summary.digest).toBe(first!.summary.digest);
    expect(second!.summary.counters).toEqual(first!.summary.counters);
  });
});
