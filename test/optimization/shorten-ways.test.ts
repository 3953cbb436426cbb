// Shorter ways at the same largest load: a ring of four switches, where ways and loads are known by hand.

import { describe, expect, it } from 'vitest';
import { oneLevel, type FatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { TrafficBuilder } from '../../src/flows/traffic/matrix.js';
import { aggregateByLeaf } from '../../src/optimization/leaf-traffic.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { shortenWays } from '../../src/optimization/shorten-ways.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';

const fabric = generateFabric('torus', { width: 4, height: 1, hostsPerSwitch: 2 });
const tree: FatTree = oneLevel(fabric)!;
const switches = Array.from(tree.switches[0]!);
/** hosts 2 and 3 hang on the second switch */
const ranksOf = (place: number): number[] =>
  [...tree.hostLeaf.keys()].filter((rank) => tree.hostLeaf[rank] === switches[place]);

/** Turns a switch towards a neighbour for a host. */
function turn(tables: ForwardingTables, at: number, to: number, host: number): void {
  const node = switches[at]!;
  for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
    if (fabric.portNeighbour[port] === switches[to]) tables.setPort(node, host, port);
}

/** Shortest ways; to the second host of the second switch, what the first one sends goes round the other side. */
function roundabout(): ForwardingTables {
  const tables = new ForwardingTables(fabric);
  for (const place of [0, 1, 2, 3])
    for (const rank of ranksOf(place)) {
      const host = fabric.hosts[rank]!;
      tables.setPort(switches[place]!, host, fabric.portPeer[fabric.portOffset[host]!]!);
      turn(tables, (place + 1) % 4, place, host);
      turn(tables, (place + 3) % 4, place, host);
      turn(tables, (place + 2) % 4, (place + 1) % 4, host);
    }
  turn(tables, 0, 3, fabric.hosts[ranksOf(1)[1]!]!);
  return tables;
}

/** What the first switch sends to both hosts of the second, one each, may load links up to a limit. */
function shortened(most: number, background: Float64Array | null = null): ForwardingTables {
  const builder = new TrafficBuilder(fabric.hosts.length, 'relative');
  for (const to of ranksOf(1)) builder.add(ranksOf(0)[0]!, to, 1);
  const phases = [aggregateByLeaf(tree, builder.build())];
  return shortenWays(tree, roundabout(), { phases, phaseMax: [most], background, mostLanes: 8 });
}

/** The switches by which the first one sends to the second host of the second. */
function wayOf(tables: ForwardingTables): number[] {
  const host = fabric.hosts[ranksOf(1)[1]!]!;
  const way = [0];
  for (let node = switches[0]!; node !== switches[1];) {
    node = fabric.portNeighbour[tables.port(node, host)]!;
    way.push(switches.indexOf(node));
  }
  return way;
}

describe('a way of three links where one would do', () => {
  it('is the only longer one', () => {
    expect(wayOf(roundabout())).toEqual([0, 3, 2, 1]);
    expect(checkRoutes(tree, [roundabout()]).lengths).toMatchObject({ longerPairs: 1, mostLonger: 2, mostSwitches: 4 });
  });

  it('becomes one where the link may carry both flows', () => {
    expect(wayOf(shortened(2))).toEqual([0, 1]);
    expect(checkRoutes(tree, [shortened(2)]).lengths.longerPairs).toBe(0);
  });

  it('stays where the largest load would grow', () => {
    expect(wayOf(shortened(1))).toEqual([0, 3, 2, 1]);
  });

  it('stays where other traffic fills the link', () => {
    expect(wayOf(shortened(2, new Float64Array(fabric.portCount).fill(0.5)))).toEqual([0, 3, 2, 1]);
  });
});
