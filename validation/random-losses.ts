// What files of losses say, drawn for a fabric and its flows: packets by their bytes, the next packets from a time on, and
// a pattern that goes round.
// Invariants: the same stream gives the same lists; every list ends, and a pattern has a prime number of packets, more
// than any flow sends in a row again and again, so that no packet meets the same place of it for ever.

import { type LossPlan, noLossPlan } from '#weft/backends/packet/loss/loss-plan.js';
import { type Fabric, NodeKind } from '#weft/fabric/fabric.js';
import type { Draw } from './draw.js';
import type { Transfer } from './engine-run.js';

/** The lists of a loss model; nothing for one that needs no file. */
export function randomLosses(model: string, fabric: Fabric, transfers: readonly Transfer[], draw: Draw): LossPlan {
  if (model === 'trace') {
    const share = draw.of([0.01, 0.1, 0.25]);
    return {
      ...noLossPlan,
      pattern: Uint8Array.from({ length: draw.of([499, 997, 4001]) }, () => (draw.chance(share) ? 1 : 0)),
    };
  }
  const switches = [...fabric.nodeKind.keys()].filter((node) => fabric.nodeKind[node] === NodeKind.switch);
  // half of them at the switch of the flow's sender, by which all of its packets come
  const places = Array.from({ length: draw.between(1, 12) }, () => {
    const flow = draw.between(0, transfers.length - 1);
    const [source, , sizeBytes, startPs = 0] = transfers[flow]!;
    const leaf = fabric.portNode[fabric.portPeer[fabric.portOffset[source]!]!]!;
    return { flow, source, sizeBytes, startPs, node: draw.chance(0.5) ? leaf : draw.of(switches) };
  });
  if (model === 'sequence')
    return {
      ...noLossPlan,
      sequences: places.map(({ flow, source, node, sizeBytes }) => ({
        flow,
        source,
        node,
        ranges: Array.from({ length: draw.between(1, 4) }, () => {
          const from = draw.chance(0.2) ? sizeBytes - 1 : draw.between(0, sizeBytes - 1);
          return { from, to: from + draw.of([0, 0, 3000, 30_000]) };
        }),
      })),
    };
  if (model === 'time')
    return {
      ...noLossPlan,
      times: places.map(({ flow, source, node, startPs }) => ({
        flow,
        source,
        node,
        fromPs: startPs + draw.between(0, 50) * 1e6,
        count: draw.of([1, 3, 30]),
      })),
    };
  return noLossPlan;
}
