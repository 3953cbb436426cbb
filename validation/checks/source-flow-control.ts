// The closed form of source flow control against packets: one quantity is moved across the boundary of each condition,
// and what happens turns there; and incasts with source flow control and PFC together, which lose nothing, block nothing
// and hold nobody for ever.

import { sfcSettings } from '#weft/backends/packet/flow-control/sfc/sfc-settings.js';
import { setApartBytes } from '#weft/backends/packet/switch/headroom.js';
import type { PacketSettings } from '#weft/backends/packet/settings.js';
import { RandomStream } from '#weft/base/random.js';
import { settingDefaults } from '#weft/base/settings.js';
import { type Fabric, NodeKind } from '#weft/fabric/fabric.js';
import { type AllValues, type Condition, conditions, increaseBytes } from '#weft/source-flow-control/conditions.js';
import type { Quantity } from '#weft/source-flow-control/quantities.js';
import type { Check } from '../check.js';
import { Draw } from '../draw.js';
import { broken, engineRun } from '../engine-run.js';
import { bounded, compared, exact, type Line } from '../line.js';
import { randomIncast } from '../random-incasts.js';
import { reactionTimes, type Scheme, schemes } from '../reaction-times.js';
import { packetBytes, simulatedTurn, transmissionPs, type Turn } from '../source-flow-control.js';

/** What is moved: all but the number of senders, which is whole, and the rate. */
const moved: readonly Quantity[] = ['rttPs', 't1Ps', 't2Ps', 'sfcThresholdBytes', 'pfcThresholdBytes', 'pausePs'];

const breaches: Readonly<Record<Condition['name'], (turn: Turn, values: AllValues) => boolean>> = {
  'pfc-fires': ({ hasPaused }) => hasPaused,
  'pause-too-short': ({ troughBytes }, { sfcThresholdBytes }) => troughBytes >= sfcThresholdBytes,
  'link-idles': ({ hasIdled }) => hasIdled,
};

/** What came of one set of parameters and one condition. */
interface Crossing {
  /** breached just within the closed form's boundary, and just beyond it, on packets */
  readonly isBreachedWithin: boolean;
  readonly isBreachedBeyond: boolean;
  /** peak and trough within the boundary, less those of the closed form, in units of N + 1 packets: one a sender, and the one on the wire, which waits for nothing */
  readonly peakOff: number;
  readonly troughOff: number;
  readonly text: string;
}

/** Parameters of a seed and number that lie on the boundary of a condition, but for one quantity; it, and both sides. */
function boundary(
  seed: number,
  number: number,
  condition: Condition,
): [Quantity, within: AllValues, beyond: AllValues] {
  const draw = new Draw(new RandomStream(seed, `source flow control ${condition.name} ${number}`));
  for (;;) {
    const senders = draw.between(2, 12);
    const bandwidthBps = draw.of([100e9, 200e9, 400e9]);
    const us = (least: number, most: number): number => draw.between(least * 1000, most * 1000) * 1000;
    const base = {
      bandwidthBps,
      senders,
      alpha: (1 + (senders - 1) * draw.of([0.15, 0.3, 0.6, 1])) / senders,
      rttPs: us(8, 30),
      t1Ps: us(0, 15),
      t2Ps: us(0, 15),
      sfcThresholdBytes: draw.between(100, 1000) * packetBytes,
      pfcThresholdBytes: 5e8,
      pausePs: us(5, 120),
      bufferBytes: 1e9,
    } as AllValues;
    const needs = moved.filter((name) => condition.needs.includes(name));
    const quantity = draw.of(needs);
    // twice a packet per sender and a few are well within a round trip's worth; more would prove less
    const marginBytes = (2 * senders + 4) * packetBytes;
    const start: AllValues =
      condition.name === 'pfc-fires'
        ? { ...base, pfcThresholdBytes: base.sfcThresholdBytes + increaseBytes(base) }
        : base;
    const solve = (slackBytes: number): AllValues => {
      const at = (value: number): number => condition.slackBytes({ ...start, [quantity]: value });
      const perUnit = (at(2e6) - at(1e6)) / 1e6;
      return { ...start, [quantity]: 1e6 + (slackBytes - at(1e6)) / perUnit };
    };
    const [within, beyond] = [solve(marginBytes), solve(-marginBytes)];
    const isUsable = (values: AllValues): boolean =>
      values.t1Ps >= 0 &&
      values.t2Ps >= 0 &&
      values.rttPs >= transmissionPs(values) + 2e6 &&
      (values.rttPs / 8e12) * bandwidthBps >= marginBytes &&
      values.sfcThresholdBytes >= 20 * packetBytes &&
      values.sfcThresholdBytes + increaseBytes(values) < 3e6 &&
      // the gap in arrivals must be told from that between packets
      values.pausePs >= 6 * transmissionPs(values);
    if (isUsable(within) && isUsable(beyond)) return [quantity, within, beyond];
  }
}

/** Runs both sides of the boundary of a condition. @param at what the threshold is about (source-flow-control.ts) */
function crossing(seed: number, number: number, condition: Condition, at: 'egress' | 'ingress'): Crossing {
  const [quantity, inside, outside] = boundary(seed, number, condition);
  const turns = [inside, outside].map((values) => simulatedTurn(values, at));
  const text = `set ${number} of seed ${seed}, ${at}, ${condition.name} by ${quantity}: ${JSON.stringify(inside)}`;
  const [before, after] = turns;
  if (before === null || after === null || before === undefined || after === undefined)
    throw new Error(`no turn of the sawtooth: ${text}`);
  const peak = inside.sfcThresholdBytes + increaseBytes(inside);
  const drained = (inside.bandwidthBps / 8e12) * inside.pausePs;
  return {
    isBreachedWithin: breaches[condition.name](before, inside),
    isBreachedBeyond: breaches[condition.name](after, outside),
    // PFC's pauses cut the peak off, and an empty buffer the trough
    peakOff: condition.name === 'pfc-fires' ? 0 : (before.peakBytes - peak) / packetBytes / (inside.senders + 1),
    troughOff:
      condition.name === 'pfc-fires'
        ? 0
        : (before.troughBytes - Math.max(0, peak - drained)) / packetBytes / (inside.senders + 1),
    text,
  };
}

function* boundaries(
  seed: number,
  count: number,
  at: 'egress' | 'ingress',
  tell: (done: number) => void,
): Iterable<Line> {
  let worstPeak = 0;
  let worstTrough = 0;
  const where = at === 'egress' ? '' : 'threshold T_SFC / N on each ingress port, ';
  for (const [i, condition] of conditions.entries()) {
    let flips = 0;
    for (let number = 1; number <= count; number++) {
      tell(i * count + number - 1);
      const { isBreachedWithin, isBreachedBeyond, peakOff, troughOff } = crossing(seed, number, condition, at);
      if (!isBreachedWithin && isBreachedBeyond) flips++;
      worstPeak = Math.max(worstPeak, Math.abs(peakOff));
      worstTrough = Math.max(worstTrough, Math.abs(troughOff));
    }
    yield compared({
      mechanism: `${where}${condition.formula}, one quantity moved across: sets that turn there`,
      oracle: 'closed form, 2 N + 4 packets on either side',
      expected: count,
      ours: flips,
      unit: '',
      tolerance: exact,
    });
  }
  for (const [name, worst] of [
    ['peak', worstPeak],
    ['trough', worstTrough],
  ] as const)
    yield bounded({
      mechanism: `${where}${name} of the sawtooth: furthest from the closed form`,
      oracle:
        at === 'egress'
          ? 'a packet a sender, and the one on the wire'
          : 'two packets a sender, as each crosses its own threshold, and the one on the wire',
      ours: worst,
      most: at === 'egress' ? 1 : 2,
      unit: 'x (N + 1) packets',
      digits: 2,
    });
}

/** What came of a random incast with messages to sources. */
export interface SourcePausedIncast {
  readonly problems: string[];
  readonly messages: number;
  readonly notifications: number;
  readonly retransmittedPackets: number;
  /** those that came ahead of their turn, and waited in their host */
  readonly reorderedPackets: number;
}

/** A random incast with source flow control beside PFC, and beside what else its settings are changed to. */
export function sourcePausedIncast(
  seed: number,
  number: number,
  changed: (settings: PacketSettings) => PacketSettings = (settings) => settings,
): SourcePausedIncast {
  const incast = randomIncast(seed, number);
  const { fabric, transfers, text } = incast;
  const pfc = changed(incast.settings);
  const draw = new Draw(new RandomStream(seed, `source pauses ${number}`));
  const sfc = {
    ...settingDefaults(sfcSettings),
    reaction: draw.of(['end-station', 'proxy', 'bridge']),
    per: draw.of(['flow', 'priority', 'interface']),
    bridgeShare: draw.of([0, 0, 0.3]),
    at: draw.of(['egress', 'egress', 'ingress']),
    threshold: draw.of([1, 5000, 20_000, 100_000]),
    hysteresis: draw.of([0, 5000]),
    buildTime: draw.of([0, 1e6, 5e6]),
    reactionTime: draw.of([0, 1e6, 5e6]),
    pause: draw.of(['auto', 1e6, 2e7, 1e8]),
    refresh: draw.chance(0.3),
    earlyResume: draw.chance(0.3),
  };
  const settings: PacketSettings = { ...pfc, flowControl: ['pfc', 'sfc'], own: { ...pfc.own, sfc } };
  const buffer = pfc.switch.buffer + moreSetApart(fabric, pfc, settings);
  const run = engineRun(fabric, transfers, {
    settings: { ...settings, switch: { ...settings.switch, buffer } },
    seed: number,
    mostEvents: 20_000_000,
  });
  const { counters } = run.network;
  const problems = broken(run);
  if (run.state !== 'finished') problems.push(`the run ended ${run.state}`);
  if (counters.packetsDropped > 0) problems.push(`${counters.packetsDropped} packets dropped`);
  if (problems.length > 0) problems.push(`incast ${number} of seed ${seed}: ${text}, ${JSON.stringify(sfc)}`);
  const { sfcMessages, notifications, retransmittedPackets, reorderedAtHosts } = counters as unknown as Readonly<
    Record<string, number>
  >;
  return {
    problems,
    messages: sfcMessages!,
    notifications: notifications!,
    retransmittedPackets: retransmittedPackets!,
    reorderedPackets: reorderedAtHosts ?? 0,
  };
}

/** What the switches of a fabric set apart more with other settings, at most. */
function moreSetApart(fabric: Fabric, before: PacketSettings, after: PacketSettings): number {
  let most = 0;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] !== NodeKind.switch) continue;
    let more = 0;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
      more += setApartBytes(fabric, port, after) - setApartBytes(fabric, port, before);
    most = Math.max(most, more);
  }
  return most;
}

function* incasts(seed: number, count: number, tell: (done: number) => void): Iterable<Line> {
  const found: string[] = [];
  let messages = 0;
  let telling = 0;
  for (let number = 1; number <= count; number++) {
    tell(number - 1);
    const outcome = sourcePausedIncast(seed, number);
    found.push(...outcome.problems.slice(-1));
    messages += outcome.messages;
    if (outcome.messages > 0) telling++;
  }
  yield compared({
    mechanism: `${count} random incasts with PFC: with a drop, a deadlock, or a pause that does not end${found.length === 0 ? '' : `; first: ${found[0]}`}`,
    oracle: 'none',
    expected: 0,
    ours: found.length,
    unit: '',
    tolerance: exact,
  });
  yield bounded({
    mechanism: `of them with messages to sources (${messages} in all)`,
    oracle: 'most are tight enough',
    ours: telling,
    least: Math.ceil(count / 2),
    unit: '',
    digits: 0,
  });
}

/** How long each scheme takes to stop an incast, beside the limits that the source's table has for it. */
function* reactions(list: readonly Scheme[]): Iterable<Line> {
  for (const scheme of list) {
    const { senderPs, ingressPs, portPs } = reactionTimes(scheme);
    if (portPs !== null)
      yield bounded({
        mechanism: `${scheme.name}: a port that has sent a frame has its last packet after`,
        oracle: 'two cables, the response time, a packet on the wire',
        ours: portPs / 1e6,
        least: 1.62,
        most: 2,
        unit: 'us',
        digits: 2,
      });
    for (const [what, ps, limits = {}] of [
      ['senders stop', senderPs, scheme.sender],
      ["the congested switch's ingress stops", ingressPs, scheme.ingress],
    ] as const)
      yield bounded({
        mechanism: `${scheme.name}: ${what} after`,
        oracle: limits.least === undefined && limits.most === undefined ? 'after the call' : "the source's table",
        ours: ps / 1e6,
        least: 0,
        most: 350,
        ...limits,
        unit: 'us',
        digits: 1,
      });
  }
}

export const sourceFlowControl: Check = {
  name: 'source-flow-control',
  title: 'Source flow control',
  about:
    'The conditions of the closed form ([source flow control](source-flow-control.md)), each with 200 random sets of parameters: just within its boundary and just beyond it, on packets; once with the threshold on the egress queue, once with an Nth of it on each ingress port. Random incasts with messages to sources and PFC together. And seven hosts into one over eight spines at 100 Gb/s: the time until senders send, and the congested switch gets, at most a quarter.',
  isSampled: true,
  *run({ isQuick, seed, progress }) {
    const [sets, runs] = isQuick ? [3, 10] : [200, 1000];
    const crossings = conditions.length * sets;
    const total = 2 * crossings + runs;
    yield* reactions(isQuick ? schemes.filter(({ sender }) => sender?.most !== undefined) : schemes);
    yield* boundaries(seed, sets, 'egress', (done) => progress(done, total));
    yield* boundaries(seed, sets, 'ingress', (done) => progress(crossings + done, total));
    yield* incasts(seed, runs, (done) => progress(2 * crossings + done, total));
  },
};
