// SimAI's cases (iii) and (iv) from the command line, in which marks are random draws: medians over 20 seeds. (iv) is
// one draw there, of the longest of 30 flows of a rank: its mean over the ranks is compared in
// simai-collectives.slow.test.ts; here its rank 0 has to lie within what the seeds give.

import { describe, expect, it } from 'vitest';
import { referencePath } from '../reference.js';
import { caseOptions, weftAsSimai } from '../support/simai-command.js';
import { caseIII, caseIV, type SimaiCase } from '../support/simai-collective-cases.js';

const reference = referencePath('simai');
const seeds = 20;

async function communicationUs(given: SimaiCase): Promise<number[]> {
  const times: number[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const { code, stdout } = await weftAsSimai(
      'run',
      ...caseOptions(given, reference!),
      '--json',
      '--quiet',
      '--seed',
      String(seed),
    );
    expect(code).toBe(0);
    times.push((JSON.parse(stdout) as { workload: { communicationNs: number } }).workload.communicationNs / 1000);
  }
  return times.sort((a, b) => a - b);
}

describe.skipIf(reference === null)("SimAI's case from the command line", () => {
  it('(iii): the median within 2 %', async () => {
    const times = await communicationUs(caseIII);
    const median = (times[seeds / 2 - 1]! + times[seeds / 2]!) / 2;
    console.log(
      `case (iii): SimAI ${caseIII.communicationUs} us, weft run ${median.toFixed(1)} us (${times[0]!.toFixed(1)} to ${times[seeds - 1]!.toFixed(1)})`,
    );
    expect(Math.abs(median / caseIII.communicationUs - 1)).toBeLessThanOrEqual(0.02);
  });

  it("(iv): SimAI's draw within the spread", async () => {
    const times = await communicationUs(caseIV);
    console.log(
      `case (iv): SimAI ${caseIV.communicationUs} us, weft run ${((times[seeds / 2 - 1]! + times[seeds / 2]!) / 2).toFixed(1)} us (${times[0]!.toFixed(1)} to ${times[seeds - 1]!.toFixed(1)})`,
    );
    expect(times[0]).toBeLessThan(caseIV.communicationUs);
    expect(times[seeds - 1]).toBeGreaterThan(caseIV.communicationUs);
  });
});
