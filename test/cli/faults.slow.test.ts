// Faults of the machine, on the built command as a process: disks that are full, a standard output that takes nothing,
// signals while a solver outside searches. Needs dist/ (npm test builds it first).

import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { lftTexts } from '../../src/formats/opensm-lfts-writer.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { stubProgram } from '../solvers/stub-program.js';
import { identifiedTree } from '../support/infiniband.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');
const example = join(root, 'examples/server-pair/controller.yaml');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-faults-'));
  const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
  await writeFile(join(folder, 'f.net'), writeIbnetdiscover(tree));
  const tables = routeDmodK(recogniseFatTree(tree.fabric).tree!);
  await writeFile(join(folder, 'a.lfts'), [...lftTexts(tree, [tables])].join(''));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** @param command of a shell, in which `weft` is the program */
function shell(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const text = `weft() { "${process.execPath}" "${program}" "$@"; }\n${command}`;
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', text], { cwd: folder, timeout: 300_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr });
    });
  });
}

/** Commands that write, and what is left of them if nothing can be written. */
const writers = [
  `run ${example} --quiet --out made/results`,
  `run ${example} --quiet --backend analytical,fluid --out made/results`,
  'route export --fabric f.net --tables a.lfts --out made/folder',
  'route compute --fabric f.net --algorithm dmodk --out made.lfts',
  'topology generate dumbbell --out made/',
  'traffic write --fabric f.net --traffic stencil --out made.csv',
  'schema --out made.json',
];

describe('a disk on which nothing can be written', () => {
  it.each(writers)('%s: one line, nothing left, and it works once there is room', async (command) => {
    const { code, stdout, stderr } = await shell(`ulimit -f 0; weft ${command}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]*the file would become larger[^\n]*\n$/);
    expect(await readdir(folder)).toEqual(['a.lfts', 'f.net']);
    expect(await shell(`weft ${command}`)).toMatchObject({ code: 0 });
    expect((await readdir(folder)).length).toBe(3);
  });
});

describe('few files that may be open', () => {
  const sweep = `sweep s.yaml --seeds 1..40 --jobs 2 --quiet --out made`;
  const scenario = `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }
traffic: { transfers: [{ source: 0, destination: 3, size: 1MB }] }
`;

  it.each([20, 24, 32, 48])('as %d: what there is too little of, and what to do, without a stack', async (most) => {
    await writeFile(join(folder, 's.yaml'), scenario);
    const { code, stdout, stderr } = await shell(`ulimit -n ${most}; weft ${sweep}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: too many open files[^\n]*\n {2}hint: {3}allow more \(ulimit -n 1024\)[^\n]*\n$/);
  });

  it('as workers need more: the sweep is carried out without them', async () => {
    await writeFile(join(folder, 's.yaml'), scenario);
    // nothing is said of one that could not begin before all was done
    const { code, stderr } = await shell(`ulimit -n 110; weft ${sweep}`);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^(note: a worker process could not begin \([^\n]*\); the work goes on without it\n)*$/);
  });
});

/** A file system of a megabyte, where this user may mount one. */
const disk = join(tmpdir(), `weft-full-disk-${process.pid}`);
function mount(): boolean {
  try {
    mkdirSync(disk, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('no file system can be mounted here: tests on a full disk are skipped\n');
    return false;
  }
}

describe('a full disk', () => {
  let isMounted = false;
  beforeAll(() => {
    isMounted = mount();
  });
  afterAll(async () => {
    if (isMounted) execFileSync('umount', [disk]);
    await rm(disk, { recursive: true });
  });

  it.each(writers)('%s: one line, nothing left, and it works once there is room', async (command) => {
    if (!isMounted) return;
    const there = command.replaceAll('made', `${disk}/made`);
    for (let size = 1 << 19; size >= 1; size >>= 1) {
      try {
        writeFileSync(join(disk, `fill${size}`), Buffer.alloc(size));
      } catch {
        await rm(join(disk, `fill${size}`));
      }
    }
    const filled = readdirSync(disk);
    const { code, stdout, stderr } = await shell(`weft ${there}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: [^\n]*no space left on the device[^\n]*\n$/);
    expect(readdirSync(disk)).toEqual(filled);
    for (const name of filled) await rm(join(disk, name));
    expect(await shell(`weft ${there}`)).toMatchObject({ code: 0 });
    for (const name of readdirSync(disk)) await rm(join(disk, name), { recursive: true });
  });
});

describe.skipIf(!existsSync('/dev/full'))('standard output', () => {
  it.each([
    'schema',
    '--help',
    '--version',
    'demo',
    'topology generate dumbbell',
    'topology check f.net --json',
    `run ${example} --quiet --json`,
    `run ${example} --quiet --backend analytical,fluid --json`,
    'collective allreduce --fabric dcn+ --gpus 16 --sizes 1KiB --quiet --json',
    'compare-fabrics --gpus 16 --backend analytical --quiet --json',
    'route evaluate --fabric f.net --tables a.lfts --json',
    'route compute --fabric f.net --algorithm dmodk --json',
    'route compare --fabric f.net --algorithms dmodk --traffic stencil --json',
    'route model --fabric f.net --traffic stencil --out m.lp --json',
    'traffic stats --fabric f.net --traffic stencil --json',
  ])('%s on a full disk: one line', async (command) => {
    const { code, stderr } = await shell(`weft ${command} >/dev/full`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: standard output: no space left on the device\n' });
  });

  it('and standard error on a full disk: the exit code alone', async () => {
    expect(await shell('weft schema >/dev/full 2>/dev/full')).toEqual({ code: 1, stdout: '', stderr: '' });
    expect(await shell('weft run none.yaml 2>/dev/full')).toEqual({ code: 2, stdout: '', stderr: '' });
  });

  it('without a reader: nothing is said', async () => {
    expect(await shell('weft schema | head -c 1')).toEqual({ code: 0, stdout: '{', stderr: '' });
  });
});

describe('a signal while a solver outside searches', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the solver and leaves no folder', async (signal, code) => {
    const pid = join(folder, 'pid');
    const stub = stubProgram(
      'highs',
      '',
      null,
      `fs.writeFileSync(${JSON.stringify(pid)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    try {
      const temporary = join(folder, 'tmp');
      mkdirSync(temporary);
      const child = spawn(
        process.execPath,
        `${program} route compute --fabric f.net --algorithm basic-mcf --solver highs --traffic random-permutation --time 1min`.split(
          ' ',
        ),
        { cwd: folder, env: { ...process.env, TMPDIR: temporary }, stdio: 'ignore' },
      );
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const solver = await pidIn(pid);
      expect(readdirSync(temporary)).toHaveLength(1);
      child.kill(signal);
      expect(await ended).toBe(code);
      expect(() => process.kill(solver, 0)).toThrow('ESRCH');
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      stub.remove();
    }
  });
});

async function pidIn(path: string): Promise<number> {
  for (;;) {
    if (existsSync(path) && readFileSync(path, 'utf8') !== '') return Number(readFileSync(path, 'utf8'));
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}
