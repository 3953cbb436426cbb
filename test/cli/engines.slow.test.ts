// Commands that carry out several runs, on every engine: what they print and write is the same wherever the runs ran, and
// they say of each where, when and for how long. A real Redis with a worker, and a real Slurm of one node. Each command is
// tried on one of them, by the seed, and with WEFT_DRAWS on both. Needs dist/.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRows } from '../support/csv-rows.js';
import { isDrawn } from '../support/drawn.js';
import { hasRedis, LiveRedis } from '../support/live-redis.js';
import { seed } from '../support/seed.js';
import { smallJobText } from '../support/small-job.js';
import { hasSlurm, SlurmCluster } from '../support/slurm.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = join(root, 'dist/cli/main.js');
const validate = join(root, 'dist/validation/main.js');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = '';
let redis: LiveRedis | null = null;
let worker: ChildProcess | null = null;
let cluster: SlurmCluster | null = null;

async function end(program: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cluster?.environment ?? process.env,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

const engines = [...(hasRedis ? ['bullmq'] : []), ...(hasSlurm() ? ['slurm'] : [])];
/** Those that a command is tried on: by default one, by the seed; with WEFT_DRAWS all. */
const enginesOf = (command: number): string[] => engines.filter((_, place) => isDrawn(command + place, engines.length));
const wordsOf = (engine: string): string[] =>
  engine === 'bullmq' ? ['--on', 'bullmq', '--redis', redis!.url] : ['--on', 'slurm', '--array-size', '1'];

/** The object of --json without what differs from one time to the next, and where its runs were carried out. */
function read({ stdout }: Ended) {
  const timeless = stdout.replace(/"(cpuSeconds|wallSeconds|peakMemoryBytes)":[\d.e+-]+/g, '"$1":0');
  const { carriedOut, ...object } = JSON.parse(timeless) as {
    carriedOut: { run: string; host: string; startedAt: string; weftVersion: string }[];
  };
  for (const { host, startedAt, weftVersion } of carriedOut) {
    expect(Math.abs(Date.parse(startedAt) - Date.now())).toBeLessThan(600_000);
    expect([host, weftVersion]).toEqual([hostname(), version]);
  }
  return { runs: carriedOut.map(({ run }) => run), object };
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** What a command prints with --json, and exit code 0, are the same here and on engines; where its runs ran is told. */
async function expectSame(
  engines: readonly string[],
  program: string,
  words: readonly string[],
  runs: readonly string[],
  more: (engine: string) => string[] = () => [],
): Promise<void> {
  const here = await end(program, [...words, ...more('local')]);
  expect(here).toMatchObject({ code: 0, stderr: '' });
  expect(read(here).runs).toEqual(runs);
  for (const engine of engines) {
    const there = await end(program, [...words, ...more(engine), ...wordsOf(engine)]);
    expect({ engine, code: there.code, ...read(there) }).toEqual({ engine, code: 0, ...read(here) });
    expect(there.stderr).toMatch(new RegExp(`carried out: ${runs.length} runs? on ${hostname()} \\(weft`));
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('weft-slurm'))).toEqual([]);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-engines-'));
  await cp(join(root, 'examples/incast'), join(folder, 'incast'), { recursive: true });
  await writeFile(join(folder, 's.yaml'), smallJobText);
  if (hasRedis) {
    redis = await LiveRedis.start();
    const words = ['worker', '--redis', redis.url, '--jobs', '2', '--results', folder, '--quiet'];
    worker = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  if (hasSlurm()) cluster = await SlurmCluster.start();
});
afterAll(async () => {
  if (worker !== null && worker.kill('SIGTERM')) await once(worker, 'exit');
  await redis?.stop();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(engines.length === 0)(`commands on ${engines.join(' and ')} (seed ${seed})`, () => {
  it('weft compare-policies', async () => {
    const policies = ['--policies', 'first-fit'];
    const runs = ['s, without', 's, first-fit'];
    await expectSame(enginesOf(0), main, ['compare-policies', 's.yaml', ...policies, '--json'], runs);
  });

  it('weft compare-fabrics, with the folders of its runs', async () => {
    const fabrics = ['spectrum-x', 'dcn-dualtor'];
    const words = ['compare-fabrics', 's.yaml', '--gpus', '16', '--fabrics', fabrics.join(','), '--json'];
    await expectSame(enginesOf(1), main, words, fabrics, (engine) => ['--out', engine]);
    for (const engine of enginesOf(1)) expectSameFolders(join(folder, 'local'), join(folder, engine));
  });

  it('weft run --seeds, with the folders of its runs', async () => {
    const words = ['run', 'incast/incast.yaml', '--set', 'switch.buffer=1MiB', '--seeds', '1..2', '--keep-runs'];
    for (const engine of ['local', ...enginesOf(2)]) {
      const more = engine === 'local' ? [] : wordsOf(engine);
      const ended = await end(main, [...words, '--out', `seeds-${engine}`, ...more]);
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 runs ended') as string });
      const [one, other] = ['local', engine].map((name) => join(folder, `seeds-${name}`));
      for (const name of ['runs.csv', 'runs.parquet', 'sweep.json'])
        expect(readFileSync(join(other!, name)).equals(readFileSync(join(one!, name))), `${engine} ${name}`).toBe(true);
      const timings = csvRows(readFileSync(join(other!, 'timings.csv'), 'utf8'));
      expect(timings.map(({ host, weftVersion }) => [host, weftVersion])).toEqual(
        timings.map(() => [hostname(), version]),
      );
      expectSameFolders(join(one!, 'runs'), join(other!, 'runs'));
      expect(readdirSync(join(other!, 'runs')).sort()).toEqual(['0', '1']);
    }
    // the rows are those of a sweep
    const sweep = ['sweep', ...words.slice(1, -1)];
    expect(await end(main, [...sweep, '--out', 'swept'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'swept/runs.csv'), 'utf8')).toBe(
      readFileSync(join(folder, 'seeds-local/runs.csv'), 'utf8'),
    );
  });

  it('npm run validate', async () => {
    const checks = ['queue-pairs', 'red'];
    await expectSame(enginesOf(3), validate, ['--only', ...checks, '--quick', '--no-write', '--json'], checks);
  });

  it.skipIf(!hasRedis)('writes into no folder that its worker was not told of', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'weft-elsewhere-'));
    try {
      const words = ['sweep', 'incast/incast.yaml', '--seeds', '1', '--keep-runs', '--out', join(elsewhere, 'out')];
      const { code, stderr } = await end(main, [...words, ...wordsOf('bullmq')]);
      expect({ code, why: /may not write results into this folder[^]*weft worker --results/.test(stderr) }).toEqual({
        code: 2,
        why: true,
      });
      expect(existsSync(join(elsewhere, 'out/runs'))).toBe(false);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});

/** Folders of runs with the same files, to the byte but for summary.json, which has times. */
function expectSameFolders(one: string, other: string): void {
  expect(readdirSync(other).sort()).toEqual(readdirSync(one).sort());
  for (const run of readdirSync(one)) {
    const files = readdirSync(join(one, run)).sort();
    expect(readdirSync(join(other, run)).sort()).toEqual(files);
    expect(files).toContain('manifest.json');
    for (const file of files) {
      if (file === 'summary.json') continue;
      const [ours, theirs] = [one, other].map((at) => readFileSync(join(at, run, file)));
      expect(theirs!.equals(ours!), `${other}/${run}/${file}`).toBe(true);
    }
  }
}
