// No output takes the place of a file that the command reads, with --force, too, whatever its path; nor of a file of a
// run. Every command that reads files and writes others.

import { link, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
let folder = '';
const at = (...names: string[]): string => join(folder, ...names);
const job = `workload:
  tensorParallel: 8
  layers: [{ name: only, forward: { compute: 10us, collective: allreduce, size: 1MiB, group: tp } }]
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-inputs-'));
  const fabric = ['leaf-spine', '--leaves', '2', '--spines', '2', '--hosts-per-leaf', '4'];
  expect((await weft('topology', 'generate', ...fabric, '--out', at('a.topo'))).code).toBe(0);
  await writeFile(
    at('s.yaml'),
    `fabric: { file: a.topo }\ntraffic: { transfers: [{ source: 0, destination: 5, size: 1MB }] }\n`,
  );
  await writeFile(at('again.yaml'), (await readFile(at('s.yaml'), 'utf8')).replace('a.topo', 'run/fabric.topo'));
  await writeFile(at('job.yaml'), `fabric: { file: a.topo }\n${job}`);
  await writeFile(at('t.csv'), 'source,destination,bytes\n0,5,100\n1,6,100\n');
  await writeFile(at('sizes.txt'), '100 0\n1000 100\n');
  for (const name of ['nccl.log', 'nccl.yaml']) await writeFile(at(name), ncclLog);
  expect((await weft('run', at('s.yaml'), '--out', at('run'), '--quiet')).code).toBe(0);
  const tables = ['--algorithm', 'minhop', '--out', at('a.lfts')];
  expect((await weft('route', 'compute', '--fabric', at('a.topo'), ...tables)).stderr).toBe('');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ncclLog = `# nThread 1 nGpus 1 minBytes 1024 maxBytes 4096 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
${Array.from({ length: 8 }, (_, i) => `#  Rank  ${i} Group  0 Pid  100 on  a device  ${i} [0x00] NVIDIA H100`).join('\n')}
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    50.00   20.97   36.70      0
     2097152        524288     float     sum      -1    80.00   26.21   45.87      0    80.00   26.21   45.87      0
`;

/** Command lines; `@` stands for the folder, OUT for the output. The file is that which each reads. */
const commands: readonly (readonly [file: string, words: string])[] = [
  ['s.yaml', 'run @s.yaml --quiet --report OUT'],
  ['a.topo', 'run @s.yaml --quiet --report OUT'],
  ['a.topo', 'collective allreduce --fabric @a.topo --compare @nccl.log --figure OUT'],
  ['nccl.log', 'collective allreduce --fabric @a.topo --compare @nccl.log --figure OUT'],
  ['nccl.yaml', 'calibrate --fabric @a.topo --measured @nccl.yaml --out OUT'],
  ['run/flows.parquet', 'report @run --out OUT'],
  ['run/flows.parquet', 'compare @run @run --csv OUT'],
  ['run/paths.csv', 'analyze flows @run --out OUT'],
  ['run/flows.parquet', 'analyze fct @run --csv OUT'],
  ['run/manifest.json', 'analyze fct @run --csv OUT'],
  ['t.csv', 'traffic write --fabric @a.topo --traffic @t.csv --out OUT'],
  ['a.topo', 'traffic write --fabric @a.topo --traffic @t.csv --out OUT'],
  ['job.yaml', 'workload write @job.yaml --out OUT'],
  ['sizes.txt', 'trace generate poisson --sizes @sizes.txt --flows 5 --out OUT'],
  ['a.topo', 'route compute --fabric @a.topo --algorithm minhop --out OUT'],
  ['t.csv', 'route compute --fabric @a.topo --algorithm minhop --traffic @t.csv --figure OUT'],
  ['a.lfts', 'route evaluate --fabric @a.topo --tables @a.lfts --traffic @t.csv --figure OUT'],
  ['a.lfts', 'route import --fabric @a.topo --tables @a.lfts --out OUT'],
  ['a.lfts', 'route source-ports --fabric @a.topo --tables @a.lfts --traffic @t.csv --out OUT'],
  ['a.lfts', 'route compare --fabric @a.topo --tables @a.lfts --traffic @t.csv --figure OUT'],
  ['a.lfts', 'route repair --fabric @a.topo --current @a.lfts --out OUT'],
];

/** Carries a command out with --force. */
function carriedOut(words: string, out: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return weft(...words.split(' ').map((word) => (word === 'OUT' ? out : word.replace('@', `${folder}/`))), '--force');
}

describe('an output in the place of an input', () => {
  it.each(commands)('%s: weft %s', async (file, words) => {
    const before = await readFile(at(file));
    const { code, stderr } = await carriedOut(words, at(file));
    expect(stderr).toMatch(/so it is left as it is, with --force, too\n {2}hint: {3}give another path\n$/);
    expect(code).toBe(2);
    expect((await readFile(at(file))).equals(before)).toBe(true);
  });

  it('is known by what it is, not by its path', async () => {
    await symlink(at('a.topo'), at('symbolic.svg'));
    await link(at('a.topo'), at('hard.svg'));
    await symlink(folder, at('same'));
    const words = 'route compute --fabric @a.topo --algorithm minhop --traffic @t.csv --figure OUT';
    for (const out of [at('symbolic.svg'), at('hard.svg'), `${folder}/./a.topo`, at('same', 'a.topo')]) {
      const { code, stderr } = await carriedOut(words, out);
      expect([code, stderr]).toEqual([2, expect.stringContaining('so it is left as it is') as unknown]);
    }
    expect((await stat(at('a.topo'))).nlink).toBe(2);
  });

  it('is a file of a run that the command does not read', async () => {
    const { stderr } = await carriedOut('trace generate poisson --flows 5 --out OUT', at('run', 'fct.txt'));
    expect(stderr).toContain(`belongs to the run in ${at('run')}, so it is left as it is`);
  });

  it('is the folder of a run that has it, without --force, too', async () => {
    const { code, stderr } = await weft('run', at('again.yaml'), '--out', at('run'), '--quiet');
    expect(code).toBe(2);
    expect(stderr).toContain(`${at('run')}: error: holds ${at('run', 'fabric.topo')}, which this run reads`);
    expect((await weft('analyze', 'fct', at('run'))).code).toBe(0);
  });

  it('is none of another command before it', async () => {
    expect((await weft('topology', 'check', at('hard.svg'))).code).toBe(0);
    expect((await carriedOut('trace generate poisson --flows 5 --out OUT', at('hard.svg'))).code).toBe(0);
  });
});
