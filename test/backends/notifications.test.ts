// What a receiver tells its senders of ECN marks: with every marked packet, or at most once per interval and queue
// pair; with the ACK, or by CNPs after a delay.

import { describe, expect, it } from 'vitest';
import { Kind } from '../../src/backends/packet/packets.js';
import { PairWord } from '../../src/backends/packet/queue-pairs.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { packetFacts } from '../support/engine-records.js';
import {
  broken,
  engineRun,
  settingsWith,
  type EngineOptions,
  type EngineRun,
  type SettingChanges,
} from '../support/engine-run.js';
import { Receiver } from '../support/receiver.js';

/** Four senders of 2 MB into one link that marks early. */
function incast(
  queuePair: SettingChanges['queuePair'],
  options: EngineOptions = {},
  changes: SettingChanges = {},
): EngineRun {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 5);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < 5; host++) builder.addLink(host, node, 100e9, 1e6);
  const ecnThresholds = [{ rateBps: 100e9, minimumBytes: 20e3, maximumBytes: 80e3, probability: 0.5 }];
  const settings = settingsWith({ ...changes, queuePair: queuePair ?? {}, ecnThresholds });
  return engineRun(
    builder.build(),
    [1, 2, 3, 4].map((host) => [host, 0, 2e6] as const),
    { ...options, settings },
  );
}

const last = (run: EngineRun): number => Math.max(...run.flows.map(({ finishPs }) => finishPs));

it('comes with every marked packet by default', () => {
  const { counters } = incast({}).network;
  expect(counters.ecnMarks).toBeGreaterThan(50);
  expect(counters.notifications).toBe(counters.ecnMarks);
});

it('comes at most once per interval and queue pair', () => {
  const intervalPs = 50e6;
  const run = incast({ notificationInterval: intervalPs });
  const most = run.flows.reduce(
    (sum, { startPs, finishPs }) => sum + Math.floor((finishPs - startPs) / intervalPs) + 1,
    0,
  );
  const { counters } = run.network;
  expect(run.state).toBe('finished');
  expect(counters.notifications).toBeGreaterThan(0);
  expect(counters.notifications).toBeLessThanOrEqual(most);
  expect(counters.notifications).toBeLessThan(counters.ecnMarks);
});

it('comes to every flow, also to one that takes over the number of an earlier one', () => {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 5);
  const node = builder.addNode(NodeKind.switch);
  for (let host = 0; host < 5; host++) builder.addLink(host, node, 100e9, 1e6);
  const settings = settingsWith({
    queuePair: { notificationInterval: 1e12 },
    ecnThresholds: [{ rateBps: 100e9, minimumBytes: 20e3, maximumBytes: 80e3, probability: 1 }],
  });
  const run = engineRun(
    builder.build(),
    [0, 50e9].flatMap((startPs) => [1, 2, 3, 4].map((host) => [host, 0, 2e6, startPs] as const)),
    { settings },
  );
  expect(broken(run)).toEqual([]);
  expect([run.network.parts.pairs.count, run.network.counters.notifications]).toEqual([4, 8]);
});

it('makes DCQCN gentler when it comes rarely: the flows finish sooner', () => {
  expect(last(incast({ notificationInterval: 50e6 }))).toBeLessThan(last(incast({})));
});

const us = 1e6;

describe('with a delay, the receiver', () => {
  it('leaves the ACK unmarked and sends a CNP when the delay has ended', () => {
    const receiver = new Receiver({ notificationDelay: 3 * us }, 100);
    expect(receiver.receive(0, us, true)).toEqual(['ack 1']);
    receiver.receive(1, 2 * us);
    receiver.advance(10 * us);
    expect(receiver.log()).toEqual([`${us}: ack 1`, `${2 * us}: ack 2`, `${4 * us}: cnp 0 marked`]);
    // the CNP of this profile is as long as an ACK and rides with it; it is a packet, and nothing else is left
    expect(receiver.answers[2]!).toMatchObject({ wireBytes: 60, queue: 3, pair: receiver.pair });
    expect([receiver.timersPending, receiver.packets.live, receiver.references]).toEqual([0, 3, 3]);
    expect(receiver.transport.counters).toMatchObject({ acknowledgementsSent: 3, notifications: 1 });
  });

  it('sends one for every mark, or one per interval between the marks that count', () => {
    const times = (queuePair: SettingChanges['queuePair']): number[] => {
      const receiver = new Receiver(queuePair, 100);
      [0, 1, 5, 9, 10, 11].forEach((timeUs, sequence) => receiver.receive(sequence, timeUs * us, true));
      receiver.advance(100 * us);
      return receiver.answers.filter(({ kind }) => kind === Kind.notification).map(({ timePs }) => timePs / us);
    };
    expect(times({ notificationDelay: 3 * us })).toEqual([3, 4, 8, 12, 13, 14]);
    expect(times({ notificationDelay: 3 * us, notificationInterval: 5 * us })).toEqual([3, 8, 13]);
    expect(times({ notificationDelay: 30 * us, notificationInterval: 10 * us })).toEqual([30, 40]);
  });

  it('does not let a CNP wait with the ACK', () => {
    const receiver = new Receiver(
      { notificationDelay: 3 * us, acknowledgementInterval: 4, acknowledgementDelay: 50 * us },
      100,
    );
    receiver.receive(0, us, true);
    receiver.advance(100 * us);
    expect(receiver.log()).toEqual([`${4 * us}: cnp 0 marked`, `${51 * us}: ack 1`]);
  });

  it('sends none for a flow that has finished meanwhile', () => {
    const receiver = new Receiver({ notificationDelay: 3 * us }, 1);
    receiver.receive(0, us, true);
    receiver.pairs.finish(receiver.pair);
    receiver.advance(10 * us);
    expect(receiver.log()).toEqual([`${us}: ack 1`]);
  });
});

describe('CNPs in the fabric', () => {
  it('leave the receiver the delay after the mark, are 78 B long, and every one is accounted for', () => {
    const delayPs = 7 * us;
    const cnpPs = (78 + 20) * 80;
    // the NIC sends one frame at a time: ACKs and CNPs wait for each other, data does not go this way
    const seen: number[] = [];
    const arrived: number[] = [];
    const sizes = new Set<number>();
    const run = incast(
      { notificationDelay: delayPs },
      {
        onArrival: (packet, port, network) => {
          const { kind, marked, wireBytes } = packetFacts(network.parts, packet);
          const node = network.parts.fabric.portNode[port]!;
          if (kind === Kind.data && marked && node === 0) seen.push(network.nowPs);
          if (kind === Kind.notification && node === 5) {
            arrived.push(network.nowPs);
            sizes.add(wireBytes);
            expect(marked).toBe(true);
          }
          if (kind === Kind.ack) expect(marked).toBe(false);
        },
      },
    );
    expect(broken(run)).toEqual([]);
    const { notifications, ecnMarks, acknowledgementsSent, acknowledgementsDelivered, dataPacketsSent } =
      run.network.counters;
    expect([...sizes]).toEqual([78]);
    expect(arrived.length).toBeGreaterThan(50);
    expect([seen.length, arrived.length]).toEqual([ecnMarks, notifications]);
    expect([acknowledgementsSent, acknowledgementsDelivered]).toEqual([
      dataPacketsSent + notifications,
      dataPacketsSent + notifications,
    ]);
    // in order; those of flows that finished before the delay ended are left out at the end
    for (const [i, timePs] of arrived.entries()) {
      const latePs = timePs - (seen[i]! + delayPs + cnpPs + us);
      expect(latePs).toBeGreaterThanOrEqual(0);
      // at most an ACK and a CNP of each other flow in the way
      expect(latePs).toBeLessThan(4 * ((66 + 20) * 80 + cnpPs));
    }
  });

  it.each(['dcqcn', 'dctcp'] as const)('make %s react as late as they come', (algorithm) => {
    const firstReaction = (queuePair: SettingChanges['queuePair']): number => {
      let timePs = NaN;
      const run = incast(
        queuePair,
        {
          prepare: (network) => {
            const setRate = network.parts.rates.setRate.bind(network);
            network.parts.rates.setRate = (pair, rateBps) => {
              if (Number.isNaN(timePs) && rateBps < 100e9) timePs = network.nowPs;
              setRate(pair, rateBps);
            };
          },
        },
        { congestion: { algorithm } },
      );
      expect(broken(run)).toEqual([]);
      expect(run.network.counters.notifications).toBeGreaterThan(0);
      return timePs;
    };
    const atOnce = firstReaction({});
    for (const delayUs of [5, 20]) {
      const laterPs = firstReaction({ notificationDelay: delayUs * us }) - atOnce - delayUs * us;
      // a CNP waits for its ACK and is longer: on two links
      expect(laterPs).toBeGreaterThanOrEqual(0);
      expect(laterPs).toBeLessThan(us);
    }
  });
});

it('does not count marks of late duplicates against the flow that takes the number next', () => {
  const receiver = new Receiver({ notificationInterval: 50e6 }, 2);
  const slotAt = (receiver.pair << 4) + PairWord.slot;
  expect(receiver.receive(0)).toEqual(['ack 1']);
  expect(receiver.receive(1)).toEqual(['ack 2']);
  // the flow is over; a duplicate comes marked; then another flow has the number
  receiver.pairs.words[slotAt] = -1;
  expect(receiver.receive(1, 60e6, true)).toEqual(['ack 2']);
  receiver.pairs.words[slotAt] = 0;
  receiver.pairs.words[(receiver.pair << 4) + PairWord.expectedPacket] = 0;
  expect(receiver.receive(0, 70e6, true)).toEqual(['ack 1 marked']);
});
