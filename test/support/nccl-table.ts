// What nccl-tests would print of a cluster that takes what a profile says: 20 sizes by closed forms.

import { generateFabric } from '../../src/library/fabrics.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { timeCollective } from '../../src/library/time-collective.js';

/** The sizes, 1 KiB to 512 MiB. */
export const tableSizes: readonly number[] = Array.from({ length: 20 }, (_, i) => 1024 * 2 ** i);

const tests = { allreduce: 'all_reduce', alltoall: 'alltoall' } as const;

/** A table of the first ranks of spectrum-x with H100. @param about the line that says the ranks */
export async function measuredUnder(
  profileText: string,
  ranks: number,
  about: string,
  kind: keyof typeof tests = 'allreduce',
): Promise<string> {
  const fabric = generateFabric('spectrum-x', { gpus: Math.max(16, ranks), gpuType: 'H100' });
  const profile = profileFromText(profileText);
  const lines = [`# Collective test starting: ${tests[kind]}_perf`, about];
  for (const size of tableSizes) {
    const { timePs } = await timeCollective(fabric, {
      kind,
      size,
      ranks: Array.from({ length: ranks }, (_, i) => i),
      backend: 'analytical',
      profile,
    });
    const us = timePs / 1e6;
    lines.push(`${size} ${size / 4} float sum -1 ${us.toFixed(3)} ${(size / us / 1e3).toFixed(2)} 0 0`);
  }
  return `${lines.join('\n')}\n`;
}
