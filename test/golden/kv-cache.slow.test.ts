// The example kv-cache: what its page says, by closed forms and by comparison of its runs.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

async function run(name: string, overrides: readonly string[] = []): Promise<RunSummary> {
  const host = nodeHost();
  const plan = await makePlan(fileURLToPath(new URL(`../../examples/kv-cache/${name}.yaml`, import.meta.url)), {
    host,
    overrides,
  });
  expect(plan.warnings).toEqual([]);
  const summary = await simulate(plan, { host });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect(summary.inference!.finished).toBe(6);
  return summary;
}

const waitOf = ({ inference }: RunSummary): number => inference!.exposedTransfer.meanNs;
const exchangeOf = ({ jobs }: RunSummary): number => jobs[0]!.totalPs.maximum;

it('an own plane is as being alone; a shared one, other rails and layers are as the page says', async () => {
  const [own, shared, cross] = [await run('own-plane'), await run('shared-plane'), await run('cross-rail')];
  // 512 tokens x 80 layers x 512 B = 20 MiB in packets of 4,096 + 82 B, over two links of 100 Gb/s and 500 ns, and an
  // acknowledgement back
  const packets = (512 * 80 * 512) / 4096;
  const aloneNs = ((packets + 1) * 4178 * 8) / 100 + 1000 + (2 * 86 * 8) / 100 + 1000;
  expect(own.inference!.exposedTransfer.meanNs).toBeCloseTo(aloneNs, -1);
  expect(own.inference!.exposedTransfer.maxNs).toBeCloseTo(aloneNs, -1);
  // many flows against one: the transfer suffers, the exchange less than by the bytes that a NIC sends besides, three
  // prompts of 20 MiB and twelve exchanges of 24 / 32 x 16 MiB
  expect(waitOf(shared) / aloneNs).toBeGreaterThan(5);
  expect(exchangeOf(shared) / exchangeOf(own)).toBeGreaterThan(1);
  expect(exchangeOf(shared) / exchangeOf(own)).toBeLessThan(1 + (3 * 20) / (12 * 0.75 * 16));
  // two of a leaf on one spine: twice as long, for the slowest rank of every request
  expect(waitOf(cross) / aloneNs).toBeGreaterThan(1.9);
  expect(waitOf(cross) / aloneNs).toBeLessThan(2.1);
  // the controller parts them
  expect(waitOf(await run('cross-rail', ['controller.enabled=true'])) / aloneNs).toBeLessThan(1.1);
  // a tenth of the cache is left when the prefill ends
  const byLayers = await run('own-plane', ['inference.layersPerTransfer=8']);
  expect(waitOf(byLayers) / aloneNs).toBeGreaterThan(0.1);
  expect(waitOf(byLayers) / aloneNs).toBeLessThan(0.11);
});
