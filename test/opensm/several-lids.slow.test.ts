// Hosts with several LIDs (LMC 1 to 3) beside a live OpenSM: LIDs of a cold start, its dumps read and written again byte
// for byte, minhop and updn entry for entry, and tables of ours loaded by its file engine and walked. Other trees with
// every seed. Skipped, and said, where the packages are missing.

import { afterEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { guidText, withColdStartLids, withLmc } from '../../src/fabric/identity.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import type { TablesByOffset } from '../../src/routing/lid-offsets.js';
import { changedByOffset } from '../../src/routing/lid-offsets.js';
import { minhopByOffset, upDownByOffset } from '../../src/routing/minhop.js';
import { ssspByOffset } from '../../src/routing/sssp.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { randomTree } from '../support/random-tree.js';
import { seed } from '../support/seed.js';
import { identifiedSwitches, torusLinks } from '../support/switch-fabrics.js';

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

function drawn(random: RandomStream, place: number): IdentifiedFabric {
  if (place === 3) return identifiedSwitches(Array<number>(9).fill(2), torusLinks([3, 3]), random.nextUint32());
  return randomTree(
    {
      pods: 2 + random.nextBelow(2),
      edgesPerPod: 1 + random.nextBelow(3),
      hostsPerEdge: 1 + random.nextBelow(4),
      groups: 1 + random.nextBelow(2),
      spinesPerGroup: 1 + random.nextBelow(2),
      coresPerGroup: 1 + random.nextBelow(3),
      parallel: 1 + random.nextBelow(2),
      missing: 0,
      draw: random.nextUint32(),
    },
    0,
  );
}

/** Serves a fabric and lets an engine route it. @returns the fabric with the LIDs that it got, the dump and its tables */
async function routed(
  { fabric, identity }: IdentifiedFabric,
  engine: string,
  lmc: number,
): Promise<{ source: IdentifiedFabric; dump: string; tables: TablesByOffset }> {
  const without = { fabric, identity: { ...identity, lid: new Uint16Array(fabric.nodeCount) } };
  live ??= await LiveFabric.start(
    writeIbnetdiscover(without),
    `H-${guidText(identity.nodeGuid[fabric.hosts[0]!]!).slice(2)}`,
  );
  const sweep = live.sweep('-R', engine, '-l', String(lmc));
  expect(sweep.engine).toBe(engine);
  const diagnostics = new Diagnostics();
  const source = readIbnetdiscover(live.tool('ibnetdiscover').stdout, 'ibnetdiscover', diagnostics)!;
  const reader = new LftReader(source, engine, diagnostics);
  const dump = sweep.dump('opensm-lfts.dump');
  reader.push(new TextEncoder().encode(dump));
  reader.end();
  expect(diagnostics.list).toEqual([]);
  return { source, dump, tables: reader.offsets };
}

describe.skipIf(missingPrograms().length > 0)(`several LIDs per host (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'several LIDs');

  it.each([
    [1, 0],
    [2, 1],
    [3, 2],
    [1 + random.nextBelow(3), 3],
  ])(
    'LMC %i on fabric %i: LIDs, dumps, minhop and updn are its own, and it loads tables of ours',
    async (lmc, place) => {
      const given = drawn(random, place);
      for (const [engine, make] of [
        ['minhop', minhopByOffset],
        ['updn', upDownByOffset],
      ] as const) {
        // on a torus updn finds no roots
        if (engine === 'updn' && place === 3) continue;
        const { source, dump, tables } = await routed(given, engine, lmc);
        expect(tables).toHaveLength(1 << lmc);
        expect([...lftTexts(source, tables)].join('')).toBe(dump);
        expect(changedByOffset(source.identity, make(source.fabric, source.identity)!, tables)).toBe(0);
        const blank = { ...source.identity, lid: new Uint16Array(source.fabric.nodeCount) };
        const { lmc: _, ...one } = blank;
        expect([...withColdStartLids(source.fabric, withLmc(source.fabric, one, lmc))!.lid]).toEqual([
          ...source.identity.lid,
        ]);
      }
      const { source } = await routed(given, 'minhop', lmc);
      const { fabric, identity } = source;
      const { tree } = recogniseFatTree(fabric);
      const own =
        tree === null
          ? ssspByOffset(fabric, identity)
          : Array.from({ length: 1 << lmc }, (_, offset) => routeDmodK(tree, offset));
      const text = [...lftTexts(source, own)].join('');
      const sweep = live!.sweep('-R', 'file', '-U', live!.file('own.lfts', text), '-l', String(lmc));
      expect([sweep.engine, sweep.dump('opensm-lfts.dump') === text]).toEqual(['file', true]);
      const [from, to] = [identity.lid[fabric.hosts[0]!]!, identity.lid[fabric.hosts.at(-1)!]!];
      for (const offset of [0, (1 << lmc) - 1]) {
        const traced = live!.tool('ibtracert', String(from), String(to + offset));
        expect({ code: traced.code, at: / lid (\d+)/g.test(traced.stdout) }).toEqual({ code: 0, at: true });
        const ports = [...traced.stdout.matchAll(/^\[(\d+)\] ->/gm)].map((match) => Number(match[1]));
        expect(ports).toEqual(walked(source, own[offset]!));
      }
    },
  );
});

/** Numbers of the ports by which a packet from the first host to the last leaves each node. */
function walked({ fabric, identity }: IdentifiedFabric, tables: TablesByOffset[number]): number[] {
  const { hosts, portOffset, portPeer, portNode } = fabric;
  const [source, destination] = [hosts[0]!, hosts.at(-1)!];
  const numbers = [identity.portNumber[portOffset[source]!]!];
  for (let node = portNode[portPeer[portOffset[source]!]!]!; node !== destination;) {
    const port = tables.port(node, destination);
    numbers.push(identity.portNumber[port]!);
    node = portNode[portPeer[port]!]!;
  }
  return numbers;
}
