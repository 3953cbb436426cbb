// Every check of `npm run validate`, in its quick form: no line out of tolerance, and docs/models/validation.md says
// what comes out.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checks } from '../../validation/catalogue.js';
import { linesOf, tableSeed } from '../../validation/check.js';
import { incastOutcome } from '../../validation/checks/lossless.js';
import type { Line } from '../../validation/line.js';
import { repositoryFolder } from '../../validation/repository.js';
import { checkMarkdown, rowMarkdown } from '../../validation/table.js';
import { referencePath } from '../reference.js';
import { seed } from '../support/seed.js';

const page = readFileSync(join(repositoryFolder, 'docs/models/validation.md'), 'utf8');

describe.each(checks)('$name', (check) => {
  let lines: Line[] = [];
  beforeAll(async () => {
    lines = [];
    const context = { isQuick: true, seed: tableSeed, reference: referencePath(), progress: () => {} };
    for await (const line of linesOf(check, context)) lines.push(line);
    // seconds, on a machine with nothing else to do
  });

  it('has lines, and all are within their tolerance', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  });

  it('stands in the documentation as it is: else run npm run validate', () => {
    expect(page).toContain(checkMarkdown({ check, lines: [] }));
    if (check.isSampled === true) return;
    const missing = lines
      .filter(({ verdict }) => verdict !== 'skipped')
      .map(rowMarkdown)
      .filter((row) => !page.includes(row));
    expect(missing).toEqual([]);
  });
});

describe('the page', () => {
  it('has no failed line, and no check that is gone', () => {
    const generated = page.slice(page.indexOf('<!-- validation: begin'), page.indexOf('<!-- validation: end'));
    expect(generated).not.toMatch(/: failed \|$/m);
    expect([...generated.matchAll(/^### (.*)$/gm)].map((heading) => heading[1])).toEqual(
      checks.map(({ title }) => title),
    );
  });
});

it(`random incasts of another seed lose nothing (WEFT_SEED=${seed})`, () => {
  let pauses = 0;
  for (let number = 1; number <= 150; number++) {
    const { problems, counters, text } = incastOutcome(seed, number);
    expect(problems, `incast ${number} of seed ${seed}: ${text}`).toEqual([]);
    pauses += counters.pauseFrames;
  }
  expect(pauses).toBeGreaterThan(100);
});
