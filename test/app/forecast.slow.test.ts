// Forecasts of the examples as whole processes: memory, flows, packet-hops and disk within a factor of three of what
// they take. Every second example runs, on one backend, both drawn by the seed; what takes longer than ten seconds is left
// to `npm run forecasts`, as are the other backends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleScenarios, forecastAndRun } from '../../validation/forecast.js';
import { expectForecast } from '../support/forecast-beside-run.js';
import { seed } from '../support/seed.js';

const backends = ['analytical', 'fluid', 'packet'] as const;
const longOn: Readonly<Record<string, readonly string[]>> = {
  'examples/training/gpt3-13b.yaml': ['fluid', 'packet'],
  'examples/training/training.yaml': ['packet'],
  'examples/central-controller/eight-rings.yaml': ['packet'],
};

const cases = exampleScenarios().flatMap((path, place) => {
  const left = path.includes('compare-fabrics') ? ['packet'] : (longOn[path] ?? []);
  const short = backends.filter((backend) => !left.includes(backend));
  // which half, and then which backend: over six seeds each example runs on every backend that is short
  const drawn = Math.floor(seed / 2) + place;
  return (seed + place) % 2 === 0 ? [[path, short[drawn % short.length]!] as const] : [];
});

describe('a forecast', () => {
  it.each(cases)(`%s on %s (WEFT_SEED=${seed})`, async (path, backend) => {
    const lines = await forecastAndRun(path, backend);
    expect(lines.map(({ what }) => what)).toEqual(expect.arrayContaining(['flows', 'memory', 'disk']));
    for (const { what, forecast, found } of lines) {
      if (what === 'CPU time') continue;
      const ratio = forecast === found ? 1 : forecast / found;
      expect(`${what} ${ratio > 1 / 3 && ratio < 3 ? 'within' : `${forecast} beside ${found}`}`).toBe(`${what} within`);
    }
  });
});

const folder = mkdtempSync(join(tmpdir(), 'weft-forecast-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(['packet', 'credit'])('two-jobs on %s: flows and packet-hops as they are', (backend) =>
  expectForecast('two-jobs/two-jobs.yaml', backend, folder),
);
