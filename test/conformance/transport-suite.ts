// What every transport must do, whatever the network does to its packets: every byte delivered exactly once, in order
// where that is promised, completion only with all of them, no livelock, memory that does not grow with what was sent,
// nothing left behind, the same every time. Written against the interface; a transport made elsewhere passes it like one
// of src.

import { describe, expect, it } from 'vitest';
import type { LossModel } from '../../src/engine/link-hazards.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { Kind, kindMask, PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketParts, TransportParts } from '../../src/backends/packet/parts.js';
import type { Transport } from '../../src/backends/packet/plug-ins.js';
import type { Mechanism } from '../../src/backends/packet/mechanism.js';
import { mechanisms, type Mechanisms } from '../../src/backends/packet/mechanisms.js';
import { RandomStream } from '../../src/base/random.js';
import { broken, engineRun, type EngineRun, settingsWith, type SettingChanges } from '../support/engine-run.js';
import { seed } from '../support/seed.js';
import { watched } from '../../validation/watched-transport.js';

const payload = 1000;
const fabric = generateFabric('leaf-spine', { leaves: 2, spines: 4, hostsPerLeaf: 3 });

/** A packet as a rule of losses sees it. */
interface Seen {
  readonly kind: number;
  readonly sequence: number;
  /** how often a packet of this kind and number was seen before on this link */
  readonly before: number;
}

/** A transport as the suite takes it. */
export interface SuiteTransport {
  readonly mechanism: Mechanism<TransportParts, Transport>;
  /** packets reach the application in the order in which they were sent */
  readonly inOrder: boolean;
  /** its own settings, by group */
  readonly own?: SettingChanges['own'];
}

/** What the network does to packets. */
interface Trouble {
  readonly rule?: (seen: Seen) => boolean;
  readonly balancing?: string;
  readonly packets?: number;
  readonly isDoubled?: () => boolean;
  readonly queuePair?: SettingChanges['queuePair'];
}

interface SuiteRun extends EngineRun {
  readonly problems: readonly string[];
}

/** Loses what a rule says, on the first link of its way. */
function losing(rule: (seen: Seen) => boolean): Mechanism<PacketParts, LossModel> {
  const make = ({ records, fabric: { hosts, portNode, portPeer } }: PacketParts): LossModel => {
    const counts = new Map<string, number>();
    return {
      always: true,
      loses: (packet, port) => {
        // what comes from a host
        if (!hosts.includes(portNode[portPeer[port]!]!)) return false;
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
const everySeventhOnce = (seen: Seen): boolean => isData(seen) && seen.sequence % 7 === 3 && seen.before === 0;
const isAnswer = ({ kind }: Seen): boolean => kind > Kind.data && kind <= Kind.control;

function run({ mechanism, inOrder, own = {} }: SuiteTransport, trouble: Trouble = {}): SuiteRun {
  const { rule = () => false, balancing = 'ecmp', packets = 60, isDoubled, queuePair = {} } = trouble;
  const problems: string[] = [];
  const watch = { problems, inOrder, ...(isDoubled === undefined ? {} : { isDoubled }) };
  const all = mechanisms as Mechanisms;
  const catalogue: Mechanisms = {
    ...all,
    transports: { suite: watched(mechanism, watch) },
    lossModels: { rule: losing(rule) },
  };
  const { hosts } = fabric;
  const sizes = [packets * payload, packets * payload - 1, payload - 1];
  const made = engineRun(
    fabric,
    sizes.map((size, i) => [hosts[i]!, hosts[3 + i]!, size]),
    {
      catalogue,
      settings: settingsWith({
        packet: { payload },
        transport: { algorithm: 'suite' as never },
        balancing,
        loss: { model: 'rule' as never },
        queuePair: { retransmissionTimeout: 200e6, retries: 100, ...queuePair },
        own,
      }),
      mostEvents: 5_000_000,
    },
  );
  return { ...made, problems };
}

/** The run is sound, and every byte of its three flows was delivered exactly once. */
function expectAllDelivered(made: SuiteRun, packets = 60): void {
  expect([made.problems, broken(made)]).toEqual([[], []]);
  expect([made.state, made.flows.length]).toEqual(['finished', 3]);
  expect(made.network.counters.payloadBytesDelivered).toBe(2 * packets * payload + payload - 2);
  expect(made.network.parts.packets.live).toBe(0);
}

/** Adds the tests that every transport passes. */
export function checkTransport(name: string, transport: SuiteTransport): void {
  describe(name, () => {
    it('sends nothing twice where nothing is lost', () => {
      const clean = run(transport);
      expectAllDelivered(clean);
      const { retransmittedBytes, timeouts, dataPacketsSent, duplicatePackets } = clean.network.counters;
      expect([retransmittedBytes + 0, timeouts, dataPacketsSent, duplicatePackets]).toEqual([0, 0, 121, 0]);
    });

    it.each<[string, (seen: Seen) => boolean]>([
      ['the first packet', (seen) => isData(seen) && seen.sequence === 0 && seen.before === 0],
      ['the first packet four times', (seen) => isData(seen) && seen.sequence === 0 && seen.before < 4],
      ['the last packet', (seen) => isData(seen) && seen.sequence === 59 && seen.before === 0],
      ['the last packet four times', (seen) => isData(seen) && seen.sequence === 59 && seen.before < 4],
      ['a packet and its retransmission', (seen) => isData(seen) && seen.sequence === 30 && seen.before < 2],
      ['every packet once', (seen) => isData(seen) && seen.before === 0],
      ['the whole end', (seen) => isData(seen) && seen.sequence >= 20 && seen.before === 0],
      ['the first answer', (seen) => isAnswer(seen) && seen.sequence <= 1 && seen.before === 0],
      ['every answer that comes for the first time', (seen) => isAnswer(seen) && seen.before === 0],
      ['the last answer', (seen) => isAnswer(seen) && seen.sequence === 60 && seen.before < 3],
      ['every other packet', (seen) => isData(seen) && seen.sequence % 2 === 1 && seen.before === 0],
    ])('brings everything when %s is lost', (_, rule) => {
      const lossy = run(transport, { rule });
      expectAllDelivered(lossy);
    });

    it('brings everything when a packet and every report of gaps for a while are lost', () => {
      let reports = 0;
      const rule = (seen: Seen): boolean =>
        (isData(seen) && seen.sequence === 10 && seen.before === 0) ||
        (isAnswer(seen) && seen.kind !== Kind.ack && reports++ < 50);
      expectAllDelivered(run(transport, { rule }));
    });

    it.each([1, 2, 3, 6])(
      `brings everything under random loss of data and answers, try %i (WEFT_SEED=${seed})`,
      (n) => {
        const random = new RandomStream(seed, `transport ${n}`);
        expectAllDelivered(run(transport, { rule: () => random.nextFraction() < 0.05 * n }));
      },
    );

    it.each(['ecmp', 'spray', 'adaptive', 'drill'])(
      `brings everything when packets take ways by %s, are lost and come twice (WEFT_SEED=${seed})`,
      (balancing) => {
        const random = new RandomStream(seed, `transport, ${balancing}`);
        const hostile = run(transport, {
          balancing,
          rule: () => random.nextFraction() < 0.02,
          isDoubled: () => random.nextFraction() < 0.1,
        });
        expectAllDelivered(hostile);
      },
    );

    it('counts what comes twice once, and a late copy revives nothing', () => {
      expectAllDelivered(run(transport, { isDoubled: () => true }));
    });

    it.each<[string, SettingChanges['queuePair']]>([
      ['derived timeouts', { retransmissionTimeout: 'auto' }],
      ['a window of one packet', { window: 1 }],
      ['no window', { window: 'unlimited' }],
    ])(`brings everything with %s (WEFT_SEED=${seed})`, (what, queuePair) => {
      const random = new RandomStream(seed, `transport, ${what}`);
      expectAllDelivered(run(transport, { queuePair, rule: () => random.nextFraction() < 0.03 }));
    });

    it(`takes no more memory for more data (WEFT_SEED=${seed})`, () => {
      const random = new RandomStream(seed, 'transport, memory');
      const rule = (): boolean => random.nextFraction() < 0.01;
      const [short, long] = [200, 4000].map((packets) => run(transport, { packets, rule })) as [SuiteRun, SuiteRun];
      expectAllDelivered(short, 200);
      expectAllDelivered(long, 4000);
      // twenty times as much sent; room for a few timers and packets more that happen to be there at once
      expect(long.network.parts.records.top).toBeLessThan(2 * short.network.parts.records.top + 64);
    });

    it('ends as blocked, with a reason, where nothing ever arrives', () => {
      const { state, flows, network, problems } = run(transport, { rule: isData, packets: 3 });
      expect(problems).toEqual([]);
      expect(['blocked', 'finished']).toContain(state);
      expect(flows).toEqual([]);
      if (network.parts.transport.gaveUp > 0) expect(network.blockedReason()).toContain('gave up');
    });

    it('does the same every time', () => {
      const rule = everySeventhOnce;
      const [first, second] = [run(transport, { rule }), run(transport, { rule })] as const;
      expect(second.flows).toEqual(first.flows);
      expect(second.network.counters).toEqual(first.network.counters);
    });
  });
}
