// How the congestion point's buffer goes up and down once its threshold is crossed, in the source's five stages, and
// again and again while the incast lasts.
// Invariants: the peak is T_SFC + increase; the trough is the peak less what the link takes in the pause, at least 0;
// the stages' times add up.
// Source: L. Chen, L. Lv, "Source Flow Control computation & simulation", SFC Computation, table of stages.

import { type AllValues, increaseBytes, drainedBytes } from './conditions.js';

/** What a course needs: everything but PFC's threshold. */
export type CourseValues = Omit<AllValues, 'pfcThresholdBytes'>;

export interface BufferStage {
  readonly number: number;
  readonly name: string;
  readonly durationPs: number;
  /** since the threshold was crossed */
  readonly endPs: number;
  /** at its end */
  readonly bufferBytes: number;
}

/** The stages from the moment when the buffer crosses T_SFC on. The fifth has no end of its own: senders go on. */
export function bufferStages(values: CourseValues): readonly BufferStage[] {
  const { rttPs, t1Ps, t2Ps, pausePs, sfcThresholdBytes } = values;
  const half = rttPs / 2;
  const growth = increaseBytes(values) / (rttPs + t1Ps + t2Ps || 1);
  const drain = drainedBytes(values, 1);
  // a pause that is shorter than half the way ends before its last packets have come
  const draining = Math.max(0, pausePs - half);
  const parts = [
    { name: 'threshold reached, message under way', durationPs: t1Ps + half, slope: growth },
    { name: 'sources stand, packets under way come', durationPs: t2Ps + half, slope: growth },
    { name: 'the buffer drains', durationPs: draining, slope: -drain },
    { name: 'sources go on, nothing has come yet', durationPs: pausePs - draining, slope: -drain },
  ];
  let endPs = 0;
  let bufferBytes = sfcThresholdBytes;
  return parts.map(({ name, durationPs, slope }, i) => {
    endPs += durationPs;
    bufferBytes = Math.max(0, bufferBytes + slope * durationPs);
    return { number: i + 1, name, durationPs, endPs, bufferBytes };
  });
}

/** One turn of the sawtooth. */
export interface Sawtooth {
  readonly peakBytes: number;
  /** before the next turn; 0 if the link idles */
  readonly troughBytes: number;
  /** for how long the link has nothing to send, in each turn */
  readonly idlePs: number;
  /** from one crossing of T_SFC to the next; Infinity if senders do not fill the link */
  readonly periodPs: number;
}

/** The sawtooth that the stages make, if every turn ends as the first. */
export function sawtooth(values: CourseValues): Sawtooth {
  const { pausePs, rttPs, t1Ps, t2Ps, sfcThresholdBytes } = values;
  const peakBytes = Math.max(0, sfcThresholdBytes + increaseBytes(values));
  const left = peakBytes - drainedBytes(values, pausePs);
  const perPs = drainedBytes(values, 1);
  const growth = (values.alpha * values.senders - 1) * perPs;
  const reactionPs = rttPs + t1Ps + t2Ps;
  // above the threshold the next message is sent at once
  const backPs =
    left >= sfcThresholdBytes ? 0 : growth > 0 ? (sfcThresholdBytes - Math.max(0, left)) / growth : Infinity;
  return {
    peakBytes,
    troughBytes: Math.max(0, left),
    idlePs: left < 0 ? -left / perPs : 0,
    periodPs: reactionPs + pausePs + backPs,
  };
}

/** The course as corners, from an empty buffer on, for so many turns. @returns picoseconds and bytes */
export function bufferCourse(values: CourseValues, turns: number): { timesPs: number[]; buffersBytes: number[] } {
  const { pausePs, rttPs, t1Ps, t2Ps, sfcThresholdBytes } = values;
  const perPs = drainedBytes(values, 1);
  const growth = (values.alpha * values.senders - 1) * perPs;
  const timesPs = [0];
  const buffersBytes = [0];
  const goOn = (durationPs: number, slope: number): void => {
    const before = buffersBytes.at(-1)!;
    const emptyPs = slope < 0 ? -before / slope : Infinity;
    for (const partPs of emptyPs < durationPs ? [emptyPs, durationPs - emptyPs] : [durationPs]) {
      buffersBytes.push(Math.max(0, buffersBytes.at(-1)! + slope * partPs));
      timesPs.push(timesPs.at(-1)! + partPs);
    }
  };
  if (growth <= 0) return { timesPs, buffersBytes };
  for (let turn = 0; turn < turns; turn++) {
    const missing = sfcThresholdBytes - buffersBytes.at(-1)!;
    if (missing > 0) goOn(missing / growth, growth);
    goOn(rttPs + t1Ps + t2Ps, growth);
    goOn(pausePs, -perPs);
  }
  return { timesPs, buffersBytes };
}
