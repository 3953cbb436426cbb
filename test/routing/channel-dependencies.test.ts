// The check for deadlock against a walk of every pair of hosts and circles found by taking away what nothing points to,
// on random fabrics with random tables, levels and SL2VL rules; and rings whose answer is known.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { checkDeadlock, routeDependencies, type ChannelCycle } from '../../src/routing/channel-dependencies.js';
import { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { RouteLanes, type LaneRule } from '../../src/routing/route-lanes.js';
import { hasCircle, randomSwitches, randomTables } from '../support/random-routes.js';
import { seed } from '../support/seed.js';

/** What every pair of hosts makes wait for what, as `port/lane>port/lane`. */
function everyPair(tables: ForwardingTables, levels: RouteLanes | null, rule: LaneRule): Set<string> {
  const { fabric } = tables;
  const { hosts, portOffset, portNode, portPeer } = fabric;
  const edges = new Set<string>();
  for (const source of hosts)
    for (const destination of hosts) {
      if (source === destination) continue;
      const first = portPeer[portOffset[source]!]!;
      for (let level = 0; level < 15; level++) {
        if ((((levels?.levels(portNode[first]!, destination) ?? 1) >> level) & 1) === 0) continue;
        let inPort = first;
        let before: string | null = null;
        for (let steps = 0; steps < 3 * fabric.nodeCount; steps++) {
          const port = tables.port(portNode[inPort]!, destination);
          if (port === -1 || tables.rowOf[portNode[portPeer[port]!]!] === -1) break;
          const channel: string = `${port}/${rule(level, inPort, port)}`;
          if (before !== null) edges.add(`${before}>${channel}`);
          before = channel;
          inPort = portPeer[port]!;
        }
      }
    }
  return edges;
}

function edgesOf({ ports, lanes }: ChannelCycle): string[] {
  return ports.map((port, i) => {
    const next = (i + 1) % ports.length;
    return `${port}/${lanes[i]}>${ports[next]}/${lanes[next]}`;
  });
}

/** A ring of switches with a host each; everybody sends to the right. */
function ring(length: number): { fabric: Fabric; tables: ForwardingTables } {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, length);
  builder.addNodes(NodeKind.switch, length);
  for (let i = 0; i < length; i++) builder.addLink(i, length + i, 100e9, 0);
  for (let i = 0; i < length; i++) builder.addLink(length + i, length + ((i + 1) % length), 100e9, 0);
  const fabric = builder.build();
  const tables = new ForwardingTables(fabric);
  for (let host = 0; host < length; host++)
    for (let i = 0; i < length; i++) {
      const own = length + i;
      const right = length + ((i + 1) % length);
      for (let port = fabric.portOffset[own]!; port < fabric.portOffset[own + 1]!; port++) {
        const peer = fabric.portNode[fabric.portPeer[port]!]!;
        if (peer === (i === host ? host : right)) tables.setPort(own, host, port);
      }
    }
  return { fabric, tables };
}

describe('checkDeadlock', () => {
  it('finds the circle of a ring, and none once three lanes part it', () => {
    const { fabric, tables } = ring(5);
    const found = checkDeadlock([tables]);
    expect(found.lanes).toBe(1);
    expect(found.cycle!.ports).toHaveLength(5);
    // within the row; past its end from the last two; past its end from the others
    const levels = new RouteLanes(fabric, tables.switches);
    for (let from = 0; from < 5; from++)
      for (let to = 0; to < from; to++) levels.setLevel(5 + from, to, from >= 3 ? 1 : 2);
    expect(checkDeadlock([tables], levels)).toEqual({ lanes: 3, cycle: null });
    // all that passes the end in one lane is a circle again
    for (let to = 0; to < 5; to++) for (let from = to + 1; from < 5; from++) levels.setLevel(5 + from, to, 1);
    expect(checkDeadlock([tables], levels)).toMatchObject({ lanes: 2, cycle: { lanes: [1, 1, 1, 1, 1] } });
  });

  it(`agrees with a walk of every pair on 300 random fabrics (WEFT_SEED=${seed})`, () => {
    const random = new RandomStream(seed, 'deadlock');
    const found = { free: 0, stuck: 0 };
    for (let round = 0; round < 300; round++) {
      const fabric = round % 4 < 2 ? randomSwitches(random, 6, 20) : randomSwitches(random, 5, 8);
      const tables = randomTables(fabric, random);
      const levels = round % 3 < 2 ? null : new RouteLanes(fabric, tables.switches);
      if (levels !== null)
        for (const from of tables.switches)
          for (const host of fabric.hosts) levels.setLevel(from, host, random.nextBelow(2));
      const rule: LaneRule = (level, inPort, outPort) => (round % 2 === 0 ? level : (level + inPort + outPort) % 4);
      const graph =
        round % 2 === 0 ? routeDependencies([tables], levels) : routeDependencies([tables], levels, rule, 4);
      const edges = everyPair(tables, levels, rule);
      const cycle = graph.cycle();
      expect(cycle !== null, `round ${round}`).toBe(hasCircle(edges));
      for (const edge of edges) {
        const [port, lane, next, nextLane] = edge.split(/[/>]/).map(Number);
        expect(graph.has(port!, next!, lane!, nextLane!)).toBe(true);
      }
      if (cycle !== null) for (const edge of edgesOf(cycle)) expect(edges).toContain(edge);
      found[cycle === null ? 'free' : 'stuck']++;
    }
    expect(found.free).toBeGreaterThan(10);
    expect(found.stuck).toBeGreaterThan(10);
  });
});
