// `weft sweep` as processes: killed at any moment it ends with the rows of one that nobody disturbed, no run is lost and
// none that had ended is repeated; Ctrl-C, disks that are full, files that change. Needs dist/ (npm test builds it first).

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { childrenOf, hasProc, until } from '../support/child-processes.js';
import { csvRows } from '../support/csv-rows.js';
import { drawsAll } from '../support/drawn.js';
import { seed } from '../support/seed.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-sweep-kill-'));
  await cp(join(root, 'examples/incast'), join(folder, 'incast'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const buffers = ['512KiB', '768KiB', '1MiB', '1536KiB', '2MiB', '4MiB'];
const words = ['sweep', 'incast/incast.yaml', '--set', `switch.buffer=${buffers.join(',')}`, '--seeds', '1..10'];
const runs = 60;
/** ten with WEFT_DRAWS */
const kills = drawsAll ? 10 : 4;

/** The sweep as a process. */
function begun(out: string, jobs: number, ...more: string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...words, '--out', out, '--jobs', String(jobs), '--quiet', ...more], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout!.resume();
  child.stderr!.resume();
  return child;
}

/** How a process ended: its code, or the signal. */
function end(child: ChildProcess): Promise<number | string> {
  const how = (): number | string => child.exitCode ?? child.signalCode!;
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(how())
    : new Promise((resolve) =>
        child.once('exit', () => {
          resolve(how());
        }),
      );
}

/** Lines of the journal. */
function lines(out: string): string[] {
  const path = join(folder, out, 'journal.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** SHA-256 of what is the same from one time to the next. */
function tables(out: string): Record<string, string> {
  return Object.fromEntries(
    ['sweep.json', 'runs.csv', 'runs.parquet'].map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, out, name)))
        .digest('hex'),
    ]),
  );
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describe(`a sweep of ${runs} runs`, () => {
  it(`killed ${kills} times has the rows of one that is not (seed ${seed})`, async () => {
    expect(await end(begun('alone', 1))).toBe(0);
    const random = new RandomStream(seed, 'kills');
    // after so many runs have ended, and a moment more; before the first in two cases
    const moments = Array.from({ length: kills }, (_, i) => (i < 2 ? 0 : random.nextBelow(runs - 8))).sort(
      (a, b) => a - b,
    );
    const killed: string[] = [];
    let sweep = begun('out', 2);
    for (const [i, moment] of moments.entries()) {
      while (lines('out').length < moment && sweep.exitCode === null) await sleep(5);
      await sleep(random.nextFraction() * (i < 2 ? 1500 : 150));
      if (sweep.exitCode !== null) {
        // the last runs were done before the kill
        expect(sweep.exitCode).toBe(0);
        sweep = begun('out', 2);
        continue;
      }
      const workers = hasProc ? childrenOf(sweep.pid!) : [];
      const victim =
        random.nextFraction() < 0.4 && workers.length > 0 ? workers[random.nextBelow(workers.length)]! : null;
      killed.push(`${victim === null ? 'sweep' : 'worker'} at ${lines('out').length}`);
      if (victim !== null) {
        process.kill(victim, 'SIGKILL');
        continue;
      }
      sweep.kill('SIGKILL');
      expect(await end(sweep)).toBe('SIGKILL');
      if (hasProc) await until(() => (workers.every((pid) => !existsSync(`/proc/${pid}`)) ? true : null));
      sweep = begun('out', 2);
    }
    expect(await end(sweep), killed.join(', ')).toBe(0);
    expect(killed.length).toBeGreaterThan(kills / 2);
    // and where nothing is left but to write the tables, which are whole at any moment
    for (let i = 0; i < 3; i++) {
      const again = begun('out', 2);
      await sleep(random.nextFraction() * 1500);
      again.kill('SIGKILL');
      await end(again);
      expect({ ...tables('out'), 'sweep.json': '' }).toEqual({ ...tables('alone'), 'sweep.json': '' });
    }
    expect(await end(begun('out', 2))).toBe(0);
    expect(tables('out'), killed.join(', ')).toEqual(tables('alone'));
    // each run is there once: what had ended was not repeated
    const ended = lines('out').map((line) => (JSON.parse(line) as { run: number }).run);
    expect(ended.sort((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, run) => run));
    const rows = csvRows(readFileSync(join(folder, 'out/runs.csv'), 'utf8'));
    expect(rows.map((row) => row['verdict'])).toEqual(rows.map(() => 'passed'));
    expect(readdirSync(join(folder, 'out')).sort()).toEqual([
      'journal.jsonl',
      'runs.csv',
      'runs.parquet',
      'sweep.json',
      'timings.csv',
    ]);
  });

  it('that several processes begin at once is carried out by one', async () => {
    const sweeps = [1, 2, 3].map(() => begun('out', 1));
    const said = sweeps.map(() => '');
    for (const [i, sweep] of sweeps.entries()) sweep.stderr!.on('data', (part: Buffer) => (said[i] += part.toString()));
    const ends = await Promise.all(sweeps.map(end));
    // one that comes late finds all done
    expect(ends).toContain(0);
    for (const [i, code] of ends.entries())
      if (code !== 0)
        expect([code, said[i]]).toEqual([2, expect.stringMatching(/another sweep (is writing|has just begun)/)]);
    const ended = lines('out').map((line) => (JSON.parse(line) as { run: number }).run);
    expect(ended.sort((a, b) => a - b)).toEqual(Array.from({ length: runs }, (_, run) => run));
  });

  it('stopped with Ctrl-C keeps what had ended, as tables, and goes on', async () => {
    const sweep = begun('out', 2);
    await until(() => (lines('out').length >= 20 ? true : null));
    const workers = hasProc ? childrenOf(sweep.pid!) : [];
    // a terminal sends it to all
    for (const pid of workers) process.kill(pid, 'SIGINT');
    sweep.kill('SIGINT');
    expect(await end(sweep)).toBe(130);
    const kept = lines('out').map((line) => (JSON.parse(line) as { run: number }).run);
    expect(kept.length).toBeGreaterThanOrEqual(20);
    expect(kept.length).toBeLessThan(runs);
    const rows = csvRows(readFileSync(join(folder, 'out/runs.csv'), 'utf8'));
    expect(rows.map((row) => Number(row['run']))).toEqual(kept.sort((a, b) => a - b));
    expect(JSON.parse(readFileSync(join(folder, 'out/sweep.json'), 'utf8'))).toMatchObject({
      outcome: 'stopped',
      ended: kept.length,
    });
    expect(await end(begun('out', 2))).toBe(0);
    expect(lines('out')).toHaveLength(runs);
  });

  it('ends if a file changes meanwhile, and goes on once it is put back', async () => {
    const sweep = begun('out', 2);
    let said = '';
    sweep.stderr!.on('data', (part: Buffer) => (said += part.toString()));
    await until(() => (lines('out').length >= 10 ? true : null));
    const trace = join(folder, 'incast/trace.csv');
    const before = readFileSync(trace, 'utf8');
    await writeFile(trace, '');
    await sleep(50);
    await writeFile(trace, before.replace(/1048576\n/, '1048577\n'));
    expect(await end(sweep)).toBe(2);
    expect(said).toMatch(/trace\.csv: error: (this file has changed since the sweep began|the trace changed while)/);
    await writeFile(trace, before);
    expect(await end(begun('out', 2))).toBe(0);
    expect(lines('out')).toHaveLength(runs);
    // none of them has the other content
    const digests = csvRows(readFileSync(join(folder, 'out/runs.csv'), 'utf8')).map(
      (row) => row['counters.payloadBytesDelivered'],
    );
    expect(new Set(digests)).toEqual(new Set([String(15 * 1_048_576)]));
  });
});

/** @param blocks of 512 bytes that a file may have */
function limited(blocks: number, out: string): { status: number | null; stderr: string } {
  const command = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const given = [
    '-c',
    command,
    process.execPath,
    program,
    ...words.slice(0, 4),
    '--seeds',
    '1..4',
    '--jobs',
    '1',
    '--quiet',
    '--out',
    out,
  ];
  return spawnSync('/bin/sh', given, { cwd: folder, encoding: 'utf8' });
}

describe.skipIf(process.platform === 'win32')('a disk that is full', () => {
  it('from the beginning leaves nothing', () => {
    const { status, stderr } = limited(0, 'out');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: [^\n]*the file would become larger[^\n]*\n$/);
    expect(readdirSync(folder)).toEqual(['incast']);
  });

  it('half-way keeps what had ended, and the sweep goes on once there is room', () => {
    const { status, stderr } = limited(24, 'out');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: [^\n]*the file would become larger[^\n]*\n$/);
    const kept = lines('out').length;
    expect(kept).toBeGreaterThan(0);
    expect(readdirSync(join(folder, 'out'))).not.toContain('.writer');
    expect(limited(100_000, 'out')).toMatchObject({ status: 0, stderr: '' });
    expect(limited(100_000, 'other')).toMatchObject({ status: 0 });
    expect(tables('out')).toEqual(tables('other'));
    expect(lines('out')).toHaveLength(24);
  });
});
