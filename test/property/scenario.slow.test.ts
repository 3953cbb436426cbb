// Properties: a resolved scenario is a scenario that resolves to itself; text, however broken, gives a plan or
// positioned errors.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { InputError } from '../../src/base/diagnostics.js';
import { type PlainValue, resolveSetting, type Setting } from '../../src/base/settings.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { rateText, settingText, sizeText, timeText } from '../../src/base/quantity-text.js';
import { defaultForm } from '../../src/scenario/form/scenario-form.js';
import { settingProblem } from '../../src/scenario/form/setting-problem.js';
import { memoryHost } from '../memory-host.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const settingGroups = defaultForm().groups;

/** A plan, or the error that says what is wrong; anything else that is thrown is thrown on. */
async function planOrErrors(
  text: string,
  overrides: string[] = [],
  files: Record<string, string> = {},
): Promise<Plan | InputError> {
  try {
    return await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text, ...files }), overrides });
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

/**
 * A value that a setting accepts, as its exact text; quantities up to twice the default, so that many combinations
 * work.
 */
function valueOf(setting: Setting): fc.Arbitrary<PlainValue> {
  const upTo = (minimum: number, maximum = Infinity): fc.Arbitrary<number> =>
    fc.integer({
      min: minimum,
      max: Math.min(maximum, Math.max(1000, 2 * Number(resolveSetting(setting, setting.default)))),
    });
  switch (setting.kind) {
    case 'flag':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...setting.choices);
    case 'names':
      return fc.subarray([...setting.choices]);
    case 'count':
      return setting.orAuto === true
        ? fc.oneof(fc.constant('auto'), fc.integer({ min: setting.minimum, max: setting.maximum }))
        : fc.integer({ min: setting.minimum, max: setting.maximum });
    case 'fraction':
      return fc.oneof(
        ...(setting.words ?? []).map((word) => fc.constant<number | string>(word)),
        fc
          .double({
            min: setting.minimum ?? 0,
            max: Math.min(setting.maximum ?? 1, typeof setting.default === 'number' ? 2 * setting.default : 1),
            noNaN: true,
          })
          .map((x) => x + 0),
      );
    case 'time':
      return setting.orAuto === true
        ? fc.oneof(fc.constant('auto'), fc.integer({ min: 1, max: 1e12 }).map(timeText))
        : upTo(1).map(timeText);
    case 'rate':
      return setting.orAuto === true
        ? fc.oneof(fc.constant('auto'), fc.integer({ min: 1, max: 1e12 }).map(rateText))
        : upTo(1).map(rateText);
    case 'size': {
      const { words = [], minimum = 0, maximum } = setting;
      const sizes = words.includes(String(setting.default))
        ? fc.integer({ min: minimum, max: Math.min(maximum ?? Infinity, 1e6) })
        : upTo(minimum, maximum);
      return fc.oneof(...words.map((word) => fc.constant(word)), sizes.map(sizeText));
    }
  }
}

const bare = (kind: 'time' | 'rate' | 'size'): Setting => ({ kind, default: '', description: '' });

/** Some settings of some groups. */
const someSettings = fc.record(
  Object.fromEntries(
    Object.entries(settingGroups).map(([name, group]) => [
      name,
      fc.record(Object.fromEntries(Object.entries(group).map(([key, setting]) => [key, valueOf(setting)])), {
        requiredKeys: [],
      }),
    ]),
  ),
  { requiredKeys: [] },
);
const transfer = fc.record({
  start: fc.maxSafeNat().map(timeText),
  source: fc.nat(7),
  destination: fc.integer({ min: 8, max: 15 }),
  size: fc.integer({ min: 1, max: 2 ** 38 }),
});

it(`exact texts resolve to the values they were made of (WEFT_SEED=${seed})`, () => {
  const value = fc.oneof(
    fc.maxSafeNat(),
    fc.tuple(fc.nat(9999), fc.nat(11)).map(([mantissa, exponent]) => mantissa * 10 ** exponent),
    fc.tuple(fc.nat(9999), fc.nat(39)).map(([mantissa, exponent]) => mantissa * 2 ** exponent),
  );
  fc.assert(
    fc.property(value, fc.constantFrom('time' as const, 'size' as const, 'rate' as const), (x, kind) => {
      if (kind === 'rate' && x === 0) return;
      expect(resolveSetting(bare(kind), settingText(bare(kind), x))).toBe(x);
    }),
    { seed, numRuns: rounds(1000) },
  );
});

it(`a value has a problem exactly if it does not resolve (WEFT_SEED=${seed})`, () => {
  const settings = Object.values(settingGroups).flatMap((group) => Object.values(group));
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(
      '1us',
      '-1us',
      '3',
      '1e400us',
      '9kB',
      '0',
      '100Gbps',
      '0bps',
      'dcqcn',
      '1 furlong',
      '1e999',
      '2.5B',
      null,
      undefined,
    ),
    fc.constant({}),
    fc.constant([1]),
  );
  fc.assert(
    fc.property(fc.constantFrom(...settings), value, (setting, x) => {
      expect(settingProblem(setting, x) === null).toBe(resolveSetting(setting, x) !== null);
    }),
    { seed, numRuns: rounds(1000) },
  );
});

it(`a resolved scenario resolves to itself (WEFT_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      someSettings,
      fc.array(transfer, { minLength: 1, maxLength: 4 }),
      fc.maxSafeNat(),
      async (groups, transfers, runSeed) => {
        const fabric = { generate: 'dcn+', gpus: 16, nicsPerAsw: 8, bandwidth: '123Gbps' };
        const first = await planOrErrors(
          stringify({ name: 'n', seed: runSeed, fabric, traffic: { transfers }, ...groups }),
        );
        // Combinations may not work; the form of what was made is right.
        if (first instanceof InputError) {
          expect(
            first.diagnostics.filter(({ code }) => code.startsWith('scenario-') || code.startsWith('yaml-')),
          ).toEqual([]);
          return;
        }
        const second = await planOrErrors(JSON.stringify(first.resolved));
        if (second instanceof InputError) throw second;
        expect(second.resolved).toEqual(first.resolved);
        expect({ ...second.packet, ecnThresholds: [] }).toEqual({ ...first.packet, ecnThresholds: [] });
        expect([second.seed, second.sendLatencyPs, second.routing, second.controller]).toEqual([
          first.seed,
          first.sendLatencyPs,
          first.routing,
          first.controller,
        ]);
      },
    ),
    { seed, numRuns: rounds(60) },
  );
});

it(`any text gives a plan or errors with a place in it (WEFT_SEED=${seed})`, async () => {
  const scenario =
    'name: x\nfabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8 }\ntraffic:\n  transfers:\n    - { start: 0us, source: 0, destination: 8, size: 10MiB }\n    - start: 1us\n      source: 1\n      destination: 9\n      size: 5\necn: { thresholds: [ { rate: 400Gbps, minimum: 1kB, maximum: 2kB, probability: 1 } ] }\npfc:\n  reserve: 4096B\n';
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(4),
    fc.oneof(
      fc.constantFrom(
        '\t',
        ':',
        '-',
        '{',
        '}',
        '[',
        ']',
        '&a',
        '*a',
        '"',
        '#',
        '\n',
        '|',
        '!',
        '? ',
        '---\n',
        '~',
        '<<',
        '0',
        '-1',
        '.inf',
        '__proto__',
      ),
      fc.string({ maxLength: 3 }),
    ),
  );
  const edited = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
    edits.reduce((text, [place, removed, added]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + removed);
    }, scenario),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: edited }, fc.string({ unit: 'binary', maxLength: 100 })),
      fc.array(fc.string(), { maxLength: 1 }),
      async (text, overrides) => {
        const result = await planOrErrors(text, overrides);
        if (!(result instanceof InputError)) return;
        expect(result.errorCount).toBeGreaterThan(0);
        const lines = text.split('\n').length;
        for (const { file, line, column, message } of result.diagnostics) {
          expect(message.length).toBeGreaterThan(0);
          if (file !== 's.yaml') continue;
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines + 1);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      },
    ),
    { seed, numRuns: rounds(400) },
  );
});
