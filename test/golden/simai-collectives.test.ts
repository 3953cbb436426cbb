// SimAI's collectives, flow by flow (who sends how much to whom by which port, how often), and the time that they take
// where no queue crosses the marking threshold. Where queues do, see simai-collectives.slow.test.ts. Skips visibly
// without the reference data.

import { describe, expect, it } from 'vitest';
import { referencePath } from '../reference.js';
import { broken } from '../support/engine-run.js';
import { caseII, caseIII, caseIV, caseV, flowText, runCase, theirFlows } from '../support/simai-collective-cases.js';

const reference = referencePath('simai');

describe.skipIf(reference === null)("SimAI's case", () => {
  it.each([caseII, caseIII, caseIV, caseV])('($name) has the same flows', (given) => {
    const run = runCase(given, reference!);
    expect(broken(run)).toEqual([]);
    expect([run.flows.length, ...new Set(run.flows.map(({ sizeBytes }) => sizeBytes))]).toEqual([
      given.flows,
      given.flowBytes,
    ]);
    const theirs = theirFlows(given, reference!).map(({ sourceAddress, destinationAddress, sourcePort, sizeBytes }) =>
      flowText(sourceAddress, destinationAddress, sourcePort, sizeBytes),
    );
    expect(run.flowTexts.slice().sort()).toEqual(theirs.sort());
    const us = run.finishUs[0]!;
    console.log(
      `case (${given.name}): SimAI ${given.communicationUs} us, Weft ${us.toFixed(2)} us, ${(100 * (us / given.communicationUs - 1)).toFixed(2)} %`,
    );
    if (run.network.counters.ecnMarks === 0) expect(Math.abs(us / given.communicationUs - 1)).toBeLessThanOrEqual(0.02);
    // which of the cases are compared here must not change unnoticed
    expect(run.network.counters.ecnMarks > 0).toBe(given === caseIII || given === caseIV);
  });
});
