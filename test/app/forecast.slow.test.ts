// Forecasts of the examples as whole processes: memory, flows, packet-hops and disk within a factor of three of what
// they take. The largest, compare-fabrics on packets, takes minutes and is left to `npm run forecasts`.

import { describe, expect, it } from 'vitest';
import { exampleScenarios, forecastAndRun } from '../../validation/forecast.js';

const cases = exampleScenarios().flatMap((path) =>
  ['analytical', 'fluid', 'packet'].map((backend) => [path, backend] as const),
);

describe('a forecast', () => {
  it.each(cases.filter(([path, backend]) => !(path.includes('compare-fabrics') && backend === 'packet')))(
    '%s on %s',
    async (path, backend) => {
      const lines = await forecastAndRun(path, backend);
      expect(lines.map(({ what }) => what)).toEqual(expect.arrayContaining(['flows', 'memory', 'disk']));
      for (const { what, forecast, found } of lines) {
        if (what === 'CPU time') continue;
        const ratio = forecast === found ? 1 : forecast / found;
        expect(`${what} ${ratio > 1 / 3 && ratio < 3 ? 'within' : `${forecast} beside ${found}`}`).toBe(
          `${what} within`,
        );
      }
    },
    120_000,
  );
});
