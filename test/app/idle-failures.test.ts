// A failure that no traffic can meet is found: by the levels that the longest path reaches.

import { describe, expect, it } from 'vitest';
import { idleFailures } from '../../src/app/forecast/idle-failures.js';
import { withFailureWarning } from '../../src/cli/run/failure-warning.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const idle = async (text: string, overrides: string[] = []) =>
  idleFailures(await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides }));

// data-parallel sums run along rails
const rails = `fabric: { generate: spectrum-x, gpus: 32, pswSwitches: 4 }
workload:
  layers:
    - { name: a, weightGradient: { compute: 1us, collective: allreduce, group: dp, size: 1MiB } }
  tensorParallel: 8
collectives: { algorithm: ring }
failures: [{ at: 1us, switch: "spine[3]" }]
`;

/** A transfer between two hosts of a small fabric in which a spine and a link of a host fail. */
const pair = (destination: number): string => `fabric: { generate: leaf-spine, leaves: 2, hostsPerLeaf: 2, spines: 2 }
traffic: { transfers: [{ source: 0, destination: ${destination}, size: 1kB }] }
failures: [{ at: 1us, switch: "spine[0]" }, { at: 1us, link: "leaf[0]:1" }]
`;

describe('a spine that fails', () => {
  it('meets no rail traffic where one leaf takes the rail, and does where it takes two servers', async () => {
    expect(await idle(rails)).toEqual({ switches: ['spine[3]'], links: 8, allLinks: 8, longestPath: 2 });
    expect(await idle(rails, ['fabric.nicsPerAsw=2'])).toBe(null);
  });

  it('is told with what a leaf has to do with it', async () => {
    const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': rails }), overrides: [] });
    const { warnings } = await withFailureWarning(plan);
    expect(warnings[warnings.length - 1]).toMatchObject({
      severity: 'warning',
      code: 'failure-idle',
      message: 'failures.events: no traffic can meet 8 of the 8 links that fail (of spine[3])',
      hint: expect.stringContaining('fabric.nicsPerAsw') as string,
    });
    const none = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': rails }), overrides: ['failures=[]'] });
    expect(await withFailureWarning(none)).toBe(none);
  });

  it('meets what crosses it, and links of leaves always may', async () => {
    expect(await idle(pair(3))).toBe(null);
    expect(await idle(pair(1))).toEqual({ switches: ['spine[0]'], links: 2, allLinks: 3, longestPath: 2 });
  });
});

it('counting leaves the transfers of the plan as they were', async () => {
  const text = `fabric: { generate: dumbbell }
traffic: { transfers: [{ source: 0, destination: 4, size: 1kB, start: 2us }, { source: 1, destination: 5, size: 2kB }] }
failures: [{ at: 1us, switch: "leaf[0]" }]
`;
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides: [] });
  expect(idleFailures(plan)).toBe(null);
  const seen: number[][] = [];
  plan.source.expand(1e9, { transfer: (...transfer) => seen.push(transfer as number[]) });
  expect(seen).toEqual([
    [1, 1, 5, 2000, 0],
    [0, 0, 4, 1000, 2e6],
  ]);
});
