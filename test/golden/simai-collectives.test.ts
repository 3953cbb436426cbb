// SimAI's collectives, flow by flow (who sends how much to whom by which port, how often), and the time that they take
// where no queue crosses the marking threshold. Where queues do, and the largest case: simai-collectives.slow.test.ts.
// Skips visibly without the reference data.

import { describe, it } from 'vitest';
import { referencePath } from '../reference.js';
import { caseII, caseIII, caseIV } from '../support/simai-collective-cases.js';
import { expectSameFlows } from '../support/same-flows.js';

const reference = referencePath('simai');

describe.skipIf(reference === null)("SimAI's case", () => {
  it.each([caseII, caseIII, caseIV])('($name) has the same flows', (given) => expectSameFlows(given, reference!));
});
