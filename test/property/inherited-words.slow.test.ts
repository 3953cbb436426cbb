// Properties: the words that every object inherits ("constructor", "__proto__", "toString") are words like any other.
// Wherever a user's word is looked up, they are unknown: a unit, a name, a key, a choice.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { simulate } from '../../src/app/simulate.js';
import { Diagnostics, InputError } from '../../src/base/diagnostics.js';
import { resolveSetting } from '../../src/base/settings.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from '../../src/base/units.js';
import { runProgram } from '../../src/cli/program.js';
import { fabricFamilies, findFamily, resolveParameters } from '../../src/fabric/generators/catalogue.js';
import { parseTrafficName } from '../../src/flows/traffic/catalogue.js';
import { decodeCollective } from '../../src/formats/collective-names.js';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { TrafficReader } from '../../src/formats/traffic-matrix.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { defaultForm } from '../../src/scenario/form/scenario-form.js';
import { memoryHost } from '../memory-host.js';
import { scriptedContext } from '../support/command-context.js';
import { identifiedTree } from '../support/infiniband.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const settingGroups = defaultForm().groups;

const words = Object.getOwnPropertyNames(Object.prototype);
const word = fc.constantFrom(...words);
const quantity = fc
  .tuple(fc.constantFrom('1', '5', '0.5', '1e3', ''), fc.constantFrom('', ' '), word)
  .map((parts) => parts.join(''));

const scenario = {
  fabric: { generate: 'leaf-spine', leaves: 2, hostsPerLeaf: 2, spines: 1 },
  traffic: { transfers: [{ start: '0us', source: 0, destination: 2, size: '1MiB' }] },
  failures: { events: [{ at: '1ms', switch: 4, until: '2ms' }] },
  ecn: { thresholds: [{ rate: '100Gbps', minimum: '400kB', maximum: '1600kB', probability: 0.2 }] },
  ...Object.fromEntries(
    Object.entries(settingGroups).flatMap(([name, group]) =>
      name === 'ecn' || name === 'failures'
        ? []
        : [[name, Object.fromEntries(Object.entries(group).map(([key, setting]) => [key, setting.default]))]],
    ),
  ),
};

/** A scenario with one value, or one more key, in every place that it has. */
type Changed = { readonly path: string; readonly text: string; readonly set: string };

function changes(value: unknown, changed: (inner: unknown) => unknown, path: string, word: string): Changed[] {
  const to = (inner: unknown, set: string): Changed => ({ path, text: stringify(changed(inner)), set });
  const own = [to(`1${word}`, `${path}=1${word}`), to(word, `${path}=${word}`)];
  if (typeof value !== 'object' || value === null) return own;
  const put = (key: string | number, inner: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item: unknown, i) => (i === key ? inner : item));
    // a map of Map: an object would take __proto__ for something else
    return new Map<string | number, unknown>([...Object.entries(value), [key, inner]]);
  };
  const list = Array.isArray(value);
  return [
    ...own,
    ...(list ? [] : [to(put(word, 1), `${path === '' ? '' : `${path}.`}${word}=1`)]),
    ...Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      changes(
        inner,
        (next) => changed(put(list ? Number(key) : key, next)),
        list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
        word,
      ),
    ),
  ];
}

describe('inherited words', () => {
  it(`are no units (WEFT_SEED=${seed})`, () => {
    fc.assert(
      fc.property(quantity, (text) => {
        expect([parseTimePs(text), parseSizeBytes(text), parseRateBps(text)]).toEqual([null, null, null]);
      }),
      { seed, numRuns: 500 },
    );
  });

  it.each(words)('%s is no value of a setting or a parameter', (own) => {
    const settings = [...Object.values(settingGroups), ...fabricFamilies.map((family) => family.settings)];
    for (const setting of settings.flatMap((group) => Object.values(group)))
      for (const text of [own, `1${own}`]) expect([setting, resolveSetting(setting, text)]).toEqual([setting, null]);
  });

  it.each(words)('%s is no family, parameter, collective, pattern or unit of a matrix', (own) => {
    expect(findFamily(own)).toBeNull();
    for (const family of fabricFamilies)
      expect(resolveParameters(family, Object.fromEntries([[own, 1]])).problems).not.toEqual([]);
    expect(decodeCollective(own)).toHaveProperty('problem');
    expect(decodeCollective(`ALLREDUCE_${own}`)).toHaveProperty('problem');
    expect(parseTrafficName(own)).toHaveProperty('message');
    const hosts = { count: 2, ranksOf: () => [] };
    const diagnostics = new Diagnostics();
    const reader = new TrafficReader('m', 'm.mtx', hosts, diagnostics);
    const text = `%%MatrixMarket matrix coordinate real general\n% unit: ${own}\n2 2 1\n1 2 1\n`;
    reader.push(new TextEncoder().encode(text));
    expect(reader.end()).toMatchObject({ unit: 'relative' });
    expect(diagnostics.list).toMatchObject([{ severity: 'warning', line: 2, code: 'unknown-unit', got: own }]);
  });

  it('the scenario of this test is one', async () => {
    const host = memoryHost({ 's.yaml': stringify(scenario) });
    await expect(makePlan('s.yaml', { host, overrides: [] })).resolves.toBeDefined();
  });

  it(`are no value and no key anywhere in a scenario (WEFT_SEED=${seed})`, async () => {
    const accepted: string[] = [];
    const all = words.flatMap((own) => changes(scenario, (changed) => changed, '', own));
    for (const { path, text, set } of fc.sample(fc.constantFrom(...all), { seed, numRuns: rounds(150) })) {
      const host = memoryHost({ 's.yaml': text, 't.yaml': stringify(scenario) });
      for (const [file, overrides] of [['s.yaml', []] as const, ['t.yaml', [set]] as const])
        await makePlan(file, { host, overrides }).then(
          () => accepted.push(`${file} ${path} ${set}`),
          (error: unknown) => {
            if (!(error instanceof InputError)) throw new Error(`${file} ${set}`, { cause: error });
          },
        );
    }
    expect(accepted).toEqual([]);
  });
});

describe('inherited words on the command line', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weft-words-'));
    await writeFile(join(folder, 's.yaml'), stringify(scenario));
    const tree = identifiedTree('leaf-spine', { leaves: 2, hostsPerLeaf: 2, spines: 2 });
    await writeFile(join(folder, 'f.net'), writeIbnetdiscover(tree));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** In each, WORD is the word, SCENARIO a good scenario and FABRIC a good fabric; all are mistakes. */
  const commandLines = [
    'WORD',
    'run SCENARIO --backend WORD',
    'run SCENARIO --seed WORD',
    'run SCENARIO --WORD',
    'collective WORD --fabric dcn+ --gpus 16',
    'collective allreduce --fabric WORD',
    'collective allreduce --fabric dcn+ --gpus 16 --sizes 1WORD',
    'collective allreduce --fabric dcn+ --gpus 16 --WORD 1',
    'collective allreduce --fabric dcn+ --gpus 16 --algorithm WORD',
    'collective allreduce --fabric dcn+ --gpus 16 --profile WORD',
    'compare-fabrics --gpus 16 --fabrics WORD',
    'topology WORD',
    'topology generate WORD',
    'topology generate leaf-spine --host-latency 1WORD',
    'topology generate leaf-spine --host-rate 1WORD',
    'topology generate leaf-spine --WORD 1',
    'route WORD',
    'route compute --fabric WORD --algorithm ftree',
    'route compute --fabric FABRIC --algorithm WORD',
    'route compute --fabric FABRIC --algorithm ftree --traffic WORD',
    'route compute --fabric FABRIC --algorithm ftree --traffic stencil:WORD',
    'route compute --fabric FABRIC --algorithm basic-mcf --traffic stencil --time 1WORD',
    'route compute --fabric FABRIC --algorithm basic-mcf --traffic stencil --solver WORD',
    'route compare --fabric FABRIC --algorithms WORD --traffic stencil',
    'traffic WORD',
    'traffic stats --fabric FABRIC --traffic WORD',
  ];

  it.each(commandLines)('%s', async (line) => {
    const drawn = fc.sample(word, { seed, numRuns: rounds(2) });
    for (const own of ['constructor', '__proto__', ...drawn]) {
      const world = scriptedContext({ makePlan, simulate });
      const commandLine = line
        .replaceAll('WORD', own)
        .replace('SCENARIO', join(folder, 's.yaml'))
        .replace('FABRIC', join(folder, 'f.net'))
        .split(' ');
      const code = await runProgram(commandLine, world);
      expect([own, code, world.stdout.text]).toEqual([own, 2, '']);
      expect(world.stderr.text).not.toMatch(/internal error|NaN/);
      expect(world.stderr.text.toLowerCase()).toContain(own.toLowerCase());
    }
  });
});
