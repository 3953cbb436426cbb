// ACKs for several packets: which packets are answered, when, with which mark; and what it does to a flow, in closed
// form.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { packetFacts } from '../support/engine-records.js';
import { broken, engineRun, settingsWith, type EngineRun, type SettingChanges } from '../support/engine-run.js';
import { Receiver } from '../support/receiver.js';

const us = 1e6;

describe('the receiver', () => {
  it('acknowledges every third packet in order, and the last one', () => {
    const receiver = new Receiver({ acknowledgementInterval: 3 }, 8);
    expect(Array.from({ length: 8 }, (_, sequence) => receiver.receive(sequence))).toEqual([
      [],
      [],
      ['ack 3'],
      [],
      [],
      ['ack 6'],
      [],
      ['ack 8'],
    ]);
    expect(receiver.transport.counters).toMatchObject({
      dataPacketsDelivered: 8,
      acknowledgementsSent: 3,
      payloadBytesDelivered: 8000,
    });
    // what waited is gone: three answers are packets, and the timer still names the queue pair
    expect([receiver.packets.live, receiver.references]).toEqual([3, 3 + receiver.timersPending]);
  });

  it('answers duplicates and gaps at once, and begins to count anew', () => {
    const receiver = new Receiver({ acknowledgementInterval: 3 }, 100);
    const answers = [0, 1, 0, 2, 3, 4, 5, 7, 8, 6, 7, 8].map((sequence) => receiver.receive(sequence).join());
    //                       duplicate          gap
    expect(answers).toEqual(['', '', 'ack 2', '', '', 'ack 5', '', 'nack 6', '', '', '', 'ack 9']);
    expect(receiver.packets.live).toBe(4);
  });

  it('echoes a mark of any packet since the last ACK, once', () => {
    const receiver = new Receiver({ acknowledgementInterval: 3 }, 100);
    const marked = new Set([1, 5, 6, 9]);
    const answers = Array.from({ length: 12 }, (_, sequence) =>
      receiver.receive(sequence, 0, marked.has(sequence)).join(),
    );
    expect(answers.filter((text) => text !== '')).toEqual([
      'ack 3 marked',
      'ack 6 marked',
      'ack 9 marked',
      'ack 12 marked',
    ]);
    expect(Array.from({ length: 3 }, (_, i) => receiver.receive(12 + i).join())).toEqual(['', '', 'ack 15']);
    expect(receiver.transport.counters.notifications).toBe(4);
    // a duplicate and a gap carry what waits, too
    receiver.receive(15, 0, true);
    expect(receiver.receive(3)).toEqual(['ack 16 marked']);
    receiver.receive(16, 0, true);
    expect(receiver.receive(18)).toEqual(['nack 17 marked']);
    expect(receiver.receive(17)).toEqual([]);
    expect(receiver.receive(3)).toEqual(['ack 18']);
  });

  it('lets no packet wait longer than the delay', () => {
    const receiver = new Receiver({ acknowledgementInterval: 4, acknowledgementDelay: 10 * us }, 100);
    receiver.receive(0, 1 * us);
    receiver.receive(1, 6 * us, true);
    receiver.advance(40 * us);
    // the fourth packet answers all; the next waits from its own arrival on, although the timer that ran comes earlier
    for (const sequence of [2, 3, 4, 5]) receiver.receive(sequence, 40 * us);
    receiver.receive(6, 47 * us);
    receiver.receive(7, 50 * us);
    receiver.advance(100 * us);
    expect(receiver.log()).toEqual([`${11 * us}: ack 2 marked`, `${40 * us}: ack 6`, `${57 * us}: ack 8`]);
    expect([receiver.timersPending, receiver.packets.live, receiver.references]).toEqual([0, 3, 3]);
  });

  it('answers with the packet that came last, so with its telemetry', () => {
    const receiver = new Receiver({ acknowledgementInterval: 4, acknowledgementDelay: 10 * us }, 100);
    receiver.receive(0, 0);
    const before = receiver.records.top;
    receiver.receive(1, us);
    receiver.advance(20 * us);
    expect(receiver.answers[0]!.record).toBe(before);
    expect(receiver.answers[0]!).toMatchObject({ sequence: 2, queue: 3, wireBytes: 60 });
  });

  it('keeps at most one timer', () => {
    const receiver = new Receiver({ acknowledgementInterval: 2, acknowledgementDelay: 10 * us }, 1000);
    for (let sequence = 0; sequence < 500; sequence++) {
      receiver.receive(sequence, sequence * 100_000);
      expect(receiver.timersPending).toBeLessThanOrEqual(1);
    }
    // each second packet answered at once: the timers found nothing to do, or packets that had not waited long enough
    expect(receiver.answers).toHaveLength(250);
  });
});

/** Two hosts on one cable. */
function cable(latencyPs: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  builder.addLink(0, 1, 100e9, latencyPs);
  return builder.build();
}

const bare: SettingChanges = { packet: { profile: 'simai', payload: 1000, header: 50 }, ecn: { enabled: false } };
const dataPs = 1050 * 80;
const ackPs = 60 * 80;

describe('a flow', () => {
  it('takes the same time, with one ACK per so many packets', () => {
    for (const [interval, acks] of [
      [1, 100],
      [4, 25],
      [7, 15],
      [1000, 1],
    ] as const) {
      const settings = settingsWith({
        ...bare,
        queuePair: { window: 'unlimited', acknowledgementInterval: interval, acknowledgementDelay: 1000 * us },
      });
      const run = engineRun(cable(us), [[0, 1, 100_000]], { settings });
      expect(broken(run)).toEqual([]);
      expect(run.flows[0]!.finishPs).toBe(100 * dataPs + us + ackPs + us);
      expect(run.network.counters).toMatchObject({
        acknowledgementsSent: acks,
        acknowledgementsDelivered: acks,
        packetHops: 100 + acks,
        payloadBytesDelivered: 100_000,
      });
    }
  });

  it('is not stalled by a window below the interval: every window waits for the delay', () => {
    // BDP: 2 x 1 us + 80 ns at 100 Gb/s are 26,000 B: 26 packets, which are through before the first has waited 10 us
    const delayPs = 10 * us;
    const settings = settingsWith({
      ...bare,
      queuePair: {
        window: 'pair-bdp',
        acknowledgementInterval: 64,
        acknowledgementDelay: delayPs,
        retransmissionTimeout: 0,
      },
    });
    const run = engineRun(cable(us), [[0, 1, 26_000 * 5]], { settings });
    expect(broken(run)).toEqual([]);
    // four windows: the first packet there, the delay, the ACK back; the fifth: 26 packets there, the ACK back
    const waitPs = dataPs + us + delayPs + ackPs + us;
    expect(run.flows[0]!.finishPs).toBe(4 * waitPs + 26 * dataPs + us + ackPs + us);
    expect(run.network.counters).toMatchObject({ acknowledgementsSent: 5, timeouts: 0, retransmittedBytes: -0 });
  });

  it.each(['timely', 'hpcc', 'hpcc-pint', 'dctcp', 'dcqcn'] as const)(
    'is controlled by %s with fewer ACKs as well: an incast ends, nothing is lost',
    (algorithm) => {
      const builder = new FabricBuilder();
      builder.addNodes(NodeKind.host, 5);
      const node = builder.addNode(NodeKind.switch);
      for (let host = 0; host < 5; host++) builder.addLink(host, node, 100e9, us);
      const times: number[] = [];
      const acknowledgements: number[] = [];
      for (const acknowledgementInterval of [1, 4]) {
        const settings = settingsWith({
          packet: { profile: 'simai', payload: 1000 },
          congestion: { algorithm },
          queuePair: { acknowledgementInterval },
          ecnThresholds: [{ rateBps: 100e9, minimumBytes: 5e3, maximumBytes: 50e3, probability: 0.2 }],
        });
        const run: EngineRun = engineRun(
          builder.build(),
          [1, 2, 3, 4].map((host) => [host, 0, 400_000] as const),
          { settings },
        );
        expect(broken(run)).toEqual([]);
        times.push(Math.max(...run.flows.map(({ finishPs }) => finishPs)));
        acknowledgements.push(run.network.counters.acknowledgementsSent);
      }
      expect(acknowledgements).toEqual([1600, expect.toSatisfy((count: number) => count >= 400 && count < 1600)]);
      // no harm beyond a slower control loop
      expect(times[1]!).toBeLessThan(3 * times[0]!);
    },
  );

  it('leaves its number to the next one: timers do not hold it for good', () => {
    const transfers = Array.from({ length: 200 }, (_, i) => [0, 1, 9500, i * 20 * us] as const);
    const run = engineRun(cable(us), transfers, {
      settings: settingsWith({ ...bare, queuePair: { window: 'unlimited', acknowledgementInterval: 4 } }),
    });
    expect(broken(run)).toEqual([]);
    // a flow takes 5 us, its timer 10 us from its first packet on
    expect(run.network.parts.pairs.count).toBe(1);
  });

  it('keeps the round trips that TIMELY and HPCC see those of single packets', () => {
    // sent times of what is acknowledged: alone on a cable every ACK answers the packet that has just come, so its age
    // is one way
    const ages = new Set<number>();
    const settings = settingsWith({
      ...bare,
      congestion: { algorithm: 'timely' },
      queuePair: { window: 'unlimited', acknowledgementInterval: 4 },
    });
    const run = engineRun(cable(us), [[0, 1, 40_000]], {
      settings,
      onArrival: (packet, _port, network) => {
        const telemetry = (network.parts.congestion as unknown as { telemetry: { sentPs: Float64Array } }).telemetry;
        if (packetFacts(network.parts, packet).kind !== 0) ages.add(network.nowPs - telemetry.sentPs[packet]!);
      },
    });
    expect(broken(run)).toEqual([]);
    expect([...ages]).toEqual([dataPs + us + ackPs + us]);
  });
});
