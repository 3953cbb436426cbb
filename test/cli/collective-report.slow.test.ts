// `weft collective --out` and `--report`: what is kept says what the command prints, and its page begins with it.

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { openRun } from '../../src/storage/run-reader.js';
import { scriptedContext } from '../support/command-context.js';

const fabric = '--fabric leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 2';
const ring = `collective allreduce ${fabric} --algorithm ring --channels 1 --sizes 1MiB --backend fluid`;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-collective-report-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function weft(line: string) {
  const world = scriptedContext({ simulate });
  const code = await runProgram(line.split(' '), world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

it('keeps a run whose summary has the row and the verdict that are printed', async () => {
  const out = join(folder, 'ring');
  const { code, stdout } = await weft(`${ring} --out ${out} --json`);
  const printed = JSON.parse(stdout) as { verdict: string; rows: readonly { timeUs: number; flows: number }[] };
  const summary = JSON.parse(await readFile(join(out, 'summary.json'), 'utf8')) as Record<string, unknown>;
  const [row] = printed.rows;
  expect({ code, verdict: summary['verdict'], basis: summary['verdictBasis'] }).toEqual({
    code: 0,
    verdict: printed.verdict,
    basis: 'moves',
  });
  expect(summary['collective']).toMatchObject({ timeUs: row!.timeUs, algorithm: 'ring', flows: row!.flows });
  // a ring over 8 ranks has 2 x 7 steps, and 8 transfers of an eighth of the buffer in each
  const run = await openRun(out);
  const moves = run.tables.get('moves')!;
  const perStep = new Map<number, number>();
  for await (const piece of moves.pieces(['step']))
    for (const step of piece.numbers('step')) perStep.set(step, (perStep.get(step) ?? 0) + 1);
  const chunks = perStep.get(0)! / 8;
  expect([...perStep]).toEqual(Array.from({ length: 14 }, (_, step) => [step, 8 * chunks]));
});

it('has a page that begins with the verdict and has the steps of each rank', async () => {
  const page = join(folder, 'ring.html');
  const { code, stdout } = await weft(`${ring} --report ${page}`);
  expect(code).toBe(0);
  expect(stdout).toMatch(/# .*ring\.html: 1 run, \d+ charts/);
  const text = await readFile(page, 'utf8');
  const verdict = stdout
    .split('\n')
    .filter((line) => line.startsWith('# ') && /bound|need|NICs/.test(line))
    .map((line) => line.slice(2))
    .join(' ');
  expect(text.indexOf(verdict.slice(0, 60))).toBeGreaterThan(0);
  expect(text.indexOf(verdict.slice(0, 60))).toBeLessThan(text.indexOf('Time of the collective'));
  expect(text).toContain('allreduce of 1MiB, 8 ranks on leaf-spine');
  expect(text).toContain('"id":"steps"');
  // nobody asked for the folder
  await expect(stat(join(folder, 'run'))).rejects.toThrow('ENOENT');
});

it('tells what does not go together, and that a diagnosis needs a scenario', async () => {
  const out = join(folder, 'other');
  for (const [words, said] of [
    ['--sizes 1KiB..4KiB', 'one collective is kept at a time'],
    ['--explain', 'a run that is kept prints its row alone'],
    [`--flow-graph ${out}.jsonl`, 'a run that is kept prints its row alone'],
  ] as const) {
    const { code, stderr } = await weft(`collective allreduce ${fabric} --out ${out} ${words}`);
    expect({ code, said: stderr.includes(said) }, words).toEqual({ code: 2, said: true });
  }
  await weft(`${ring} --out ${out} --quiet`);
  const { code, stderr } = await weft(`diagnose ${out}`);
  expect({ code, said: stderr.includes('this is a run of weft collective') }).toEqual({ code: 2, said: true });
});
