// What a packet network must do, in closed form and to the picosecond: pipelines, fair shares, windows, repair of
// losses.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { pipelinePs } from '../../validation/checks/single-flow.js';
import { dumbbell, line } from '../../validation/fabrics.js';
import { type Arrival, runLosing } from '../../validation/losing.js';
import { loseArrivals } from '../../validation/losses.js';
import { broken, engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const unlimited: SettingChanges = { queuePair: { window: 'unlimited' }, ecn: { enabled: false } };

describe('one flow on a line of store-and-forward links', () => {
  it.each([
    [1, 1],
    [1, 5],
    [2, 1],
    [2, 7],
    [3, 40],
    [5, 1],
    [5, 100],
    [8, 333],
  ])('over %i links with %i full packets takes the time of the pipeline', (n, full) => {
    // n links of 100 Gb/s (80 ps a byte): the first packet is sent n times, the others follow at the last link, the
    // short one behind them; its acknowledgement of 60 B is sent n times; light goes there and back.
    const [payload, header, rest, latencyPs] = [1000, 52, 500, 500_000];
    const full1 = 80 * (payload + header);
    const completionPs = n * full1 + (full - 1) * full1 + 80 * (rest + header) + n * 80 * 60 + 2 * n * latencyPs;
    const run = engineRun(
      line(Array.from({ length: n }, () => ({ rateBps: 100e9, latencyPs }))),
      [[0, 1, full * payload + rest]],
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload } }) },
    );
    expect(run.flows[0]!.finishPs).toBe(completionPs);
    expect(broken(run)).toEqual([]);
  });

  it('of a single short packet is sent and answered n times', () => {
    const run = engineRun(
      line([
        { rateBps: 100e9, latencyPs: 1 },
        { rateBps: 40e9, latencyPs: 20 },
        { rateBps: 10e9, latencyPs: 300 },
      ]),
      [[0, 1, 1, 7000]],
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai' } }) },
    );
    // 53 B and 60 B at 80, 200 and 800 ps a byte
    expect(run.flows[0]!.finishPs).toBe(7000 + (53 + 60) * (80 + 200 + 800) + 2 * 321);
    // one event per arrival, one for the start: ports with nothing more to send cost none
    expect([run.network.counters.packetHops, run.network.counters.events]).toEqual([6, 7]);
  });

  it(`of any rates and latencies is the recurrence of a pipeline, to the picosecond (WEFT_SEED=${seed})`, () => {
    const anyLink = fc.record({
      rateBps: fc.oneof(
        fc.constantFrom(10e9, 25e9, 40e9, 100e9, 200e9, 400e9),
        fc.integer({ min: 1, max: 900 }).map((g) => g * 1e9),
      ),
      latencyPs: fc.nat(3_000_000),
    });
    fc.assert(
      fc.property(
        fc.array(anyLink, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 256, max: 9000 }),
        fc.constantFrom(0, 1, 20),
        (links, sizeBytes, payload, gap) => {
          const [header, acknowledgement] = [52, 60];
          const wantedPs = pipelinePs(links, sizeBytes, {
            payload,
            overhead: header + gap,
            acknowledgement: acknowledgement + gap,
          });
          const run = engineRun(line(links), [[0, 1, sizeBytes]], {
            settings: settingsWith({
              ...unlimited,
              packet: { profile: 'simai', payload, header, acknowledgement, gap },
              pfc: { enabled: false },
            }),
          });
          expect(run.flows[0]!.finishPs).toBe(wantedPs);
        },
      ),
      { seed, numRuns: rounds(150) },
    );
  });
});

describe('flows that share a link', () => {
  const [payload, header, latencyPs] = [1000, 0, 500_000];
  const packetPs = 80 * payload;

  it.each([2, 3, 8])('get equal parts of it: %i flows finish within a packet of each other', (n) => {
    const packets = 100;
    const run = engineRun(
      dumbbell(n, 100e9, 100e9, latencyPs),
      Array.from({ length: n }, (_, i): Transfer => [i, n + i, packets * payload]),
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload, header } }) },
    );
    const finishes = run.flows.map(({ finishPs }) => finishPs);
    // first packet to the middle, all packets through the middle, then the last link and the acknowledgement's three
    const lastPs = packetPs + n * packets * packetPs + packetPs + 6 * latencyPs + 3 * 60 * 80;
    expect(Math.max(...finishes)).toBe(lastPs);
    expect(lastPs - Math.min(...finishes)).toBeLessThanOrEqual((n - 1) * packetPs);
    expect(broken(run)).toEqual([]);
  });

  it('of one NIC take turns packet by packet', () => {
    // two queue pairs of host 0 to two receivers: the short one gets every second packet
    const run = engineRun(
      dumbbell(2, 100e9, 100e9, latencyPs),
      [
        [0, 2, 200 * payload],
        [0, 3, 50 * payload],
      ],
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload, header } }) },
    );
    const wayPs = 2 * packetPs + 6 * latencyPs + 3 * 60 * 80;
    const finishOf = (destination: number): number =>
      run.flows.find((row) => row.destination === destination)!.finishPs;
    // when it starts, a packet of the long one is on the wire, whose turn comes again after its own: its 50th is the
    // NIC's 100th
    expect(finishOf(3)).toBe(100 * packetPs + wayPs);
    expect(finishOf(2)).toBe(250 * packetPs + wayPs);
  });

  it('that start later halve what the first has', () => {
    // alone until 40 packets are through, then half each: flow 0 needs 60 more, flow 1 has 60 in all
    const run = engineRun(
      dumbbell(2, 100e9, 100e9, latencyPs),
      [
        [0, 2, 100 * payload],
        [1, 3, 60 * payload, 40 * packetPs],
      ],
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload, header } }) },
    );
    const lastPs = packetPs + 160 * packetPs + packetPs + 6 * latencyPs + 3 * 60 * 80;
    for (const { finishPs } of run.flows) expect(Math.abs(finishPs - lastPs)).toBeLessThanOrEqual(2 * packetPs);
  });

  it('behind a slower link are held to its rate', () => {
    const run = engineRun(
      dumbbell(4, 100e9, 40e9, latencyPs),
      Array.from({ length: 4 }, (_, i): Transfer => [i, 4 + i, 50 * payload]),
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload, header } }) },
    );
    expect(Math.max(...run.flows.map(({ finishPs }) => finishPs))).toBe(
      packetPs + 200 * 200 * payload + packetPs + 6 * latencyPs + 60 * (80 + 200 + 80),
    );
  });
});

describe('a window smaller than the bandwidth-delay product', () => {
  it('gives one window per round trip, to the picosecond', () => {
    // Packets and acknowledgements of 1,000 B, m = 10 packet times of latency there and back, n = 4 links. The window
    // is SimAI's product: (latency + one serialisation per link on the way there) x rate = m + n packets. A round trip
    // lasts m + 2n packet times.
    const [n, m, payload] = [4, 10, 1000];
    const packetPs = 80 * payload;
    const links = Array.from({ length: n }, () => ({ rateBps: 100e9, latencyPs: (m * packetPs) / (2 * n) }));
    const rounds = 25;
    const run = engineRun(line(links), [[0, 1, rounds * (m + n) * payload]], {
      settings: settingsWith({
        ecn: { enabled: false },
        packet: { profile: 'simai', payload, header: 0, acknowledgement: payload },
        queuePair: { window: 'pair-bdp' },
      }),
    });
    const roundTripPs = (m + 2 * n) * packetPs;
    // the last window's last packet is sent m + n - 1 packets after the first of its round
    expect(run.flows[0]!.finishPs).toBe((rounds - 1) * roundTripPs + (m + n - 1) * packetPs + roundTripPs);
  });

  it.each(['max-bdp', 'unlimited'] as const)(
    'holds nobody back where another pair of hosts needs a larger one, under %s',
    (window) => {
      // the same line, and a third host far away: its product is more than the m + 2n packets that fill this path
      const [n, m, payload] = [4, 10, 1000];
      const packetPs = 80 * payload;
      const latencyPs = (m * packetPs) / (2 * n);
      const builder = new FabricBuilder();
      builder.addNodes(NodeKind.host, 3);
      const first = builder.addNodes(NodeKind.switch, n - 1);
      for (const [a, b] of [
        [0, first],
        [first, first + 1],
        [first + 1, first + 2],
        [first + 2, 1],
      ] as const)
        builder.addLink(a, b, 100e9, latencyPs);
      builder.addLink(2, first, 100e9, 100 * latencyPs);
      const packets = 300;
      const run = engineRun(builder.build(), [[0, 1, packets * payload]], {
        settings: settingsWith({
          ecn: { enabled: false },
          packet: { profile: 'simai', payload, header: 0, acknowledgement: payload },
          queuePair: { window },
        }),
      });
      expect(run.flows[0]!.finishPs).toBe((packets - 1) * packetPs + (m + 2 * n) * packetPs);
    },
  );
});

/**
 * A line on which a round trip lasts m + 2n packet times and SimAI's window is m + n packets; every queue pair starts
 * at a quarter of line rate.
 */
function quarterRateRun(
  queuePair: SettingChanges['queuePair'],
  packets: number,
): { finishPs: number; packetPs: number; roundTripPs: number } {
  const [n, m, payload] = [4, 10, 1000];
  const packetPs = 80 * payload;
  const links = Array.from({ length: n }, () => ({ rateBps: 100e9, latencyPs: (m * packetPs) / (2 * n) }));
  const run = engineRun(line(links), [[0, 1, packets * payload]], {
    settings: settingsWith({
      ecn: { enabled: false },
      packet: { profile: 'simai', payload, header: 0, acknowledgement: payload },
      queuePair: { window: 'pair-bdp', ...queuePair },
    }),
    prepare: (network) => {
      network.parts.congestion.start = (pair) => network.parts.rates.setRate(pair, 25e9);
    },
  });
  return { finishPs: run.flows[0]!.finishPs, packetPs, roundTripPs: (m + 2 * n) * packetPs };
}

describe('a queue pair at a quarter of line rate', () => {
  it('sends a packet every four packet times', () => {
    const { finishPs, packetPs, roundTripPs } = quarterRateRun({ window: 'unlimited' }, 60);
    expect(finishPs).toBe(59 * 4 * packetPs + roundTripPs);
  });

  it('has a quarter of the window, rounded up to packets', () => {
    // 14,000 B / 4 = 3,500 B: a fourth packet may go while 3,000 B are in flight. Not paced: windows of four, one per
    // round trip
    const { finishPs, packetPs, roundTripPs } = quarterRateRun({ rateBound: false }, 60);
    expect(finishPs).toBe(14 * roundTripPs + 3 * packetPs + roundTripPs);
  });

  it('has neither if it is told so', () => {
    const { finishPs, packetPs, roundTripPs } = quarterRateRun(
      { window: 'unlimited', variableWindow: true, rateBound: false },
      60,
    );
    expect(finishPs).toBe(59 * packetPs + roundTripPs);
  });
});

describe('go-back-N', () => {
  it('resends from the gap, and the run delivers every byte once', () => {
    // 2 % loss on one of two links. Without a retransmission timeout a lost NACK or last packet ends a flow: some runs
    // stay unfinished.
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 2);
    builder.addNode(NodeKind.switch);
    builder.addLink(0, 2, 100e9, 500_000, 0.02);
    builder.addLink(1, 2, 100e9, 500_000);
    let finished = 0;
    let lost = 0;
    for (let runSeed = 1; runSeed <= 30; runSeed++) {
      const run = engineRun(builder.build(), [[0, 1, 400_500]], {
        seed: runSeed,
        settings: settingsWith({ ecn: { enabled: false }, packet: { profile: 'simai', payload: 1000 } }),
      });
      const { counters } = run.network;
      lost += counters.packetsLost;
      if (run.state !== 'finished') continue;
      finished++;
      expect(broken(run)).toEqual([]);
      expect(counters.payloadBytesDelivered).toBe(400_500);
      // what was sent is what had to be, and what was sent again: 401 packets of 1,000 B, the last of 500 B
      const resentPackets = counters.dataPacketsSent - 401;
      const resentShort = (resentPackets * 1000 - counters.retransmittedBytes) / 500;
      expect([Number.isInteger(resentShort), resentShort >= 0, resentShort <= resentPackets]).toEqual([
        true,
        true,
        true,
      ]);
    }
    expect(finished).toBeGreaterThan(5);
    expect(lost).toBeGreaterThan(100);
  });

  it('resends exactly the lost packet and what followed it', () => {
    // The third of ten packets is lost on its way to the switch. Packets 4 to 10 arrive out of order; the first of them
    // brings a NACK. All ten were sent before it came back, so seven full packets and the short last one go again: 7 x
    // 1,000 + 500 B.
    const run = runLosing([[0, 1, 9500]], {}, [({ kind, sequence }) => kind === Kind.data && sequence === 2]);
    const { counters } = run.network;
    expect([
      run.state,
      counters.packetsLost,
      counters.dataPacketsSent,
      counters.retransmittedBytes,
      counters.payloadBytesDelivered,
    ]).toEqual(['finished', 1, 18, 7500, 9500]);
    // ACK for 1 and 2, one NACK, nothing for the other six; then ACKs for 3 to 10
    expect(counters.acknowledgementsSent).toBe(2 + 1 + 8);
    // The NACK goes out when packet 4 has come, 4 packet times and 2 links after the start; then the whole way again
    // for 8 packets
    const packetPs = 80_000;
    const wayPs = packetPs + 10_000_000;
    const backPs = 2 * 60 * 80 + 10_000_000;
    expect(run.flows[0]!.finishPs).toBe(4 * packetPs + wayPs + backPs + 7 * packetPs + 500 * 80 + wayPs + backPs);
    expect(broken(run)).toEqual([]);
  });

  it('loses nothing with an acknowledgement that is not the last: the next one covers it', () => {
    const plain = runLosing([[0, 1, 3000]], {}, []);
    const run = runLosing([[0, 1, 3000]], {}, [({ kind, sequence }) => kind === Kind.ack && sequence === 2]);
    expect(run.network.counters).toMatchObject({ packetsLost: 1, dataPacketsSent: 3, acknowledgementsDelivered: 2 });
    expect(run.flows[0]!.finishPs).toBe(plain.flows[0]!.finishPs);
  });

  it('ends a flow unfinished when its last acknowledgement is lost and nothing times out, and says so', () => {
    const run = runLosing([[0, 1, 3000]], { queuePair: { retransmissionTimeout: 0 } }, [
      ({ kind, sequence }) => kind === Kind.ack && sequence === 3,
    ]);
    expect(run.state).toBe('blocked');
    expect(broken(run)).toEqual([expect.stringContaining('0 of 1 flows finished')]);
    expect(run.network.counters.payloadBytesDelivered).toBe(3000);
  });

  it.each([Kind.ack, Kind.data])(
    'repairs the loss of the last packet or acknowledgement (kind %i) after one timeout, at most a quarter late',
    (lostKind) => {
      const timeoutPs = 100e6;
      // packets of 1,000 B: the last is number 2, its acknowledgement names 3
      const run = runLosing([[0, 1, 3000]], { queuePair: { retransmissionTimeout: timeoutPs } }, [
        ({ kind, sequence }) => kind === lostKind && sequence === (lostKind === Kind.ack ? 3 : 2),
      ]);
      expect(run.state).toBe('finished');
      expect(broken(run)).toEqual([]);
      expect(run.network.counters.timeouts).toBe(1);
      expect(run.network.counters.payloadBytesDelivered).toBe(3000);
      expect(run.flows[0]!.finishPs).toBeGreaterThan(timeoutPs);
      // a round trip (20 us of cable) until the last progress, and one for the repair
      expect(run.flows[0]!.finishPs).toBeLessThan(1.25 * timeoutPs + 2 * 20.5e6);
    },
  );

  it('times out no sender early that starts between two looks', () => {
    // flow 0 makes a look come every 25 us; flow 1 starts 2 us before one, and loses the first of its packets that
    // crosses its own link
    const timeoutPs = 100e6;
    const startPs = 48e6;
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 3);
    const node = builder.addNode(NodeKind.switch);
    for (let host = 0; host < 3; host++) builder.addLink(host, node, 100e9, 500_000);
    const fabric = builder.build();
    const run = engineRun(
      fabric,
      [
        [0, 1, 4e6],
        [2, 1, 1000, startPs],
      ],
      {
        settings: settingsWith({
          ...unlimited,
          packet: { profile: 'simai', payload: 1000, header: 0 },
          queuePair: { window: 'unlimited', retransmissionTimeout: timeoutPs },
        }),
        prepare: (network) => {
          const ownLink = fabric.portPeer[fabric.portOffset[2]!]!;
          let arrivals = 0;
          loseArrivals(network, (_packet, port) => port === ownLink && arrivals++ === 0);
        },
      },
    );
    expect(broken(run)).toEqual([]);
    expect(run.network.counters.timeouts).toBe(1);
    const { finishPs } = run.flows.find(({ flow }) => flow === 1)!;
    // the packet again, there and back: two links of 500 ns each way; flow 0 may be in the way by a few packets of 80
    // ns
    expect(finishPs).toBeGreaterThan(startPs + timeoutPs + 2e6);
    expect(finishPs).toBeLessThan(startPs + 1.25 * timeoutPs + 2e6 + 1e6);
  });

  it('gives up after its retries, and says so', () => {
    const run = runLosing(
      [[0, 1, 3000]],
      { queuePair: { retransmissionTimeout: 50e6, retries: 3 } },
      Array.from(
        { length: 4 * 3 },
        () =>
          ({ kind }: Arrival) =>
            kind === Kind.data,
      ),
    );
    expect(run.state).toBe('blocked');
    expect(run.network.counters.timeouts).toBe(3);
    expect(broken(run)).toEqual([
      expect.stringContaining(
        '0 of 1 flows finished; nothing more can happen (senders that gave up after 3 timeouts in a row (queuePair.retries): 1; packets lost or dropped: 12)',
      ),
    ]);
  });

  it('reports a gap to each flow, also to one that takes over the number of an earlier one', () => {
    // the same loss in two flows, one after the other within the interval of repeated NACKs
    const run = runLosing(
      [
        [0, 1, 9500],
        [0, 1, 9500, 100_000_000],
      ],
      {},
      [
        ({ kind, sequence }) => kind === Kind.data && sequence === 2,
        ({ kind, sequence, timePs }) => kind === Kind.data && sequence === 2 && timePs > 100_000_000,
      ],
    );
    const [first, second] = run.flows;
    expect(run.state).toBe('finished');
    expect(second!.finishPs - second!.startPs).toBe(first!.finishPs - first!.startPs);
  });
});

describe('acknowledgements at the sending NIC', () => {
  it('go before data, however much of it waits', () => {
    // host 1 sends 500 packets of its own while it answers 20
    const run = engineRun(
      line([
        { rateBps: 100e9, latencyPs: 500_000 },
        { rateBps: 100e9, latencyPs: 500_000 },
      ]),
      [
        [1, 0, 500_000],
        [0, 1, 20_000],
      ],
      { settings: settingsWith({ ...unlimited, packet: { profile: 'simai', payload: 1000, header: 0 } }) },
    );
    const packetPs = 80_000;
    const idlePs = 21 * packetPs + 4 * 500_000 + 2 * 60 * 80;
    const { finishPs } = run.flows.find(({ source }) => source === 0)!;
    // one packet on the wire at the NIC and one at the switch; its own NIC's answers to host 1, 60 B each, in between
    expect(finishPs).toBeGreaterThanOrEqual(idlePs);
    expect(finishPs).toBeLessThanOrEqual(idlePs + 2 * packetPs + 40 * 60 * 80);
  });
});

/**
 * When 20 packets from host 0 are acknowledged, with two flows the other way that fill the link their acknowledgements
 * need.
 */
function finishAgainstTraffic(acknowledgementPriority: number): number {
  // two flows back, together twice the rate of the middle: a queue of up to 100 packets builds up
  const settings = settingsWith({
    ...unlimited,
    packet: { profile: 'simai', payload: 1000, header: 0 },
    queuePair: { window: 'unlimited', acknowledgementPriority },
  });
  const run = engineRun(
    dumbbell(3, 100e9, 100e9, 500_000),
    [
      [0, 3, 20_000],
      [4, 1, 100_000],
      [5, 2, 100_000],
    ],
    { settings },
  );
  expect(broken(run)).toEqual([]);
  return run.flows.find(({ source }) => source === 0)!.finishPs;
}

describe('the priority of acknowledgements', () => {
  it('lets them overtake data in switches only if they are in queue 0', () => {
    const packetPs = 80_000;
    const idlePs = 20 * packetPs + 2 * packetPs + 6 * 500_000 + 3 * 60 * 80;
    // at most one packet on the wire of each link of the way back is in the way
    expect(finishAgainstTraffic(0)).toBeLessThanOrEqual(idlePs + 3 * packetPs);
    expect(finishAgainstTraffic(0)).toBeGreaterThanOrEqual(idlePs);
    // 20 packet times after it began the queue holds about 20 packets
    expect(finishAgainstTraffic(3)).toBeGreaterThan(idlePs + 15 * packetPs);
  });
});
