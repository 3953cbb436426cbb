// SimAI's cases in which no mark is drawn, from the command line: the times that SimAI has, within 2 %.

import { describe, expect, it } from 'vitest';
import { referencePath } from '../reference.js';
import { caseOptions, weftAsSimai } from '../support/simai-command.js';
import { caseII, caseV, type SimaiCase } from '../support/simai-collective-cases.js';

const reference = referencePath('simai');

interface Summary {
  readonly flows: number;
  readonly finished: number;
  readonly workload: {
    readonly totalNs: number;
    readonly computeNs: number;
    readonly communicationNs: number;
    readonly exposedNs: Readonly<Record<string, number>>;
    readonly ranks: { readonly min: number; readonly max: number };
  };
}

async function summaryOf(given: SimaiCase): Promise<Summary> {
  const { code, stdout } = await weftAsSimai('run', ...caseOptions(given, reference!), '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Summary;
}

describe.skipIf(reference === null)("SimAI's case", () => {
  it.each([caseII, caseV])('($name) takes as long as there, within 2 %', async (given) => {
    const { flows, finished, workload } = await summaryOf(given);
    expect([flows, finished]).toEqual([given.flows, given.flows]);
    const { totalNs, computeNs, communicationNs, exposedNs, ranks } = workload;
    console.log(
      `case (${given.name}): SimAI ${given.communicationUs} us, weft run ${(communicationNs / 1000).toFixed(2)} us`,
    );
    expect(Math.abs(communicationNs / 1000 / given.communicationUs - 1)).toBeLessThanOrEqual(0.02);
    expect(exposedNs).toEqual({
      TP: 0,
      DP: 0,
      EP: 0,
      PP: 0,
      DP_EP: 0,
      all: 0,
      CP: 0,
      [given.kind.toUpperCase()]: communicationNs,
    });
    // 556,000 ns forward, 1 ns for each of the other passes and the update
    expect(computeNs).toBe(556_003);
    expect(totalNs).toBeCloseTo(computeNs + communicationNs, 3);
    expect(ranks.min).toBeLessThanOrEqual(totalNs);
    expect(ranks.max).toBeGreaterThanOrEqual(totalNs);
  });
});
