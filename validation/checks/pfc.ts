// Priority flow control: the very byte at which a threshold pauses a sender, the byte at which it resumes, and what is
// set apart meanwhile.

import { headroomBytes as headroomBytesOf } from '#weft/backends/packet/switch/headroom.js';
import { Kind } from '#weft/backends/packet/packets.js';
import type { PacketNetwork } from '#weft/backends/packet/packet-network.js';
import type { Check } from '../check.js';
import { packetFacts } from '../engine-records.js';
import { type SettingChanges, settingsWith, soundRun, type Transfer } from '../engine-run.js';
import { star } from '../fabrics.js';
import { compared, exact, figure, type Line, matched } from '../line.js';

const packetBytes = 1000;
const latencyPs = 500_000;
/** headroom set apart for each port: 3 x 100 Gb/s x 500 ns */
const headroomBytes = 18_750;
const plain: SettingChanges = {
  packet: { profile: 'simai', payload: packetBytes, header: 0 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
  congestion: { algorithm: 'none' },
};

interface Frame {
  readonly isPause: boolean;
  readonly timePs: number;
  /** the port it leaves by, towards the sender */
  readonly port: number;
  /** bytes of that sender in the switch's buffer at that moment */
  readonly heldBytes: number;
}

/** Every PFC frame of a run, when it is handed to its port. */
function frames(hosts: number, receiverBps: number, transfers: readonly Transfer[], changes: SettingChanges): Frame[] {
  const seen: Frame[] = [];
  const fabric = star(hosts, latencyPs, (host) => (host === hosts - 1 ? receiverBps : 100e9));
  soundRun(fabric, transfers, {
    settings: settingsWith({ ...plain, ...changes }),
    prepare: (network: PacketNetwork) => {
      const { ports, buffer } = network.parts;
      const sendControl = ports.sendControl.bind(ports);
      ports.sendControl = (port, frame) => {
        const index = port * 8 + 3;
        const heldBytes = buffer.bytesOf(index) + buffer.headroomBytesOf(index);
        seen.push({
          isPause: packetFacts(network.parts, frame).kind === Kind.pause,
          timePs: network.nowPs,
          port,
          heldBytes,
        });
        sendControl(port, frame);
      };
    },
  });
  return seen;
}

/** One sender of 100 Gb/s and a receiver of 40 Gb/s: the buffer holds what has come and not gone, in whole packets. */
function* oneSender(
  poolBytes: number,
  thresholdShift: number,
  reserveBytes: number,
  resumeOffset: number,
): Iterable<Line> {
  // the receiver's port has the same latency at 40 Gb/s: 7,500 B of headroom
  const buffer = headroomBytes + 7500 + 2 * reserveBytes + poolBytes;
  const [pause, resume] = frames(2, 40e9, [[0, 1, 200 * packetBytes]], {
    pfc: {
      headroom: 'delays',
      headroomDelays: 3,
      reserve: reserveBytes,
      threshold: 'dynamic',
      thresholdShift,
      resumeOffset,
    },
    switch: { buffer },
  });
  const share = 2 ** thresholdShift;
  const name = `pool ${figure(poolBytes, 0, 'B')}, share 1/${share}, reserve ${figure(reserveBytes, 0, 'B')}`;
  // used >= (pool - used) / share  <=>  used >= pool / (share + 1), reached with a whole packet
  const pauseBytes = Math.ceil((reserveBytes + poolBytes / (share + 1)) / packetBytes) * packetBytes;
  yield compared({
    mechanism: `${name}: bytes held at the first pause`,
    oracle: 'first packet at reserve + pool / (2^shift + 1)',
    expected: pauseBytes,
    ours: pause!.isPause ? pause!.heldBytes : Number.NaN,
    unit: 'B',
    tolerance: exact,
  });
  // used + offset <= (pool - used) / share <=> used <= (pool - share x offset) / (share + 1), or nothing beyond the
  // reserve
  const resumeUsed = Math.max(0, (poolBytes - share * resumeOffset) / (share + 1));
  const resumeBytes = Math.floor((reserveBytes + resumeUsed) / packetBytes) * packetBytes;
  yield compared({
    mechanism: `${name}, offset ${figure(resumeOffset, 0, 'B')}: bytes held at the first resume`,
    oracle: 'first packet at reserve + (pool - 2^shift x offset) / (2^shift + 1)',
    expected: resumeBytes,
    ours: resume!.isPause ? Number.NaN : resume!.heldBytes,
    unit: 'B',
    tolerance: exact,
  });
}

/** A threshold of so many bytes of the pool, whatever else is in it. */
function* fixedThreshold(thresholdBytes: number, reserveBytes: number, resumeOffset: number): Iterable<Line> {
  const buffer = headroomBytes + 7500 + 2 * reserveBytes + 200_000;
  const [pause, resume] = frames(2, 40e9, [[0, 1, 200 * packetBytes]], {
    pfc: {
      headroom: 'delays',
      headroomDelays: 3,
      reserve: reserveBytes,
      threshold: 'static',
      staticThreshold: thresholdBytes,
      resumeOffset,
    },
    switch: { buffer },
  });
  const name = `static threshold ${figure(thresholdBytes, 0, 'B')}, reserve ${figure(reserveBytes, 0, 'B')}`;
  yield compared({
    mechanism: `${name}: bytes held at the first pause`,
    oracle: 'first packet at reserve + threshold',
    expected: Math.ceil((reserveBytes + thresholdBytes) / packetBytes) * packetBytes,
    ours: pause!.isPause ? pause!.heldBytes : Number.NaN,
    unit: 'B',
    tolerance: exact,
  });
  yield compared({
    mechanism: `${name}, offset ${figure(resumeOffset, 0, 'B')}: bytes held at the first resume`,
    oracle: 'first packet at reserve + threshold - offset',
    expected: Math.floor((reserveBytes + thresholdBytes - resumeOffset) / packetBytes) * packetBytes,
    ours: resume!.isPause ? Number.NaN : resume!.heldBytes,
    unit: 'B',
    tolerance: exact,
  });
}

/**
 * Headroom of a port of 100 Gb/s, 12.5 B/ns: two cables of 500 ns and 614.4 ns of response, the pause frame with its
 * gap, the gap of the packet before it, and three packets of 4,158 B: the one that crosses the threshold, one on the
 * wire at this end, one just begun at the other.
 */
function* cableHeadroom(): Iterable<Line> {
  const settings = settingsWith({ packet: { profile: 'rocev2' }, pfc: { headroom: 'cable', responseTime: 614_400 } });
  yield compared({
    mechanism: 'headroom by cable, 100 Gb/s and 100 m',
    oracle: 'IEEE 802.1Qbb by hand: 2 x 6,250 + 7,680 + 84 + 20 + 3 x 4,158',
    expected: 2 * 6250 + 7680 + 84 + 20 + 3 * 4158,
    ours: headroomBytesOf(star(1, latencyPs), 1, settings),
    unit: 'B',
    tolerance: exact,
  });
  const simai = settingsWith({ packet: { profile: 'simai' }, pfc: { headroom: 'delays', headroomDelays: 3 } });
  yield compared({
    mechanism: 'headroom by delays, 100 Gb/s and 100 m',
    oracle: 'SimAI 1.6: three times rate x latency',
    expected: headroomBytes,
    ours: headroomBytesOf(star(1, latencyPs), 1, simai),
    unit: 'B',
    tolerance: exact,
  });
}

/**
 * Two senders in step, pool 8,000 B, share 1/2, no reserve. Of the k-th arrivals sender 0's comes first; one packet
 * leaves after both. Held by each in kB, and the threshold (8 - all) / 2:
 *   k = 1: sender 0's goes out at once, sender 1's waits: (0, 1), 3.5 · k = 2: (1, 1), 3, then (1, 2), 2.5, one of
 *   sender 1's leaves: (1, 1)
 *   k = 3: (2, 1), 2.5, then (2, 2), 2: sender 1 holds the threshold and is paused, one cable and three packets after
 *   the start
 */
function* twoSenders(): Iterable<Line> {
  const [pause] = frames(
    3,
    100e9,
    [
      [0, 2, 50_000],
      [1, 2, 50_000],
    ],
    {
      pfc: {
        headroom: 'delays',
        headroomDelays: 3,
        reserve: 0,
        threshold: 'dynamic',
        thresholdShift: 1,
        resumeOffset: 0,
      },
      switch: { buffer: 3 * headroomBytes + 8000 },
    },
  );
  // ports of the hosts are 0, 1, 2, those of the switch towards them 3, 4, 5
  yield matched({
    mechanism: 'two senders in step, pool 8,000 B, share 1/2: first paused',
    oracle: 'by hand: its third packet meets a threshold of 2,000 B',
    expected: 'host 1',
    ours: `host ${pause!.port - 3}`,
  });
  yield compared({
    mechanism: 'the same: when',
    oracle: 'by hand: a cable and three packets',
    expected: (latencyPs + 3 * 80_000) / 1000,
    ours: pause!.timePs / 1000,
    unit: 'ns',
    tolerance: exact,
  });
  yield compared({
    mechanism: 'the same: bytes held',
    oracle: 'by hand',
    expected: 2000,
    ours: pause!.heldBytes,
    unit: 'B',
    tolerance: exact,
  });
}

export const pfc: Check = {
  name: 'pfc',
  title: 'PFC: thresholds and headroom',
  about:
    'Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998, with a reserve and a resume offset. One sender of 100 Gb/s into 40 Gb/s, packets of 1,000 B without headers, no window, no congestion control.',
  *run() {
    yield* oneSender(30_000, 0, 0, 1000);
    yield* oneSender(30_000, 1, 0, 2000);
    yield* oneSender(60_500, 1, 4096, 3072);
    yield* oneSender(90_000, 3, 4096, 700);
    yield* twoSenders();
    yield* fixedThreshold(20_000, 0, 2000);
    yield* fixedThreshold(15_500, 4096, 3072);
    yield* cableHeadroom();
  },
};
