// The `workload` block of scenarios, with random settings of generated iterations.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Setting } from '../../src/base/settings.js';
import { trainingSettings } from '../../src/workload/training-settings.js';
import { readWorkload } from '../support/read-workload.js';
import { seed } from '../support/seed.js';

/** A value of a setting: mostly small, so that many combinations work, sometimes as large as it may be. */
function valueOf(setting: Setting): fc.Arbitrary<string | number | boolean> {
  switch (setting.kind) {
    case 'flag':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...setting.choices);
    case 'fraction':
      return fc.double({ min: setting.minimum ?? 0, max: setting.maximum ?? 1, noNaN: true });
    case 'count':
      return fc.oneof(
        { weight: 30, arbitrary: fc.nat(4).map((exponent) => Math.min(setting.maximum, 1 << exponent)) },
        { weight: 1, arbitrary: fc.constantFrom(setting.minimum, setting.maximum) },
      );
    case 'names':
      return fc.constant('');
    default:
      return fc.constant(setting.default);
  }
}

it(`any settings give a workload or errors with a place, and those resolved give the same (WEFT_SEED=${seed})`, async () => {
  const names = Object.keys(trainingSettings) as (keyof typeof trainingSettings)[];
  const settings = fc
    .subarray(names, { maxLength: 6 })
    .chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, valueOf(trainingSettings[name])]))));
  let workloads = 0;
  await fc.assert(
    fc.asyncProperty(settings, async (given) => {
      const first = await readWorkload(stringify({ workload: { generate: 'transformer', ...given } }));
      for (const { line, column } of first.diagnostics) expect([line >= 2, column >= 1]).toEqual([true, true]);
      if (first.workload === null) return;
      workloads++;
      const again = await readWorkload(stringify({ workload: first.resolved }));
      expect([again.workload, again.resolved]).toEqual([first.workload, first.resolved]);
    }),
    { seed, numRuns: 150 },
  );
  expect(workloads).toBeGreaterThan(10);
});
