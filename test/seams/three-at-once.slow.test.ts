// An admission policy that answers later, for three flows at once, and moves one when a link fails, added without a line
// of src; on packets and on streams.

import { describe, expect, it } from 'vitest';
import { runWith } from './run.js';
import { ThreeAtOnce } from './three-at-once.js';

// three flows, four spines; one of the spines in use fails under way
const scenario = (backend: string, failures: string): string => `
backend: ${backend}
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 3 }
traffic:
  transfers:
    - { source: 0, destination: 4, size: 10MB }
    - { source: 1, destination: 5, size: 10MB, start: 1us }
    - { source: 2, destination: 3, size: 10MB, start: 2us }
failures: ${failures}
queuePair: { retransmissionTimeout: 100us }
`;
const spineFails = (spine: number): string =>
  `{ convergenceTime: 10us, events: [ { at: 300us, link: 'leaf[0]-spine[${spine}]' } ] }`;

/** The three when a spine fails. @returns when the last has finished, and how many were moved */
async function after(backend: string, spine: number, moves: boolean): Promise<[lastPs: number, moved: number]> {
  let policy: ThreeAtOnce | null = null;
  const { summary, broken } = await runWith({}, scenario(backend, spineFails(spine)), {
    admission: (parts) => {
      policy = new ThreeAtOnce(parts);
      if (!moves) policy.linksChanged = () => {};
      return policy;
    },
  });
  expect(broken).toEqual([]);
  expect(policy!.batches).toEqual([3]);
  return [summary.simulatedPs, policy!.moved];
}

describe.each(['packet', 'fluid'])('three flows let in at once, on %s', (backend) => {
  it('have ways of their own, although the first waited for the third', async () => {
    const { summary, broken } = await runWith({}, scenario(backend, '[]'), {
      admission: (parts) => new ThreeAtOnce(parts),
    });
    expect(broken).toEqual([]);
    expect(summary.collisions.flowPairs).toBe(0);
    expect(summary.flows).toBe(3);
  });

  it('and the one whose way fails is moved to the spine that is free, which pays', async () => {
    const spines = [0, 1, 2, 3];
    const moving = await Promise.all(spines.map((spine) => after(backend, spine, true)));
    const staying = await Promise.all(spines.map((spine) => after(backend, spine, false)));
    const rerouted = spines.filter((spine) => moving[spine]![1] > 0);
    expect(rerouted.length).toBeGreaterThan(0);
    for (const spine of rerouted) expect(moving[spine]![0]).toBeLessThan(0.8 * staying[spine]![0]);
    expect(staying.map(([, moved]) => moved)).toEqual([0, 0, 0, 0]);
  });
});

describe('flows that wait for a third', () => {
  it('are let in when their patience ends', async () => {
    let policy: ThreeAtOnce | null = null;
    const text = scenario('packet', '[]').replace(/ *- { source: 2.*\n/, '');
    const { broken, summary } = await runWith({}, text, { admission: (parts) => (policy = new ThreeAtOnce(parts)) });
    expect(broken).toEqual([]);
    expect([summary.flows, policy!.batches]).toEqual([2, [2]]);
  });
});
