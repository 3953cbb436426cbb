// weft route and weft traffic, as the program calls them: what is printed, what is written, bad input with its place
// and exit code 2.

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { referencePath } from '../reference.js';
import { type CommandResult, runCommand, runCommandForJson } from '../support/run-command.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const net = writeIbnetdiscover(tree);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-route-'));
  await writeFile(join(folder, 'f.net'), net);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

const json = (...words: string[]): Promise<Record<string, unknown>> => runCommandForJson(folder, words);

describe('compute and evaluate', () => {
  it('takes topology files, guid2lid, roots and matrices', async () => {
    await writeFile(join(folder, 'f.topo'), writeTopology(tree.fabric));
    await writeFile(join(folder, 'm.csv'), 'source,destination,bytes\nnode000,node007,5\n1,6,7\n');
    await writeFile(
      join(folder, 'guid2lid'),
      Array.from(tree.identity.portGuid, (guid, node) => `0x${guid.toString(16)} ${node + 100} ${node + 100}\n`).join(
        '',
      ),
    );
    const cores = tree.identity.nodeName.flatMap((name, node) =>
      name.startsWith('core') ? [`0x${tree.identity.nodeGuid[node]!.toString(16)} # ${name}\n`] : [],
    );
    await writeFile(join(folder, 'roots'), cores.join(''));
    await writeFile(
      join(folder, 'broken.net'),
      writeIbnetdiscover(damaged(tree, (low, high) => low === 'leaf00' && high === 'spine00')),
    );
    expect(
      await json('route', 'compute', '--fabric', '@f.topo', '--algorithm', 'ftree', '--traffic', '@m.csv'),
    ).toMatchObject({ maxLoad: 7, fabric: { hosts: 8, levels: 3 } });
    await json(
      'route',
      'compute',
      '--fabric',
      '@f.net',
      '--guid2lid',
      '@guid2lid',
      '--algorithm',
      'ftree',
      '--out',
      '@a.lfts',
    );
    expect(await readFile(join(folder, 'a.lfts'), 'utf8')).toMatch(/^Unicast lids \[0-117\] of switch Lid 108 /);
    const refused = await weft('route', 'compute', '--fabric', '@broken.net', '--algorithm', 'ftree');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/ftree does not route this fabric[^]*leaf0[^]*--roots/),
    ]);
    expect(
      await json(
        'route',
        'compute',
        '--fabric',
        '@broken.net',
        '--roots',
        '@roots',
        '--algorithm',
        'ftree',
        '--traffic',
        'all-to-all',
      ),
    ).toMatchObject({ validity: { valid: true }, adaptiveBoundExact: true });
  });

  it('writes traffic that it reads back, and leaves a file that exists', async () => {
    expect(
      (await weft('traffic', 'write', '--fabric', '@f.net', '--traffic', 'cyclic-stencil', '--out', '@t.csv')).code,
    ).toBe(0);
    const [fromFile, named] = await Promise.all(
      ['@t.csv', 'cyclic-stencil'].map((traffic) =>
        json('traffic', 'stats', '--fabric', '@f.net', '--traffic', traffic),
      ),
    );
    expect(fromFile!['phases']).toEqual(named!['phases']);
    const refused = await weft('traffic', 'write', '--fabric', '@f.net', '--traffic', 'stencil', '--out', '@t.csv');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--force')]);
  });

  it('tables that do not lead everywhere are evaluated, and end with 1', async () => {
    await json('route', 'compute', '--fabric', '@f.net', '--algorithm', 'ftree', '--out', '@a.lfts');
    const blocks = (await readFile(join(folder, 'a.lfts'), 'utf8')).split(/(?=Unicast)/);
    await writeFile(join(folder, 'less.lfts'), blocks.slice(1).join(''));
    const { code, stdout } = await weft(
      'route',
      'evaluate',
      '--fabric',
      '@f.net',
      '--tables',
      '@less.lfts',
      '--traffic',
      'all-to-all',
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/valid {10}NO[^]*have no way[^]*missing|no table/);
    expect(stdout).toMatch(/ lost {11}\d+ flows \(leaf, host\): though ways lead there/);
    const whole = await weft(
      'route',
      'evaluate',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--traffic',
      'all-to-all',
    );
    expect(whole.stdout).not.toContain(' lost ');
  });

  it('a time limit where nothing is solved is refused', async () => {
    const { code, stderr } = await weft(
      'route',
      'evaluate',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--traffic',
      'all-to-all',
      '--time',
      '5s',
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('--adaptive-bound lp')]);
  });
});

describe('bad input ends with 2 and says where', () => {
  const evaluate = ['route', 'evaluate', '--fabric', '@f.net', '--tables', '@a.lfts'];
  const compute = ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'random'];
  const search = ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'weft', '--traffic', 'stencil'];
  it.each<[string, string[], (good: { lfts: string }) => Record<string, string>, RegExp]>([
    [
      'a matrix with a NaN',
      [...compute, '--traffic', '@m.csv'],
      () => ({ 'm.csv': 'source,destination,bytes\n0,1,NaN\n' }),
      /m\.csv:2:5: error: [^]*NaN/,
    ],
    [
      'a host outside the fabric',
      [...compute, '--traffic', '@m.csv'],
      () => ({ 'm.csv': 'source,destination,bytes\n0,8,1\n' }),
      /m\.csv:2:3: error: [^]*0 to 7/,
    ],
    [
      'a loop',
      ['route', 'export', '--fabric', '@f.net', '--tables', '@a.lfts', '--out', '@made'],
      ({ lfts }) => ({ 'a.lfts': loopy(lfts) }),
      /a\.lfts:\d+:1: error: packets for node000 HCA-1 go round in circles[^]*leaf01 -> spine0/,
    ],
    [
      'a dump that is cut off',
      evaluate,
      ({ lfts }) => ({ 'a.lfts': lfts.slice(0, -20) }),
      /a\.lfts:\d+:1: error: .*cut off/,
    ],
    [
      'a port beyond the radix',
      evaluate,
      ({ lfts }) => ({ 'a.lfts': lfts.replace(' 002 ', ' 009 ') }),
      /a\.lfts:\d+:8: error: [^]*4 ports/,
    ],
    ['a fabric that is cut off', evaluate, () => ({ 'f.net': net.slice(0, -100) }), /f\.net:\d+:\d+: error/],
    [
      'a fabric that is no fat tree',
      ['route', 'compute', '--algorithm', 'random', '--fabric', 'dumbbell'],
      () => ({}),
      /dumbbell: error: this is no fat tree/,
    ],
    [
      'a fabric with NVSwitches',
      ['route', 'compute', '--algorithm', 'random', '--fabric', 'spectrum-x'],
      () => ({}),
      /NVSwitches/,
    ],
    [
      'a fabric that is not there',
      ['route', 'compute', '--algorithm', 'random', '--fabric', '@none.net'],
      () => ({}),
      /none\.net: error: the fabric cannot be read: no such file\n {2}wanted:/,
    ],
    [
      'an unknown pattern',
      [...compute, '--traffic', 'stencils'],
      () => ({}),
      /no such traffic pattern[^]*stencil, bisection/,
    ],
    ['a pattern that does not fit', [...compute, '--traffic', 'lulesh'], () => ({}), /512/],
    [
      'AFAR without traffic',
      ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'afar'],
      () => ({}),
      /--traffic/,
    ],
    [
      'an unknown algorithm',
      ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'best'],
      () => ({}),
      /ftree, random, dmodk, minhop, updn, sssp, dfsssp, afar, weft/,
    ],
    [
      'weft without traffic',
      ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'weft'],
      () => ({}),
      /--traffic/,
    ],
    [
      'a limit on changes without tables in use',
      ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'weft', '--traffic', 'stencil', '--most-changes', '3'],
      () => ({}),
      /--current/,
    ],
    [
      'work for ftree',
      ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'ftree', '--work', '3'],
      () => ({}),
      /--algorithm weft/,
    ],
    ['an objective for ftree', [...compute, '--objective', 'fewest-above:150'], () => ({}), /--algorithm weft/],
    ['an objective without a load', [...compute, '--objective', 'fewest-above'], () => ({}), /fewest-above:150/],
    [
      'an objective in several threads',
      [...search, '--objective', 'fewest-above:2', '--workers', '2'],
      () => ({}),
      /--workers: error: .*does not go with --objective/,
    ],
    [
      'an objective beside a threshold',
      [...search, '--objective', 'fewest-above:2', '--threshold', '0.5'],
      () => ({}),
      /--threshold: error: .*does not go with --objective/,
    ],
    ['a time without a unit', [...compute, '--time', '5'], () => ({}), /30s/],
    ['an option twice', [...compute, '--seed', '1', '--seed', '2'], () => ({}), /more than once/],
    ['a guid2lid of nothing', [...compute, '--guid2lid', '@g'], () => ({ g: 'hello\n' }), /g:1:1: error/],
    ['roots that are no switches', [...compute, '--roots', '@r'], () => ({ r: '0x1\n' }), /r:1:1: error/],
    ['no traffic to count', ['traffic', 'stats', '--fabric', '@f.net'], () => ({}), /which traffic/],
  ])('%s', async (_, words, files, message) => {
    await json('route', 'compute', '--fabric', '@f.net', '--algorithm', 'ftree', '--out', '@a.lfts');
    const made = files({ lfts: await readFile(join(folder, 'a.lfts'), 'utf8') });
    for (const [name, text] of Object.entries(made)) await writeFile(join(folder, name), text);
    const before = (await readdir(folder)).sort();
    const { code, stdout, stderr } = await weft(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect((await readdir(folder)).sort()).toEqual(before);
  });
});

/** Tables in which leaf01 and a spine send node000 to each other. */
function loopy(lfts: string): string {
  let own = '';
  return lfts
    .split('\n')
    .map((line) => {
      own = /\('(\w+)'\)/.exec(line)?.[1] ?? own;
      if (!line.endsWith("'node000 HCA-1'")) return line;
      // ports 1 and 2 of a spine lead to leaves, 3 and 4 of a leaf to spines
      if (own === 'leaf01') return line.replace(/ \d{3} /, ' 003 ');
      return own === 'spine00' ? line.replace(/ \d{3} /, ' 002 ') : line;
    })
    .join('\n');
}

it.skipIf(referencePath('infiniband') === null)('a fabric and tables as captured', async () => {
  const [fabric, edited, dump] = ['ibnetdiscover.out', 'mod.lfts', 'opensm-lfts.dump'].map((name) =>
    referencePath('infiniband', 'small', name)!,
  );
  const result = await json(
    'route',
    'evaluate',
    '--fabric',
    fabric!,
    '--tables',
    edited!,
    '--current',
    dump!,
    '--traffic',
    'all-to-all',
  );
  // 4 hosts per leaf and 4 spines: each leaf sends 28 to each spine; one entry on each of two leaves takes another
  expect(result).toMatchObject({
    changedEntries: 2,
    adaptiveBound: 31,
    maxLoad: 32,
    validity: { valid: true },
    omittedEntries: 0,
  });
});

it('a generated net file is checked, and routed as the fabric that it was made from', async () => {
  // topologyCommand of the program writes to standard output itself: files only
  await weft(
    'topology',
    'generate',
    'fat-tree',
    '--pods',
    '2',
    '--edges-per-pod',
    '2',
    '--hosts-per-edge',
    '2',
    '--aggregation-per-pod',
    '2',
    '--cores',
    '2',
    '--format',
    'ibnetdiscover',
    '--out',
    '@made.net',
  );
  expect(await readFile(join(folder, 'made.net'), 'utf8')).toBe(
    writeIbnetdiscover({ ...tree, identity: { ...tree.identity, lid: new Uint16Array(tree.fabric.nodeCount) } }),
  );
  const routed = await Promise.all(
    ['@made.net', '@f.net'].map(async (fabric, i) => {
      await json('route', 'compute', '--fabric', fabric, '--algorithm', 'ftree', '--out', `@${i}.lfts`);
      return readFile(join(folder, `${i}.lfts`), 'utf8');
    }),
  );
  expect(routed[0]).toBe(routed[1]);
  const refused = await weft(
    'topology',
    'generate',
    'spectrum-x',
    '--gpus',
    '16',
    '--format',
    'ibnetdiscover',
    '--out',
    '@none.net',
  );
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no fabric of one subnet')]);
});

it('the preset and a generated fabric are the same', async () => {
  const given = { pods: 4, edgesPerPod: 24, hostsPerEdge: 32, aggregationPerPod: 16, cores: 48, coreGroups: 2 };
  expect(writeTopology(generateFabric('quartz1'))).toBe(writeTopology(generateFabric('fat-tree', given)));
});

describe('import and export', () => {
  it('export writes a folder, and nothing where an entry is missing', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    const made = await json(
      'route',
      'export',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--out',
      '@out',
      '--virtual-lanes',
      '2',
    );
    expect(made).toMatchObject({
      omittedEntries: 0,
      written: [join(folder, 'out', 'weft.lfts'), join(folder, 'out', 'opensm.conf')],
    });
    expect(await readFile(join(folder, 'out', 'weft.lfts'), 'utf8')).toBe(
      await readFile(join(folder, 'a.lfts'), 'utf8'),
    );
    expect(await readFile(join(folder, 'out', 'opensm.conf'), 'utf8')).toMatch(
      /^lfts_file \/[^]*^qos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1$/m,
    );
    // the way of a leaf to a core: only management packets miss it, and OpenSM would not say so
    const text = await readFile(join(folder, 'a.lfts'), 'utf8');
    await writeFile(join(folder, 'less.lfts'), text.replace(/^0x\w{4} 00[1-9] # Switch .*'core00'\n/m, ''));
    const less = await weft('route', 'export', '--fabric', '@f.net', '--tables', '@less.lfts', '--out', '@none');
    expect([less.code, less.stdout]).toEqual([1, expect.stringMatching(/omitted +1 entries[^]*nothing is written/)]);
    expect(await readdir(folder)).not.toContain('none');
    // the switches have them already: the way back, entry for entry
    const words = ['--fabric', '@f.net', '--tables', '@less.lfts', '--out', '@none', '--in-use'];
    expect(await weft('route', 'export', ...words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /omitted +1 entries[^]*in use +so they are written[^]*written +\S+weft\.lfts,/,
      ) as string,
    });
    const kept = await readFile(join(folder, 'none', 'weft.lfts'), 'utf8');
    expect(kept.match(/^0x.*/gm)).toEqual((await readFile(join(folder, 'less.lfts'), 'utf8')).match(/^0x.*/gm));
    expect(
      (
        await weft(
          'route',
          'export',
          '--fabric',
          '@f.net',
          '--tables',
          '@a.lfts',
          '--out',
          '@x',
          '--virtual-lanes',
          '16',
        )
      ).code,
    ).toBe(2);
    expect(await weft('route', 'export', '--fabric', '@f.net', '--tables', '@a.lfts', '--out', '@x#y')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('remark') as string,
    });
    expect(await readdir(folder)).not.toContain('x#y');
  });

  it('of several files all are written or none', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    await mkdir(join(folder, 'mine'));
    await writeFile(join(folder, 'mine', 'opensm.conf'), '# my own options\n');
    const refused = await weft('route', 'export', '--fabric', '@f.net', '--tables', '@a.lfts', '--out', '@mine');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/opensm\.conf: error: exists and has other content[^]*--force/),
    ]);
    expect(await readdir(join(folder, 'mine'))).toEqual(['opensm.conf']);
    await writeFile(join(folder, 'mine.svg'), 'a picture\n');
    expect(
      (
        await weft(
          'route',
          'compute',
          '--fabric',
          '@f.net',
          '--algorithm',
          'dmodk',
          '--traffic',
          'stencil',
          '--out',
          '@b.lfts',
          '--figure',
          '@mine.svg',
        )
      ).code,
    ).toBe(2);
    expect(await readdir(folder)).not.toContain('b.lfts');
    expect(
      (await weft('route', 'export', '--fabric', '@f.net', '--tables', '@a.lfts', '--out', '@mine', '--force')).code,
    ).toBe(0);
    // the same again changes nothing and needs no --force
    expect((await weft('route', 'export', '--fabric', '@f.net', '--tables', '@a.lfts', '--out', '@mine')).code).toBe(0);
  });

  it('what could not be written after a search is refused before it', async () => {
    await writeFile(join(folder, 'there.lfts'), 'mine');
    await writeFile(join(folder, 'figure.svg'), 'mine');
    // traffic that does not exist is found only when it is read: whoever complains first has looked first
    const search = ['route', 'compute', '--fabric', '@f.net', '--algorithm', 'weft', '--traffic', '@none.csv'];
    for (const [words, message] of [
      [['--out', '@there.lfts'], 'there.lfts: error: exists'],
      [['--out', '@new.lfts', '--figure', '@figure.svg'], 'figure.svg: error: exists'],
      [['--out', '@one', '--figure', '@one', '--force'], 'one: error: two outputs have this path'],
      [['--out', '@.'], 'error: there is a folder of this name'],
      [['--out', '@f.net/x.lfts'], 'error: a part of this path is a file'],
      [['--out', '/dev/null', '--force'], '/dev/null: error: is not a regular file'],
    ] as const) {
      const { code, stderr } = await weft(...search, ...words);
      expect({ words, code, found: stderr.includes(message) ? message : stderr }).toEqual({
        words,
        code: 2,
        found: message,
      });
    }
    expect(await weft(...search, '--out', '@nowhere/x.lfts')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no such folder') as string,
    });
    expect(await weft(...search, '--out', '@there.lfts', '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none.csv: no such file') as string,
    });
    expect(await readFile(join(folder, 'there.lfts'), 'utf8')).toBe('mine');
    expect((await readdir(folder)).sort()).toEqual(['f.net', 'figure.svg', 'there.lfts']);
  });

  it('import takes off what was counted before', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    const leaf = tree.identity.nodeGuid[tree.identity.nodeName.indexOf('leaf00')]!.toString(16);
    await writeFile(
      join(folder, 'before.txt'),
      `   GUID 0x${leaf} port 1: [PortXmitData == 100] [PortRcvErrors == 3]\n   GUID 0x${leaf} port 2: [PortXmitData == 100]\n`,
    );
    await writeFile(
      join(folder, 'after.txt'),
      `   GUID 0x${leaf} port 1: [PortXmitData == 150] [PortRcvErrors == 3]\n   GUID 0x${leaf} port 2: [PortXmitData == 90]\n`,
    );
    const words = ['route', 'import', '--fabric', '@f.net', '--tables', '@a.lfts', '--before', '@before.txt'];
    const found = await json(...words, '--counters', '@after.txt');
    // port 2 was reset in between
    const known = { utilisation: null, waitTicks: null, errors: 0, errorCounts: [], saturated: false };
    expect(found['counters']).toMatchObject({
      portsRead: 2,
      intervalSeconds: null,
      links: [
        { from: 'leaf00[2]', to: 'node001 HCA-1[1]', sentBytes: 360, ...known },
        { from: 'leaf00[1]', to: 'node000 HCA-1[1]', sentBytes: 200, ...known },
      ],
    });
    expect((await weft(...words)).code).toBe(2);
    expect(
      (
        await weft(
          'route',
          'import',
          '--fabric',
          '@f.net',
          '--tables',
          '@a.lfts',
          '--counters',
          '@after.txt',
          '--interval',
          '1s',
        )
      ).stderr,
    ).toContain('--before');
  });

  it('import takes off the first of several rounds, over the time between them', async () => {
    const leaf = tree.identity.nodeGuid[tree.identity.nodeName.indexOf('leaf00')]!.toString(16);
    const round = (seconds: string, words: number): string =>
      `# Time ${seconds} s\n   GUID 0x${leaf} port 1: [PortXmitData == ${words}]\n`;
    await writeFile(join(folder, 'rounds.txt'), round('0.1', 100) + round('0.2', 120) + round('0.35', 150));
    const words = ['route', 'import', '--fabric', '@f.net', '--counters', '@rounds.txt'];
    expect((await json(...words))['counters']).toMatchObject({
      portsRead: 1,
      polls: 3,
      intervalSeconds: 0.25,
      links: [{ from: 'leaf00[1]', sentBytes: 200 }],
    });
    expect((await weft(...words)).stdout).toContain('of 1 port, 3 times over 250ms');
  });

  it('import says whether lanes are those of export: every switch has to have been read', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    const ofSwitch = (node: number): string =>
      `# SL2VL table: Lid ${tree.identity.lid[node]}\nports: in  1, out  2: |${' 0| 1|'.repeat(8)}\n`;
    const switches = tree.identity.nodeName.flatMap((name, node) => (name.startsWith('node') ? [] : [node]));
    const asked = async (text: string, lanes: string): Promise<unknown> => {
      await writeFile(join(folder, 'lanes'), text);
      const { code, stdout } = await weft(
        'route',
        'import',
        '--fabric',
        '@f.net',
        '--tables',
        '@a.lfts',
        '--sl2vl',
        '@lanes',
        '--virtual-lanes',
        lanes,
        '--json',
      );
      const { serviceLevels } = JSON.parse(stdout) as {
        serviceLevels: { asExported: boolean; switchesWithout: string[] };
      };
      return [code, serviceLevels.asExported, serviceLevels.switchesWithout];
    };
    expect(await asked(switches.map(ofSwitch).join(''), '2')).toEqual([0, true, []]);
    expect(await asked(switches.map(ofSwitch).join(''), '4')).toEqual([1, false, []]);
    expect(await asked(switches.slice(0, -1).map(ofSwitch).join(''), '2')).toEqual([1, false, ['core01']]);
  });

  it('import says how busy links were, where packets waited, and what it cannot know', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    const leaf = tree.identity.nodeGuid[tree.identity.nodeName.indexOf('leaf00')]!.toString(16);
    const reading = (port: number, words: number, more = ''): string =>
      `   GUID 0x${leaf} port ${port}: [PortXmitData == ${words}]${more}\n`;
    await writeFile(join(folder, 'before.txt'), reading(1, 0) + reading(2, 0));
    // 100 Gb/s for 2 s are 6.25e9 words: half of it, 1.5 times it, and a port that was not read before
    await writeFile(
      join(folder, 'after.txt'),
      reading(1, 3_125_000_000, ' [PortXmitWait == 7] [LinkDownedCounter == 255]') +
        reading(2, 9_375_000_000) +
        reading(3, 1_000_000, ' [PortXmitWait == 5]'),
    );
    const { code, stdout } = await weft(
      'route',
      'import',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--before',
      '@before.txt',
      '--counters',
      '@after.txt',
      '--interval',
      '2s',
      '--json',
    );
    const { counters, warnings } = JSON.parse(stdout) as {
      counters: { links: object[] };
      warnings: { code: string }[];
    };
    expect(code).toBe(0);
    expect(counters.links).toMatchObject([
      { from: 'leaf00[2]', utilisation: 1.5, waitTicks: null, saturated: false },
      { from: 'leaf00[1]', sentBytes: 12.5e9, utilisation: 0.5, waitTicks: 7, errors: 255, saturated: true },
    ]);
    expect(warnings.map((each) => each.code).sort()).toEqual(['beyond-rate', 'no-former-reading', 'saturated-counter']);
    const text = await weft(
      'route',
      'import',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--before',
      '@before.txt',
      '--counters',
      '@after.txt',
      '--interval',
      '2s',
    );
    expect(text.stdout).toMatch(
      /leaf00\[1\] -> node000 HCA-1\[1\] +12500000000 B {2}50\.0 %\n +waited 7 ticks\n +LinkDownedCounter 255 or more: it stops there\n/,
    );
    expect(text.stdout.split('\n').filter((line) => line.length > 80 && !line.includes(folder))).toEqual([]);
  });

  it('import draws how busy links between switches were', async () => {
    await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', '@a.lfts');
    const leaf = tree.identity.nodeGuid[tree.identity.nodeName.indexOf('leaf00')]!.toString(16);
    // ports 1 and 2 go to hosts, 3 and 4 to spines
    const reading = (words: number): string =>
      [1, 3, 4].map((port) => `   GUID 0x${leaf} port ${port}: [PortXmitData == ${words * port}]\n`).join('');
    await writeFile(join(folder, 'before.txt'), reading(0));
    await writeFile(join(folder, 'after.txt'), reading(1_562_500_000));
    const words = [
      'route',
      'import',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--before',
      '@before.txt',
      '--counters',
      '@after.txt',
    ];
    expect(await weft(...words, '--figure', '@busy.svg')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--interval') as string,
    });
    const { code, stdout } = await weft(...words, '--interval', '2s', '--figure', '@busy.svg');
    expect([code, stdout]).toEqual([0, expect.stringContaining('busy.svg')]);
    const svg = await readFile(join(folder, 'busy.svg'), 'utf8');
    // 100 Gb/s for 2 s are 6.25e9 words; what is known of 2 of the links between switches (8 at leaves, 4 at cores,
    // both ways)
    expect(
      [...svg.matchAll(/<title>(leaf00\S+) to [^:]*: ([^<]*%)</g)].map(([, from, text]) => `${from} ${text}`).sort(),
    ).toEqual(['leaf00[3] 18750 MB, 75.0 %', 'leaf00[4] 25000 MB, 100.0 %']);
    expect(svg.match(/: not known</g)).toHaveLength(22);
    expect(svg).toContain('nothing is known of 22 links');
  });
});

it('lists the words of an option that is missing, or has another one, within 80 columns', async () => {
  const missing = await weft('route', 'compute', '--fabric', '@f.net');
  const other = await weft('route', 'compute', '--fabric', '@f.net', '--algorithm', 'other');
  for (const { code, stderr } of [missing, other]) {
    expect(code).toBe(2);
    expect(stderr).toMatch(/'--algorithm <name>'.*\n {2}wanted: ftree, [^:]*\n {10}[^:]*combined$/m);
    expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  }
});
