// Queue pairs: a window that is too small, acknowledgements for several packets, and where a sender goes back to after
// a loss.

import type { Check } from '../check.js';
import { broken, engineRun, type EngineRun, type SettingChanges, settingsWith, soundRun } from '../engine-run.js';
import { line } from '../fabrics.js';
import { bounded, compared, exact, type Line, matched } from '../line.js';
import { loseArrivals } from '../losses.js';

const bytePs = 80;

/**
 * Packets and ACKs of 1,000 B over n links, m packet times of cable there and back: the window (base round trip: cables
 * and a packet for each link there) is m + n packets, a round trip lasts m + 2n packet times. So one window goes per
 * round trip.
 */
function* windowPerRoundTrip(n: number, m: number, rounds: number): Iterable<Line> {
  const packetPs = 1000 * bytePs;
  const cables = Array.from({ length: n }, () => ({ rateBps: 100e9, latencyPs: (m * packetPs) / (2 * n) }));
  const settings = settingsWith({
    ecn: { enabled: false },
    packet: { profile: 'simai', payload: 1000, header: 0, acknowledgement: 1000 },
    queuePair: { window: 'pair-bdp' },
  });
  const run = soundRun(line(cables), [[0, 1, rounds * (m + n) * 1000]], { settings });
  // the last packet of a window goes m + n - 1 packet times after its first
  const lastPs = (rounds - 1) * (m + 2 * n) * packetPs + (m + n - 1) * packetPs + (m + 2 * n) * packetPs;
  yield compared({
    mechanism: `${rounds} windows of ${m + n} packets, round trip of ${m + 2 * n}: completion`,
    oracle: 'closed form: one window per round trip',
    expected: lastPs / 1000,
    ours: run.flows[0]!.finishPs / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
}

/** Every n-th packet and the last one is acknowledged. */
function* coalesced(packets: number, interval: number): Iterable<Line> {
  const settings = settingsWith({
    packet: { profile: 'rocev2', payload: 1024 },
    ecn: { enabled: false },
    queuePair: { acknowledgementInterval: interval, acknowledgementDelay: 1e9, window: 'unlimited' },
  });
  const run = soundRun(
    line([
      { rateBps: 100e9, latencyPs: 5e5 },
      { rateBps: 100e9, latencyPs: 5e5 },
    ]),
    [[0, 1, packets * 1024]],
    { settings },
  );
  yield compared({
    mechanism: `${packets} packets, an ACK for every ${interval}: ACKs`,
    oracle: 'packets / interval, rounded up',
    expected: Math.ceil(packets / interval),
    ours: run.network.counters.acknowledgementsSent,
    unit: '',
    tolerance: exact,
  });
}

/**
 * 4 MiB in packets of 1,024 B; a switch drops every packet whose number, counted at the sender, ends in 0xff, as the
 * paper's did.
 */
function dropping(queuePair: SettingChanges['queuePair']): EngineRun {
  const fabric = line([
    { rateBps: 10e9, latencyPs: 5e5 },
    { rateBps: 10e9, latencyPs: 5e5 },
  ]);
  const atSwitch = fabric.portPeer[fabric.portOffset[0]!]!;
  let arrivals = 0;
  return engineRun(fabric, [[0, 1, 4 * 2 ** 20]], {
    settings: settingsWith({
      packet: { profile: 'rocev2', payload: 1024 },
      ecn: { enabled: false },
      queuePair: { nackInterval: 50e6, ...queuePair },
    }),
    prepare: (network) => loseArrivals(network, (_packet, port) => port === atSwitch && (arrivals++ & 0xff) === 0xff),
  });
}

function* livelock(): Iterable<Line> {
  const fromStart = dropping({ goBackTo: 'message-start' });
  yield compared({
    mechanism: 'go-back-0, one packet in 256 lost: bytes ever delivered of 4 MiB',
    oracle: 'Guo et al., SIGCOMM 2016, section 4.1: livelock; 255 packets in a row',
    expected: 255 * 1024,
    ours: fromStart.network.counters.payloadBytesDelivered,
    unit: 'B',
    tolerance: exact,
  });
  yield matched({
    mechanism: 'the same: how the run ends',
    oracle: 'it is ended, and says so',
    expected: 'blocked',
    ours: fromStart.state,
  });
  const fromGap = dropping({ goBackTo: 'missing-packet' });
  const problems = broken(fromGap);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const packetPs = ((1024 + 82) * 8e12) / 10e9;
  // a loss costs what goes out until its NACK is back: four cables, two packets and two NACKs, and the packets begun
  // meanwhile
  const again = Math.ceil((4 * 5e5 + 2 * packetPs + (2 * 86 * 8e12) / 10e9) / packetPs) + 3;
  yield bounded({
    mechanism: 'go-back-N, the same losses: goodput',
    oracle: 'the same: nearly that of the link',
    ours: (100 * 4096 * packetPs) / fromGap.flows[0]!.finishPs,
    least: (100 * 256) / (256 + again),
    most: 100,
    unit: '%',
    digits: 1,
  });
}

export const queuePairs: Check = {
  name: 'queue-pairs',
  title: 'Queue pairs: windows, ACKs, going back',
  about:
    'Windows: 100 Gb/s, packets and ACKs of 1,000 B. Losses: 4 MiB over one switch at 10 Gb/s, rocev2 packets of 1,024 B, every 256th dropped.',
  *run() {
    yield* windowPerRoundTrip(4, 10, 25);
    yield* windowPerRoundTrip(2, 40, 10);
    for (const [packets, interval] of [
      [100, 1],
      [100, 4],
      [101, 4],
    ] as const)
      yield* coalesced(packets, interval);
    yield* livelock();
  },
};
