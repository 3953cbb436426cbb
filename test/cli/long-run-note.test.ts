// What is said before a run that will be long: CPU time and memory, from what its jobs and traffic send.

import { describe, expect, it } from 'vitest';
import { longRunNote } from '../../src/cli/run/failure-warning.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const scenario = `fabric: { generate: spectrum-x, gpus: 16, gpusPerServer: 8, nicsPerAsw: 2, pswSwitches: 8 }
workload: { generate: transformer, model: gpt3-6.7b, layerCount: 2, tensorParallel: 8, dataParallel: 2, microBatches: 2, sequenceLength: 64 }
`;

const note = async (text: string): Promise<string | null> => {
  const host = memoryHost({ 's.yaml': text });
  return longRunNote(await makePlan('s.yaml', { host, overrides: [] }), host, 1);
};
const traffic = (size: string): string =>
  `fabric: { generate: dumbbell }\ntraffic: { transfers: [{ source: 0, destination: 4, size: ${size} }] }\n`;

describe('what is said before a run', () => {
  it('is nothing of short runs', async () => {
    expect(await note(traffic('1MB'))).toBe(null);
    expect(await note(scenario)).toBe(null);
  });

  it('is the CPU time and memory of long ones', async () => {
    // four flows of 250 GB
    const transfers = `fabric: { generate: dumbbell }\ntraffic:\n  transfers:\n${[0, 1, 2, 3].map((i) => `    - { source: ${i}, destination: ${i + 4}, size: 250GB }\n`).join('')}`;
    // 10^12 B over three links in packets of 4,096 B with their acknowledgements: 1.46 G packet-hops of 220 ns
    expect(await note(transfers)).toMatch(/^note: about 5 min of CPU and \d+ MB of memory; --dry-run says more\n$/);
  });

  it('is null where closed forms stand for what is sent', async () => {
    expect(await note(`backend: analytical\n${scenario}`)).toBe(null);
  });
});
