// How firm the order of plans is: beside the error band of such times, and with a fault.
// The rule of the band is that of fabrics (fabric-verdict.ts): two plans under one model share errors, which then cancel; nobody
// measured how far, so the whole band of one time stands for the difference.

import type { ErrorBand } from '../band-classes.js';
import { decidedOf } from '../fabric-verdict.js';
import { counted, percentText } from '../text-style.js';
import { planName } from './plan-words.js';
import { type NoLinkFault, type RankedPlan, slowGpuSpeed } from './ranked-plan.js';

/**
 * Up to this share of the memory by closed forms no run of 454 ran out of it: buffers and fragmentation take the rest.
 * Source: Fujii and others 2024 (arXiv:2411.06465), on A100 and H100.
 */
export const safeMemoryShare = 0.8;

/** Times over that of the first, less 1. */
export function slowerThan(plans: readonly RankedPlan[]): number[] {
  return plans.map(({ times }) => Math.max(0, times.totalPs / plans[0]!.times.totalPs - 1));
}

/** The order in a few sentences. @param plans in order, at least one @param band of such times, or why there is none */
export function firmnessSentence(plans: readonly RankedPlan[], band: ErrorBand | string): string {
  const others = plans.length - 1;
  const behind = decidedOf(slowerThan(plans), band)
    .slice(1)
    .filter((own) => own).length;
  const sentences =
    others === 0
      ? []
      : [
          behind === others
            ? 'All others are slower by more than the error band.'
            : `${counted(others - behind, 'plan lies', 'plans lie')} within the error band of the first: measure, or choose by memory to spare.`,
        ];
  const disturbed = plans.filter((plan) => plan.disturbed !== undefined);
  if (disturbed.length > 0) {
    sentences.push(
      faultSentence(
        disturbed,
        `a GPU at ${percentText(slowGpuSpeed, 'few')} of its speed`,
        ({ slowGpuPs }) => slowGpuPs,
      ),
    );
    const isKnown = disturbed.some((plan) => typeof plan.disturbed!.failedLinkPs === 'number');
    const why = disturbed[0]!.disturbed!.failedLinkPs;
    sentences.push(
      isKnown || why === 'stopped'
        ? faultSentence(disturbed, 'a link between switches down', ({ failedLinkPs }) => failedLinkPs)
        : why === 'closed forms'
          ? 'What a link that is down costs --fluid tells.'
          : 'No link between switches can fail.',
    );
  }
  return sentences.join(' ');
}

type Fault = (times: NonNullable<RankedPlan['disturbed']>) => number | NoLinkFault;

/** What becomes of the first plan, and of its place. */
function faultSentence(plans: readonly RankedPlan[], fault: string, timeOf: Fault): string {
  const known = plans.flatMap((plan) => {
    const timePs = timeOf(plan.disturbed!);
    return typeof timePs === 'number' ? [{ plan, timePs }] : [];
  });
  const [first] = known;
  if (first === undefined) return `With ${fault}: not run.`;
  const best = known.reduce((least, own) => (own.timePs < least.timePs ? own : least));
  const share = first.timePs / first.plan.times.totalPs - 1;
  const place =
    known.length === 1
      ? ''
      : best === first
        ? `, and stays the first of ${known.length}`
        : `; then ${planName(best.plan)} is ${percentText(first.timePs / best.timePs - 1, 2)} faster`;
  return `With ${fault} the first takes ${percentText(Math.max(0, share), 2)} longer${place}.`;
}
