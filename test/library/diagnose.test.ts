// The library's diagnosis of a run in memory, whose cause is put into it: four hosts send to one.

import { expect, it } from 'vitest';
import { diagnose, InputError, MemorySink, planFromText, simulate } from '../../src/library/index.js';

const text = `
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }
backend: fluid
traffic: { transfers: [SENDERS] }
`;
const toOne = [0, 1, 2, 3].map((source) => `{ source: ${source}, destination: 7, size: 8MiB }`).join(', ');

it('names the receiver of four, and nothing where nobody meets', async () => {
  const plan = await planFromText(text.replace('SENDERS', toOne));
  const records = new MemorySink();
  await simulate(plan, { sink: records });
  const [first, ...others] = await diagnose(plan, records);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ cause: 'endpoint', jobs: [-1], links: [{ from: 'leaf[1]', to: 'host[7]', flows: 4 }] });
  // four share what one would have alone
  expect(first!.share).toBeGreaterThan(0.7);
  expect(first!.share).toBeLessThanOrEqual(0.75);

  const quick = await planFromText(text.replace('SENDERS', '{ source: 0, destination: 7, size: 8MiB }'));
  const quickRecords = new MemorySink();
  await simulate(quick, { sink: quickRecords });
  expect(await diagnose(quick, quickRecords)).toEqual([]);
  await expect(diagnose(plan, records, { as: 'owner' })).rejects.toThrow(InputError);
  await expect(diagnose(plan, records, { job: 3 })).rejects.toThrow(/no such job/);
});
