// Holds one of SimAI's collectives against ours, flow by flow.

import { expect } from 'vitest';
import { broken } from './engine-run.js';
import { caseIII, caseIV, flowText, runCase, type SimaiCase, theirFlows } from './simai-collective-cases.js';

/** Who sends how much to whom by which port, and the time where no queue crosses the marking threshold. */
export function expectSameFlows(given: SimaiCase, reference: string): void {
  const run = runCase(given, reference);
  expect(broken(run)).toEqual([]);
  expect([run.flows.length, ...new Set(run.flows.map(({ sizeBytes }) => sizeBytes))]).toEqual([
    given.flows,
    given.flowBytes,
  ]);
  const theirs = theirFlows(given, reference).map(({ sourceAddress, destinationAddress, sourcePort, sizeBytes }) =>
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
}
