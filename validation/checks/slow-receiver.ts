// One host that receives at half its rate, in an allreduce: ring and halving-doubling as streams and packet by packet.
// Ring, with one slot per connection and with eight: every block passes the slow host, so everything takes twice as long. Halving-doubling: a partner of the slow
// host is late for its next partner, so up to log2 n senders share the slow link in the end; the fractions are those of
// the fluid limit with send-receive semantics.

import type { Fabric } from '#weft/fabric/fabric.js';
import { withReceiveSpeed } from '#weft/fabric/receive-speed.js';
import type { Check } from '../check.js';
import { collective, halvingDoubling, ringAllreduce, type ScheduleOf } from '../collectives.js';
import { settingsWith, soundRun } from '../engine-run.js';
import { star } from '../fabrics.js';
import { bytesAlone, soundFluidRun } from '../fluid-run.js';
import { bounded, compared, type Line, within } from '../line.js';

const sizeBytes = 200e6;
const lineBps = 100e9;

/** Milliseconds with 4, 8, 16, 32 hosts: by hand, and as published with the notes on physics. */
const halvingDoublingMs = new Map([
  [4, 52],
  [8, 62],
  [16, 67],
  [32, 69.5],
]);

/** Host 1 receives at half its rate. */
function slowed(fabric: Fabric): Fabric {
  const speeds = new Float64Array(fabric.nodeCount).fill(1);
  speeds[fabric.hosts[1]!] = 0.5;
  return withReceiveSpeed(fabric, speeds);
}

function fluidMs(fabric: Fabric, scheduleOf: ScheduleOf): number {
  return soundFluidRun(fabric, collective(fabric, scheduleOf), bytesAlone).executor.lastFinishPs / 1e9;
}

function packetMs(fabric: Fabric, scheduleOf: ScheduleOf): number {
  const settings = settingsWith({
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    queuePair: { window: 'unlimited' },
  });
  return soundRun(fabric, collective(fabric, scheduleOf), { settings }).executor.lastFinishPs / 1e9;
}

function* linesFor(hosts: number, name: string, scheduleOf: ScheduleOf, expectedMs: number): Iterable<Line> {
  // 2 (n - 1) / n of the buffer leave every host
  const idealMs = ((2 * (hosts - 1)) / hosts) * ((sizeBytes * 8e3) / lineBps);
  const streams = star(hosts, 0);
  const packets = star(hosts, 500_000);
  const [ideal, slow] = [fluidMs(streams, scheduleOf), fluidMs(slowed(streams), scheduleOf)];
  yield compared({
    mechanism: `${name}, ${hosts} hosts, fluid: nobody slow`,
    oracle: '2 (n - 1) / n x bytes / rate',
    expected: idealMs,
    ours: ideal,
    unit: 'ms',
    digits: 2,
    tolerance: within(1e-6),
  });
  yield compared({
    mechanism: `${name}, ${hosts} hosts, fluid: one receives at half`,
    oracle: name.startsWith('ring') ? 'twice that' : 'fluid limit',
    expected: expectedMs,
    ours: slow,
    unit: 'ms',
    digits: 2,
    tolerance: within(1e-6),
  });
  const [idealPacket, slowPacket] = [packetMs(packets, scheduleOf), packetMs(slowed(packets), scheduleOf)];
  yield compared({
    mechanism: `${name}, ${hosts} hosts, packets: how much slower`,
    oracle: 'fluid limit',
    expected: expectedMs / idealMs,
    ours: slowPacket / idealPacket,
    unit: 'x',
    digits: 3,
    tolerance: within(0.02),
  });
  yield bounded({
    mechanism: `${name}, ${hosts} hosts, packets: one receives at half`,
    oracle: 'no flow control beats the slow link',
    ours: slowPacket,
    least: 2 * idealMs,
    unit: 'ms',
    digits: 2,
  });
}

export const slowReceiver: Check = {
  name: 'slow-receiver',
  title: 'A slow receiver',
  about:
    'Allreduce of 200 MB over hosts on one switch, 100 Gb/s; one host receives at half its rate. Streams of bytes alone; packets with PFC and no congestion control ([slow receivers](slow-receiver.md)).',
  isSampled: true,
  *run({ isQuick, progress }) {
    const counts = isQuick ? [4] : [4, 8, 16, 32];
    for (const [i, hosts] of counts.entries()) {
      const twiceMs = ((4 * (hosts - 1)) / hosts) * ((sizeBytes * 8e3) / lineBps);
      yield* linesFor(hosts, 'ring', ringAllreduce(sizeBytes), twiceMs);
      yield* linesFor(hosts, 'ring of eight slots', ringAllreduce(sizeBytes, 1, 8), twiceMs);
      yield* linesFor(hosts, 'halving-doubling', halvingDoubling(sizeBytes), halvingDoublingMs.get(hosts)!);
      progress(i + 1, counts.length);
    }
  },
};
