// The real loop: ibsim serves a tree, OpenSM routes it, Weft reads what ibnetdiscover and OpenSM write, makes other
// tables, OpenSM loads them, and the tools find the new paths. The oracle is OpenSM itself. Skipped, and said, where
// the packages are missing.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { RandomStream } from '../../src/base/random.js';
import { runProgram } from '../../src/cli/program.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { guidText } from '../../src/fabric/identity.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { LftReader } from '../../src/formats/opensm-lfts.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { changedEntries, ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { routeFtree } from '../../src/routing/ftree.js';
import { scriptedContext } from '../support/command-context.js';
import { damaged, identifiedTree, withoutUnlinked } from '../support/infiniband.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';
import { randomTree, treeShape } from '../support/random-tree.js';
import { seed } from '../support/seed.js';

const skipped = missingPrograms().length > 0;

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

async function serve(tree: IdentifiedFabric): Promise<LiveFabric> {
  live?.stop();
  const unnumbered = { ...tree, identity: { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) } };
  const first = tree.fabric.hosts[0]!;
  live = await LiveFabric.start(
    writeIbnetdiscover(unnumbered),
    `H-${guidText(tree.identity.nodeGuid[first]!).slice(2)}`,
  );
  return live;
}

/** The fabric as ibnetdiscover prints it. */
function discover(fabric: LiveFabric): IdentifiedFabric {
  const diagnostics = new Diagnostics();
  const read = readIbnetdiscover(fabric.tool('ibnetdiscover').stdout, 'ibnetdiscover', diagnostics);
  expect(diagnostics.list).toEqual([]);
  return read!;
}

function readTables(source: IdentifiedFabric, text: string): ForwardingTables {
  const diagnostics = new Diagnostics();
  const reader = new LftReader(source, 'tables', diagnostics);
  reader.push(new TextEncoder().encode(text));
  const tables = reader.end();
  expect(diagnostics.list).toEqual([]);
  return tables!;
}

/** Runs a command that prints JSON. */
async function weft(...words: string[]): Promise<Record<string, unknown>> {
  const world = scriptedContext();
  const code = await runProgram([...words, '--json'], world);
  expect({ code, stderr: world.stderr.text }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(world.stdout.text) as Record<string, unknown>;
}

/** Runs a command that fails. @returns exit code and what it printed on stderr */
async function refused(...words: string[]): Promise<string> {
  let ended = 0;
  const world = scriptedContext({
    endWith: (code) => {
      ended = code;
    },
  });
  const code = await runProgram(words, world);
  return `${code || ended} ${world.stderr.text}`;
}

/** The way of a packet by tables: port left by and LID met, hop after hop. */
function walk({ fabric, identity }: IdentifiedFabric, tables: ForwardingTables, from: number, to: number): string[] {
  const hops: string[] = [];
  let node = from;
  while (node !== to) {
    const port = fabric.nodeKind[node] === NodeKind.host ? fabric.portOffset[node]! : tables.port(node, to);
    node = fabric.portNode[fabric.portPeer[port]!]!;
    hops.push(`${identity.portNumber[port]} ${identity.lid[node]}`);
  }
  return hops;
}

describe.skipIf(skipped)('against a live OpenSM', () => {
  it(`ftree: OpenSM's dump byte for byte on ten random trees, and the same refusals (WEFT_SEED=${seed})`, async () => {
    let routed = 0;
    for (const shape of fc.sample(treeShape, { seed, numRuns: 200 })) {
      if (routed === 10) break;
      const fabric = await serve(randomTree(shape, 0));
      const sweep = fabric.sweep('-R', 'ftree');
      const found = discover(fabric);
      const made = routeFtree(found.fabric, found.identity);
      expect({ shape, ftree: made instanceof ForwardingTables }).toEqual({ shape, ftree: sweep.engine === 'ftree' });
      if (!(made instanceof ForwardingTables)) continue;
      routed++;
      expect({ shape, same: [...lftTexts(found, [made])].join('') === sweep.dump('opensm-lfts.dump') }).toEqual({
        shape,
        same: true,
      });
    }
    expect(routed).toBe(10);
  });

  it(`ftree with the top level named: the same on ten random trees with links missing between switches (WEFT_SEED=${seed})`, async () => {
    let routed = 0;
    for (const shape of fc.sample(treeShape, { seed, numRuns: 200 })) {
      if (routed === 10) break;
      const random = new RandomStream(shape.draw, 'links lost');
      const whole = randomTree(shape, 0);
      const { portNode, linkPorts, nodeKind } = whole.fabric;
      const toHost = (link: number): boolean =>
        [0, 1].some((end) => nodeKind[portNode[linkPorts[2 * link + end]!]!] === NodeKind.host);
      const tree = damaged(whole, (_low, _high, link) => !toHost(link) && random.nextFraction() < 0.2);
      const recognised = recogniseFatTree(tree.fabric).tree;
      if (recognised === null || recognised.levels < 2) continue;
      const fabric = await serve(tree);
      const cores = new Set(
        [...recognised.switches[recognised.levels - 1]!].map((node) => tree.identity.nodeGuid[node]!),
      );
      const sweep = fabric.sweep(
        '-R',
        'ftree',
        '-a',
        fabric.file('roots', [...cores].map((guid) => `${guidText(guid)}\n`).join('')),
      );
      const found = discover(fabric);
      const roots = Array.from(found.fabric.nodeKind, (_, node) => node).filter((node) =>
        cores.has(found.identity.nodeGuid[node]!),
      );
      // what is cut off is not discovered
      if (roots.length !== cores.size) continue;
      const made = routeFtree(found.fabric, found.identity, roots);
      expect({ shape, ftree: made instanceof ForwardingTables }).toEqual({ shape, ftree: sweep.engine === 'ftree' });
      if (!(made instanceof ForwardingTables)) continue;
      routed++;
      expect({ shape, same: [...lftTexts(found, [made])].join('') === sweep.dump('opensm-lfts.dump') }).toEqual({
        shape,
        same: true,
      });
    }
    expect(routed).toBe(10);
  });

  it.each(['random', 'weft'])(
    'the loop: discovered, routed anew by %s, loaded by the file engine, confirmed by the tools',
    async (algorithm) => {
      // two hosts for every uplink of a leaf, three links from below for two uplinks of a spine; some hosts are missing,
      // so that patterns hit leaves unevenly
      const whole = identifiedTree('fat-tree', {
        pods: 3,
        edgesPerPod: 3,
        hostsPerEdge: 4,
        aggregationPerPod: 2,
        cores: 4,
      });
      const fabric = await serve(
        withoutUnlinked(
          damaged(whole, (low) => ['node003', 'node010', 'node017', 'node030'].some((name) => low.startsWith(name))),
        ),
      );
      expect(fabric.sweep('-R', 'ftree').engine).toBe('ftree');
      const net = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
      const current = join(fabric.folder, 'dump', 'opensm-lfts.dump');
      const currentText = readFileSync(current, 'utf8');
      const guid2lid = fabric.file('guid2lid', fabric.guid2lid());
      const made = join(fabric.folder, 'new.lfts');
      const traffic = ['--traffic', 'bs-random-shuffle', '--seed', '3'];
      const computed = await weft(
        'route',
        'compute',
        '--fabric',
        net,
        '--guid2lid',
        guid2lid,
        '--algorithm',
        algorithm,
        ...traffic,
        '--current',
        current,
        '--out',
        made,
      );
      expect(computed).toMatchObject({ validity: { valid: true }, omittedEntries: 0, warnings: [] });
      const changed = computed['changedEntries'] as number;
      expect(changed).toBeGreaterThan(0);
      const before = await weft('route', 'evaluate', '--fabric', net, '--tables', current, ...traffic);
      if (algorithm === 'weft') {
        expect(computed['maxLoad']).toBeLessThan(before['maxLoad'] as number);
        expect(computed['provenOptimal']).toBe(true);
      }

      const loaded = fabric.sweep('-R', 'file', '-U', made);
      expect(loaded.engine).toBe('file');
      const written = readFileSync(made, 'utf8');
      expect(loaded.dump('opensm-lfts.dump')).toBe(written);
      expect(written).not.toBe(currentText);

      const source = discover(fabric);
      const tables = readTables(source, written);
      expect(changedEntries(readTables(source, currentText), tables)).toBe(changed);
      // what the switches themselves have now
      const asked = [...tables.switches]
        .map((node) => fabric.tool('ibroute', String(source.identity.lid[node])).stdout)
        .join('');
      expect(changedEntries(readTables(source, asked), tables)).toBe(0);
      // pairs of hosts whose way is another one now, and some whose way is the same
      const old = readTables(source, currentText);
      const { hosts } = source.fabric;
      const pairs = Array.from(
        { length: hosts.length ** 2 },
        (_, i) => [hosts[Math.floor(i / hosts.length)]!, hosts[i % hosts.length]!] as const,
      ).filter(([a, b]) => a !== b);
      const isNew = ([a, b]: readonly [number, number]): boolean =>
        walk(source, tables, a, b).join() !== walk(source, old, a, b).join();
      // weft changes few entries of the tables in use
      const every = algorithm === 'weft' ? 1 : 7;
      const traced = [
        ...pairs
          .filter(isNew)
          .filter((_, i) => i % every === 0)
          .slice(0, 8),
        ...pairs.filter((pair) => !isNew(pair)).slice(0, 2),
      ];
      expect(traced.filter(isNew).length).toBeGreaterThanOrEqual(4);
      for (const [a, b] of traced) {
        const found = fabric.tool('ibtracert', String(source.identity.lid[a]), String(source.identity.lid[b])).stdout;
        expect([...found.matchAll(/^\[(\d+)\] -> .* lid (\d+)-/gm)].map(([, port, lid]) => `${port} ${lid}`)).toEqual(
          walk(source, tables, a, b),
        );
      }
    },
  );

  it('the traps: a port beyond the radix falls back to minhop, what is left out is unreachable; both are said before', async () => {
    const fabric = await serve(
      identifiedTree('fat-tree', { pods: 1, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 2 }),
    );
    fabric.sweep('-R', 'ftree');
    const source = discover(fabric);
    const text = [...lftTexts(source, [routeFtree(source.fabric, source.identity) as ForwardingTables])].join('');
    const net = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);

    const beyond = fabric.file('beyond.lfts', text.replace(/ 001 # Channel/, ' 009 # Channel'));
    expect(fabric.sweep('-R', 'file', '-U', beyond).engine).toBe('minhop');
    expect(await refused('route', 'evaluate', '--fabric', net, '--tables', beyond)).toMatch(
      /^2 [^]*:\d+:\d+: [^]*ports/,
    );

    const far = source.fabric.hosts[5]!;
    const line = new RegExp(`^0x${source.identity.lid[far]!.toString(16).padStart(4, '0')} .*\n`, 'm');
    const omitted = fabric.file('omitted.lfts', text.replace(line, ''));
    expect(fabric.sweep('-R', 'file', '-U', omitted).engine).toBe('file');
    expect(fabric.tool('ibtracert', '1', String(source.identity.lid[far])).stdout).not.toMatch(/^To /m);
    expect(await refused('route', 'evaluate', '--fabric', net, '--tables', omitted)).toMatch(/^1/);
  });

  it('exported: the options load tables and SL2VL tables; a file that is refused ends in ftree, not in minhop', async () => {
    const fabric = await serve(
      identifiedTree('fat-tree', { pods: 1, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 2 }),
    );
    fabric.sweep('-R', 'ftree');
    const net = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    const made = join(fabric.folder, 'new.lfts');
    await weft('route', 'compute', '--fabric', net, '--algorithm', 'random', '--seed', '9', '--out', made);
    const { written } = (await weft(
      'route',
      'export',
      '--fabric',
      net,
      '--tables',
      made,
      '--out',
      join(fabric.folder, 'out'),
      '--virtual-lanes',
      '4',
    )) as { written: string[] };
    const sweep = fabric.sweep('-F', written[1]!);
    expect(sweep.engine).toBe('file');
    expect(sweep.dump('opensm-lfts.dump')).toBe(readFileSync(made, 'utf8'));
    // read back: as exported for four lanes, and seen to be another table than that for two
    const dumped = fabric.file('lanes.dump', sweep.dump('opensm-sl2vl.dump'));
    const readBack = ['route', 'import', '--fabric', net, '--tables', made, '--sl2vl'];
    expect(await weft(...readBack, dumped, '--virtual-lanes', '4')).toMatchObject({
      serviceLevels: {
        asExported: true,
        switchesWithout: [],
        tables: [{ lanes: [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], nodes: 11 }],
      },
    });
    expect(await refused(...readBack, dumped, '--virtual-lanes', '2')).toMatch(/^1/);
    const { identity, fabric: built } = discover(fabric);
    const asked = [...identity.lid].flatMap((lid, node) =>
      built.nodeKind[node] === NodeKind.host
        ? []
        : Array.from(
            { length: identity.radix[node]! },
            (_, port) => fabric.tool('smpquery', 'sl2vl', String(lid), String(port + 1)).stdout,
          ),
    );
    expect(await weft(...readBack, fabric.file('lanes.txt', asked.join('')), '--virtual-lanes', '4')).toMatchObject({
      serviceLevels: { asExported: true, tables: [{ nodes: 5 }] },
    });
    const lanes = [...sweep.dump('opensm-sl2vl.dump').matchAll(/^\d+ +\d+ +: (.*)$/gm)].map(([, row]) =>
      row!.trim().replaceAll(/ +/g, ' '),
    );
    expect(new Set(lanes)).toEqual(new Set(['0 1 2 3 0 1 2 3 0 1 2 3 0 1 2 3']));
    const leaf = discover(fabric).identity;
    expect(fabric.tool('smpquery', 'sl2vl', String(leaf.lid[leaf.nodeName.indexOf('leaf00')]), '1').stdout).toContain(
      '| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3| 0| 1| 2| 3|',
    );

    fabric.file('out/weft.lfts', readFileSync(made, 'utf8').replace(/ 001 # Channel/, ' 009 # Channel'));
    expect(fabric.sweep('-F', written[1]!).engine).toBe('ftree');
    const loop = fabric.file('none.lfts', readFileSync(made, 'utf8').replace(/^0x0001 .*\n/m, ''));
    expect(
      await refused('route', 'export', '--fabric', net, '--tables', loop, '--out', join(fabric.folder, 'none')),
    ).toMatch(/^1/);
    expect(readdirSync(fabric.folder)).not.toContain('none');
  });

  it('counters: what the console sets, perfquery and import say', async () => {
    const fabric = await serve(
      identifiedTree('fat-tree', { pods: 1, edgesPerPod: 3, hostsPerEdge: 2, aggregationPerPod: 2 }),
    );
    const sweep = fabric.sweep('-R', 'ftree');
    const tables = fabric.file('now.lfts', sweep.dump('opensm-lfts.dump'));
    const net = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    const { identity } = discover(fabric);
    const leaf = identity.nodeName.indexOf('leaf01');
    const switchName = `S-${guidText(identity.nodeGuid[leaf]!).slice(2)}`;
    const query = (): string =>
      [1, 2, 3, 4]
        .map(
          (port) =>
            fabric.tool('perfquery', '-x', String(identity.lid[leaf]), String(port)).stdout +
            fabric.tool('perfquery', String(identity.lid[leaf]), String(port)).stdout,
        )
        .join('');
    const before = fabric.file('before.txt', query());
    fabric.console(`PerformanceSet "${switchName}"[3] PortCountersExtended.PortXmitData=987654321012`);
    fabric.console(`PerformanceSet "${switchName}"[2] PortCounters.SymbolErrorCounter=7`);
    let after = '';
    for (
      let tries = 0;
      tries < 100 && !(/SymbolErrorCounter:\.+7\n/.test(after) && /PortXmitData:\.+98765432/.test(after));
      tries++
    )
      after = query();
    const { counters } = (await weft(
      'route',
      'import',
      '--fabric',
      net,
      '--tables',
      tables,
      '--before',
      before,
      '--counters',
      fabric.file('after.txt', after),
    )) as { counters: { portsRead: number; links: { from: string; sentBytes: number; errors: number }[] } };
    expect(counters.portsRead).toBe(4);
    // packets of the tools themselves count as well, 288 bytes each; what was counted before is taken off
    expect(counters.links[0]).toMatchObject({ from: 'leaf01[3]', errors: 0 });
    expect(Math.abs(counters.links[0]!.sentBytes - 4 * 987_654_321_012)).toBeLessThan(1e6);
    expect(counters.links.filter(({ errors }) => errors > 0)).toMatchObject([{ from: 'leaf01[2]', errors: 7 }]);
  });
});
