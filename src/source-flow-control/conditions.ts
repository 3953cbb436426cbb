// What source flow control must not cause, as three conditions on thresholds and pause, and the course of the
// congestion point's buffer behind them.
//   increase = (alpha N - 1) Bw (RTT + t1 + t2)     what comes while nobody stands yet, beyond what the link takes
//   1  T_PFC - T_SFC - increase >= 0                else PFC fires: reaction too slow
//   2  Bw t_PAUSE - increase >= 0                   else T_SFC is still exceeded after the pause: too short
//   3  T_SFC + increase - Bw t_PAUSE >= 0           else the link idles: too long
// Invariant: each slack is a straight line in every one of its quantities, the others held (feasible-region.ts).
// Source: L. Chen, L. Lv, "Source Flow Control computation & simulation", SFC Computation.
// Not modelled: packets (a threshold is crossed by whole ones), senders that start and stop at different times, PFC's
// own headroom.

import type { Quantity, SfcValues } from './quantities.js';

const bitsPerByte = 8;
const psPerSecond = 1e12;

/** Values of all quantities. */
export type AllValues = Readonly<Record<Quantity, number>>;

/** Bytes that a link takes in a time. */
export function drainedBytes({ bandwidthBps }: Pick<AllValues, 'bandwidthBps'>, timePs: number): number {
  return (bandwidthBps / bitsPerByte) * (timePs / psPerSecond);
}

const increaseNeeds = ['bandwidthBps', 'senders', 'alpha', 'rttPs', 't1Ps', 't2Ps'] as const;
type IncreaseValues = Pick<AllValues, (typeof increaseNeeds)[number]>;

/** Bytes by which the buffer grows between crossing T_SFC and its peak; below 0 if senders do not fill the link. */
export function increaseBytes(values: IncreaseValues): number {
  const { senders, alpha, rttPs, t1Ps, t2Ps } = values;
  return (alpha * senders - 1) * drainedBytes(values, rttPs + t1Ps + t2Ps);
}

/** Whether everything that the increase needs is known. */
export function knowsIncrease(values: SfcValues): values is SfcValues & IncreaseValues {
  return increaseNeeds.every((name) => values[name] !== undefined);
}

export interface Condition {
  readonly name: 'pfc-fires' | 'pause-too-short' | 'link-idles';
  /** what happens if it does not hold */
  readonly breach: string;
  readonly formula: string;
  readonly needs: readonly Quantity[];
  /** bytes to spare; below 0: it does not hold */
  readonly slackBytes: (values: AllValues) => number;
}

export const conditions: readonly Condition[] = [
  {
    name: 'pfc-fires',
    breach: 'PFC fires: the reaction is too slow for these thresholds',
    formula: 'T_PFC - T_SFC >= increase',
    needs: [...increaseNeeds, 'sfcThresholdBytes', 'pfcThresholdBytes'],
    slackBytes: (values) => values.pfcThresholdBytes - values.sfcThresholdBytes - increaseBytes(values),
  },
  {
    name: 'pause-too-short',
    breach: 'T_SFC is still exceeded after the pause: it is too short',
    formula: 'Bw t_PAUSE >= increase',
    needs: [...increaseNeeds, 'pausePs'],
    slackBytes: (values) => drainedBytes(values, values.pausePs) - increaseBytes(values),
  },
  {
    name: 'link-idles',
    breach: 'the link idles: the pause is too long',
    formula: 'T_SFC + increase >= Bw t_PAUSE',
    needs: [...increaseNeeds, 'sfcThresholdBytes', 'pausePs'],
    slackBytes: (values) => values.sfcThresholdBytes + increaseBytes(values) - drainedBytes(values, values.pausePs),
  },
];
