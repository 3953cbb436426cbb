// The training example: its page has the figures of the run, backends agree where they should, and what the page says
// about the differences is so.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-summary.js';
import { formatTimePs } from '../../src/base/units.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const folder = new URL('../../examples/training/', import.meta.url);
const scenario = readFileSync(new URL('training.yaml', folder), 'utf8');
const page = readFileSync(new URL('README.md', folder), 'utf8');

async function run(backend: string): Promise<RunSummary> {
  const host = memoryHost({ 'training.yaml': scenario });
  return simulate(await makePlan('training.yaml', { host, overrides: [`backend=${backend}`] }), { host });
}

/** The figures of a row of the page's table. */
function rowOf(name: string): string[] {
  const line = page.split('\n').find((each) => each.startsWith(`  ${name}  `)) ?? '';
  return [...line.matchAll(/[\d.,]+(?:us|ms)/g)].map(([text]) => text);
}

describe('the training example', () => {
  it('gives what the page says', async () => {
    const runs = [await run('analytical'), await run('fluid'), await run('packet')];
    for (const { verdicts } of runs) expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const rank0 = runs.map(({ jobs }) => jobs[0]!.stages[0]!);
    expect(rowOf('total')).toEqual(rank0.map(({ totalPs }) => formatTimePs(totalPs)));
    expect(rowOf('waits for DP')).toEqual(rank0.map(({ exposedPs }) => formatTimePs(exposedPs.DP)));
    expect(rowOf('bubble')).toEqual(rank0.map(({ bubblePs }) => formatTimePs(bubblePs)));
    const [analytical, fluid, packet] = rank0.map(({ totalPs }) => totalPs) as [number, number, number];
    // rings of several channels share NICs with the pipeline's messages, and packets queue where streams share
    expect(Math.abs(fluid / packet - 1)).toBeLessThan(0.015);
    expect(analytical).toBeLessThan(0.95 * packet);
    // a message of 16 MiB at 400 Gb/s, headers of 82 bytes per 4096: 342.3 us and the way
    const [message] = runs.map(({ jobs }) => jobs[0]!.stages[0]!.communicationPs.PP / 16);
    expect(message! / 1e6).toBeGreaterThan(342.3);
    expect(message! / 1e6).toBeLessThan(350);
  }, 120_000);
});
