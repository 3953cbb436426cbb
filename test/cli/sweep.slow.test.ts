// `weft sweep` in this process: what it refuses and says before anything runs, and its folder. Its rows:
// sweep-rows.slow.test.ts.

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvRows } from '../support/csv-rows.js';
import { eachAtSweepPlace, scenarioText, sweeper, swept } from '../support/swept-pair.js';

let folder = '';
let scenario = '';
let out = '';
eachAtSweepPlace((place) => ({ folder, scenario, out } = place));

function sweep(...words: string[]) {
  return sweeper('sweep', scenario, '--out', out, '--quiet', ...words);
}

async function text(name: string): Promise<string> {
  return readFile(join(out, name), 'utf8');
}

describe('settings of a sweep', () => {
  it.each<[string[], RegExp]>([
    [
      ['--set', 'pfc.enabled=true,maybe'],
      /^--set pfc\.enabled=maybe: error: pfc\.enabled is not true or false\n {2}found: {2}maybe/,
    ],
    [['--set', 'pfc.nope=1,2'], /^--set: error: pfc\.nope is not known/],
    [['--set', '__proto__=1,2'], /^--set: error: __proto__ is not known/],
    [['--set', '__proto__.x=1,2'], /^--set: error: __proto__ is not known/],
    [['--set', 'pfc.enabled=true,[x'], /^--set:1:18: error: \[ is not closed/],
    [['--set', 'pfc.enabled=true,true'], /a value is given twice/],
    [['--set', 'a b=1'], /Give a path and values/],
    [['--set', 'pfc.enabled=true', '--set', 'pfc.enabled=false'], /pfc\.enabled is given twice/],
    [['--set', 'seed=1,2', '--seeds', '1..2'], /are both given/],
    [['--seeds', '3..1'], /the range ends before it begins/],
    [['--seeds', '0..2000000'], /too many runs for one sweep/],
    [
      ['--set', 'switch.ports=2', '--set', 'seed=4/(switch.ports*'],
      /^--set seed:1:17: error: expected expression after \*/,
    ],
    [['--set', 'a.b=2*c.d', '--set', 'c.d=a.b/2'], /^--set a\.b: error: a\.b follows from itself/],
    [['--set', 'a.b=2*c.d*a.c', '--set', 'c.d=1'], /^--set a\.b:1:7: error: a\.c is neither swept nor a number/],
    [['--set', 'a.b=2*c.d', '--set', 'c.d=1KiB'], /^--set a\.b:1:3: error: c\.d has other values than plain numbers/],
    [[], /nothing is swept/],
    [['--jobs', '0', '--seeds', '1..2'], /whole number from 1/],
  ])('%s is refused before anything is made', async (words, message) => {
    const { code, stderr } = await sweep(...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await readdir(folder)).toEqual(['pair.yaml']);
  });

  it('without effect, or the same in other words, are said at their values', async () => {
    const { stderr } = await sweeper(
      'sweep',
      scenario,
      '--out',
      out,
      '--dry-run',
      '--set',
      'hpcc.maxStage=4,6',
      '--set',
      'ecn.enabled=true,false',
      '--set',
      'switch.buffer=1MiB,1024KiB',
    );
    expect(stderr).toMatch(/^--set: warning: hpcc\.maxStage has no effect/m);
    expect(stderr).toMatch(/^--set ecn\.enabled=false: warning: ecn\.thresholds has no effect/m);
    expect(stderr).toMatch(/^--set: warning: .*switch\.buffer=1024KiB is the same run as .*switch\.buffer=1MiB/m);
    expect(await readdir(folder)).toEqual(['pair.yaml']);
  });

  it('that go wrong together are told, and are rows', async () => {
    const { code, stderr } = await sweeper(
      'sweep',
      scenario,
      '--out',
      out,
      '--set',
      'ecn.thresholds[0].minimum=10kB,90kB',
      '--set',
      'ecn.thresholds[0].maximum=20kB,100kB',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^note: 1 of 4 combinations cannot run .* the minimum is above the maximum \(with ecn\.thresholds\[0\]\.minimum=90kB ecn\.thresholds\[0\]\.maximum=20kB\)$/m,
    );
    expect(csvRows(await text('runs.csv')).map(({ outcome }) => outcome)).toEqual([
      'finished',
      'finished',
      'infeasible',
      'finished',
    ]);
  });

  it('of which none can run end the sweep with the reasons', async () => {
    const { code, stderr } = await sweep(
      '--set',
      'ecn.thresholds[0].minimum=80kB,90kB',
      '--set',
      'ecn.thresholds[0].maximum=20kB',
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(/the minimum is above the maximum/)]);
    expect(await readdir(folder)).toEqual(['pair.yaml']);
  });
});

const values = (count: number, unit: string): string =>
  Array.from({ length: count }, (_, i) => `${1000 + i}${unit}`).join(',');

describe('a forecast of a sweep', () => {
  it('says how many runs there are and what they take, and makes nothing', async () => {
    const { code, stdout } = await sweeper('sweep', scenario, '--out', out, ...swept, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}runs +8: 4 combinations x 2 seeds\n/);
    expect(stdout).toMatch(/ {2}time +about .* of CPU on this machine\n/);
    expect(await readdir(folder)).toEqual(['pair.yaml']);
    await sweep(...swept);
    await writeFile(join(out, 'journal.jsonl'), (await text('journal.jsonl')).split('\n').slice(0, 3).join('\n'));
    const json = JSON.parse(
      (await sweeper('sweep', scenario, '--out', out, ...swept, '--dry-run', '--json')).stdout,
    ) as object;
    expect(json).toMatchObject({ dryRun: true, runs: 8, combinations: 4, ended: 2, lookedAt: 4, jobs: 1, folder: out });
  });

  it('beside the folder of another sweep says that, and what it would take all the same', async () => {
    await sweep(...swept);
    const before = await readdir(out);
    const words = ['sweep', scenario, '--out', out, '--set', 'sendLatency=1us,2us,3us', '--dry-run'];
    const { code, stdout, stderr } = await sweeper(...words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ {2}runs +3: 3 combinations\n/);
    expect(stdout).toMatch(/which cannot\s+be used/);
    expect(stderr).toMatch(/warning: this folder has another sweep: .*\n(.*\n)*.*give another folder with --out/);
    const json = JSON.parse((await sweeper(...words, '--json', '--quiet')).stdout) as object;
    expect(json).toMatchObject({
      runs: 3,
      ended: 0,
      folderRefusal: expect.stringContaining('another sweep') as string,
    });
    expect(await readdir(out)).toEqual(before);
    // what is not dry is refused as ever
    expect((await sweeper(...words.slice(0, -1))).code).toBe(2);
  });

  it('of very many combinations looks at each value once, and takes little memory', async () => {
    const words = [
      '--set',
      `sendLatency=${values(100, 'ns')}`,
      '--set',
      `switch.buffer=${values(10, 'kB')}`,
      '--seeds',
      '1..100',
    ];
    const { stdout, stderr } = await sweeper('sweep', scenario, '--out', out, ...words, '--dry-run');
    expect(stdout).toMatch(/runs +100,000: 1,000 combinations x 100 seeds/);
    expect(stderr).toMatch(/note: 109 of 1000 combinations were looked at/);
  });
});

describe('the folder of a sweep', () => {
  it('is named after the scenario', async () => {
    const cwd = process.cwd();
    process.chdir(folder);
    try {
      expect(await sweeper('sweep', 'pair.yaml', '--seeds', '1', '--quiet')).toMatchObject({ code: 0 });
    } finally {
      process.chdir(cwd);
    }
    expect(await readdir(folder)).toContain('pair.sweep');
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['a file', () => writeFile(out, 'text'), /exists and is no folder/],
    [
      'a folder of something else',
      async () => {
        await mkdir(out);
        await writeFile(join(out, 'thesis.tex'), '');
      },
      /exists and is no sweep of Weft/,
    ],
    [
      'a journal without a sweep',
      async () => {
        await mkdir(out);
        await writeFile(join(out, 'journal.jsonl'), '');
      },
      /exists and is no sweep of Weft/,
    ],
    [
      "somebody else's sweep.json",
      async () => {
        await mkdir(out);
        await writeFile(join(out, 'sweep.json'), '{"format":"other"}');
      },
      /has a sweep.json that is none of this version/,
    ],
    [
      'a sweep.json that is a folder',
      () => mkdir(join(out, 'sweep.json'), { recursive: true }),
      /has a sweep.json that is none of this version/,
    ],
    [
      'a path through a file',
      async () => {
        await writeFile(out, '');
        out = join(out, 'x');
      },
      /a part of this path is a file/,
    ],
    [
      'a name that is too long',
      () => {
        out = join(folder, 'x'.repeat(300));
        return Promise.resolve();
      },
      /too long/,
    ],
    [
      'no name',
      () => {
        out = ' ';
        return Promise.resolve();
      },
      /has no name/,
    ],
  ])('is refused and left alone if it is %s', async (_, make, message) => {
    await make();
    const before = await readdir(folder, { recursive: true });
    const { code, stderr } = await sweep('--seeds', '1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it.skipIf(process.platform === 'win32').each([['out'], ['out/sweep.json'], ['out/journal.jsonl']])(
    'with a FIFO at %s is refused without waiting',
    async (name) => {
      if (name !== 'out') await sweep('--seeds', '1');
      await rm(join(folder, name), { force: true });
      execFileSync('mkfifo', [join(folder, name)]);
      const { code, stderr } = await sweep('--seeds', '1');
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/is no folder|is none of this version|is not a regular file/),
      ]);
    },
  );

  it('may be empty, begun, or a link to one', async () => {
    await mkdir(out);
    expect(await sweep('--seeds', '1')).toMatchObject({ code: 0 });
    const begun = join(folder, 'begun');
    await mkdir(begun);
    await writeFile(join(begun, '.writer'), '999999999 nowhere 1\n');
    await writeFile(join(begun, 'sweep.json.new'), '{"for');
    await symlink(begun, join(folder, 'link'));
    out = join(folder, 'link');
    expect(await sweep('--seeds', '1')).toMatchObject({ code: 0 });
    expect((await readdir(begun)).sort()).toEqual([
      'journal.jsonl',
      'runs.csv',
      'runs.parquet',
      'sweep.json',
      'timings.csv',
    ]);
  });

  it('that another process writes is refused', async () => {
    await sweep('--seeds', '1');
    await writeFile(join(out, '.writer'), `${process.ppid} ${(await import('node:os')).hostname()}\n`);
    const { code, stderr } = await sweep('--seeds', '1');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/another sweep is writing its results there now/)]);
  });

  it.skipIf(process.getuid?.() === 0)('that may not be written ends with one line', async () => {
    await chmod(folder, 0o555);
    const { code, stderr } = await sweep('--seeds', '1');
    await chmod(folder, 0o755);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*permission denied\n$/)]);
  });
});

describe('hostile scenarios', () => {
  it('names and values go to the tables as they are, and to the terminal without control characters', async () => {
    await writeFile(scenario, scenarioText.replace('two to one', '"a,\\"b\\"\\n\\e[2J__proto__"'));
    const { code, stdout } = await sweeper('sweep', scenario, '--out', out, '--set', 'name=__proto__,"a,b",\'x"y\'');
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/\u001b/);
    expect(csvRows(await text('runs.csv')).map((row) => row['set.name'])).toEqual(['__proto__', '"a,b"', "'x\"y'"]);
    expect((await stat(join(out, 'runs.parquet'))).size).toBeGreaterThan(1000);
  });
});
