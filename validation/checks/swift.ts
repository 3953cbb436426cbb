// Swift: its target and its steps by hand, and the fixed point at which n flows share a port.

import { Swift } from '#weft/backends/packet/congestion/swift/swift.js';
import type { Check } from '../check.js';
import { ControlBench } from '../control-bench.js';
import { engineRun, settingsWith, type Transfer } from '../engine-run.js';
import { star } from '../fabrics.js';
import { apartBy, compared, type Line, within } from '../line.js';

const us = 1e6;
const payloadBytes = 1000;
/** 1 / sqrt(0.25) - 1 / sqrt(4) = 1.5: a = 40/3 us, b = -20/3 us */
const values = {
  baseTarget: 10 * us,
  hopScaling: us,
  flowScalingRange: 20 * us,
  flowScalingMinimum: 0.25,
  flowScalingMaximum: 4,
  additiveIncrease: 1,
  decrease: 0.8,
  maximumDecrease: 0.5,
  minimumWindow: 0.01,
};
const switches = 2;

/** A sender with a window of so many packets, and what its acknowledgements say. */
function bench(windowPackets: number): { control: ControlBench<Swift>; sentPs: Float64Array } {
  const sentPs = new Float64Array(64);
  const telemetry = { sentPs, hopCount: new Uint8Array(64).fill(switches) };
  const control = new ControlBench(100e9, (parts) => {
    parts.pairs.windowBytes.fill(windowPackets * payloadBytes);
    const network = { telemetry, payloadBytes, largestRttPs: () => 8 * us, largestBdpBytes: () => 16_000 };
    return new Swift({ ...parts, ...network }, values);
  });
  return { control, sentPs };
}

interface Step {
  readonly atUs: number;
  readonly delayUs: number;
  /** packets that are newly acknowledged */
  readonly count: number;
  /** the window after it, in packets, and how it comes about */
  readonly packets: number;
  readonly by: string;
}

const scripts: readonly { readonly name: string; readonly from: number; readonly steps: readonly Step[] }[] = [
  {
    name: 'from 16 packets, target 12 us',
    from: 16,
    steps: [
      { atUs: 24, delayUs: 24, count: 1, packets: 9.6, by: '16 (1 - 0.8 x 12 / 24)' },
      { atUs: 40, delayUs: 24, count: 1, packets: 9.6, by: 'the last decrease is 16 us ago' },
      { atUs: 48, delayUs: 24, count: 1, packets: 5.76, by: '9.6 (1 - 0.8 x 12 / 24)' },
      { atUs: 60, delayUs: 10, count: 3, packets: 5.76 + 3 / 5.76, by: '5.76 + 3 / 5.76' },
      { atUs: 180, delayUs: 120, count: 1, packets: (5.76 + 3 / 5.76) / 2, by: 'half: 0.8 x 108 / 120 is more' },
    ],
  },
  {
    name: 'from 4 packets to a quarter of one',
    from: 4,
    steps: [
      { atUs: 120, delayUs: 120, count: 1, packets: 2, by: 'half' },
      { atUs: 240, delayUs: 120, count: 1, packets: 1, by: 'half' },
      { atUs: 360, delayUs: 120, count: 1, packets: 0.5, by: 'half' },
      { atUs: 480, delayUs: 120, count: 1, packets: 0.25, by: 'half' },
      { atUs: 520, delayUs: 30, count: 1, packets: 1.25, by: '0.25 + 1, the target is 32 us' },
    ],
  },
];

function* steps(): Iterable<Line> {
  for (const { name, from, steps: script } of scripts) {
    const { control, sentPs } = bench(from);
    let sequence = 0;
    for (const { atUs, delayUs, count, packets, by } of script) {
      control.wheel.nowPs = atUs * us;
      sentPs[control.packet] = (atUs - delayUs) * us;
      control.acknowledge((sequence += count), 1, false);
      yield compared({
        mechanism: `${name}: window after ${delayUs} us at ${atUs} us`,
        oracle: `by hand: ${by}`,
        expected: packets,
        ours: control.windows.at(-1)! / payloadBytes,
        unit: 'packets',
        digits: 4,
        tolerance: apartBy(0.0001),
      });
    }
  }
}

function* targets(): Iterable<Line> {
  const { congestion } = bench(16).control;
  for (const [packets, expected, by] of [
    [0.1, 32, 'the whole range'],
    [0.25, 32, '2 x 40/3 - 20/3'],
    [1, 12 + 20 / 3, '40/3 - 20/3'],
    [4, 12, '40/3 / 2 - 20/3'],
    [100, 12, 'nothing'],
  ] as const)
    yield compared({
      mechanism: `target of ${packets} packets over ${switches} switches`,
      oracle: `10 + 2 x 1 us and by flow scaling ${by}`,
      expected,
      ours: congestion.targetPs(packets, switches) / us,
      unit: 'us',
      digits: 3,
      tolerance: apartBy(0.001),
    });
}

const lineBps = 100e9;

/** Windows of n flows at rest, of packets of so many bytes. */
interface Rest {
  readonly senders: number;
  readonly payload: number;
}

const rests: readonly Rest[] = [
  { senders: 2, payload: 1024 },
  { senders: 4, payload: 512 },
  { senders: 8, payload: 256 },
];

/**
 * Together they are what the port carries in a round trip that is their target. Four cables of 1 us and a payload on two
 * links make the idle round trip; 82 B of headers, preamble and gap come with each packet; the range is five round trips
 * between 0.1 and 100 packets, and the switch adds 1 us. By halving an interval.
 */
function restingWindow({ senders, payload }: Rest): number {
  const idleUs = 4 + (2 * payload * 8e6) / lineBps;
  const packetUs = ((payload + 82) * 8e6) / lineBps;
  const slopeUs = (5 * idleUs) / (Math.sqrt(10) - 0.1);
  let [low, high] = [0.1, 100];
  for (let i = 0; i < 60; i++) {
    const packets = (low + high) / 2;
    const targetUs = idleUs + 1 + slopeUs / Math.sqrt(packets) - slopeUs / 10;
    if (senders * packets * packetUs < targetUs) low = packets;
    else high = packets;
  }
  return low;
}

/** Mean of the windows of n endless flows into one port, in packets, seen by arriving packets from 5 to 10 ms. */
function meanWindow({ senders, payload }: Rest): number {
  let [sum, count] = [0, 0];
  engineRun(
    star(senders + 1, us),
    Array.from({ length: senders }, (_, i): Transfer => [i + 1, 0, 125e6]),
    {
      settings: settingsWith({
        congestion: { algorithm: 'swift' },
        swift: { additiveIncrease: 0.05 },
        packet: { profile: 'rocev2', payload },
        queuePair: { acknowledgementPriority: 0 },
      }),
      untilPs: 10e9,
      onArrival: (_, port, { nowPs, parts: { pairs, fabric } }) => {
        if (nowPs < 5e9 || fabric.portNode[port] !== 0) return;
        for (let pair = 0; pair < senders; pair++) sum += pairs.allowedBytes[pair]! / payload;
        count += senders;
      },
    },
  );
  return sum / count;
}

/**
 * A flow alone whose window is a quarter of a packet sends one in four idle round trips, by headers and gap longer.
 * @returns microseconds that so many packets take
 */
function alonePacedUs(packets: number): number {
  // both ways over two links, stored and forwarded: 4,096 B with 62 B of headers, an ACK of 66 B, 20 B around each
  const idleUs = 4 + (2 * (4096 + 62 + 20 + 66 + 20) * 8e6) / lineBps;
  return (packets - 1) * 4 * idleUs * ((4096 + 62 + 20) / 4096) + idleUs;
}

/** The same in the engine. */
function pacedUs(packets: number): number {
  const run = engineRun(star(2, us), [[1, 0, packets * 4096]], {
    settings: settingsWith({
      congestion: { algorithm: 'swift' },
      packet: { profile: 'rocev2' },
      queuePair: { window: 1024 },
    }),
  });
  return run.flows[0]!.finishPs / us;
}

export const swift: Check = {
  name: 'swift',
  title: 'Swift: target, steps and rest',
  about:
    'Kumar et al., SIGCOMM 2020, algorithm 1, by hand: base target 10 us, 1 us for each of two switches, a range of 20 us between windows of 0.25 and 4 packets, decrease 0.8, at most half. Then endless flows into one port of 100 Gb/s over 1 us cables, with the defaults but for an additive increase of a twentieth of a packet, so that they rest: n windows are what the port carries in a round trip of the target. Windows above a packet are whole packets on the wire, those below one are kept by pacing.',
  *run() {
    yield* targets();
    yield* steps();
    for (const rest of rests)
      yield compared({
        mechanism: `${rest.senders} flows of packets of ${rest.payload} B into one port: mean window`,
        oracle: 'n W packet / rate = target (W), by halving an interval',
        expected: restingWindow(rest),
        ours: meanWindow(rest),
        unit: 'packets',
        digits: 2,
        tolerance: within(0.05),
      });
    yield compared({
      mechanism: 'a flow alone with a window of a quarter packet: 1,000 packets',
      oracle: 'a packet in four idle round trips, by (payload + headers + gap) / payload longer',
      expected: alonePacedUs(1000),
      ours: pacedUs(1000),
      unit: 'us',
      digits: 1,
      tolerance: within(0.001),
    });
  },
};
