// The paths that the transfers of a trace would take, by hashing alone: nothing is simulated. Source ports come from
// SimAI's counter per pair of hosts, or from the central controller, who lets go of a flow when its window ends.
//   window of a flow: [timestamp + send latency, and size / rate after that)
// Source: central-controller document (docs/SOURCES.md), §8 (analyze_collisions.py: --bw-gbps, --send-lat-ns).
// Not modelled: what collisions do to completion times; a run has them (weft analyze collisions RUN).

import { Int32List } from '../base/columns.js';
import { TimeHeap } from '../base/time-heap.js';
import { CentralController } from '../controller/central-controller.js';
import { destinationPort, firstSourcePort } from '../execution/admission.js';
import type { Fabric } from '../fabric/fabric.js';
import type { TransferList } from '../flows/transfer-list.js';
import type { FlowPaths } from '../measurement/flow-overlap.js';
import type { RoutingRules } from '../routing/equal-cost.js';
import { PathTracer } from '../routing/path.js';
import { routesByRules } from '../routing/table-routes.js';

/** Who gives source ports. */
export const sourcePortRules = ['counter', 'collision-free'] as const;
export type SourcePortRule = (typeof sourcePortRules)[number];

/** How long a flow is taken to be under way. */
export interface FlowWindow {
  readonly sendLatencyPs: number;
  /** null: that of the slower of the two NICs on its path */
  readonly rateBps: number | null;
}

/** Flows of a trace on their paths. */
export interface TracedFlows extends FlowPaths {
  readonly source: Int32Array;
  readonly destination: Int32Array;
  readonly sourcePort: Uint16Array;
  /** the controller: ports that it chose, and flows for which it found no free path; null without one */
  readonly controller: { readonly assigned: number; readonly unassigned: number } | null;
}

/**
 * Walks every transfer of a trace.
 * @param list in any order; it is read to its end
 * @param rules of routing
 */
export function traceFlowPaths(
  list: TransferList,
  fabric: Fabric,
  rules: RoutingRules,
  ports: SourcePortRule,
  window: FlowWindow,
): TracedFlows {
  const flows = list.total;
  const tracer = new PathTracer(routesByRules(fabric, rules));
  const controller = ports === 'collision-free' ? new CentralController(tracer) : null;
  const counters = new Map<number, number>();
  const startPs = new Float64Array(flows);
  const finishPs = new Float64Array(flows);
  const source = new Int32Array(flows);
  const destination = new Int32Array(flows);
  const sourcePort = new Uint16Array(flows);
  const offsets = new Int32Array(flows + 1);
  const taken = new Int32List();
  const path = new Int32Array(tracer.maxLength);
  const ends = new TimeHeap();
  const rateOf = (port: number): number => fabric.linkRateBps[fabric.portLink[port]!]!;
  let flow = 0;
  list.expand(Infinity, {
    transfer(_id, from, to, sizeBytes, timePs) {
      const atPs = timePs + window.sendLatencyPs;
      while (ends.firstPs <= atPs) controller?.release(ends.pop());
      const pair = from * fabric.nodeCount + to;
      const count = counters.get(pair) ?? 0;
      counters.set(pair, count + 1);
      const counted = (firstSourcePort + count) & 0xffff;
      const port =
        controller?.assignSourcePort(
          { flow, source: from, destination: to, sizeBytes, destinationPort, pinned: null },
          counted,
        ) ?? counted;
      const length = tracer.trace(from, to, port, destinationPort, path);
      for (let i = 0; i < length; i++) taken.push(path[i]!);
      offsets[flow + 1] = taken.length;
      const rateBps = window.rateBps ?? (length === 0 ? 1 : Math.min(rateOf(path[0]!), rateOf(path[length - 1]!)));
      startPs[flow] = atPs;
      finishPs[flow] = atPs + Math.round((sizeBytes * 8e12) / rateBps);
      source[flow] = from;
      destination[flow] = to;
      sourcePort[flow] = port;
      if (controller !== null) ends.set(flow, finishPs[flow]!);
      flow++;
    },
  });
  return {
    flows,
    startPs,
    finishPs,
    offsets,
    ports: taken.toArray(),
    source,
    destination,
    sourcePort,
    controller: controller === null ? null : { assigned: controller.assigned, unassigned: controller.unassigned },
  };
}
