// Plans that take parts of those before are the plans that are made anew, run as those do, and hear of files that change.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { InputError } from '../../src/base/diagnostics.js';
import { makePlan, type PlanOptions } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { PlanMemory } from '../../src/scenario/plan-memory.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { memoryHost } from '../memory-host.js';
import { isDrawn } from '../support/drawn.js';
import { seed as testSeed } from '../support/seed.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = readdirSync(`${root}examples`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .sort();
/** The first again at the end: what a plan or a run has changed would show. */
const seeds = [1, 2, 1];

/** What is plain of a plan. */
function plain(plan: Plan): unknown {
  const { source: _, inputs, backend, jobs, inference, programs, fabric, given, withoutEffect, ...others } = plan;
  const { warnings, resolved, packet, failures, pins, cost, seed } = others;
  const counts = [jobs.length, programs.length, inference === null];
  const lists = [inputs, [...given], [...withoutEffect]];
  return { warnings, resolved, packet, failures, pins, cost, seed, counts, lists, backend: backend.name, fabric };
}

/** What is plain of the plan of a file, or what is wrong with it: some are no scenarios by themselves. */
async function planOrError(path: string, options: PlanOptions): Promise<unknown> {
  try {
    const plan = await makePlan(path, options);
    await plan.source.close();
    return plain(plan);
  } catch (error) {
    if (error instanceof InputError) return error.diagnostics;
    throw error;
  }
}

describe('plans with a memory', () => {
  it(`are those of examples without one (seed ${testSeed})`, async () => {
    expect(examples.length).toBeGreaterThan(30);
    // a fourth of them, which the seed says; WEFT_DRAWS takes all
    for (const path of examples.filter((_, i) => isDrawn(i, 4))) {
      const memory = new PlanMemory();
      for (const seed of seeds) {
        const made = [];
        for (const more of [{ memory }, {}])
          made.push(await planOrError(`${root}examples/${path}`, { overrides: [], seed, host: nodeHost(), ...more }));
        expect(made[0], path).toEqual(made[1]);
      }
    }
  });

  const tree = 'fabric: { generate: fat-tree, k: 4, hostRate: 100Gbps, aggregationRate: 100Gbps, coreRate: 100Gbps }';
  const incast =
    'traffic: { transfers: [{ source: 0, destination: 9, size: 1MiB }, { source: 1, destination: 9, size: 1MiB }] }';
  const topology = '3 1 0 1 2 A100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n';
  it.each([
    ['failures', `${tree}\n${incast}\nfailures: { events: [{ at: 20us, until: 60us, switch: 20 }] }`],
    ['losses', `${tree}\n${incast}\nloss: { rate: 0.01, places: [{ switch: 20 }] }`],
    ['stragglers', `${tree}\n${incast}\nstragglers: [{ rank: 9, receive: 0.5 }]`],
    ['programs', `${tree}\nworkload: { program: stencil }`],
    ['a file', `fabric: { file: t.topo }\ntraffic: { transfers: [{ source: 0, destination: 1, size: 1MiB }] }`],
    ['fluid', `${tree}\n${incast}\nbackend: fluid`],
  ])('run as those without: %s', async (_name, text) => {
    const host = memoryHost({ 's.yaml': text, 't.topo': topology });
    const memory = new PlanMemory();
    // the second change has another scenario and the same fabric, the third is the first again
    for (const overrides of [[], ['sendLatency=2us'], []])
      for (const seed of seeds) {
        const digests: string[] = [];
        for (const more of [{ memory }, {}])
          digests.push((await simulate(await makePlan('s.yaml', { overrides, seed, host, ...more }), { host })).digest);
        expect(digests[0]).toBe(digests[1]);
      }
  });

  it('hear of a file that changes, and of one that is wrong then', async () => {
    const memory = new PlanMemory();
    // its name is another number in the larger fabric
    const text =
      'fabric: { file: t.topo }\ntraffic: { transfers: [{ source: 0, destination: 1, size: 1MiB }] }\n' +
      'failures: { events: [{ at: 1s, switch: "leaf[0]" }] }';
    const larger = '4 1 0 1 3 A100\n3\n0 3 200Gbps 1us 0\n1 3 200Gbps 1us 0\n2 3 200Gbps 1us 0\n';
    const planned = (content: string): Promise<Plan> =>
      makePlan('s.yaml', { overrides: [], memory, host: memoryHost({ 's.yaml': text, 't.topo': content }) });
    expect((await planned(topology)).fabric.linkRateBps[0]).toBe(100e9);
    expect((await planned(larger)).failures.changes.count).toBe(3);
    await expect(planned('nothing')).rejects.toThrow(InputError);
    expect((await planned(topology)).fabric.linkRateBps[0]).toBe(100e9);
  });

  it('makes the fabric once, and the warnings each time', async () => {
    const memory = new PlanMemory();
    const host = memoryHost({
      's.yaml': `${tree}\n${incast}\npfc: { enabled: false, headroom: delays }`,
    });
    const planned = (overrides: string[], seed: number): Promise<Plan> =>
      makePlan('s.yaml', { overrides, seed, host, memory });
    const [one, two, three] = [await planned([], 1), await planned([], 2), await planned(['sendLatency=1us'], 1)];
    expect(two.fabric).toBe(one.fabric);
    expect(three.fabric.linkPorts).toBe(one.fabric.linkPorts);
    expect(one.warnings.length).toBeGreaterThan(0);
    expect(two.warnings).toEqual(one.warnings);
  });
});
