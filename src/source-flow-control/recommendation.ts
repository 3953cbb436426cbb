// Thresholds and pause to begin with, where they are not given, with as much to spare on both sides as there is.
//   t_PAUSE = (increase + T_SFC / 2) / Bw         half of T_SFC to spare before the link idles, half before it is too
// short   T_SFC   = (T_PFC - increase) / (1 + spare)    a tenth of it to spare before PFC fires   without T_PFC: T_SFC
// = increase, so that senders may be off by half of what they are taken to send   with t_PAUSE given: T_SFC = 2 (Bw
// t_PAUSE - increase), if that leaves so much before PFC fires
// Invariant: what is recommended keeps every condition that it is part of, unless nothing does (then it is absent).
// Source: the conditions are the source's (conditions.ts); these rules of thumb are Weft's.

import { increaseBytes, knowsIncrease, drainedBytes } from './conditions.js';
import type { SfcValues } from './quantities.js';

/** Of T_SFC, how much the buffer may hold beyond the peak before PFC fires. */
const spare = 0.1;

export type Recommendation = Pick<SfcValues, 'sfcThresholdBytes' | 'pfcThresholdBytes' | 'pausePs'>;

/**
 * @returns values for those of T_SFC, T_PFC and t_PAUSE that are not given; those of which nothing can be said are
 * absent
 */
export function recommend(values: SfcValues): Recommendation {
  if (!knowsIncrease(values)) return {};
  const increase = increaseBytes(values);
  if (increase < 0) return {};
  const perPs = drainedBytes(values, 1);
  const { pfcThresholdBytes, pausePs } = values;
  const result: Recommendation = {};
  let sfc = values.sfcThresholdBytes;
  if (sfc === undefined) {
    const most = pfcThresholdBytes === undefined ? Infinity : pfcThresholdBytes - increase;
    const drained = pausePs === undefined ? null : drainedBytes(values, pausePs) - increase;
    const least = Math.max(0, drained ?? 0);
    if (least > most || (drained !== null && drained < 0)) return {};
    const roomy = most === Infinity ? (drained === null ? increase : Infinity) : most / (1 + spare);
    // of a pause that is given, twice what it takes from the threshold leaves as much to spare above as below
    sfc = Math.max(least, Math.min(roomy, drained === null ? Infinity : 2 * drained));
    result.sfcThresholdBytes = sfc;
  }
  if (pfcThresholdBytes === undefined) result.pfcThresholdBytes = (1 + spare) * sfc + increase;
  if (pausePs === undefined) result.pausePs = (increase + sfc / 2) / perPs;
  return result;
}
