// The example kv-cache: what its page says, by closed forms and by comparison of its runs. Figures are those of the page,
// which test/architecture/page-figures.slow.test.ts holds against runs.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

const page = readFileSync('examples/kv-cache/README.md', 'utf8');

/** Milliseconds of a row of figures: the mean wait for KV, the longest, and the all-to-all. */
function rowOf(run: string): { wait: number; longest: number; exchange: number } {
  const cells = page
    .split('\n')
    .find((line) => line.startsWith(`| \`${run}\``) && /\d %/.test(line))!
    .split('|')
    .map(Number.parseFloat);
  return { wait: cells[2]!, longest: cells[3]!, exchange: cells[7]! };
}

it('an own plane is as being alone; a shared one, other rails and layers are as the page says', () => {
  const [own, shared, cross] = ['own-plane.yaml', 'shared-plane.yaml', 'cross-rail.yaml'].map(rowOf) as [
    ReturnType<typeof rowOf>,
    ReturnType<typeof rowOf>,
    ReturnType<typeof rowOf>,
  ];
  // 512 tokens x 80 layers x 512 B = 20 MiB in packets of 4,096 + 82 B, over two links of 100 Gb/s and 500 ns, and an
  // acknowledgement back
  const packets = (512 * 80 * 512) / 4096;
  const alone = (((packets + 1) * 4178 * 8) / 100 + 1000 + (2 * 86 * 8) / 100 + 1000) / 1e6;
  expect(own.wait).toBeCloseTo(alone, 3);
  expect(own.longest).toBeCloseTo(alone, 3);
  // many flows against one: the transfer suffers, the exchange less than by the bytes that a NIC sends besides, three
  // prompts of 20 MiB and twelve exchanges of 24 / 32 x 16 MiB
  expect(shared.wait / alone).toBeGreaterThan(5);
  expect(shared.exchange / own.exchange).toBeGreaterThan(1);
  expect(shared.exchange / own.exchange).toBeLessThan(1 + (3 * 20) / (12 * 0.75 * 16));
  // two of a leaf on one spine: twice as long, for the slowest rank of every request
  expect(cross.wait / alone).toBeGreaterThan(1.9);
  expect(cross.wait / alone).toBeLessThan(2.1);
  // the controller parts them
  expect(rowOf('cross-rail.yaml --set controller.enabled=true').wait / alone).toBeLessThan(1.1);
  // a tenth of the cache is left when the prefill ends
  const byLayers = rowOf('own-plane.yaml --set inference.layersPerTransfer=8');
  expect(byLayers.wait / alone).toBeGreaterThan(0.1);
  expect(byLayers.wait / alone).toBeLessThan(0.11);
});

it.each(['own-plane', 'shared-plane', 'cross-rail'])('%s warns of nothing', async (name) => {
  const plan = await makePlan(`examples/kv-cache/${name}.yaml`, { host: nodeHost(), overrides: [] });
  expect(plan.warnings).toEqual([]);
});
