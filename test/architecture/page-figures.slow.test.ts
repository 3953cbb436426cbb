// Pages of examples, followed as a reader would: every command in a block ```sh runs in the order in which it stands and
// prints what stands below it, and every marked figure is that of its command (test/support/page-figures.ts). A third of
// the pages by default, which the seed says; WEFT_DRAWS=1 takes all.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isDrawn } from '../support/drawn.js';
import { PageClone, root } from '../support/page-clone.js';
import { firstDifference, stepsOf } from '../support/page-commands.js';
import { figureProblem, figuresOf } from '../support/page-figures.js';

/** Their commands run in their own folders: test/golden and test/library. */
const elsewhere = new Set(['calibrate', 'browser']);

const clone = new PageClone(false);
const pages = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !elsewhere.has(name.split('/')[0]!))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(root, 'examples', name), 'utf8') }))
  .filter(({ text }) => /^```sh$|^<!-- of `/m.test(text));

describe.each(pages.filter((_, place) => isDrawn(place, 3)))('$name', ({ text }) => {
  const commands = stepsOf(text).flatMap((step) => (step.kind === 'commands' ? [step] : []));
  it.each(commands.map((step) => [step.commands.at(-1)!, step] as const))('%s', (_, step) => {
    const runs = step.commands.map((command) => clone.run(command));
    const wantsMistake = step.printed?.some((line) => line.includes(': error: ')) ?? false;
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => (wantsMistake ? 2 : 0)));
    const { stdout, stderr } = runs.at(-1)!;
    if (step.printed !== null) expect(firstDifference(step.printed, stdout === '' ? stderr : stdout)).toBeNull();
  });

  const figures = figuresOf(text);
  it.each([...new Set(figures.map(({ command }) => command))])('figures of %s', (command) => {
    const { status, stdout, stderr } = clone.run(`${command} --json --quiet`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const json = JSON.parse(stdout) as { verdicts?: { ok: boolean }[] };
    expect((json.verdicts ?? []).filter(({ ok }) => !ok)).toEqual([]);
    const problems = figures
      .filter((figure) => figure.command === command)
      .map((figure) => figureProblem(figure, json));
    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });
});
