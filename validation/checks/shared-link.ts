// Many flows into one link: what each gets, when the last is through, and how long the queue before the link is.

import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import type { Check } from '../check.js';
import { type EngineRun, type SettingChanges, settingsWith, soundRun, type Transfer } from '../engine-run.js';
import { dumbbell, star } from '../fabrics.js';
import { apartBy, bounded, compared, exact, figure, type Line } from '../line.js';

const lineBps = 100e9;
const bytePs = 80;
const unlimited: SettingChanges = { queuePair: { window: 'unlimited' }, ecn: { enabled: false } };

/**
 * n senders, each with 100 packets of 1,000 B for a receiver of its own, over one link of the given rate; no headers,
 * no window, no ECN.
 */
function* equalParts(n: number, middleBps: number): Iterable<Line> {
  const [packets, payload, latencyPs] = [100, 1000, 500_000];
  const settings = settingsWith({ ...unlimited, packet: { profile: 'simai', payload, header: 0 } });
  const run = soundRun(
    dumbbell(n, lineBps, middleBps, latencyPs),
    Array.from({ length: n }, (_, i): Transfer => [i, n + i, packets * payload]),
    { settings },
  );
  const finishes = run.flows.map(({ finishPs }) => finishPs);
  const packetPs = payload * bytePs;
  const middlePacketPs = (payload * 8e12) / middleBps;
  const acknowledgementsPs = 60 * (2 * bytePs + 8e12 / middleBps);
  // the first packet on its way to the middle, all of them through it, the last one on its way out, and its
  // acknowledgement
  const lastPs = packetPs + n * packets * middlePacketPs + packetPs + 6 * latencyPs + acknowledgementsPs;
  yield compared({
    mechanism: `${n} flows into ${middleBps / 1e9} Gb/s: the last finishes`,
    oracle: 'closed form (3)',
    expected: lastPs / 1000,
    ours: Math.max(...finishes) / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
  yield bounded({
    mechanism: `${n} flows into ${middleBps / 1e9} Gb/s: first to last to finish`,
    oracle: 'fair turns: one packet of each of the others',
    ours: (Math.max(...finishes) - Math.min(...finishes)) / 1000,
    least: 0,
    most: ((n - 1) * middlePacketPs) / 1000,
    unit: 'ns',
    digits: 0,
  });
}

/** Four flows of 8 MiB over two leaf switches into one host: the last link never idles, pauses or not. */
function* neverIdles(bufferBytes: number | null): Iterable<Line> {
  const fabric = generateFabric('leaf-spine', {
    leaves: 2,
    spines: 2,
    hostsPerLeaf: 4,
    hostRate: '100Gbps',
    spineRate: '100Gbps',
    hostLatency: '1us',
    spineLatency: '1us',
  });
  const settings = settingsWith({
    packet: { profile: 'simai' },
    ecn: { enabled: false },
    pfc: { headroom: 'delays', headroomDelays: 3, reserve: 4096, thresholdShift: 3, resumeOffset: 3072 },
    ...(bufferBytes === null ? {} : { switch: { buffer: bufferBytes } }),
  });
  const run = soundRun(
    fabric,
    [0, 1, 2, 3].map((host): Transfer => [host, 7, 8 * 2 ** 20]),
    { settings },
  );
  const wireBytes = 4 * (8 * 2 ** 20 + Math.ceil((8 * 2 ** 20) / 9000) * 52);
  // three links for the first packet, then the last link without a gap, its cable, and the last ACK over four links
  const lastPs = 3 * (9052 * bytePs + 1e6) + wireBytes * bytePs + 1e6 + 4 * (60 * bytePs + 1e6);
  const { pauseFrames, packetsDropped } = run.network.counters;
  yield compared({
    mechanism: `4 flows of 8 MiB into one host, buffer of ${bufferBytes === null ? '32 MiB' : '512 KiB'}${pauseFrames > 0 ? `, ${figure(pauseFrames, 0, '')} pauses` : ''}: the last finishes`,
    oracle: 'closed form (4)',
    expected: lastPs / 1000,
    ours: run.executor.lastFinishPs / 1000,
    unit: 'ns',
    digits: 2,
    tolerance: exact,
  });
  if (bufferBytes !== null)
    yield compared({
      mechanism: 'the same: packets dropped',
      oracle: 'PFC is lossless',
      expected: 0,
      ours: packetsDropped,
      unit: '',
      tolerance: exact,
    });
}

interface QueueRun {
  readonly run: EngineRun;
  /** bytes before the receiver's link, looked at with every arrival */
  readonly samples: readonly { readonly timePs: number; readonly bytes: number }[];
}

/**
 * n senders of `sizeBytes` into host 0 of a star, 1 us cables, no congestion control; the queue of the switch's port to
 * host 0.
 */
function incast(n: number, sizeBytes: number, changes: SettingChanges): QueueRun {
  const fabric = star(n + 1, 1e6);
  const port = fabric.portOffset[n + 1]!;
  const samples: { timePs: number; bytes: number }[] = [];
  const settings = settingsWith({ congestion: { algorithm: 'none' }, ecn: { enabled: false }, ...changes });
  const run = soundRun(
    fabric,
    Array.from({ length: n }, (_, i): Transfer => [i + 1, 0, sizeBytes]),
    {
      settings,
      onArrival: (_packet, _port, network) =>
        void samples.push({ timePs: network.nowPs, bytes: network.parts.ports.queueBytes(port, 3) }),
    },
  );
  return { run, samples };
}

/** While n senders send at line rate, the queue grows at n - 1 times the rate. */
function* growth(n: number): Iterable<Line> {
  const { samples } = incast(n, 1e6, {
    packet: { profile: 'simai', payload: 1000, header: 0 },
    queuePair: { window: 'unlimited', acknowledgementPriority: 0 },
  });
  // between 5 us and 75 us all are sending: 1 MB takes 80 us, and the buffer of 32 MiB is far from pausing anybody
  const within = samples.filter(({ timePs }) => timePs >= 5e6 && timePs <= 75e6);
  const [first, last] = [within[0]!, within[within.length - 1]!];
  const rateGbps = ((last.bytes - first.bytes) * 8e3) / (last.timePs - first.timePs);
  // a packet more or less at either end
  const slackGbps = (2 * n * 1000 * 8e3) / (last.timePs - first.timePs);
  yield compared({
    mechanism: `${n} senders at line rate into one link: growth of its queue`,
    oracle: '(n - 1) x rate',
    expected: (n - 1) * 100,
    ours: rateGbps,
    unit: 'Gb/s',
    digits: 2,
    tolerance: apartBy(slackGbps),
  });
}

/** With windows, the queue stops growing when all windows are out: it holds what the round trip does not. */
function* windowBound(n: number): Iterable<Line> {
  const payload = 4096;
  const wire = payload + 52;
  const { samples } = incast(n, 8e6, {
    packet: { profile: 'simai', payload },
    queuePair: { window: 'max-bdp', acknowledgementPriority: 0 },
  });
  const peak = samples.reduce((most, { timePs, bytes }) => (timePs > 500e6 ? Math.max(most, bytes) : most), 0);
  // window: base round trip of 4 us and two payloads, at 100 Gb/s, in whole packets
  const windowPackets = Math.ceil(Math.floor(((4e6 + 2 * payload * bytePs) * lineBps) / 8e12) / payload);
  // the round trip holds the rest: 4 us of cable, the packet on either link, the ACK on either link
  const loopPackets = (4e6 + 2 * wire * bytePs + 2 * 60 * bytePs) / (wire * bytePs);
  yield compared({
    mechanism: `${n} windows into one link: its longest queue`,
    oracle: 'n x window - what the round trip holds',
    expected: n * windowPackets - loopPackets,
    ours: peak / wire,
    unit: 'packets',
    digits: 1,
    tolerance: apartBy(1.5),
  });
}

export const sharedLink: Check = {
  name: 'shared-link',
  title: 'n flows into one link',
  about: 'Without congestion control or with it idle, so that only turns, windows and buffers decide.',
  *run() {
    for (const [n, middleBps] of [
      [2, 100e9],
      [3, 100e9],
      [8, 100e9],
      [4, 40e9],
    ] as const)
      yield* equalParts(n, middleBps);
    yield* neverIdles(null);
    yield* neverIdles(512 * 1024);
    for (const n of [2, 3, 8]) yield* growth(n);
    for (const n of [2, 4, 8]) yield* windowBound(n);
  },
};
