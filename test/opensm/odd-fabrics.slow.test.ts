// Fabrics that real sites have and manuals do not show, against a live OpenSM on ibsim: odd names, gaps in port
// numbers, adapters with two ports, routers, several LIDs, hosts on spines, parts apart. The oracle is what OpenSM does
// with them. Skipped, and said, without packages.

import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { readIbnetdiscover } from '../../src/formats/ibnetdiscover.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { identifiedTree } from '../support/infiniband.js';
import { LiveFabric, missingPrograms } from '../support/live-opensm.js';

const at = 'H-0002c90000100000';
const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
/** 8 hosts, 4 leaves, 4 spines, 2 cores, without LIDs, as ibsim reads it */
const net = writeIbnetdiscover({
  ...tree,
  identity: { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) },
});

let live: LiveFabric | null = null;
afterEach(() => {
  live?.stop();
  live = null;
});

async function serve(text: string): Promise<LiveFabric> {
  live = await LiveFabric.start(text, at);
  return live;
}

const weft = (...words: string[]): Promise<CommandResult> => runCommand('', words);

/** A record of a net file, found by the name of its node. */
function changeRecord(text: string, name: string, change: (record: string) => string): string {
  const records = text.split('\n\n');
  const found = records.findIndex((record) => new RegExp(`^(Switch|Ca|Rt)\\t\\d+ "${name}"`, 'm').test(record));
  expect({ name, found }).not.toEqual({ name, found: -1 });
  return records.map((record, i) => (i === found ? change(record.trimEnd()) : record.trimEnd())).join('\n\n') + '\n';
}

/** Tables in use -> other tables by the optimizer, loaded: what OpenSM dumps then is the file. */
async function goesRound(fabric: LiveFabric): Promise<void> {
  const sweep = fabric.sweep('-R', 'ftree');
  expect(sweep.engine).toBe('ftree');
  const discovered = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
  const [own, now, made] = [
    join(fabric.folder, 'ftree.lfts'),
    fabric.file('now.lfts', sweep.dump('opensm-lfts.dump')),
    join(fabric.folder, 'made.lfts'),
  ];
  expect(await weft('route', 'compute', '--fabric', discovered, '--algorithm', 'ftree', '--out', own)).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(fabric.read('ftree.lfts')).toBe(fabric.read('now.lfts'));
  // what the switches say, by dump_fts, is the same
  const asked = fabric.file('asked.lfts', fabric.tool('dump_fts').stdout);
  expect((await weft('route', 'evaluate', '--fabric', discovered, '--tables', asked, '--current', now)).stdout).toMatch(
    /changed +0 entries/,
  );
  expect(
    await weft(
      'route',
      'compute',
      '--fabric',
      discovered,
      '--algorithm',
      'random',
      '--seed',
      '4',
      '--current',
      now,
      '--out',
      made,
    ),
  ).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/changed +0 entries/) as string });
  const loaded = fabric.sweep('-R', 'file', '-U', made);
  expect([loaded.engine, loaded.dump('opensm-lfts.dump') === fabric.read('made.lfts')]).toEqual(['file', true]);
}

describe.skipIf(missingPrograms().length > 0)('odd fabrics on a live OpenSM', () => {
  it('names that look like fields of the files, are long, empty or of other alphabets', async () => {
    const names = [
      ['node000 HCA-1', 'Höst 漢 x'],
      ['node001 HCA-1', "it's # lid 77 lmc 3"],
      ['node002 HCA-1', 'n'.repeat(63)],
      ['node003 HCA-1', ''],
      ['node004 HCA-1', "[3] 'x'): -> 0x0001 001"],
      ['leaf00', 'le guid 0x5 af'],
      ['spine00', 'a portguid 0x7: b'],
      ['core00', 'ende\\'],
      ['leaf01', 'tab\there'],
      ['spine01', '44 lids dumped'],
      ['leaf02', 'Unicast lids guid 0x0002c90000010000 '],
    ] as const;
    await goesRound(await serve(names.reduce((text, [from, to]) => text.replaceAll(`"${from}"`, `"${to}"`), net)));
  });

  it('switches of 36 ports with gaps, and an adapter with a port on each of two leaves', async () => {
    let text = net.replaceAll(/^Switch\t4 /gm, 'Switch\t36 ');
    for (let leaf = 0; leaf < 4; leaf++) {
      const name = `S-0002c900000100${leaf}0`;
      text = text.replaceAll(`"${name}"[3]`, `"${name}"[17]`).replaceAll(`"${name}"[4]`, `"${name}"[36]`);
      text = changeRecord(text, name, (record) => record.replace(/^\[3\]/m, '[17]').replace(/^\[4\]/m, '[36]'));
    }
    text = changeRecord(
      text,
      'S-0002c90000010020',
      (record) => `${record}\n[29]\t"${at}"[2](2c90000100002)\t# "node000 HCA-1" lid 0 4xEDR`,
    );
    text = changeRecord(
      text,
      at,
      (record) =>
        `${record.replace('Ca\t1', 'Ca\t2')}\n[2](2c90000100002)\t"S-0002c90000010020"[29]\t# lid 0 lmc 0 "leaf02" lid 0 4xEDR`,
    );
    const fabric = await serve(text);
    await goesRound(fabric);
    // two hosts of one name: by rank they can be told apart, by name not
    const discovered = join(fabric.folder, 'fabric.net');
    const traffic = fabric.file('m.csv', 'source,destination,bytes\nnode000,node005,1\n');
    expect(await weft('traffic', 'stats', '--fabric', discovered, '--traffic', traffic)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/m\.csv:2:1: error: several hosts have this name[^]*0, 1/) as string,
    });
    expect(
      (
        await weft(
          'traffic',
          'stats',
          '--fabric',
          discovered,
          '--traffic',
          fabric.file('m.csv', 'source,destination,bytes\n1,node005,1\n'),
        )
      ).stdout,
    ).toMatch(/2 of 9 take part/);
  });

  it("a router: OpenSM's ftree gives it no entry, which is said; the file engine takes those that Weft writes", async () => {
    const withPort = changeRecord(
      net.replaceAll(/^Switch\t4 /gm, 'Switch\t5 '),
      'S-0002c90000010030',
      (record) => `${record}\n[5]\t"R-00000000000000aa"[1](ab)\t# "rtr" lid 0 4xEDR`,
    );
    const fabric = await serve(
      `${withPort}\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0xaa\nrtguid=0xaa\nRt\t1 "R-00000000000000aa"\t# "rtr"\n[1](ab)\t"S-0002c90000010030"[5]\t# lid 0 lmc 0 "leaf03" lid 0 4xEDR\n`,
    );
    const sweep = fabric.sweep('-R', 'ftree');
    expect([sweep.engine, /portguid 0x0*ab:/.test(sweep.dump('opensm-lfts.dump'))]).toEqual(['ftree', false]);
    const discovered = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    const now = fabric.file('now.lfts', sweep.dump('opensm-lfts.dump'));
    expect(await weft('route', 'import', '--fabric', discovered, '--tables', now)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /4 pairs \(leaf, host\) have no way, as \S+ -> rtr[^]*the router rtr is taken for a host/,
      ) as string,
    });
    const made = join(fabric.folder, 'made.lfts');
    expect(
      (await weft('route', 'compute', '--fabric', discovered, '--algorithm', 'dmodk', '--current', now, '--out', made))
        .code,
    ).toBe(0);
    // but for the word in the remark
    expect(
      fabric.sweep('-R', 'file', '-U', made).dump('opensm-lfts.dump').replaceAll('# Router ', '# Channel Adapter '),
    ).toBe(fabric.read('made.lfts'));
  });

  it('several LIDs per port: read wherever fabric, guid2lid or an option tells of them', async () => {
    const fabric = await serve(net);
    const sweep = fabric.sweep('-R', 'minhop', '-l', '1');
    const discovered = fabric.tool('ibnetdiscover').stdout;
    const several = fabric.file('fabric.net', discovered);
    const tables = fabric.file('now.lfts', sweep.dump('opensm-lfts.dump'));
    const silent = fabric.file('silent.net', discovered.replaceAll(/ lmc \d/g, ''));
    expect(await weft('route', 'import', '--fabric', silent, '--tables', tables)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/now\.lfts:\d+:1: error: a second entry of[^]*--lmc has to say so/) as string,
    });
    const guid2lid = fabric.file('guid2lid', fabric.guid2lid());
    for (const [file, ...more] of [[several], [silent, '--guid2lid', guid2lid], [silent, '--lmc', '1']]) {
      const out = join(fabric.folder, `out${more.length}${more[0] ?? ''}`);
      expect(await weft('route', 'import', '--fabric', file!, ...more, '--tables', tables, '--out', out)).toMatchObject(
        { code: 0, stdout: expect.stringMatching(/valid +yes/) as string },
      );
      expect(fabric.read(`out${more.length}${more[0] ?? ''}`)).toBe(sweep.dump('opensm-lfts.dump'));
    }
    expect(await weft('route', 'import', '--fabric', several, '--lmc', '0', '--tables', tables)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/entries are for LIDs that --lmc leaves out/) as string,
    });
  });

  it('a host on a spine: no fat tree for OpenSM, nor for Weft', async () => {
    const moved = changeRecord(
      net.replaceAll(/^Switch\t3 /gm, 'Switch\t20 '),
      'S-0002c90000020030',
      (record) => `${record}\n[20]\t"H-0000000000000099"[1](9a)\t# "extra" lid 0 4xEDR`,
    );
    const fabric = await serve(
      `${moved}\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x99\ncaguid=0x99\nCa\t1 "H-0000000000000099"\t# "extra"\n[1](9a)\t"S-0002c90000020030"[20]\t# lid 0 lmc 0 "spine03" lid 0 4xEDR\n`,
    );
    const roots = fabric.file('roots', '0x2c90000030000\n0x2c90000030010\n');
    for (const more of [[], ['-a', roots]]) {
      const sweep = fabric.sweep('-R', 'ftree', ...more);
      expect([sweep.engine, sweep.log.includes('ERR AB26')]).toEqual(['minhop', true]);
    }
    const discovered = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    expect(await weft('route', 'compute', '--fabric', discovered, '--algorithm', 'ftree')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no fat tree[^]*hosts hang on leaves alone/) as string,
    });
    expect(
      await weft('route', 'compute', '--fabric', discovered, '--roots', roots, '--algorithm', 'ftree'),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /no fat tree: a host hangs on a switch of level 2[^]*extra, spine03[^]*not supported/,
      ) as string,
    });
  });

  it('an aggregation node in every switch: no host, but led to by the tables', async () => {
    const identity = { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) };
    const attached = tree.identity.nodeName.flatMap((_, node) =>
      tree.fabric.nodeKind[node] === NodeKind.host
        ? []
        : [
            {
              name: 'Mellanox Technologies Aggregation Node',
              nodeGuid: 0xa000n + BigInt(16 * node),
              portGuid: 0xa001n + BigInt(16 * node),
              lid: 0,
              ownPort: 1,
              switchNode: node,
              switchPort: identity.radix[node]! + 1,
            },
          ],
    );
    const fabric = await serve(
      writeIbnetdiscover({
        fabric: tree.fabric,
        identity: {
          ...identity,
          radix: identity.radix.map((ports, node) => ports + (tree.fabric.nodeKind[node] === NodeKind.host ? 0 : 1)),
          attached,
        },
      }),
    );
    const before = fabric.sweep('-R', 'ftree');
    expect([before.engine, /ERR AB\w\w/.test(before.log)]).toEqual(['minhop', true]);
    const compute = fabric.file(
      'compute',
      Array.from(tree.fabric.hosts, (host) => `0x${identity.portGuid[host]!.toString(16)}\n`).join(''),
    );
    const top = fabric.file('roots', '0x2c90000030000\n0x2c90000030010\n');
    expect(fabric.sweep('-R', 'ftree', '-u', compute).engine).toBe('minhop');
    expect(fabric.sweep('-R', 'ftree', '-a', top).engine).toBe('minhop');
    const told = fabric.sweep('-R', 'ftree', '-a', top, '-u', compute);
    expect(told.engine).toBe('ftree');
    const discovered = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    const made = join(fabric.folder, 'made.lfts');
    const now = fabric.file('now.lfts', before.dump('opensm-lfts.dump'));
    const computed = await weft(
      'route',
      'compute',
      '--fabric',
      discovered,
      '--guid2lid',
      fabric.file('guid2lid', fabric.guid2lid()),
      '--algorithm',
      'weft',
      '--traffic',
      'all-to-all',
      '--current',
      now,
      '--out',
      made,
    );
    expect(computed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^\S+: 8 hosts, 4 leaves[^]*10 ports of aggregation nodes take no part in traffic/,
      ) as string,
    });
    expect(fabric.sweep('-R', 'file', '-U', made).dump('opensm-lfts.dump')).toBe(fabric.read('made.lfts'));
    const lidOf = (guid: string): string =>
      String(parseInt(new RegExp(`^0x(\\w+) .*portguid 0x0*${guid}:`, 'm').exec(fabric.read('made.lfts'))![1]!, 16));
    // from a host to the aggregation node of every switch
    for (const { portGuid } of attached)
      expect(fabric.tool('ibtracert', lidOf('2c90000100071'), lidOf(portGuid.toString(16))).stdout).toMatch(
        /^To ca .*Aggregation Node/m,
      );
  });

  it('two parts without a link: discovery sees one, which is routed', async () => {
    const other = net
      .replaceAll('0002c9', '0003c9')
      .replaceAll('(2c9', '(3c9')
      .replaceAll(/"(node|leaf|spine|core)/g, '"other-$1');
    const both = `${net}\n${other}`;
    await goesRound(await serve(both));
    const diagnostics = new Diagnostics();
    expect(readIbnetdiscover(live!.read('fabric.net'), 'f', diagnostics)!.fabric.hosts).toHaveLength(8);
    expect(
      await weft('route', 'compute', '--fabric', live!.file('both.net', both), '--algorithm', 'dmodk'),
    ).toMatchObject({ code: 2, stderr: expect.stringMatching(/falls into parts/) as string });
  });

  it('a cable fails: tables from a file still point at it, which is said; new ones lead around it', async () => {
    const fabric = await serve(net);
    const now = fabric.file('now.lfts', fabric.sweep('-R', 'ftree').dump('opensm-lfts.dump'));
    expect(fabric.sweep('-R', 'file', '-U', now).engine).toBe('file');
    fabric.console('Unlink "S-0002c90000010000"[3]');
    let discovered = '';
    for (let tries = 0; tries < 100 && (discovered === '' || discovered.includes('"S-0002c90000010000"[3]')); tries++)
      discovered = fabric.tool('ibnetdiscover').stdout;
    const broken = fabric.file('fabric.net', discovered);
    // OpenSM loads the tables of before, dead port and all
    const still = fabric.sweep('-R', 'file', '-U', now);
    const ownBlock = /guid 0x0002c90000010000 [^]*?lids dumped/.exec(still.dump('opensm-lfts.dump'))![0];
    expect([still.engine, /^0x\w+ 003 # Channel/m.test(ownBlock)]).toEqual(['file', true]);
    expect(
      await weft(
        'route',
        'import',
        '--fabric',
        broken,
        '--tables',
        fabric.file('still.lfts', still.dump('opensm-lfts.dump')),
      ),
    ).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /pairs \(leaf, host\) have no way, as leaf0\d -> [^]*entries name ports without a link/,
      ) as string,
    });
    // ftree does without the cable only if it is told the top level, there as here
    const roots = fabric.file('roots', '0x2c90000030000\n0x2c90000030010\n');
    expect(fabric.sweep('-R', 'ftree').engine).toBe('minhop');
    expect(await weft('route', 'compute', '--fabric', broken, '--algorithm', 'ftree')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/leaf00[^]*--roots/) as string,
    });
    const told = fabric.sweep('-R', 'ftree', '-a', roots);
    expect(told.engine).toBe('ftree');
    const around = join(fabric.folder, 'around.lfts');
    expect(
      (
        await weft(
          'route',
          'compute',
          '--fabric',
          broken,
          '--roots',
          roots,
          '--algorithm',
          'ftree',
          '--current',
          now,
          '--out',
          around,
        )
      ).code,
    ).toBe(0);
    expect(fabric.read('around.lfts')).toBe(told.dump('opensm-lfts.dump'));
    const [from, to] = ['01', '71']
      .map(
        (end) => new RegExp(`^0x(\\w+) .*portguid 0x0002c900001000${end}:`, 'm').exec(fabric.read('around.lfts'))![1]!,
      )
      .map((lid) => String(parseInt(lid, 16)));
    expect(fabric.tool('ibtracert', from!, to!).stdout).toMatch(/^To ca /m);
  });

  it('lanes stay when quality of service is turned off, and go with its defaults: the guide says so', async () => {
    const fabric = await serve(net);
    const lanes = (): string =>
      /^ports: in +1, out +1: (.*)$/m.exec(fabric.tool('smpquery', 'sl2vl', lid, '1').stdout)![1]!;
    const sweep = fabric.sweep('-R', 'ftree');
    const lid = /switch Lid (\d+) guid 0x0002c90000010000 /.exec(sweep.dump('opensm-lfts.dump'))![1]!;
    const identity = lanes();
    const now = fabric.file('now.lfts', sweep.dump('opensm-lfts.dump'));
    const discovered = fabric.file('fabric.net', fabric.tool('ibnetdiscover').stdout);
    await weft(
      'route',
      'export',
      '--fabric',
      discovered,
      '--tables',
      now,
      '--out',
      join(fabric.folder, 'out'),
      '--virtual-lanes',
      '2',
    );
    fabric.sweep('-F', join(fabric.folder, 'out', 'opensm.conf'));
    const two = lanes();
    expect([two.match(/\b1\b/g)?.length, two === identity]).toEqual([8, false]);
    fabric.sweep('-R', 'ftree');
    expect(lanes()).toBe(two);
    fabric.sweep('-R', 'ftree', '-Q');
    expect(lanes()).not.toBe(two);
  });
});
