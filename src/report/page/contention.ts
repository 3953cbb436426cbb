// What flows lost on every link by sharing it, out of a stored run: the model of the verdict (measurement/lost-time.ts)
// carried out on paths, starts and ends of the records.
// Invariant: of a flow whose bytes were shared out over several ports only those count that all of them crossed: so the
// links of its hosts, as in the verdict, whose own figures know shares by queue pair.

import { LostTime } from '../../measurement/lost-time.js';
import type { CarriedLoads } from './carried-loads.js';
import type { FlowColumns } from './flow-columns.js';

/** By output port. */
export interface Contention {
  readonly lostPs: Float64Array;
  /** what the flows that crossed the link would have taken alone, all together */
  readonly alonePs: Float64Array;
  /** most flows at once, where any time was lost */
  readonly mostFlows: Int32Array;
}

/** Where the finished flows of a run lost time. */
export function contentionOf(loads: CarriedLoads, flows: FlowColumns): Contention {
  const { fabric } = loads;
  const alonePs = new Float64Array(fabric.portCount);
  const lostTime = new LostTime(fabric);
  const path = new Int32Array(loads.longestWay);
  const slotOf = new Int32Array(flows.count).fill(-1);
  const free: number[] = [];
  let slots = 0;
  const byStart = inOrder(flows.count, (flow) => flows.startPs.values[flow]!);
  const byFinish = inOrder(flows.count, (flow) => flows.finishPs.values[flow]!);
  const start = (flow: number): void => {
    const length = loads.wholeWay(flow, path);
    if (length === 0) return;
    const slot = free.pop() ?? slots++;
    slotOf[flow] = slot;
    lostTime.started(slot, slot, path, length, 1, flows.startPs.values[flow]!);
    for (let i = 0; i < length; i++) alonePs[path[i]!]! += flows.idealPs.values[flow]!;
  };
  const finish = (flow: number): void => {
    const slot = slotOf[flow]!;
    if (slot < 0) return;
    lostTime.finished(slot, slot, flows.finishPs.values[flow]!);
    lostTime.flowFinished(slot, flows.completionPs(flow), flows.idealPs.values[flow]!);
    free.push(slot);
  };
  for (let begun = 0, ended = 0; ended < flows.count;) {
    const [next, done] = [byStart[begun], byFinish[ended]!];
    if (next !== undefined && flows.startPs.values[next]! < flows.finishPs.values[done]!) {
      start(next);
      begun++;
    } else {
      finish(done);
      ended++;
    }
  }
  const lostPs = new Float64Array(fabric.portCount);
  const mostFlows = new Int32Array(fabric.portCount);
  for (const { port, lostPs: own, mostFlows: most } of lostTime.figures().places) {
    lostPs[port] = own;
    mostFlows[port] = most;
  }
  return { lostPs, alonePs, mostFlows };
}

function inOrder(count: number, timeOf: (flow: number) => number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, flow) => flow).sort((a, b) => timeOf(a) - timeOf(b) || a - b);
}
