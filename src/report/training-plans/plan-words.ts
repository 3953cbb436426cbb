// Plans in words: what one is called, and why one is before another.

import { communicationKinds } from '../../jobs/job-report.js';
import { formatTimePs } from '../../base/units.js';
import { percentText } from '../text-style.js';
import { closedForm, type PlanTimes, type RankedPlan } from './ranked-plan.js';

/** Parts of a difference that are smaller than this share of the time are left out. */
const leastShare = 0.0005;

/** The name of a plan: `tp8 pp4x2 dp2 mb1 z1 sp full`. */
export function planName({ training: { values, groups, data }, layout }: RankedPlan): string {
  const { contextParallel, chunksPerStage, zeroStage, recomputation } = values;
  return [
    `tp${groups.tensor}`,
    `pp${groups.pipeline}${chunksPerStage > 1 ? `x${chunksPerStage}` : ''}${values.endsAsLayers ? 'e' : ''}`,
    ...(contextParallel > 1 ? [`cp${contextParallel}`] : []),
    `dp${data / contextParallel}`,
    ...(groups.expert > 1 ? [`ep${groups.expert}`] : []),
    `mb${values.microBatchSize}`,
    ...(zeroStage > 0 ? [`z${zeroStage}`] : []),
    ...(values.sequenceParallel ? ['sp'] : []),
    ...(recomputation === 'none' ? [] : [recomputation === 'alternate' ? 'alt' : recomputation]),
    ...(layout[0] === 'ep' ? ['ef'] : layout[1] === 'pp' ? ['pf'] : []),
  ].join(' ');
}

/** What names of plans are made of, in a sentence. */
export const planNameHelp =
  'tp tensor, pp pipeline (x chunks of a stage; e embedding and head in the place of layers), cp context, dp data, ep expert ' +
  'parallel; mb sequences of a micro-batch, z ZeRO stage, sp sequence parallelism, alt and full what is recomputed; ' +
  'pf the stages of a pipeline stand side by side, ef the ranks of an expert group.';

/** Time that a rank waits for others, in picoseconds. */
export function exposedOf({ exposedPs }: PlanTimes): number {
  return communicationKinds.reduce((sum, kind) => sum + exposedPs[kind], 0);
}

/** Why a plan stands where it does: the first beside the next, any other beside the first. */
export function whyOf(plans: readonly RankedPlan[], place: number): string {
  const plan = plans[place]!;
  if (place > 0) return `takes ${comparison(plans[0]!, plan)}`;
  const next = plans[1];
  const share = (timePs: number): string => percentText(timePs / plan.times.totalPs);
  const own = `${share(plan.times.computePs)} of its time computes, ${share(exposedOf(plan.times))} waits for communication, ${share(plan.times.bubblePs)} is pipeline bubble`;
  return next === undefined ? own : `${own}; the next takes ${comparison(plan, next)}`;
}

/** `1.3 % longer: 120ms more waits for TP, 30ms less bubble`. */
function comparison(first: RankedPlan, other: RankedPlan): string {
  const [a, b] = [first.times, other.times];
  const change = b.totalPs / a.totalPs - 1;
  const length =
    Math.abs(change) < 5e-5 ? 'as long' : `${percentText(Math.abs(change), 2)} ${change > 0 ? 'longer' : 'less'}`;
  const parts = [
    ['computation', b.computePs - a.computePs] as const,
    ...communicationKinds.map((kind) => [`waits for ${kind}`, b.exposedPs[kind] - a.exposedPs[kind]] as const),
    ['bubble', b.bubblePs - a.bubblePs] as const,
  ]
    .filter(([, ps]) => Math.abs(ps) >= leastShare * a.totalPs)
    .sort(([, x], [, y]) => Math.abs(y) - Math.abs(x))
    .slice(0, 3)
    .map(([name, ps]) => `${formatTimePs(Math.abs(ps))} ${ps > 0 ? 'more' : 'less'} ${name}`);
  const mixed = modelText(a) === modelText(b) ? '' : ` (${modelText(b)} beside ${modelText(a)})`;
  return `${length}${mixed}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

/** What a plan was timed by. */
export function modelText({ model, rounds }: PlanTimes): string {
  return model === closedForm ? 'closed forms' : rounds === undefined ? model : `${model}*`;
}
