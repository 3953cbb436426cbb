// Hosts with several LIDs: tables written and read again, what is wrong with a file, loads by who sends where, deadlock
// and lanes of all offsets together; against walks of every pair.

import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { lidCount, withColdStartLids, withLmc } from '../../src/fabric/identity.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { lidOfNode, samePort, withLidHosts } from '../../src/fabric/lid-hosts.js';
import { TrafficBuilder, TrafficColumn, UniformTraffic, type Traffic } from '../../src/flows/traffic/matrix.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { PathRecordReader, pathRecordTexts } from '../../src/formats/opensm-path-records.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { LidShare, lidTraffic, loadsByOffset, type LidUse } from '../../src/optimization/lid-use.js';
import { checkRoutes } from '../../src/optimization/route-validity.js';
import { interSwitchPorts, tableLoads } from '../../src/optimization/table-loads.js';
import { checkDeadlock, switchesWithHosts } from '../../src/routing/channel-dependencies.js';
import { layeredLanes } from '../../src/routing/lane-layers.js';
import {
  changedByOffset,
  differentWays,
  joinedOffsets,
  splitByOffset,
  type TablesByOffset,
} from '../../src/routing/lid-offsets.js';
import { levelZero, type FlowLevels } from '../../src/routing/route-lanes.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { ssspByOffset } from '../../src/routing/sssp.js';
import { randomTree } from '../support/random-tree.js';
import { seed } from '../support/seed.js';
import { identifiedSwitches, torusLinks } from '../support/switch-fabrics.js';

const random = new RandomStream(seed, 'LID offsets');

function numbered({ fabric, identity }: IdentifiedFabric, lmc: number): IdentifiedFabric {
  return { fabric, identity: withColdStartLids(fabric, withLmc(fabric, identity, lmc))! };
}

function drawnTree(lmc: number): IdentifiedFabric {
  const shape = {
    pods: 2,
    edgesPerPod: 1 + random.nextBelow(2),
    hostsPerEdge: 1 + random.nextBelow(3),
    groups: 1 + random.nextBelow(2),
    spinesPerGroup: 2,
    coresPerGroup: 1 + random.nextBelow(2),
    parallel: 1 + random.nextBelow(2),
    missing: 0,
    draw: random.nextUint32(),
  };
  return numbered(randomTree(shape, 0), lmc);
}

function routesOf({ fabric }: IdentifiedFabric, lmc: number): TablesByOffset {
  const { tree } = recogniseFatTree(fabric);
  return Array.from({ length: 1 << lmc }, (_, offset) => routeRandom(tree!, seed, offset));
}

function read(source: IdentifiedFabric, text: string): { reader: LftReader; said: string[] } {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, 'f', diagnostics);
  reader.push(new TextEncoder().encode(text));
  reader.end();
  return { reader, said: diagnostics.list.map(({ severity, code, line }) => `${severity} ${code} ${line}`) };
}

/** Ports that send what goes from a host to an offset of another, in order. */
function wayOf(
  { fabric }: IdentifiedFabric,
  tables: TablesByOffset,
  offset: number,
  from: number,
  to: number,
): number[] {
  const { portOffset, portPeer, portNode } = fabric;
  const way = [portOffset[from]!];
  for (let node = portNode[portPeer[way[0]!]!]!; node !== to;) {
    const port = tables[offset]!.port(node, to);
    way.push(port);
    node = portNode[portPeer[port]!]!;
  }
  return way;
}

describe(`several LIDs per host (WEFT_SEED=${seed})`, () => {
  it('gives every host a range that begins at a multiple of its length, and no two end ports a LID', () => {
    for (const lmc of [1, 2, 3]) {
      const { fabric, identity } = drawnTree(lmc);
      const all: number[] = [];
      for (let node = 0; node < fabric.nodeCount; node++) {
        expect(identity.lid[node]! % lidCount(identity, node)).toBe(0);
        for (let i = 0; i < lidCount(identity, node); i++) all.push(identity.lid[node]! + i);
      }
      expect(new Set(all).size).toBe(all.length);
      expect(all.length).toBe(fabric.nodeCount + fabric.hosts.length * ((1 << lmc) - 1));
    }
  });

  it('tables come back as they were written, with other LIDs by the last bits of theirs', () => {
    for (const lmc of [1, 2, 3]) {
      const source = drawnTree(lmc);
      const tables = routesOf(source, lmc);
      const text = [...lftTexts(source, tables)].join('');
      const moved = {
        ...source,
        identity: { ...source.identity, lid: source.identity.lid.map((lid) => lid + 8 * 1000) },
      };
      for (const reading of [source, moved]) {
        const { reader, said } = read(reading, text);
        // the LIDs are told, and the GUIDs count
        const told = reading === moved ? ['warning other-lids 2'] : [];
        expect([said, changedByOffset(source.identity, reader.offsets, tables)]).toEqual([told, 0]);
      }
    }
  });

  it('says what a file leaves out', () => {
    const source = drawnTree(1);
    const tables = routesOf(source, 1);
    const text = [...lftTexts(source, tables)].join('');
    const lines = text.split('\n');
    const { lid, lmc: _, ...rest } = source.identity;
    const host = source.fabric.hosts[0]!;
    const second = `0x${(lid[host]! + 1).toString(16).padStart(4, '0')} `;
    const at = lines.findIndex((line) => line.startsWith(second));
    // one entry less, and one less in the count at the end of its table
    const one = lines.filter((_, i) => i !== at).join('\n');
    expect(read(source, one).said).toEqual([`warning missing-offset ${at}`]);
    const first = lines.filter(
      (line) => !line.startsWith('0x') || line.includes('# Switch') || parseInt(line, 16) % 2 === 0,
    );
    expect(read(source, first.join('\n')).said.map((own) => own.split(' ').slice(0, 2))).toEqual([
      ['error', 'missing-offset'],
    ]);
    const alone = { ...source, identity: { ...rest, lid } };
    expect(read(alone, text).said[0]).toMatch(/^error duplicate-entry \d+$/);
    const fewer = { ...source, identity: withLmc(source.fabric, source.identity, 0) };
    const { reader, said } = read(fewer, text);
    expect(said.map((own) => own.split(' ')[1])).toEqual(['left-out-lids']);
    expect(changedByOffset(fewer.identity, reader.offsets, [tables[0]!])).toBe(0);
  });

  it('loads are those of every pair walked by the LIDs that it sends to', () => {
    for (const use of ['spread', 'hash', 0, 1] as readonly LidUse[]) {
      const source = drawnTree(1 + random.nextBelow(2));
      const { fabric, identity } = source;
      const { tree } = recogniseFatTree(fabric);
      const lids = lidCount(identity, fabric.hosts[0]!);
      const tables = routesOf(source, Math.log2(lids));
      const builder = new TrafficBuilder(fabric.hosts.length, 'relative');
      for (let i = 0; i < 20; i++)
        builder.add(
          random.nextBelow(fabric.hosts.length),
          random.nextBelow(fabric.hosts.length),
          1 + random.nextBelow(5),
        );
      const matrix = builder.build();
      const expected = new Float64Array(fabric.portCount);
      const shares = Array.from({ length: lids }, (_, offset) => new LidShare(matrix, use, lids, offset));
      const column = new TrafficColumn(fabric.hosts.length);
      let sum = 0;
      shares.forEach((share, offset) => {
        fabric.hosts.forEach((host, rank) => {
          share.toDestination(rank, column);
          for (let i = 0; i < column.length; i++) {
            sum += column.weights[i]!;
            for (const port of wayOf(source, tables, offset, fabric.hosts[column.sources[i]!]!, host))
              expected[port]! += column.weights[i]!;
          }
        });
      });
      expect(sum).toBeCloseTo(
        matrix.weights.reduce((total, own) => total + own, 0),
        9,
      );
      const { load, lostFlows } = loadsByOffset(tree!, tables, matrix, use);
      expect(lostFlows).toBe(0);
      load.forEach((own, port) => {
        expect(own).toBeCloseTo(expected[port]!, 9);
      });
    }
  });

  it('a host for every LID: the same loads between switches, and the same tables back', () => {
    for (const use of ['spread', 'hash'] as const) {
      const source = drawnTree(1 + random.nextBelow(3));
      const { fabric, identity } = source;
      const tree = recogniseFatTree(fabric).tree!;
      const lids = lidCount(identity, fabric.hosts[0]!);
      const tables = routesOf(source, Math.log2(lids));
      const builder = new TrafficBuilder(fabric.hosts.length, 'relative');
      for (let i = 0; i < 20; i++)
        builder.add(random.nextBelow(fabric.hosts.length), random.nextBelow(fabric.hosts.length), 1);
      const traffic: Traffic = {
        name: 'few',
        hostCount: fabric.hosts.length,
        unit: 'relative',
        note: '',
        phases: [{ name: 'all', matrix: builder.build() }],
      };
      const more = withLidHosts({ fabric, identity, tree, name: '', noTree: null, roots: [], warnings: [] }, lids);
      const joined = joinedOffsets(more.fabric, tables);
      const { load, lostFlows } = tableLoads(more.tree, joined, lidTraffic(traffic, use, lids).phases[0]!.matrix);
      expect(lostFlows).toBe(0);
      const expected = loadsByOffset(tree, tables, traffic.phases[0]!.matrix, use).load;
      interSwitchPorts(tree).forEach((isBetween, port) => {
        if (isBetween === 1) expect(load[samePort(fabric, more.fabric, port)]).toBeCloseTo(expected[port]!, 9);
      });
      expect(changedByOffset(identity, tables, splitByOffset(fabric, joined))).toBe(0);
      more.fabric.hosts.forEach((node, rank) => {
        expect(lidOfNode(fabric, node)).toEqual({
          node: fabric.hosts[rank % fabric.hosts.length],
          lidOffset: Math.floor(rank / fabric.hosts.length),
        });
      });
    }
  });

  it('a hash gives each pair one LID, and all LIDs about as many pairs', () => {
    const hosts = 60;
    const whole = new UniformTraffic(hosts, 'relative');
    const counts = Array.from({ length: 4 }, (_, offset) => new LidShare(whole, 'hash', 4, offset).pairCount);
    expect(counts.reduce((total, own) => total + own, 0)).toBe(hosts * (hosts - 1));
    // a quarter of 3540 pairs, by five deviations of a fair choice
    for (const count of counts) expect(Math.abs(count - 885)).toBeLessThan(130);
  });

  it('counts ways that differ', () => {
    const source = drawnTree(2);
    const { fabric } = source;
    const tables = routesOf(source, 2);
    const sources = switchesWithHosts(fabric);
    const { portOffset, portPeer, portNode, hosts } = fabric;
    const leafOf = (host: number): number => portNode[portPeer[portOffset[host]!]!]!;
    const counts: number[] = [];
    for (const from of sources) {
      const sender = hosts.find((host) => leafOf(host) === from)!;
      for (const to of hosts) {
        if (leafOf(to) === from) continue;
        const ways = tables.map((_, offset) => wayOf(source, tables, offset, sender, to).join(' '));
        counts.push(new Set(ways).size);
      }
    }
    expect(differentWays(fabric, tables, sources)).toBeCloseTo(
      counts.reduce((sum, own) => sum + own, 0) / counts.length,
      9,
    );
    expect(differentWays(fabric, [tables[0]!, tables[0]!], sources)).toBe(1);
  });

  it('lanes free all offsets together of deadlock, and come back from path records', () => {
    const source = numbered(identifiedSwitches(Array<number>(16).fill(1), torusLinks([4, 4]), random.nextUint32()), 1);
    const tables = ssspByOffset(source.fabric, source.identity);
    const lanes = layeredLanes(tables, 8)!;
    expect(circleFree(source, tables, lanes)).toBe(true);
    expect(checkDeadlock(tables, lanes).cycle).toBeNull();
    expect(circleFree(source, tables, levelZero)).toBe(checkDeadlock(tables).cycle === null);
    const diagnostics = new Diagnostics();
    const reader = new PathRecordReader(source, 'f', diagnostics);
    for (const text of pathRecordTexts(source, lanes)) reader.push(new TextEncoder().encode(text));
    const back = reader.end()!;
    expect(diagnostics.list).toEqual([]);
    for (const from of switchesWithHosts(source.fabric))
      for (const host of source.fabric.hosts)
        for (const offset of [0, 1])
          if (!isAt(source, host, from)) expect(back.levels(from, host, offset)).toBe(lanes.levels(from, host, offset));
  });

  it('faults of any offset are told, with the offset', () => {
    const source = drawnTree(1);
    const [first, second] = routesOf(source, 1);
    const { tree } = recogniseFatTree(source.fabric);
    const host = source.fabric.hosts.at(-1)!;
    for (const node of second!.switches)
      if (second!.entry(node, host) < 254) second!.entries[second!.rowOf[node]! * second!.columns + host] = 255;
    const validity = checkRoutes(tree!, [first!, second!]);
    expect([validity.valid, validity.examples.unreachable?.offset, validity.examples.unreachable?.destination]).toEqual(
      [false, 1, host],
    );
    expect(validity.faults.unreachable).toBe(switchesWithHosts(source.fabric).length);
  });
});

function isAt({ fabric: { portNode, portPeer, portOffset } }: IdentifiedFabric, host: number, node: number): boolean {
  return portNode[portPeer[portOffset[host]!]!] === node;
}

/** Whether links wait for no circle of links: those that nothing waits for are taken away until none is left. */
function circleFree(source: IdentifiedFabric, tables: TablesByOffset, levels: FlowLevels): boolean {
  const { hosts, portNode, portPeer, portOffset } = source.fabric;
  const waits = new Map<string, Set<string>>();
  tables.forEach((_, offset) => {
    for (const from of hosts)
      for (const to of hosts) {
        if (from === to) continue;
        const set = levels.levels(portNode[portPeer[portOffset[from]!]!]!, to, offset);
        const way = wayOf(source, tables, offset, from, to).slice(1, -1);
        for (let level = 0; level < 16; level++) {
          if (((set >>> level) & 1) === 0) continue;
          way.forEach((port, i) => {
            const own = waits.get(`${port} ${level}`) ?? new Set<string>();
            if (i + 1 < way.length) own.add(`${way[i + 1]} ${level}`);
            waits.set(`${port} ${level}`, own);
          });
        }
      }
  });
  for (let before = -1; before !== waits.size;) {
    before = waits.size;
    for (const [channel, next] of waits) {
      for (const other of next) if (!waits.has(other)) next.delete(other);
      if (next.size === 0) waits.delete(channel);
    }
  }
  return waits.size === 0;
}
