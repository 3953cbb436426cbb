// Every check of `npm run validate`, in its quick form: no line out of tolerance, and docs/models/validation.md and
// the table beside it say what comes out.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { checks } from '../../validation/catalogue.js';
import { linesOf, tableSeed } from '../../validation/check.js';
import { incastOutcome } from '../../validation/checks/lossless.js';
import type { Line } from '../../validation/line.js';
import { repositoryFolder } from '../../validation/repository.js';
import { checkMarkdown, headMarkdown, rowCsv } from '../../validation/table.js';
import { referencePath } from '../reference.js';
import { seed } from '../support/seed.js';

const page = readFileSync(join(repositoryFolder, 'docs/models/validation.md'), 'utf8');
const table = readFileSync(join(repositoryFolder, 'docs/models/validation.csv'), 'utf8');

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
    expect(page).toContain(headMarkdown(check));
    if (check.isSampled === true) return;
    const present = lines.filter(({ verdict }) => verdict !== 'skipped');
    const rows = present.map((line) => rowCsv(check, line));
    expect(rows.filter((row) => !table.includes(`\n${row}\n`))).toEqual([]);
    if (present.length === lines.length) expect(page).toContain(`${checkMarkdown({ check, lines })}\n`);
  });
});

describe('the page', () => {
  it('has no failed line, and no check that is gone', () => {
    const generated = page.slice(page.indexOf('<!-- validation: begin'), page.indexOf('<!-- validation: end'));
    expect(generated).not.toMatch(/\bfailed: |[1-9] failed/);
    expect(table).not.toMatch(/,failed$/m);
    const named = new Set([...table.matchAll(/^([a-z][\w-]*),.*,(?:ok|skipped)$/gm)].map(([, name]) => name));
    expect(named.size).toBeGreaterThan(20);
    expect([...named].filter((own) => !checks.some(({ name }) => name === own))).toEqual([]);
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
