// Routes by a search that cares for the largest load alone: what 5.4 of Taffet's dissertation (docs/SOURCES.md) says of
// its master problem, whose programme is beyond HiGHS. Begins with random tables and moves destinations off links above
// a ceiling, wherever else there is room below it; nothing else is better or worse.

import { RandomStream } from '#weft/base/random.js';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import type { TrafficMatrix } from '#weft/flows/traffic/matrix.js';
import { random } from '#weft/app/routes/algorithms/random.js';
import { routableTraffic } from '#weft/optimization/leaf-traffic.js';
import { MovableRoutes } from '#weft/optimization/movable-routes.js';
import type { ForwardingTables } from '#weft/routing/forwarding-tables.js';
import { MinimalPorts } from '#weft/routing/minimal-ports.js';

const mostMoves = 1_000_000;

/**
 * Tables whose largest load is a ceiling or less.
 * @param ceiling what a link may carry
 * @throws Error if none are found
 */
export function worstLinkRoutes(
  source: RoutedFabric,
  matrix: TrafficMatrix,
  ceiling: number,
  seed: number,
): ForwardingTables {
  const { tree, fabric } = source;
  const traffic = routableTraffic(tree, matrix);
  const routes = new MovableRoutes(random.make(source, seed).tables[0]!, traffic);
  const draw = new RandomStream(seed, 'worst link routes');
  const minimal = new MinimalPorts(tree);
  const { offset, leaf } = traffic;
  const above = (): number => routes.load.reduce((sum, load) => sum + Math.max(0, load - ceiling), 0);
  let excess = above();
  for (let moves = 0; moves < mostMoves && excess > 0; moves++) {
    // a switch on the way of a random flow that crosses a link above the ceiling
    const rank = draw.nextBelow(fabric.hosts.length);
    const flows = offset[rank + 1]! - offset[rank]!;
    if (flows === 0) continue;
    const way = wayOf(
      routes.tables,
      tree.switches[0]![leaf[offset[rank]! + draw.nextBelow(flows)]!]!,
      fabric.hosts[rank]!,
    );
    if (!way.some((port) => routes.load[port]! > ceiling)) continue;
    const from = way[draw.nextBelow(way.length)]!;
    const node = fabric.portNode[from]!;
    minimal.towards(fabric.portNeighbour[fabric.portOffset[fabric.hosts[rank]!]!]!);
    const candidates = minimal.ports.subarray(minimal.offset[node]!, minimal.offset[node + 1]!);
    if (candidates.length < 2) continue;
    const to = candidates[draw.nextBelow(candidates.length)]!;
    routes.move(node, rank, to);
    const after = above();
    if (after > excess) routes.move(node, rank, from);
    else excess = after;
  }
  if (excess > 0) throw new Error(`no routes with at most ${ceiling} on a link in ${mostMoves} moves`);
  return routes.tables;
}

/** Sending ports of the way from a switch to a host, but for the last. */
function wayOf(tables: ForwardingTables, from: number, host: number): number[] {
  const way: number[] = [];
  for (let node = from; ;) {
    const port = tables.port(node, host);
    node = tables.fabric.portNeighbour[port]!;
    if (node === host) return way;
    way.push(port);
  }
}
