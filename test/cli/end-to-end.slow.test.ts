// The built command as a process: exit codes, Ctrl-C on a long run, a reader that goes away, the demonstration.
// Needs dist/ (npm test builds it first).

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');
const example = join(root, 'examples/server-pair/controller.yaml');

let folder = '';
beforeAll(() => {
  if (!existsSync(program)) throw new Error('dist/ is missing: run npm run build first');
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-e2e-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function weft(...commandLine: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, ...commandLine],
      { cwd: folder, timeout: 300_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}

const longScenario = `fabric:
  generate: dumbbell
traffic:
  transfers:
    - { source: 0, destination: 1, size: 1kB }
    - { source: 0, destination: 1, size: 200GB }
`;

describe('weft', () => {
  it('runs a scenario into a folder, twice with the same records', async () => {
    const first = await weft('run', example, '--out', 'out', '--json');
    expect(first.code).toBe(0);
    const summary = JSON.parse(first.stdout) as { digest: string; flows: number };
    expect(summary.flows).toBe(8);
    const before = await readFile(join(folder, 'out/manifest.json'), 'utf8');
    const second = await weft('run', example, '--out', 'out', '--quiet');
    expect(second).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(join(folder, 'out/manifest.json'), 'utf8')).toBe(before);
    expect(await readdir(folder)).toEqual(['out']);
    expect(before).toContain(summary.digest);
  });

  it('shows its demonstration', async () => {
    const { code, stdout, stderr } = await weft('demo');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/2 pairs of flows shared a spine/);
    expect(stdout).toMatch(/source\s+ports 1, 1, 1, 1, 2, 4, 2, 1/);
  });

  it('ends with 2 on bad input and leaves nothing behind', async () => {
    await writeFile(join(folder, 'bad.yaml'), 'fabric:\n\tgenerate: dumbbell\n');
    const { code, stdout, stderr } = await weft('run', 'bad.yaml', '--out', 'new/out', '--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^bad\.yaml:2:1: error: /);
    expect(await readdir(folder)).toEqual(['bad.yaml']);
    expect(await weft('rnu')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean weft run?') as unknown,
    });
  });

  it('is quiet when its reader goes away', async () => {
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${program}" demo | true`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    shell.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    await new Promise((resolve) => {
      shell.on('close', resolve);
    });
    expect(stderr).toBe('');
  });

  it('keeps what was finished when Ctrl-C comes', async () => {
    await writeFile(join(folder, 'long.yaml'), longScenario);
    const run = spawn(process.execPath, [program, 'run', 'long.yaml', '--out', 'out', '--json'], { cwd: folder });
    let stdout = '';
    run.stdout.on('data', (data: Buffer) => {
      stdout += data.toString();
    });
    const closed = new Promise<number | null>((resolve) => {
      run.on('close', resolve);
    });
    for (let wait = 0; wait < 250 && !existsSync(join(folder, 'out.partial/paths.csv')); wait++)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    run.kill('SIGINT');
    expect(await closed).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'stopped', flows: 2, finished: 1 });
    expect(await readdir(folder)).toEqual(['long.yaml', 'out.partial']);
    const partial = join(folder, 'out.partial');
    expect(await readdir(partial)).toEqual([
      'fabric.topo',
      'fct.txt',
      'flows.parquet',
      'manifest.json',
      'paths.csv',
      'summary.json',
    ]);
    expect(JSON.parse(await readFile(join(partial, 'manifest.json'), 'utf8'))).toMatchObject({
      partial: true,
      outcome: 'stopped',
    });
    expect((await readFile(join(partial, 'fct.txt'), 'utf8')).split('\n')).toHaveLength(2);
    expect((await readFile(join(partial, 'paths.csv'), 'utf8')).split('\n')).toHaveLength(4);
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(join(partial, 'flows.parquet')) })).toHaveLength(
      1,
    );
  });
});
