// Forwarding tables for what a run sent, as `weft route compute --algorithm weft` makes them: a remedy for unlucky
// routes.
// Invariant: the search is limited by its work, so the same run has the same tables everywhere.

import { InputError } from '../../base/diagnostics.js';
import type { ObservedFlows } from '../../diagnosis/observed-flows.js';
import type { Fabric } from '../../fabric/fabric.js';
import { TrafficBuilder, type Traffic } from '../../flows/traffic/matrix.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { searchNamed } from '../routes/algorithms/catalogue.js';
import { requireTree, routedFabric } from '../routes/fabric-input.js';

/** Links that the search looks at: a second or two. */
const mostWork = 30e6;

/**
 * The tables that balance the flows of a run best, as far as the search comes.
 * @throws InputError if the fabric is no fat tree, or a flow has no hosts at its ends
 */
export function computedRoutes(fabric: Fabric, flows: ObservedFlows): TablesByOffset {
  const source = routedFabric({ name: 'the run', fabric, identity: null, warnings: [] });
  requireTree(source);
  const settings = {
    traffic: trafficOf(fabric, flows),
    seed: 1,
    seconds: Infinity,
    mostWork,
    current: null,
    mostChanges: null,
    threshold: 1,
  };
  return searchNamed('weft').make(source, settings, {
    wallMs: () => 0,
    stopRequested: () => false,
    report: () => {},
  }).tables;
}

/** Bytes by pair of hosts, the phases of jobs apart. */
function trafficOf({ hosts, nodeCount }: Fabric, flows: ObservedFlows): Traffic {
  const { count, source, destination, wireBytes, phase } = flows;
  const rankOf = new Int32Array(nodeCount).fill(-1);
  hosts.forEach((node, rank) => (rankOf[node] = rank));
  const phases = new Map<number, TrafficBuilder>();
  for (let flow = 0; flow < count; flow++) {
    const [from, to] = [rankOf[source[flow]!]!, rankOf[destination[flow]!]!];
    if (from < 0 || to < 0)
      throw InputError.about('diagnose-routes', 'the run', 'tables lead between hosts, and flows end in NVSwitches', {
        hint: 'other trials of --try need no tables',
      });
    const builder = phases.get(phase[flow]!) ?? new TrafficBuilder(hosts.length, 'bytes');
    phases.set(phase[flow]!, builder);
    builder.add(from, to, wireBytes[flow]!);
  }
  return {
    name: 'the run',
    hostCount: hosts.length,
    unit: 'bytes',
    note: 'bytes by pair of hosts and phase, of a run',
    phases: [...phases]
      .sort(([a], [b]) => a - b)
      .map(([number, builder]) => ({ name: `phase ${number}`, matrix: builder.build() })),
  };
}
