// Profile files: what is written is read again; mistakes have places; what they say reaches choices, every backend and
// the manifest's list of files.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert, integer, property, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { Diagnostics, InputError } from '../../src/base/diagnostics.js';
import { type CalibratedProfile, plainProfile } from '../../src/collectives/calibrated-profile.js';
import { paceAt } from '../../src/collectives/under-profile.js';
import { generateFabric } from '../../src/library/fabrics.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { timeCollective } from '../../src/library/time-collective.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { profileText, readProfile } from '../../src/scenario/profile-file.js';
import { profileJsonSchemaText } from '../../src/scenario/profile-form.js';
import { memoryHost } from '../memory-host.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

const fabric = generateFabric('spectrum-x', { gpus: 16, gpuType: 'H100' });
const server = [0, 1, 2, 3, 4, 5, 6, 7];

function mistakes(text: string): string[] {
  const diagnostics = new Diagnostics();
  expect(readProfile(text, 'p.yaml', diagnostics)).toBeNull();
  return diagnostics.list.map(
    ({ line, column, message, wanted, hint }) =>
      `${line}:${column} ${message}${hint === undefined ? '' : ` (${hint})`}; ${wanted ?? ''}`,
  );
}

const pace = (sizes: string, factors: string): string =>
  `base: nccl\npace:\n  - { kind: allreduce, servers: one, algorithm: ring, protocol: ll, sizes: ${sizes}, factors: ${factors} }\n`;

async function algorithmUnder(text: string): Promise<string> {
  const profile = profileFromText(text);
  return (
    await timeCollective(fabric, { kind: 'allreduce', size: 1024, ranks: server, backend: 'analytical', profile })
  ).choice.algorithm;
}

const scenario = (profile: string): string => `fabric: { generate: spectrum-x, gpus: 16 }
collectives: { profile: ${profile} }
workload: { layers: [{ name: l, weightGradient: { collective: allreduce, size: 1MiB, group: dp } }] }
`;

async function errorOf(profile: string): Promise<string> {
  const host = memoryHost({ 's.yaml': scenario(profile) });
  const error = await makePlan('s.yaml', { overrides: [], host }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  return (error as InputError).message;
}

describe('a profile file', () => {
  it(`is read as it was written (seed ${seed})`, () => {
    const us = integer({ min: 0, max: 1e9 }).map((ps) => ps / 1e6);
    const share = integer({ min: 1, max: 1000 }).map((thousandths) => thousandths / 1000);
    assert(
      property(
        us,
        us,
        share,
        share,
        uniqueArray(integer({ min: 1, max: 1e9 }), { minLength: 1, maxLength: 5 }),
        share,
        (base, hop, link, nvls, sizes, factor) => {
          const profile: CalibratedProfile = {
            ...plainProfile('p.yaml', 'nccl-2.28'),
            figures: {
              baseUs: { ring: { ll: base } },
              hopUs: { network: { tree: { ll128: hop } } },
              transferLatencyPs: Math.round(hop * 1e6),
              rendezvousPs: 1 + Math.round(base * 1e6),
              rendezvousAboveBytes: 2048,
              postUs: hop,
              shares: { network: { ll128: link } },
              sendsShare: link,
              nvlsLinkShare: nvls,
            },
            paces: [
              {
                kind: 'allreduce',
                servers: 'several',
                algorithm: 'ring',
                protocol: 'll',
                sizeBytes: [...sizes].sort((a, b) => a - b),
                factors: sizes.map((_, i) => Number((10 * factor * (i + 1)).toPrecision(6))),
              },
            ],
            heldOut: { rows: 7, median: 0.031, p90: 0.08, worst: 0.2 },
          };
          expect(profileFromText(profileText(profile, 'a "table" of ours', null), 'p.yaml')).toEqual(profile);
        },
      ),
      { seed, numRuns: rounds(50) },
    );
  });

  it('says where a mistake is, what is wanted, and what was meant', () => {
    expect(mistakes('base: nccl-2.27\n')).toEqual([
      '1:7 base is not a known choice (did you mean nccl-2.21?); one of nccl, nccl-2.21, nccl-2.28, nccl-efa, nccl-slingshot, nccl-tcpx, nccl-tcpxo',
    ]);
    expect(mistakes('base: nccl\nlatencies: {}\n')).toEqual([
      '2:1 latencies is not known (did you mean latency?); one of base, about, chosenBy, latency, bandwidth, pace, measured',
    ]);
    expect(mistakes('latency: { base: { ring: { l: 1us } } }\n')).toEqual(
      expect.arrayContaining([
        expect.stringContaining('base is missing'),
        expect.stringContaining('latency.base.ring.l is not known'),
      ]),
    );
    expect(mistakes('base: nccl\nbandwidth: { network: { simple: 1.2 } }\n')[0]).toContain(
      '2:33 bandwidth.network.simple is out of range; a number from 0.001 to 1',
    );
    expect(mistakes('base: nccl\nlatency: { base: { ring: { ll: 5 } } }\n')[0]).toContain(
      '2:32 latency.base.ring.ll has no unit',
    );
    expect(mistakes('base: nccl-2.21\nlatency: { base: { pat: { simple: 5us } } }\n')[0]).toContain(
      'nccl-2.21 has no pat with simple',
    );
    expect(mistakes(pace('[2KiB, 1KiB]', '[1, 1]'))[0]).toContain('the sizes do not ascend; more than 2KiB');
    expect(mistakes(pace('[1KiB]', '[1, 1]'))[0]).toContain('as many factors as sizes are needed');
    expect(mistakes(pace('[]', '[]'))[0]).toContain('pace[0].sizes is empty');
    expect(mistakes('base: nccl\nlatency: { base: { ring: 5us } }\n')[0]).toBe(
      '2:26 latency.base.ring is not a block of keys and values; a block of keys and values, with ll, ll128, simple',
    );
    expect(mistakes('- base: nccl\n')[0]).toContain('not made of keys and values');
    expect(mistakes('base: nccl\n__proto__: { }\n')[0]).toContain('__proto__ is not known');
  });

  it('has the JSON Schema of schema/', () => {
    const path = fileURLToPath(new URL('../../schema/profile.schema.json', import.meta.url));
    expect(readFileSync(path, 'utf8')).toBe(profileJsonSchemaText());
  });
});

describe('a profile of a file', () => {
  it('gives the choices and times of its base if it changes nothing', async () => {
    for (const size of [1024, 2 ** 20, 2 ** 26]) {
      const options = { kind: 'allreduce', size } as const;
      const own = await timeCollective(fabric, { ...options, profile: plainProfile('p.yaml', 'nccl') });
      const base = await timeCollective(fabric, { ...options, profile: 'nccl' });
      expect(own.timePs).toBe(base.timePs);
      expect(own.summary.digest).toBe(base.summary.digest);
    }
  });

  it('leaves the tuner its tables unless it says otherwise', async () => {
    const slowLl = 'latency: { base: { ring: { ll: 500us } } }\n';
    expect(await algorithmUnder(`base: nccl-2.28\n${slowLl}`)).toBe('ring');
    expect(await algorithmUnder(`base: nccl-2.28\nchosenBy: profile\n${slowLl}`)).not.toBe('ring');
  });

  it('goes geometrically from size to size, and stays beyond them', () => {
    const pace = { sizeBytes: [1024, 4096], factors: [1, 4] };
    expect([512, 1024, 2048, 4096, 2 ** 30].map((size) => paceAt(pace, size))).toEqual([
      1,
      1,
      expect.closeTo(2, 5),
      4,
      4,
    ]);
  });
});

describe('collectives.profile', () => {
  it('names a file beside the scenario, which stands in the list of files', async () => {
    const host = memoryHost({
      'a/s.yaml': scenario('ours.yaml'),
      'a/ours.yaml':
        'base: nccl-2.28\nlatency: { base: { ring: { simple: 100us, ll: 100us, ll128: 100us }, nvls-tree: { simple: 100us }, tree: { ll: 100us, ll128: 100us, simple: 100us } } }\n',
      'a/b.yaml': scenario('nccl'),
    });
    const plan = await makePlan('a/s.yaml', { overrides: [], host });
    expect(plan.inputs).toContainEqual({ role: 'profile', path: 'ours.yaml', readPath: 'a/ours.yaml' });
    expect(plan.resolved['collectives']).toMatchObject({ profile: 'ours.yaml' });
    const own = await simulate(plan, { host });
    const base = await simulate(await makePlan('a/b.yaml', { overrides: [], host }), { host });
    expect(own.simulatedPs - base.simulatedPs).toBeGreaterThan(80e6);
  });

  it('says which profiles there are if the file is missing or is none', async () => {
    expect(await errorOf('gone.yaml')).toMatch(
      /s\.yaml:2:25: error: the profile cannot be read: gone\.yaml: no such file\n  wanted: one of document, simai, nccl, nccl-2\.21, nccl-2\.28, nccl-efa, nccl-slingshot, nccl-tcpx, nccl-tcpxo, or a profile file/,
    );
    expect(await errorOf('nccl-2.2')).toContain('or a profile file (.yaml)');
  });
});
