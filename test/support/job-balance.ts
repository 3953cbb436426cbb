// The books of a job's ranks: what each computed and waited for is its time, and skew is part of what it waited for.

import { expect } from 'vitest';
import { communicationKinds, type JobReport, type RankFigures } from '../../src/jobs/job-report.js';

/** What a rank waited for communication, in picoseconds. */
const exposedOf = ({ exposedPs }: RankFigures): number =>
  communicationKinds.reduce((sum, kind) => sum + exposedPs[kind], 0);

/** Fails unless the books balance at a time. */
export function expectBalance({ stages, layers }: JobReport, totalPs: number): void {
  for (const rank of stages) {
    expect(rank.totalPs).toBe(totalPs);
    expect(rank.computePs + exposedOf(rank) + rank.bubblePs).toBe(totalPs);
    for (const kind of communicationKinds) expect(rank.exposedPs[kind]).toBeLessThanOrEqual(rank.communicationPs[kind]);
    expect(rank.skewPs).toBeLessThanOrEqual(exposedOf(rank));
  }
  const inLayers = layers.reduce(
    (sum, { forward, inputGradient, weightGradient }) =>
      sum + forward.computePs + inputGradient.computePs + weightGradient.computePs,
    0,
  );
  expect(inLayers).toBeLessThanOrEqual(stages.reduce((sum, { computePs }) => sum + computePs, 0));
}
