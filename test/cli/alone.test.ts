// `weft run --alone`: a job's time by itself is that of a scenario with this job alone.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
const fabric =
  'fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, spineRate: 100Gbps }\nbackend: fluid\ncollectives: { algorithm: ring, channels: 1 }\n';
const job = (name: string, ranks: string): string =>
  `  - { name: ${name}, ranks: '${ranks}', layers: [ { name: g, forward: { compute: 1us, collective: allreduce, group: dp, size: 8MiB } } ] }\n`;

let folder = '';
const at = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-alone-'));
  await writeFile(at('both.yaml'), `${fabric}jobs:\n${job('a', '0,2')}${job('b', '1,3')}`);
  await writeFile(at('b.yaml'), `${fabric}jobs:\n${job('b', '1,3')}`);
  await writeFile(
    at('none.yaml'),
    'fabric: { generate: dumbbell }\ntraffic: { transfers: [ { source: 0, destination: 7, size: 1KB } ] }\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Alone {
  readonly name: string;
  readonly togetherNs: number;
  readonly aloneNs: number;
  readonly slowdown: number;
}

it('two rings over one spine link take nearly twice as long together; alone, each as if it were', async () => {
  const { code, stdout } = await weft('run', at('both.yaml'), '--alone', '--json', '--out', at('out'));
  expect(code).toBe(0);
  const summary = JSON.parse(stdout) as { alone: Alone[]; digest: string; jobs: { ranks: { max: number } }[] };
  const lone = JSON.parse((await weft('run', at('b.yaml'), '--json')).stdout) as {
    workload: { ranks: { max: number } };
  };
  expect(summary.alone.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(summary.alone[1]!.aloneNs).toBe(lone.workload.ranks.max);
  expect(summary.alone.map(({ togetherNs }) => togetherNs)).toEqual(summary.jobs.map(({ ranks }) => ranks.max));
  for (const { slowdown, togetherNs, aloneNs } of summary.alone) {
    expect(slowdown).toBe(togetherNs / aloneNs);
    expect(Math.abs(slowdown - 2)).toBeLessThan(0.1);
  }
  expect(JSON.parse(await readFile(join(at('out'), 'summary.json'), 'utf8'))).toMatchObject({ alone: summary.alone });
  // the run itself is the one without --alone
  const plain = JSON.parse((await weft('run', at('both.yaml'), '--json')).stdout) as { digest: string };
  expect(summary.digest).toBe(plain.digest);
  expect(plain).not.toHaveProperty('alone');
  expect((await weft('run', at('both.yaml'), '--alone')).stdout).toMatch(/job +together +alone +slow-down/);
});

it('is refused without jobs, and of several backends', async () => {
  for (const [words, message] of [
    [[at('none.yaml')], 'this scenario has no job'],
    [[at('both.yaml'), '--backend', 'analytical,fluid'], '--alone is of one backend'],
  ] as const) {
    const { code, stderr } = await weft('run', ...words, '--alone');
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
