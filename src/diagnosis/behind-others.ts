// Flows that stand in a congestion tree of another job: no link that they cross is full, but a link on their way is held
// by flows of others that wait for one that is (Taffet's dissertation 2.4.1, docs/SOURCES.md).

import { lostBetween, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';
import { addToSum, sorted } from './sums.js';

/** A flow of others that makes less than this of its progress alone holds what it crosses. */
const held = 0.5;
/** Share of a flow's life that such a flow has to be on a link of its way. */
const leastOverlap = 0.3;

/** How much of what no sharing explains was lost behind others, and on which link most. */
export interface BehindOthers {
  /** of the unexplained loss, 0 to 1 */
  readonly share: number;
  /** output port; -1: none */
  readonly port: number;
}

/** @param which flows of one job */
export function behindOthers(flows: ObservedFlows, found: FlowProgress, job: number, which: Int32Array): BehindOthers {
  const held = heldLinks(flows, found, job);
  const lost = new Map<number, number>();
  let [all, behind] = [0, 0];
  for (const flow of which) {
    const lostPs = lostBetween(flows, found, flow, 'made', 'shared');
    if (lostPs <= 0) continue;
    all += lostPs;
    const [startPs, finishPs] = [flows.startPs[flow]!, flows.finishPs[flow]!];
    let [worst, most] = [-1, leastOverlap * (finishPs - startPs)];
    for (let entry = flows.offsets[flow]!; entry < flows.offsets[flow + 1]!; entry++) {
      const spans = held.get(flows.ports[entry]!);
      const overlapPs = spans === undefined ? 0 : overlap(spans, startPs, finishPs);
      // the last of them is nearest to where the others wait
      if (overlapPs >= most) [worst, most] = [flows.ports[entry]!, overlapPs];
    }
    if (worst === -1) continue;
    behind += lostPs;
    addToSum(lost, worst, lostPs);
  }
  const [first] = sorted(lost);
  return { share: all > 0 ? behind / all : 0, port: first?.[0] ?? -1 };
}

/** By output port: when flows of other jobs that hardly got on were there, as spans that follow each other. */
function heldLinks(flows: ObservedFlows, { progress }: FlowProgress, job: number): Map<number, Float64Array> {
  const { count, startPs, finishPs, offsets, ports } = flows;
  const order = Int32Array.from({ length: count }, (_, i) => i)
    .filter((flow) => flows.job[flow] !== job && progress.made[flow]! < held)
    .sort((a, b) => startPs[a]! - startPs[b]! || a - b);
  const spans = new Map<number, number[]>();
  for (const flow of order)
    for (let entry = offsets[flow]!; entry < offsets[flow + 1]!; entry++) {
      const own = spans.get(ports[entry]!);
      if (own === undefined) spans.set(ports[entry]!, [startPs[flow]!, finishPs[flow]!]);
      else if (startPs[flow]! > own.at(-1)!) own.push(startPs[flow]!, finishPs[flow]!);
      else own[own.length - 1] = Math.max(own.at(-1)!, finishPs[flow]!);
    }
  return new Map([...spans].map(([port, own]) => [port, Float64Array.from(own)]));
}

/** How much of a time lies within spans. */
function overlap(spans: Float64Array, fromPs: number, toPs: number): number {
  let [low, high] = [0, spans.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[2 * middle + 1]! > fromPs) high = middle;
    else low = middle + 1;
  }
  let sum = 0;
  for (let i = low; 2 * i < spans.length && spans[2 * i]! < toPs; i++)
    sum += Math.min(toPs, spans[2 * i + 1]!) - Math.max(fromPs, spans[2 * i]!);
  return sum;
}
