// `weft compare`: groups by settings, flows matched and told, significance over seeds.

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { figureChange, flowChanges, type ComparedFlows } from '../../src/measurement/run-comparison.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { changeSealed } from '../support/changed-manifest.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
let folder = '';
const at = (name: string): string => join(folder, name);

interface Comparison {
  readonly groups: readonly {
    readonly runs: readonly string[];
    readonly seeds: readonly number[];
    readonly settings: readonly (readonly string[])[];
    readonly figures: readonly {
      name: string;
      before: number;
      after: number;
      change: number;
      spread: string;
      test: { test: string; p: number } | null;
    }[];
    readonly flows: { matched: number; faster: number; slower: number; onlyBefore: number; onlyAfter: number };
    readonly largest: readonly { flowId: number; beforeNs: number; afterNs: number }[];
  }[];
}

async function compare(...words: string[]): Promise<Comparison> {
  const { code, stdout, stderr } = await weft('compare', ...words, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Comparison;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-compare-runs-'));
  for (const name of ['controller', 'no-controller'])
    expect((await weft('run', `examples/server-pair/${name}.yaml`, '--out', at(name), '--quiet')).code).toBe(0);
  // losses are drawn by the seed: an error rate on the one link between two leaves
  await writeFile(
    at('lossy.yaml'),
    'fabric: { generate: dumbbell, leftHosts: 2, rightHosts: 2, errorRate: 0.01 }\necn: { enabled: false }\ntraffic:\n  transfers:\n    - { source: 0, destination: 2, size: 100KB }\n    - { source: 1, destination: 3, size: 100KB }\n',
  );
  for (const seed of [1, 2, 3, 4, 5, 6])
    for (const [name, rate] of [
      ['a', '100Gbps'],
      ['b', '1Gbps'],
    ] as const) {
      const words = ['--set', `fabric.bottleneckRate=${rate}`, '--seed', String(seed), '--out', at(`${name}${seed}`)];
      expect((await weft('run', at('lossy.yaml'), ...words, '--quiet')).code).toBe(0);
    }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('weft compare', () => {
  it("says of the source's first experiment what changed", async () => {
    const { groups } = await compare(at('no-controller'), at('controller'));
    const [group] = groups;
    expect(group!.settings).toEqual([['controller.enabled', 'false', 'true']]);
    const figure = (name: string) => group!.figures.find((own) => own.name === name)!;
    // -33 % mean and -50 % maximum
    expect(figure('mean completion').change).toBeCloseTo(-0.33, 2);
    expect(figure('longest').change).toBeCloseTo(-0.5, 2);
    expect(figure('longest')).toMatchObject({ spread: 'unknown', test: null });
    expect(group!.flows).toMatchObject({ matched: 8, faster: 4, slower: 0, onlyBefore: 0, onlyAfter: 0 });
    expect(group!.largest.map(({ flowId }) => flowId).sort()).toEqual([2, 4, 5, 6]);
  });

  it('says of a run that was stopped that its flows are not all', async () => {
    await cp(at('no-controller'), at('stopped'), { recursive: true });
    await changeSealed(at('stopped/manifest.json'), (text) =>
      text.replace('"outcome": "finished"', '"outcome": "stopped"'),
    );
    const told = `${at('stopped')}: warning: this run was stopped\n  found: only the flows that had finished then\n`;
    for (const words of [
      ['compare', at('controller'), at('stopped')],
      ...['fct', 'collisions', 'ports', 'flows'].map((what) => ['analyze', what, at('stopped')]),
    ])
      expect([words[1], (await weft(...words)).stderr]).toEqual([words[1], told]);
  });

  it('is the same of the text files', async () => {
    const { groups } = await compare(join(at('no-controller'), 'fct.txt'), join(at('controller'), 'fct.txt'));
    expect(groups[0]!.flows).toMatchObject({ matched: 8, faster: 4, slower: 0 });
    expect(groups[0]!.figures[0]!.change).toBeCloseTo(-0.33, 2);
  });

  it('takes runs that differ in their seed for one group, and tests pairs of seeds', async () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const { groups } = await compare(...seeds.map((seed) => at(`a${seed}`)), ...seeds.map((seed) => at(`b${seed}`)));
    expect(groups).toHaveLength(1);
    expect(groups[0]!.seeds).toEqual(seeds);
    const [mean] = groups[0]!.figures;
    // every pair is slower by far: of the 2^6 signs one is as extreme, on either side
    expect(mean).toMatchObject({ spread: 'some', test: { test: 'wilcoxon-signed-rank' } });
    expect(mean!.test!.p).toBeCloseTo(2 / 64, 12);
    const unpaired = await compare(at('a1'), at('a2'), at('a3'), at('a4'), at('b3'), at('b4'), at('b5'), at('b6'));
    expect(unpaired.groups[0]!.figures[0]!.test).toMatchObject({ test: 'mann-whitney' });
    // by counting: of the 70 ways to choose four of eight ranks, those whose sum is as small, or as large, as seen
    const means: number[] = [];
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b3', 'b4', 'b5', 'b6'])
      means.push(
        (JSON.parse(await readFile(join(at(name), 'summary.json'), 'utf8')) as { fct: { meanNs: number } }).fct.meanNs,
      );
    const ranks = means.map((mean) => means.filter((other) => other <= mean).length);
    const sums = Array.from({ length: 256 }, (_, mask) => ranks.filter((_rank, i) => (mask >>> i) & 1))
      .filter((chosen) => chosen.length === 4)
      .map((chosen) => chosen.reduce((sum, rank) => sum + rank, 0));
    const seen = ranks.slice(0, 4).reduce((sum, rank) => sum + rank, 0);
    const tail = Math.min(sums.filter((sum) => sum <= seen).length, sums.filter((sum) => sum >= seen).length);
    expect(unpaired.groups[0]!.figures[0]!.test!.p).toBeCloseTo((2 * tail) / 70, 12);
    const { stdout } = await weft('compare', at('a1'), at('a2'), at('b1'), at('b2'));
    expect(stdout).toContain('cannot be below 0.500');
  });

  it('writes every flow, and fits 80 columns', async () => {
    await weft('compare', at('no-controller'), at('controller'), '--csv', at('all.csv'));
    expect((await readFile(at('all.csv'), 'utf8')).trimEnd().split('\n')).toHaveLength(9);
    const { stdout } = await weft('compare', join(at('a1'), 'fct.txt'), join(at('b1'), 'fct.txt'), '--threshold', '5');
    for (const line of stdout.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('needs two runs that differ', async () => {
    for (const words of [[at('a1')], [at('a1'), at('a2')]]) {
      const { code, stderr } = await weft('compare', ...words);
      expect([code, stderr]).toEqual([2, expect.stringContaining('nothing to compare')]);
    }
    const { groups } = await compare(at('a1'), at('a1'));
    expect(groups[0]!.flows).toMatchObject({ matched: 2, faster: 0, slower: 0 });
  });
});

const flows = (rows: readonly (readonly number[])[], isNumbered: boolean): ComparedFlows => ({
  flowId: Float64Array.from(rows, ([id]) => id!),
  source: Float64Array.from(rows, ([, source]) => source!),
  destination: new Float64Array(rows.length),
  sizeBytes: new Float64Array(rows.length),
  startPs: Float64Array.from(rows, ([, , start]) => start!),
  finishPs: Float64Array.from(rows, ([, , , finish]) => finish!),
  isNumbered,
});

const group = (...values: number[]) => ({ seeds: values.map((_value, i) => i), values });

describe('flows of two runs', () => {
  it('are matched by number, or in order of their start, and only between the same ends', () => {
    const before = [
      [0, 1, 0, 10],
      [1, 1, 5, 25],
      [2, 7, 0, 10],
    ];
    const after = [
      [1, 1, 0, 12],
      [0, 1, 5, 25],
      [2, 8, 0, 10],
    ];
    const numbered = flowChanges(flows(before, true), flows(after, true), 0);
    expect(numbered.changed.map(({ beforePs, afterPs }) => [beforePs, afterPs])).toEqual([
      [10, 20],
      [20, 12],
    ]);
    expect(numbered).toMatchObject({ matched: 2, onlyBefore: 1, onlyAfter: 1, faster: 1, slower: 1 });
    const byStart = flowChanges(flows(before, false), flows(after, false), 0);
    expect(byStart.changed.map(({ beforePs, afterPs }) => [beforePs, afterPs])).toEqual([[10, 12]]);
  });

  it('figures that no seed moves are exact, not significant', () => {
    expect(figureChange(group(3, 3, 3, 3, 3, 3), group(2, 2, 2, 2, 2, 2))).toMatchObject({
      spread: 'none',
      test: null,
    });
    expect(figureChange(group(3, 3), group(2, 4)).spread).toBe('some');
    expect(figureChange(group(0, 0), group(2, 4)).change).toBeNull();
  });
});
