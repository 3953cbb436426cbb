// Forecasts of the examples as whole processes: memory, flows, packet-hops and disk within a factor of three of what
// they take. What takes minutes (compare-fabrics on packets, GPT-3 13B unless in closed forms) is left to
// `npm run forecasts`.

import { describe, expect, it } from 'vitest';
import { exampleScenarios, forecastAndRun } from '../../validation/forecast.js';

const cases = exampleScenarios().flatMap((path) =>
  ['analytical', 'fluid', 'packet'].map((backend) => [path, backend] as const),
);

const takesMinutes = (path: string, backend: string): boolean =>
  path.includes('gpt3-13b') ? backend !== 'analytical' : path.includes('compare-fabrics') && backend === 'packet';

describe('a forecast', () => {
  it.each(cases.filter(([path, backend]) => !takesMinutes(path, backend)))(
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
