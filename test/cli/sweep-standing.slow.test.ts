// How far a sweep is, for programs and as a page: `--progress json` and `--page`. Needs dist/ (npm test builds it first).

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/child-processes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-sweep-standing-'));
  await cp(join(root, 'examples/incast'), join(folder, 'incast'), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A sweep as a process, and how it ends. */
function sweep(...words: string[]): {
  readonly child: ChildProcess;
  ended: Promise<{ code: number; stdout: string; stderr: string }>;
} {
  const all = [join(root, 'dist/cli/main.js'), 'sweep', 'incast/incast.yaml', '--jobs', '1', ...words];
  const child = spawn(process.execPath, all, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  return {
    child,
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code: code!, stdout, stderr }))),
  };
}

const page = (): string => readFileSync(join(folder, 'standing.html'), 'utf8');

describe('how far a sweep is', () => {
  it('stands in lines of JSON, the last of which says how it ended', async () => {
    const { code, stderr } = await sweep('--seeds', '1..12', '--out', 'json', '--progress', 'json').ended;
    const lines = stderr.split('\n').slice(0, -1);
    const last = JSON.parse(lines.at(-1)!) as Record<string, number>;
    expect([code, last['state'], last['ended'], last['runs'], last['failed'], last['share']]).toEqual([
      0,
      'finished',
      12,
      12,
      0,
      1,
    ]);
    // runs take CPU time, and no more than there was
    expect(last['cpuSeconds']).toBeGreaterThan(0);
    expect(lines.slice(0, -1).map((line) => (JSON.parse(line) as { state: string }).state)).toEqual(
      lines.slice(0, -1).map(() => 'running'),
    );
  });

  it('is a page that loads itself again until the sweep has ended', async () => {
    const { child, ended } = sweep('--seeds', '1..400', '--out', 'page', '--page', 'standing.html', '--quiet');
    await until(() => (existsSync(join(folder, 'standing.html')) ? true : null));
    expect(page()).toMatch(/http-equiv="refresh"[^]*of 400 runs have ended[^]*<\/html>\n$/);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/^stopping cleanly[^\n]*\n$/) as string,
    });
    expect(page()).not.toContain('http-equiv="refresh"');
    const [, runs] = /Stopped: (\d+) of 400 runs have ended/.exec(page())!;
    const rows = readFileSync(join(folder, 'page/runs.csv'), 'utf8').trimEnd().split('\n').length - 1;
    expect(Number(runs)).toBe(rows);
  });

  it('says what came of it before a page that cannot be written any more', async () => {
    const place = join(folder, 'gone/standing.html');
    mkdirSync(join(folder, 'gone'));
    const { ended } = sweep('--seeds', '1..100', '--out', 'told', '--page', place);
    await until(() => (existsSync(place) ? true : null));
    rmSync(join(folder, 'gone'), { recursive: true });
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(stdout).toContain('told (runs.csv, runs.parquet)');
    expect(stderr).toContain(place);
  });

  it('is no page in place of another file, nor of what runs nothing', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    const other = await sweep('--seeds', '1..2', '--out', 'none', '--page', 'notes.txt').ended;
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('notes.txt: error: exists') as string });
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
    const dry = await sweep('--seeds', '1..2', '--out', 'none', '--page', 'new.html', '--dry-run').ended;
    expect(dry).toMatchObject({ code: 2, stderr: expect.stringContaining('--page: error: a dry run') as string });
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
