// `weft sweep --on slurm` on a real Slurm of one node, which the test begins (test/support/slurm.ts): rows are those of
// this machine's processes to the byte, also where tasks, the command, the node or a run come to harm. WEFT_DRAWS=200
// takes as many seeds, and all faults, each at as many random moments up to 20; by default a task is killed once. Needs dist/.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { csvRows } from '../support/csv-rows.js';
import { seed } from '../support/seed.js';
import { hasSlurm, SlurmCluster } from '../support/slurm.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');
const draws = Number(process.env['WEFT_DRAWS'] ?? 1);
const seeds = Math.max(3, draws);
const moments = Math.min(20, draws);
const buffers = ['512KiB', '768KiB', '1MiB', '1536KiB', '2MiB', '4MiB'];
const runs = buffers.length * seeds;
const words = ['sweep', 'incast/incast.yaml', '--set', `switch.buffer=${buffers.join(',')}`, '--seeds', `1..${seeds}`];

interface Ended {
  readonly code: number | string;
  readonly errors: string;
}

describe.skipIf(!hasSlurm())(`a sweep of ${runs} runs on Slurm (seed ${seed})`, () => {
  let folder = '';
  let cluster: SlurmCluster;
  const random = new RandomStream(seed, 'slurm');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-on-slurm-'));
    await cp(join(root, 'examples/incast'), join(folder, 'incast'), { recursive: true });
    cluster = await SlurmCluster.start();
    expect(await end(begun('local', '--jobs', '2'))).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await cluster.stop();
    expect(cluster.steps()).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });

  function begun(out: string, ...more: string[]): ChildProcess {
    return spawn(process.execPath, [program, ...words, '--out', out, ...more], {
      cwd: folder,
      env: cluster.environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  const onSlurm = (out: string, ...more: string[]): ChildProcess =>
    begun(out, '--on', 'slurm', '--array-size', '4', ...more);

  function table(out: string, name = 'runs.csv'): string {
    return readFileSync(join(folder, out, name), 'latin1');
  }

  /** The folder has the rows of the other engine to the byte, each once, and nothing of Slurm's. */
  function expectSame(out: string): void {
    for (const name of ['runs.csv', 'runs.parquet', 'sweep.json']) expect(table(out, name)).toBe(table('local', name));
    const told = journal(out).filter(({ outcome }) => outcome !== 'lost');
    expect(told.map(({ run }) => run).sort((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, run) => run));
    expect(readdirSync(join(folder, out))).not.toContain('slurm');
  }

  function journal(out: string): { run: number; outcome: string }[] {
    const text = readFileSync(join(folder, out, 'journal.jsonl'), 'utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { run: number; outcome: string });
  }

  /** Processes that carry out tasks of the folder. */
  function taskProcesses(out: string): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          return text.includes('slurm-task.js') && text.includes(join(folder, out, 'slurm'));
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** Waits until a task is at work, and a random while longer. */
  async function midway(out: string): Promise<void> {
    await cluster.waitFor(() => taskProcesses(out).length > 0);
    await sleep(200 + 2500 * random.nextFraction());
  }

  it('has the rows of this machine', async () => {
    expect(await end(onSlurm('plain'))).toMatchObject({ code: 0 });
    expectSame('plain');
  });

  it('is left to Slurm, and the same command comes back', async () => {
    const left = await end(onSlurm('left', '--detach'));
    expect(left).toMatchObject({ code: 0 });
    expect(left.errors).toMatch(/left to Slurm: job \d+/);
    expect(cluster.live().length).toBeGreaterThan(0);
    const back = await end(onSlurm('left'));
    expect(back).toMatchObject({ code: 0 });
    expect(back.errors).not.toContain('submitted');
    expectSame('left');
  });

  it.skipIf(draws < 2)(
    'leaves round after round of --until to Slurm, and ends with the rows of this machine',
    async () => {
      const until = ['sweep', 'incast/incast.yaml', '--set', 'switch.buffer=512KiB,1MiB', '--until', 'p99 +- 10 %'];
      const called = (out: string, ...more: string[]): Promise<Ended> =>
        end(
          spawn(process.execPath, [program, ...until, '--out', out, ...more], {
            cwd: folder,
            env: cluster.environment,
            stdio: ['ignore', 'ignore', 'pipe'],
          }),
        );
      expect(await called('until-local')).toMatchObject({ code: 0 });
      let submitted = 0;
      for (let calls = 0; calls < 40; calls++) {
        const { code, errors } = await called('until', '--on', 'slurm', '--array-size', '2', '--detach');
        expect(code).toBe(0);
        submitted += errors.split('submitted to Slurm').length - 1;
        if (!errors.includes('left to Slurm')) break;
        await cluster.waitFor(() => cluster.live().length === 0);
      }
      expect(submitted).toBeGreaterThan(1);
      for (const name of ['runs.csv', 'sweep.json']) expect(table('until', name)).toBe(table('until-local', name));
    },
  );

  it.skipIf(draws < 2)('is cancelled on request, and goes on', async () => {
    await end(onSlurm('cancelled', '--detach'));
    expect(await end(onSlurm('cancelled', '--cancel'))).toMatchObject({ code: 0 });
    await cluster.waitFor(() => cluster.live().length === 0);
    const sweep = onSlurm('cancelled');
    await midway('cancelled');
    sweep.kill('SIGINT');
    expect([0, 130]).toContain((await end(sweep)).code);
    await cluster.waitFor(() => cluster.live().length === 0);
    expect(await end(onSlurm('cancelled'))).toMatchObject({ code: 0 });
    expectSame('cancelled');
  });

  it.skipIf(draws < 2)('loses nothing where tasks are killed', async () => {
    for (let i = 0; i < moments; i++) {
      const sweep = onSlurm(`task-${i}`);
      await midway(`task-${i}`);
      for (const pid of taskProcesses(`task-${i}`).slice(0, 1)) kill(pid);
      expect(await end(sweep)).toMatchObject({ code: 0 });
      expectSame(`task-${i}`);
    }
  });

  it.skipIf(draws < 2)('loses nothing where the command is killed', async () => {
    for (let i = 0; i < moments; i++) {
      const sweep = onSlurm(`command-${i}`);
      await sleep(500 + 4000 * random.nextFraction());
      sweep.kill('SIGKILL');
      await end(sweep);
      expect(await end(onSlurm(`command-${i}`))).toMatchObject({ code: 0 });
      expectSame(`command-${i}`);
    }
  });

  it.skipIf(draws < 2)('ends with the reason where its job is cancelled, and goes on', async () => {
    for (let i = 0; i < moments; i++) {
      const sweep = onSlurm(`scancel-${i}`);
      await midway(`scancel-${i}`);
      cluster.ask('scancel', '--name', jobName(cluster));
      const ended = await end(sweep);
      // all results may have been there
      if (ended.code !== 0) {
        expect(ended.code).toBe(1);
        expect(ended.errors).toMatch(/job \d+_\d+.*CANCELLED/);
        expect(await end(onSlurm(`scancel-${i}`))).toMatchObject({ code: 0 });
      }
      expectSame(`scancel-${i}`);
    }
  });

  it.skipIf(draws < 2)('waits for a node that is drained, or whose service is gone', async () => {
    const node = cluster.ask('sinfo', '--noheader', '--format=%n').trim();
    const drained = onSlurm('drained');
    await midway('drained');
    cluster.ask('scontrol', 'update', `NodeName=${node}`, 'State=DRAIN', 'Reason=test');
    await sleep(3000);
    cluster.ask('scontrol', 'update', `NodeName=${node}`, 'State=RESUME');
    expect(await end(drained)).toMatchObject({ code: 0 });
    expectSame('drained');

    const stopped = onSlurm('stopped');
    await midway('stopped');
    await cluster.end('slurmd', 'SIGKILL');
    await sleep(2000);
    cluster.begin('slurmd');
    expect(await end(stopped)).toMatchObject({ code: 0 });
    expectSame('stopped');
  });

  it.skipIf(draws < 2)('keeps runs that find no memory with the reason', async () => {
    const ended = await end(onSlurm('memory', '--memory', '64M'));
    expect(ended.code).toBe(1);
    if (existsSync(join(folder, 'memory/runs.csv'))) {
      const lost = csvRows(table('memory')).filter(({ outcome }) => outcome === 'lost');
      expect(lost.length).toBeGreaterThan(0);
      for (const { error } of lost) expect(error).toMatch(/ran out of memory .*--memory/);
      // where the tasks had no memory to begin with, there are no rows
    } else expect(ended.errors).toMatch(/ran out of memory .*--memory/);
    expect(await end(onSlurm('memory'))).toMatchObject({ code: 0 });
    expectSame('memory');
  });
});

function jobName(cluster: SlurmCluster): string {
  return cluster.ask('squeue', '--noheader', '--format=%j').split('\n')[0] ?? '';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

async function end(child: ChildProcess): Promise<Ended> {
  let errors = '';
  child.stderr?.on('data', (data) => (errors += String(data)));
  const code = await new Promise<number | string>((resolve) =>
    child.once('close', (exit, signal) => {
      resolve(exit ?? signal!);
    }),
  );
  return { code, errors };
}
