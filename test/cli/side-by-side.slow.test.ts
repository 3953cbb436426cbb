// Commands that run several simulations: with worker processes they print what they print without, and they leave no
// process behind, however they end.

import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { childrenOf, hasProc, until } from '../support/child-processes.js';
import { scriptedContext } from '../support/command-context.js';
import { smallJobText } from '../support/small-job.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-side-by-side-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Every process that this one begins from now on, until `end`; and when all that were begun are ready for tasks. */
function watchWorkers(): { allReady: () => Promise<void>; end: () => void } {
  const ready: Promise<void>[] = [];
  const listen = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    ready.push(
      new Promise((resolve) => {
        child.on('message', (said: object) => 'ready' in said && resolve());
        child.on('exit', () => resolve());
      }),
    );
  };
  subscribe('child_process', listen);
  return {
    allReady: async () => void (await Promise.all(ready)),
    end: () => void unsubscribe('child_process', listen),
  };
}

/** A command line, carried out by so many processes; `own` counts the simulations of this one. */
async function carriedOut(processes: number, words: readonly string[]) {
  let own = 0;
  const workers = watchWorkers();
  const world = scriptedContext({
    makePlan,
    simulate: async (plan, options) => {
      // what it simulates first takes as long as its workers take to come up: else they might find nothing left to do
      if (own++ === 0) await workers.allReady();
      return simulate(plan, options);
    },
    sideBySide: { processes, worthMs: 0 },
  });
  const code = await runProgram(words, world);
  workers.end();
  return { code, stdout: world.stdout.text, stderr: world.stderr.text, own };
}

/** Without what differs from run to run. */
function timeless(text: string): string {
  return (
    text
      .replace(/"(cpuSeconds|wallSeconds|peakMemoryBytes)": ?[\d.e+-]+/g, '"$1":0')
      // of the text with those figures in it
      .replace(/"sha256OfRest": "\w+"/, '"sha256OfRest"')
      .replace(/"startedAt":"[^"]+"/g, '"startedAt"')
      .replace(/("name":"CPU","unit":"s").*?\}\}/, '$1')
      .replace(/^( *CPU ).*$/gm, '$1')
  );
}

async function expectSame(given: readonly string[]): Promise<void> {
  // on a busy machine there would be lines of progress
  const words = given.includes('--quiet') ? given : [...given, '--quiet'];
  const alone = await carriedOut(1, words);
  const together = await carriedOut(3, words);
  expect({ code: alone.code, stderr: alone.stderr }).toEqual({ code: 0, stderr: '' });
  expect({ code: together.code, stderr: together.stderr }).toEqual({ code: 0, stderr: '' });
  expect(timeless(together.stdout) === timeless(alone.stdout), words.join(' ')).toBe(true);
  expect(alone.stdout.length).toBeGreaterThan(100);
  // else nothing was shown
  expect(together.own).toBeLessThan(alone.own);
}

describe('the same is printed by several processes as by one', () => {
  it('weft run --backend', async () => {
    const scenario = join(folder, 's.yaml');
    await writeFile(scenario, smallJobText);
    for (const form of ['--json', '--quiet'])
      await expectSame(['run', scenario, '--backend', 'fluid,packet,analytical', form]);
  });

  it.each([
    ['run', ['--backend', 'fluid,packet'], ['fluid', 'packet'], 3],
    ['compare-fabrics', ['--gpus', '16', '--fabrics', 'spectrum-x,dcn-dualtor'], ['dcn-dualtor', 'spectrum-x'], 2],
  ] as const)('weft %s --out: the files, too', async (command, options, runs, several) => {
    const scenario = join(folder, 's.yaml');
    await writeFile(scenario, smallJobText);
    const out = (processes: number) => join(folder, `out${processes}`);
    for (const processes of [1, several]) {
      const words = [command, scenario, ...options, '--out', out(processes), '--json'];
      const { code, own } = await carriedOut(processes, words);
      expect({ code, isAlone: own === 2 }).toEqual({ code: 0, isAlone: processes === 1 });
    }
    expect(readdirSync(out(1)).sort()).toEqual(runs);
    for (const run of runs) {
      const files = readdirSync(join(out(1), run)).sort();
      expect(readdirSync(join(out(several), run)).sort()).toEqual(files);
      expect(files).toContain('manifest.json');
      for (const file of files) {
        const [one, other] = await Promise.all([1, several].map((n) => readFile(join(out(n), run, file))));
        if (file === 'summary.json') expect(timeless(other!.toString())).toBe(timeless(one!.toString()));
        else expect(other!.equals(one!), `${run}/${file}`).toBe(true);
      }
    }
  });

  it('weft compare-fabrics', async () => {
    await expectSame([
      'compare-fabrics',
      '--gpus',
      '64',
      '--fabrics',
      'spectrum-x,dcn-singletor,dcn-dualtor',
      '--json',
    ]);
  });

  it('weft collective, as a table and as JSON', async () => {
    const words = ['collective', 'alltoall', '--fabric', 'spectrum-x', '--gpus', '16', '--sizes', '1KiB..1MiB'];
    await expectSame([...words, '--backend', 'packet']);
    await expectSame([...words, '--json', '--set', 'seed=5']);
  });

  it('weft calibrate', async () => {
    const table = ['#       size         count      type   redop    root     time   algbw   busbw #wrong'];
    for (let size = 1024; size <= 2 ** 19; size *= 2)
      table.push(
        `${size} ${size / 4} float sum -1 ${(40 + size / 5e4).toFixed(2)} ${(size / 1e3 / (40 + size / 5e4)).toFixed(2)} 0 0`,
      );
    const log = join(folder, 'all_reduce.log');
    await writeFile(log, `${table.join('\n')}\n`);
    const words = ['calibrate', '--fabric', 'spectrum-x', '--gpus', '16', '--measured', log, '--kind', 'allreduce'];
    const profiles: string[] = [];
    await expectSame([...words, '--quiet', '--force', '--out', join(folder, 'ours.yaml'), '--json']);
    for (const processes of [1, 3]) {
      await carriedOut(processes, [...words, '--quiet', '--force', '--out', join(folder, 'ours.yaml')]);
      profiles.push(await readFile(join(folder, 'ours.yaml'), 'utf8'));
    }
    expect(profiles[1]).toBe(profiles[0]);
  });
});

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The built program at a comparison that takes minutes, and the workers that it has begun. */
async function comparing(): Promise<{ parent: ChildProcess; workers: number[]; said: () => string }> {
  const fabrics = 'spectrum-x,dcn-dualtor,dcn-singletor';
  const parent = spawn(
    process.execPath,
    [program, 'compare-fabrics', '--gpus', '256', '--fabrics', fabrics, '--backend', 'packet', '--workers', '2'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let text = '';
  for (const stream of [parent.stdout!, parent.stderr!]) stream.on('data', (part: Buffer) => (text += part.toString()));
  const workers = await until(() => {
    const found = childrenOf(parent.pid!);
    return found.length > 0 ? found : null;
  });
  return { parent, workers, said: () => text };
}

const ended = (parent: ChildProcess): Promise<number | null> =>
  parent.exitCode !== null || parent.signalCode !== null
    ? Promise.resolve(parent.exitCode)
    : new Promise((resolve) => parent.on('exit', resolve));

describe.skipIf(!hasProc)('no worker outlives the command (needs /proc)', () => {
  it('that is stopped with Ctrl-C, which every process of a terminal gets', async () => {
    const { parent, workers, said } = await comparing();
    // a worker is told by the command alone
    for (const pid of workers) process.kill(pid, 'SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    parent.kill('SIGINT');
    expect(await ended(parent)).toBe(130);
    expect(said()).toMatch(/stopped after \d of 3 fabrics/);
    await until(() => (workers.every((pid) => !existsSync(`/proc/${pid}`)) ? true : null));
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('that is ended with %s', async (signal) => {
    const { parent, workers } = await comparing();
    parent.kill(signal);
    await ended(parent);
    await until(() => (workers.every((pid) => !existsSync(`/proc/${pid}`)) ? true : null));
  });
});
