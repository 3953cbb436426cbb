// Runs of several backends side by side: which figures, their differences, what is missing, and 80 columns.

import { expect, it } from 'vitest';
import {
  backendComparisonObject,
  backendComparisonText,
  comparedFigures,
} from '../../src/report/backend-comparison.js';
import { plainStyle } from '../../src/report/text-style.js';
import { figuresWith, inferenceWith } from '../support/hand-made-run.js';
import { jobWith, kinds, rankWith } from '../support/hand-made-job.js';

const job = jobWith({ stages: [rankWith({ communicationPs: kinds({ TP: 3e6 }), exposedPs: kinds({ TP: 2e6 }) })] });
const fluid = figuresWith({ backend: 'fluid', simulatedPs: 900e6, jobs: [job] });
const packet = figuresWith({ backend: 'packet', simulatedPs: 1000e6, jobs: [job] });
const analytical = figuresWith({ backend: 'analytical', simulatedPs: 100e6, flows: 0, finished: 0, jobs: [job] });

it('differences are relative to the last run', () => {
  const [total] = comparedFigures([analytical, fluid, packet]);
  expect(total).toMatchObject({ entry: { key: 'total', unit: 'ns' }, values: [100e3, 900e3, 1000e3] });
  expect(total!.difference.map((value) => value!.toFixed(6))).toEqual(['-0.900000', '-0.100000', '0.000000']);
});

it('what a run does not have is missing, not 0', () => {
  const mean = comparedFigures([analytical, fluid]).find(({ entry }) => entry.key === 'completion mean');
  expect(mean!.values).toEqual([null, 1_271_100]);
  expect(mean!.difference).toEqual([null, 0]);
  const last = comparedFigures([fluid, analytical]).find(({ entry }) => entry.key === 'completion mean');
  expect(last!.difference).toEqual([null, null]);
  expect(comparedFigures([analytical]).some(({ entry }) => entry.key.startsWith('completion'))).toBe(false);
});

it('computation, communication and waits are those of rank 0', () => {
  const figures = comparedFigures([fluid, packet]);
  const [first] = job.stages;
  expect(figures.find(({ entry }) => entry.key === 'computes')!.values).toEqual([
    first!.computePs / 1000,
    first!.computePs / 1000,
  ]);
  expect(figures.find(({ entry }) => entry.key === 'waits for TP')!.values[0]).toBe(first!.exposedPs.TP / 1000);
  expect(figures.find(({ entry }) => entry.key === 'TP under way')!.values[0]).toBe(first!.communicationPs.TP / 1000);
});

it('what requests waited for is compared, if there were any', () => {
  const figures = comparedFigures([
    figuresWith({ inference: inferenceWith(0, 0) }),
    figuresWith({ inference: inferenceWith(2, 500) }),
    figuresWith({ inference: inferenceWith(2, 1000) }),
  ]);
  const values = (name: string) => figures.find(({ entry }) => entry.key === name)!.values;
  expect(values('waits for KV mean')).toEqual([null, 500, 1000]);
  expect(values('first token mean')).toEqual([null, 5000, 10_000]);
  expect(values('first token p99')).toEqual([null, 10_000, 20_000]);
  expect(comparedFigures([packet]).some(({ entry }) => entry.key.includes('token'))).toBe(false);
});

it('one run alone is compared with nothing', () => {
  const text = backendComparisonText('gpt', [packet], [], plainStyle);
  expect(text).toContain('gpt on 1 backend\n');
  expect(text).not.toContain('Percentages');
});

it('fits 80 columns and names failed checks', () => {
  const failed = figuresWith({
    backend: 'packet',
    verdicts: [{ name: 'conservation', ok: false, detail: 'one byte is missing' }],
  });
  const text = backendComparisonText(
    'gpt',
    [analytical, fluid, failed],
    ['out/analytical', 'out/fluid', 'out/packet'],
    plainStyle,
  );
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(text).toContain('1 of 1 FAILED');
  expect(text).toContain('failed on packet: conservation: one byte is missing');
  expect(text).toContain('out/fluid');
});

it('is one object with nanoseconds by backend', () => {
  expect(
    backendComparisonObject({ weftVersion: '1', name: 'n', seed: 3 }, [fluid, packet], [{ a: 1 }, { b: 2 }]),
  ).toMatchObject({
    name: 'n',
    seed: 3,
    outcome: 'finished',
    relativeTo: 'packet',
    runs: [{ a: 1 }, { b: 2 }],
    figures: expect.arrayContaining([
      expect.objectContaining({ name: 'total', unit: 'ns', values: { fluid: 900_000, packet: 1_000_000 } }),
    ]) as unknown,
  });
});
