// Whatever else is set: a setting that the plan says has no effect can be left out, and the run is the same.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { InputError } from '../../src/base/diagnostics.js';
import { effectCases, setsOf } from '../scenario/effects/cases.js';
import { burst, collision, crossed, lossy, planes, pressure } from '../scenario/effects/scenarios.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** --set texts that give one setting a value, of all settings that do not name parts of a certain fabric. */
const sets = Object.entries(effectCases)
  .filter(([path]) => !/^(fabric|failures|traffic|probes)\./.test(path))
  .flatMap(([path, effect]) => [setsOf(path, effect, 0), setsOf(path, effect, 1)])
  .filter((texts) => texts.length === 1)
  .map(([text]) => text!);

/** Settings under which others have no effect. */
const conditions = [
  ...Object.keys(mechanisms.congestionControls).map((algorithm) => `congestion.algorithm=${algorithm}`),
  'ecn.enabled=false',
  'ecn.enabled=true',
  'pfc.enabled=false',
  'queuePair.rateBound=false',
  'queuePair.variableWindow=false',
  'queuePair.window=unlimited',
  'failures={ convergenceTime: 30us, events: [ { at: 20us, until: 60us, rate: 30Gbps, link: 0:1 } ] }',
  'failures={ convergenceTime: 30us, events: [ { at: 20us, until: 60us, link: 0:1 } ] }',
];

const nameOf = (text: string): string => text.slice(0, text.indexOf('='));

/** The run; null if the settings do not go together. */
async function runOrNull(scenario: string, given: readonly string[]): Promise<ScenarioRun | null> {
  try {
    return await scenarioRun(scenario, given);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

it(`settings that are said to have no effect have none (WEFT_SEED=${seed})`, async () => {
  let checked = 0;
  const subset = fc
    .tuple(fc.subarray(conditions, { maxLength: 4 }), fc.subarray(sets, { minLength: 1, maxLength: 6 }))
    .map(([some, others]) => Array.from(new Map(some.concat(others).map((text) => [nameOf(text), text])).values()));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(burst, collision, crossed, lossy, planes, pressure),
      subset,
      fc.nat(),
      async (scenario, given, choice) => {
        const run = await runOrNull(scenario, given);
        const useless = (run?.warnings ?? [])
          .flatMap((message) => (/ has no effect: /.exec(message) === null ? [] : [message.split(' ')[0]!]))
          .filter((path) => given.some((text) => nameOf(text) === path));
        if (run === null || useless.length === 0) return;
        const path = useless[choice % useless.length]!;
        const without = await scenarioRun(
          scenario,
          given.filter((text) => nameOf(text) !== path),
        );
        expect([path, without.summary.digest]).toEqual([path, run.summary.digest]);
        checked++;
      },
    ),
    { seed, numRuns: 100 },
  );
  expect(checked).toBeGreaterThan(15);
});
