// A plan is made from the catalogues that it is given: a backend that is not Weft's brings its word, its settings, its
// rules, its checks and its tables, and nothing where scenarios are read knows of it.

import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/backends/backend.js';
import { InputError } from '../../src/base/diagnostics.js';
import { type SettingGroup, valuesOfGroup } from '../../src/base/settings.js';
import { switchRates } from '../../src/fabric/switch-rates.js';
import { type Catalogues, defaultCatalogues } from '../../src/scenario/catalogues.js';
import { scenarioJsonSchema } from '../../src/scenario/json-schema.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { ScenarioForm } from '../../src/scenario/form/scenario-form.js';
import { memoryHost } from '../memory-host.js';

const tokenSettings = {
  initial: { kind: 'count', default: 8, minimum: 1, maximum: 99, description: 'tokens of a port at the start' },
  delay: { kind: 'time', default: '1us', description: 'time until a tokens is back' },
} as const satisfies SettingGroup;

const table = { name: 'tokens', columns: [] };

const tokens: Backend = {
  name: 'tokens',
  description: 'every tokens',
  groups: { tokens: { description: 'Tokens of ports', settings: tokenSettings } },
  reads: ['packet', 'queuePair', 'switch'],
  marksPackets: false,
  insteadOfPackets: null,
  collectives: { kind: 'simulated' },
  counters: ['events', 'payloadBytesDelivered'],
  make: () => {
    throw new Error('no plan of this file is run');
  },
  noEffectRules: [
    {
      settings: ['tokens.delay'],
      causes: ['tokens.initial'],
      when: ({ given, backend }) =>
        backend === 'tokens' && given.value(['tokens', 'initial'], tokenSettings.initial) === 99,
      because: 'tokens never run out',
    },
  ],
  problems: ({ given, fabric }) =>
    fabric !== null && switchRates(fabric).length > 1
      ? [
          {
            severity: 'error',
            code: 'tokens-rates',
            at: [['tokens', 'initial'], ['fabric']],
            message: 'tokens want links of one rate',
            ...(given.has(['tokens', 'initial']) ? { got: given.text(['tokens', 'initial'])! } : {}),
          },
        ]
      : [],
  tables: () => [table],
};

const catalogues: Catalogues = { backends: [...defaultCatalogues.backends, tokens] };
const base =
  'fabric: { generate: dumbbell, leftHosts: 2, rightHosts: 1 }\ntraffic: { transfers: [ { source: 0, destination: 2, size: 10kB } ] }\n';

function plan(text: string, given: { catalogues?: Catalogues } = { catalogues }): Promise<Plan> {
  return makePlan('s.yaml', { host: memoryHost({ 's.yaml': base + text }), overrides: [], ...given });
}

async function problems(...request: Parameters<typeof plan>): Promise<string[]> {
  const found = await plan(...request).catch((error: unknown) => error);
  if (!(found instanceof InputError)) throw new Error('nothing was found wrong');
  return found.diagnostics.map(
    ({ line, column, code, message, got = '' }) => `${line}:${column} ${code} ${message} ${got}`,
  );
}

const warnings = async (text: string): Promise<string[]> =>
  (await plan(text)).warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('a backend of a catalogue', () => {
  it('is chosen by its name, with its settings and tables', async () => {
    const made = await plan('backend: tokens\ntokens: { delay: 250ns }\n');
    expect(made.backend).toBe(tokens);
    expect(valuesOfGroup(made.settings, 'tokens', tokenSettings)).toEqual({ initial: 8, delay: 250_000 });
    expect(made.tables).toContain(table);
    expect(made.resolved).toMatchObject({ backend: 'tokens', tokens: { initial: 8, delay: '250ns' } });
    expect(made.warnings).toEqual([]);
  });

  it('is not known to a plan that is not given it', async () => {
    const found = await problems('backend: tokens\ntokens: { delay: 250ns }\n', {});
    expect(found.map((each) => each.split(' ', 2).join(' '))).toEqual([
      '3:10 scenario-value',
      '4:1 scenario-unknown-key',
    ]);
  });

  it('has its settings checked like any other, in the schema of editors, too', async () => {
    expect(await problems('tokens: { initial: 0, speed: 1 }\n')).toHaveLength(2);
    const schema = scenarioJsonSchema(new ScenarioForm(catalogues)) as {
      properties: Record<string, { enum?: string[]; properties?: object }>;
    };
    expect(schema.properties['backend']!.enum).toEqual(['packet', 'credit', 'fluid', 'analytical', 'tokens']);
    expect(Object.keys(schema.properties['tokens']!.properties!)).toEqual(['initial', 'delay']);
  });

  it('says what cannot work, at the settings that are given', async () => {
    const rates = 'backend: tokens\nfabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8, bandwidth: 100Gbps }\n';
    const host = memoryHost({ 's.yaml': `${rates}${base.slice(base.indexOf('traffic'))}tokens: { initial: 3 }\n` });
    await expect(makePlan('s.yaml', { host, overrides: [], catalogues })).rejects.toMatchObject({
      diagnostics: [{ code: 'tokens-rates', line: 4, column: 20, got: '3' }],
    });
  });

  it('tells of its settings without effect, also where another runs', async () => {
    expect(await warnings('backend: tokens\ntokens: { initial: 99, delay: 2us }\n')).toEqual([
      '4:24 tokens.delay has no effect: tokens never run out',
    ]);
    expect(await warnings('tokens: { delay: 2us }\n')).toEqual([
      '3:11 tokens.delay has no effect: it is a setting of the tokens backend, and backend is packet',
    ]);
    expect(await warnings('backend: tokens\npacket: { payload: 1kB }\nprobes: { pfcEvents: true }\n')).toEqual([
      '5:11 probes.pfcEvents has no effect: it is a setting of the packet backend, and backend is tokens',
    ]);
  });
});

it('a catalogue names every backend and every group of settings once', () => {
  expect(() => new ScenarioForm({ backends: [tokens, tokens] })).toThrow('a backend stands twice');
  expect(() => new ScenarioForm({ backends: [tokens, { ...tokens, name: 'other' }] })).toThrow(
    'the group of settings tokens stands twice',
  );
  expect(() => new ScenarioForm({ backends: [] })).toThrow('a catalogue without backends');
});
