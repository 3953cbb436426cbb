// When OpenSM's updn finds no top of a fabric by itself and routes by minhop: Weft says so just then. Random trees with
// hosts on spines, cables missing and aggregation nodes, beside a live OpenSM, whose log and tables are the oracle.
// Skipped, and said, where the packages are missing.

import { afterEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { switchGroups } from '../../src/fabric/connectivity.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { guidText } from '../../src/fabric/identity.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { changedEntries, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { centralSwitches, routeMinhop, routeUpDown } from '../../src/routing/minhop.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { runCommand } from '../support/run-command.js';
import { seed } from '../support/seed.js';
import { identifiedSwitches } from '../support/switch-fabrics.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 12);

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

/** A tree of two levels of which something is odd: hosts on spines, cables missing, aggregation nodes. */
function oddTree(random: RandomStream): IdentifiedFabric {
  const [leaves, spines] = [2 + random.nextBelow(5), 1 + random.nextBelow(4)];
  const onLeaf = 1 + random.nextBelow(6);
  const hosts = Array.from({ length: leaves + spines }, (_, at) =>
    at < leaves ? onLeaf : random.nextBelow(6) === 0 ? 1 + random.nextBelow(2) : 0,
  );
  const missing = 0.3 * random.nextFraction();
  const links: [number, number][] = [];
  for (let leaf = 0; leaf < leaves; leaf++)
    for (let spine = 0; spine < spines; spine++)
      if (spine === leaf % spines || random.nextFraction() >= missing) links.push([leaf, leaves + spine]);
  const made = identifiedSwitches(hosts, links, random.nextUint32());
  if (random.nextBelow(3) > 0) return made;
  const { fabric, identity } = made;
  const first = fabric.hosts.length;
  const attached = hosts.map((_, at) => ({
    name: 'Mellanox Technologies Aggregation Node',
    nodeGuid: 0xa000n + BigInt(16 * at),
    portGuid: 0xa001n + BigInt(16 * at),
    lid: 0,
    ownPort: 1,
    switchNode: first + at,
    switchPort: identity.radix[first + at]! + 1,
  }));
  const radix = identity.radix.map((ports, node) => ports + (node < first ? 0 : 1));
  return { fabric, identity: { ...identity, radix, attached } };
}

/** Serves a fabric and lets updn route it. @returns the engine that did, its log, and the fabric as it is discovered */
async function routedByUpdn({ fabric, identity }: IdentifiedFabric) {
  live?.stop();
  live = await LiveFabric.start(
    writeIbnetdiscover({ fabric, identity: { ...identity, lid: new Uint16Array(fabric.nodeCount) } }),
    `H-${guidText(identity.nodeGuid[fabric.hosts[0]!]!).slice(2)}`,
  );
  const sweep = live.sweep('-R', 'updn');
  live.file('now.lfts', sweep.dump('opensm-lfts.dump'));
  live.file('guid2lid', live.guid2lid());
  const text = live.tool('ibnetdiscover').stdout;
  live.file('fabric.net', text);
  return { engine: sweep.engine, log: sweep.log, found: readIbnetdiscover(text, 'fabric.net', new Diagnostics())! };
}

/** Tables as a text has them, for hosts and switches: ports of aggregation nodes have the ways of their switch here. */
function tablesIn(found: IdentifiedFabric, text: string): ForwardingTables {
  const reader = new LftReader(found, 'tables', new Diagnostics());
  reader.push(new TextEncoder().encode(text));
  return reader.end()!;
}

/** A file with the GUIDs of the top level. */
const topFile = (guids: BigUint64Array): string =>
  live!.file('roots', Array.from(guids, (guid) => `${guidText(guid)}\n`).join(''));

const weft = (...words: string[]): ReturnType<typeof runCommand> =>
  runCommand(live!.folder, ['route', ...words, '--fabric', '@fabric.net', '--guid2lid', '@guid2lid']);

describe.skipIf(missingPrograms().length > 0)(`tops that OpenSM finds (WEFT_SEED=${seed})`, () => {
  it('updn routes where Weft finds a top by its rule; where there is none OpenSM routes by minhop, and Weft says so', async () => {
    const random = new RandomStream(seed, 'tops');
    const seen = { updn: 0, minhop: 0 };
    let trees = 0;
    for (let draw = 0; draw < draws || Math.min(seen.updn, seen.minhop, trees) === 0; draw++) {
      const made = oddTree(random);
      if (switchGroups(made.fabric).count > 1) continue;
      const { engine, log, found } = await routedByUpdn(made);
      const { fabric, identity } = found;
      const isFound = centralSwitches(fabric, identity).length > 0;
      expect({ draw, engine, said: log.includes('no root nodes were found') }).toEqual({
        draw,
        engine: isFound ? 'updn' : 'minhop',
        said: !isFound,
      });
      seen[isFound ? 'updn' : 'minhop']++;
      const own = isFound ? routeUpDown(fabric, identity)! : routeMinhop(fabric, identity);
      expect(changedEntries(tablesIn(found, live!.read('now.lfts')), own)).toBe(0);
      const { code, stdout, stderr } = await weft('compute', '--algorithm', 'updn');
      const said = /"no root nodes were found"\s+and\s+routes\s+by\s+minhop,\s+(free|which\s+can)/.exec(
        stdout + stderr,
      )?.[1];
      expect(said === undefined).toBe(isFound);
      if (isFound) continue;
      expect(stdout + stderr).toContain('--roots');
      expect(code === 2).toBe(stdout === '');
      const theirs = JSON.parse((await weft('evaluate', '--tables', '@now.lfts', '--json')).stdout) as object;
      expect(theirs).toMatchObject({ deadlockFree: said === 'free' });
      if (code === 2) continue;
      // a tree with cables missing: from its top level, as OpenSM once it is told that
      const isLeaf = new Set(Array.from(fabric.hosts, (host) => fabric.portNeighbour[fabric.portOffset[host]!]!));
      const top = identity.nodeGuid.filter((_, node) => fabric.nodeKind[node] === NodeKind.switch && !isLeaf.has(node));
      await weft('compute', '--algorithm', 'updn', '--out', `@own${draw}.lfts`);
      const told = live!.sweep('-R', 'updn', '-a', topFile(top)).dump('opensm-lfts.dump');
      expect(changedEntries(tablesIn(found, told), tablesIn(found, live!.read(`own${draw}.lfts`)))).toBe(0);
      trees++;
    }
  });

  it('hosts on switches of the middle: OpenSM finds no top, and once it is told both have the same tables', async () => {
    // two pods of two leaves and two spines, a host on each of three switches of the middle: 3 of 11 hosts are nearer
    const hosts = [2, 2, 2, 2, 1, 1, 1, 0, 0, 0];
    const links: [number, number][] = [];
    for (const pod of [0, 1])
      for (const leaf of [0, 1]) for (const spine of [0, 1]) links.push([2 * pod + leaf, 4 + 2 * pod + spine]);
    for (const spine of [4, 5, 6, 7]) for (const core of [8, 9]) links.push([spine, core]);
    const { engine, found } = await routedByUpdn(identifiedSwitches(hosts, links, seed));
    expect(engine).toBe('minhop');
    const top = found.identity.nodeGuid.filter((_, node) => /^n(19|20)$/.test(found.identity.nodeName[node]!));
    expect(await weft('compute', '--algorithm', 'updn')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no root nodes were found[^]*--roots FILE/) as string,
    });
    const told = live!.sweep('-R', 'updn', '-a', topFile(top));
    expect(told.engine).toBe('updn');
    const out = await weft('compute', '--algorithm', 'updn', '--roots', '@roots', '--out', '@own.lfts');
    expect(out).toMatchObject({ code: 0, stdout: expect.not.stringContaining('minhop') as string });
    expect(live!.read('own.lfts')).toBe(told.dump('opensm-lfts.dump'));
  });
});
