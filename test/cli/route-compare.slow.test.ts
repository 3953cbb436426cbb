// weft route compare: each row is what compute and evaluate say of the same tables; what cannot be computed is a row
// that says so.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { type CommandResult, runCommand, runCommandForJson } from '../support/run-command.js';
import { scriptedContext } from '../support/command-context.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-route-'));
  await writeFile(join(folder, 'f.net'), writeIbnetdiscover(tree));
  await writeFile(
    join(folder, 'broken.net'),
    writeIbnetdiscover(damaged(tree, (low, high) => low === 'leaf00' && high === 'spine00')),
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

type Row = Record<string, unknown> & { name: string };

const json = (...words: string[]): Promise<Record<string, unknown> & { tables: Row[] }> =>
  runCommandForJson(folder, words) as Promise<Record<string, unknown> & { tables: Row[] }>;

const compare = ['route', 'compare', '--fabric', '@f.net', '--traffic'];

/** The load above which links count as hot. */
async function hot(threshold: string): Promise<string> {
  return /switches above (\S+)/.exec(
    (await weft(...compare, 'bisection', '--algorithms', 'random', '--threshold', threshold)).stdout,
  )![1]!;
}

describe('weft route compare', () => {
  it('says of each table what compute and evaluate say', async () => {
    const traffic = ['--fabric', '@f.net', '--traffic', 'bs-random-shuffle-noise', '--seed', '3'];
    for (const algorithm of ['random', 'dmodk'])
      await json('route', 'compute', ...traffic, '--algorithm', algorithm, '--out', `@${algorithm}.lfts`);
    const compared = await json(
      'route',
      'compare',
      ...traffic,
      '--algorithms',
      'ftree,random,weft',
      '--tables',
      '@dmodk.lfts',
      '@random.lfts',
      '--current',
      '@dmodk.lfts',
    );
    expect(compared.tables.map(({ name }) => name.replace(/^.*\//, ''))).toEqual([
      'ftree',
      'random',
      'weft',
      'dmodk.lfts',
      'random.lfts',
    ]);
    expect(compared).toMatchObject({ changedFrom: join(folder, 'dmodk.lfts'), leftOut: [], interrupted: false });
    const keys = [
      'maxLoad',
      'adaptiveBound',
      'lowerBound',
      'arGap',
      'netGap',
      'provenOptimal',
      'phases',
      'changedEntries',
      'validity',
    ];
    for (const [place, own] of compared.tables.entries()) {
      const alone =
        place < 3
          ? await json('route', 'compute', ...traffic, '--algorithm', own.name, '--current', '@dmodk.lfts')
          : await json('route', 'evaluate', ...traffic, '--tables', own.name, '--current', '@dmodk.lfts');
      for (const key of keys) expect([own.name, key, own[key]]).toEqual([own.name, key, alone[key]]);
      expect(own['cpuSeconds'] === null).toBe(place >= 3);
    }
    expect(compared.tables[3]).toMatchObject({ changedEntries: 0 });
    expect(compared).toMatchObject({
      adaptiveBound: compared.tables[0]!['adaptiveBound'],
      lowerBound: compared.tables[0]!['lowerBound'],
    });
  });

  it('compares ftree, AFAR and the optimizer unless told otherwise; files alone where there are files', async () => {
    expect((await json(...compare, 'stencil')).tables.map(({ name }) => name)).toEqual(['ftree', 'afar', 'weft']);
    await json('route', 'compute', '--fabric', '@f.net', '--algorithm', 'ftree', '--out', '@a.lfts');
    expect((await json(...compare, 'stencil', '--tables', '@a.lfts')).tables).toHaveLength(1);
  });

  it('takes thresholds as shares or in percent', async () => {
    expect(await hot('50%')).toBe(await hot('0.5'));
    expect(await hot('50%')).not.toBe(await hot('0.9'));
  });

  it('takes names of algorithms with commas or spaces between them', async () => {
    for (const words of [
      ['ftree,random,dmodk'],
      ['ftree', 'random', 'dmodk'],
      ['ftree,', 'random,dmodk'],
      ['ftree', ',dmodk,', 'random'],
    ]) {
      expect(
        (await json(...compare, 'stencil', '--algorithms', ...words)).tables.map(({ name }) => name).sort(),
      ).toEqual(['dmodk', 'ftree', 'random']);
    }
  });

  it('keeps columns apart where loads are large', async () => {
    await writeFile(join(folder, 'large.csv'), 'source,destination,bytes\n0,5,201326592\n1,6,391309123\n');
    await json(
      'route',
      'compute',
      '--fabric',
      '@f.net',
      '--algorithm',
      'dmodk',
      '--out',
      '@tables-of-a-long-name.lfts',
    );
    const { stdout } = await weft(
      ...compare,
      '@large.csv',
      '--algorithms',
      'ftree',
      '--tables',
      '@tables-of-a-long-name.lfts',
    );
    const rows = stdout.split('\n').filter((line) => /^(ftree|\.\.)/.test(line));
    expect(rows.map((line) => line.split(/ {2,}|(?<=[%s\d*]) +(?=[\d.-])/).length)).toEqual([8, 8]);
    expect(rows.join('\n')).toMatch(/ \d\.\d+e\+8 /);
    expect(rows.filter((line) => line.length > 80)).toEqual([]);
  });

  it('says of a search that it ran out of time, and of one that did not nothing', async () => {
    const words = [...compare, 'bs-random-shuffle-noise', '--algorithms', 'ftree,weft'];
    expect((await weft(...words, '--time', '1ns')).stdout).toMatch(/\nweft: ended by --time/);
    expect((await weft(...words)).stdout).not.toContain('ended by --time');
  });

  it('prints a table and one of phases within 80 columns', async () => {
    for (const name of ['a-file-with-a-long-name.lfts', 'b.lfts'])
      await json('route', 'compute', '--fabric', '@f.net', '--algorithm', 'dmodk', '--out', `@${name}`);
    const { code, stdout } = await weft(
      ...compare,
      'cyclic-stencil',
      '--algorithms',
      'ftree,random,dmodk,afar,weft',
      '--tables',
      '@a-file-with-a-long-name.lfts',
      '@b.lfts',
    );
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(
      lines.filter((line) =>
        /^(ftree|random|dmodk|afar|weft|\.\.\S+\.lfts) +[\d.]+\*? +-?[\d.]+ % +[\d.]+ % +\d+ +[\d.]+ +([\d.]+ s|-) +\d+$/.test(
          line,
        ),
      ),
    ).toHaveLength(7);
    // seven tables are more than fit beside the phases' names: two blocks
    expect(lines.filter((line) => line.startsWith('phase '))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('+x '))).toHaveLength(2);
    const help = await weft('route', 'compare', '--help');
    expect(help.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('ftree is told the top level where OpenSM would refuse the fabric, and the table says so', async () => {
    const broken = [
      'route',
      'compare',
      '--fabric',
      '@broken.net',
      '--traffic',
      'all-to-all',
      '--algorithms',
      'ftree,weft',
    ];
    const { code, stdout } = await weft(...broken);
    expect(code).toBe(0);
    expect(stdout.replace(/\n/g, ' ')).toContain(
      'ftree: with the top level as recognised: without --roots OpenSM refuses this fabric',
    );
    const cores = tree.identity.nodeName.flatMap((name, node) =>
      name.startsWith('core') ? [`0x${tree.identity.nodeGuid[node]!.toString(16)}\n`] : [],
    );
    await writeFile(join(folder, 'roots'), cores.join(''));
    const [told, asked] = [await json(...broken), await json(...broken, '--roots', '@roots')];
    expect(told.tables[0]!['maxLoad']).toBe(asked.tables[0]!['maxLoad']);
    expect(told.tables[0]!['phases']).toEqual(asked.tables[0]!['phases']);
  });

  it('an algorithm that cannot compute the tables is a row that says so', async () => {
    const { code, stdout } = await weft(
      'route',
      'compare',
      '--fabric',
      'quartz1',
      '--traffic',
      'stencil',
      '--algorithms',
      'dmodk,basic-mcf',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nbasic-mcf +- +- +- /);
    expect(stdout).toMatch(/\nbasic-mcf: the whole problem is too large/);
    expect(stdout).toMatch(/\ndmodk +\d/);
  });

  it('tables that do not lead everywhere end with 1', async () => {
    await json('route', 'compute', '--fabric', '@f.net', '--algorithm', 'ftree', '--out', '@a.lfts');
    const blocks = (await readFile(join(folder, 'a.lfts'), 'utf8')).split(/(?=Unicast)/);
    await writeFile(join(folder, 'less.lfts'), blocks.slice(1).join(''));
    const { code, stdout } = await weft(...compare, 'all-to-all', '--tables', '@less.lfts', '@a.lfts');
    expect(code).toBe(1);
    expect(stdout.replace(/\n/g, ' ')).toMatch(/less\.lfts does not lead everywhere:.*have no way/);
  });

  it('Ctrl-C keeps what is finished and leaves out the rest', async () => {
    const world = scriptedContext();
    const listeners = process.listenerCount('SIGINT');
    const running = runProgram(
      [...compare, 'bs-random-shuffle-noise', '--algorithms', 'ftree,weft,random,dmodk', '--json'].map((word) =>
        word.replace(/^@/, `${folder}/`),
      ),
      world,
    );
    while (process.listenerCount('SIGINT') === listeners)
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    process.emit('SIGINT', 'SIGINT');
    expect(await running).toBe(130);
    const compared = JSON.parse(world.stdout.text) as { tables: Row[]; leftOut: string[]; interrupted: boolean };
    expect(compared.tables.map(({ name }) => name)).toEqual(['ftree', 'weft']);
    expect(compared).toMatchObject({ leftOut: ['random', 'dmodk'], interrupted: true });
  });

  it('draws a picture for each table; so do compute and evaluate', async () => {
    const { code } = await weft(...compare, 'bs-random-shuffle', '--algorithms', 'ftree,weft', '--figure', '@c.svg');
    expect(code).toBe(0);
    const svg = await readFile(join(folder, 'c.svg'), 'utf8');
    expect(svg).toMatch(/^<svg [^]*Link loads for bs-random-shuffle[^]*>ftree<[^]*AR gap[^]*>weft<[^]*<\/svg>\n$/);
    await json(
      'route',
      'compute',
      '--fabric',
      '@f.net',
      '--algorithm',
      'ftree',
      '--traffic',
      'stencil',
      '--out',
      '@a.lfts',
      '--figure',
      '@a.svg',
    );
    await json(
      'route',
      'evaluate',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--traffic',
      'stencil',
      '--figure',
      '@b.svg',
    );
    const [computed, evaluated] = await Promise.all(
      ['a.svg', 'b.svg'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(evaluated!.replace(/>[^<]*a\.lfts</, '>ftree<')).toBe(computed);
    const refused = await weft(
      'route',
      'evaluate',
      '--fabric',
      '@f.net',
      '--tables',
      '@a.lfts',
      '--traffic',
      'bisection',
      '--figure',
      '@b.svg',
    );
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--force')]);
  });

  it("draws every link in the phase in which it is worst by that phase's bound", async () => {
    // the largest flow of a phase has twice the bound, for it cannot be split over the two uplinks of its leaf; beside
    // 1000 bytes 100 are little, but they go where 1 byte is all that there is in the other phase
    await writeFile(
      join(folder, 'm.csv'),
      'source,destination,bytes,phase\n0,2,100,large\n4,6,1000,large\n0,2,1,small\n',
    );
    await json(
      'route',
      'compute',
      '--fabric',
      '@f.net',
      '--algorithm',
      'ftree',
      '--traffic',
      '@m.csv',
      '--figure',
      '@p.svg',
    );
    const svg = await readFile(join(folder, 'p.svg'), 'utf8');
    const worst = [...svg.matchAll(/>(\d+, [\d.]+ x)<[^]*?>(up|down)</g)].map(
      ([, numbers, way]) => `${numbers} ${way}`,
    );
    expect(worst.sort()).toEqual(['1, 2.00 x down', '1, 2.00 x up', '1000, 2.00 x down', '1000, 2.00 x up']);
    expect(svg).toContain('2 phases');
  });

  it('compute draws how a search went: over work the same every time, over seconds for a solver', async () => {
    const search = ['route', 'compute', '--fabric', '@f.net', '--traffic', 'bs-random-shuffle-noise', '--seed', '5'];
    const {
      search: { work },
    } = (await json(...search, '--algorithm', 'weft', '--trace-figure', '@a.svg')) as unknown as {
      search: { work: number };
    };
    await json(...search, '--algorithm', 'weft', '--work', String(work), '--trace-figure', '@b.svg');
    const [first, again] = await Promise.all(['a.svg', 'b.svg'].map((name) => readFile(join(folder, name), 'utf8')));
    expect(again).toBe(first);
    expect(first).toContain('AR gap of the best so far');
    expect(first).toContain('work: links looked at');
    const solved = (await json(...search, '--algorithm', 'basic-mcf', '--trace-figure', '@c.svg')) as unknown as {
      search: { trace: { incumbent: number[]; bound: number[] } };
      phases: { netMaxLoad: number }[];
    };
    expect(solved.search.trace.incumbent.at(-1)).toBeCloseTo(solved.phases[0]!.netMaxLoad, 6);
    expect(await readFile(join(folder, 'c.svg'), 'utf8')).toContain('seconds; loads between switches');
  });

  it.each<[string, string[], RegExp]>([
    [
      'the search of an algorithm without one',
      [
        'route',
        'compute',
        '--fabric',
        '@f.net',
        '--algorithm',
        'ftree',
        '--traffic',
        'stencil',
        '--trace-figure',
        '@a.svg',
      ],
      /--trace-figure: error: ftree has no incumbent/,
    ],
    [
      'a figure of nothing',
      ['route', 'evaluate', '--fabric', '@f.net', '--tables', '@a.lfts', '--figure', '@a.svg'],
      /--figure: error: loads are those of given traffic/,
    ],
    ['no traffic', ['route', 'compare', '--fabric', '@f.net'], /--traffic/],
    ['an unknown algorithm', [...compare, 'stencil', '--algorithms', 'ftree,best'], /Allowed are ftree, random/],
    ['an algorithm twice', [...compare, 'stencil', '--algorithms', 'ftree,ftree'], /ftree stands there twice/],
    ['a file that is not there', [...compare, 'stencil', '--tables', '@none.lfts'], /none\.lfts: no such file/],
    [
      'a figure in another format',
      [...compare, 'stencil', '--figure', '@a.PNG'],
      /--figure: error: figures are written as SVG/,
    ],
    ['a threshold of ninety times', [...compare, 'stencil', '--threshold', '90'], /such as 0\.9 or 90%/],
    ['an option twice', [...compare, 'stencil', '--seed', '1', '--seed', '2'], /more than once/],
  ])('%s is bad input', async (_what, words, message) => {
    const { code, stdout, stderr } = await weft(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
