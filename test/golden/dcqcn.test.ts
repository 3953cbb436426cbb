// The example of four hosts that send to one beside a bystander: its page says what runs say, and congestion control
// does what it is for.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { flowRows } from '../support/engine-run.js';

const folder = 'examples/dcqcn';
const page = readFileSync(`${folder}/README.md`, 'utf8');
const bystander = 6;

/** 32 MiB in packets of 4096 B with 82 B around each, over 100 Gb/s. */
const loneMs = ((8192 * 4178 * 8) / 100e9) * 1000;

async function run(override: string) {
  const host = nodeHost();
  const sink = new MemorySink();
  const plan = await makePlan(`${folder}/dcqcn.yaml`, { host, overrides: [override] });
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const flows = flowRows(sink);
  expect(flows).toHaveLength(5);
  const ms = (isMeant: (destination: number) => boolean): number =>
    Math.max(...flows.filter(({ destination }) => isMeant(destination)).map(({ finishPs }) => finishPs)) / 1e9;
  return {
    bystanderMs: ms((destination) => destination === bystander),
    lastMs: ms((destination) => destination !== bystander),
    summary,
  };
}

it("names the times of the receiver's link", () => {
  expect(page).toContain(`= ${(4 * loneMs).toFixed(3)} ms`);
  expect(page).toContain(`, ${loneMs.toFixed(3)} ms`);
});

it.each([
  ['DCQCN, no window', 'congestion.algorithm=dcqcn'],
  ['no control, no window (`--set congestion.algorithm=none`)', 'congestion.algorithm=none'],
  ['DCQCN, the default window (`--set queuePair.window=max-bdp`)', 'queuePair.window=max-bdp'],
])('%s', async (name, override) => {
  const { bystanderMs, lastMs, summary } = await run(override);
  const { pauseFrames, ecnMarks } = summary.counters;
  expect(page).toContain(
    `| ${name} | ${bystanderMs.toFixed(3)} ms | ${lastMs.toFixed(3)} ms | ${pauseFrames} | ${ecnMarks} |`,
  );
  // nobody is faster than the links
  expect(bystanderMs).toBeGreaterThan(loneMs);
  expect(lastMs).toBeGreaterThan(4 * loneMs);
  if (override.endsWith('none')) {
    // paused like the four, though its own port is idle; their link is never idle
    expect(bystanderMs).toBeGreaterThan(3 * loneMs);
    expect(lastMs).toBeLessThan(4 * loneMs + 0.015);
  } else {
    // its way there and back is 0.01 ms; packets of the others on the trunk come on top
    expect(bystanderMs).toBeLessThan(1.01 * loneMs);
    expect(pauseFrames).toBe(0);
    expect(ecnMarks! > 0).toBe(override.endsWith('dcqcn'));
    expect(summary.unmarked === null).toBe(ecnMarks! > 0);
  }
});
