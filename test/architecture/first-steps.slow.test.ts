// README.md and docs/getting-started.md, followed from top to bottom in one folder, as a newcomer would: every command
// runs in the order in which it stands, and prints what stands below it. The second, whose comparisons take minutes, is
// followed one time in three, as the seed says; WEFT_DRAWS=1 follows it always.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isDrawn } from '../support/drawn.js';
import { demo, PageClone, root } from '../support/page-clone.js';
import { firstDifference, stepsOf } from '../support/page-commands.js';

const clone = new PageClone(true);

/** What commands printed, by command. */
const printedBy = new Map<string, string>();

it('`npm start` is the demo after set-up', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  expect(scripts.start).toBe(`node setup.mjs && ${demo}`);
});

const isFollowed = isDrawn(1, 3);

describe.each(['README.md', ...(isFollowed ? ['docs/getting-started.md'] : [])])('%s', (page) => {
  const steps = stepsOf(readFileSync(join(root, page), 'utf8'));

  it('begins with a command, and shows what every block of commands prints', () => {
    expect(steps.filter(({ kind }) => kind === 'commands').length).toBeGreaterThan(0);
    for (const step of steps) expect(step).not.toMatchObject({ printed: null });
  });

  it.each(steps.map((step) => [step.kind === 'file' ? step.name : step.commands.join('; '), step] as const))(
    '%s',
    (_, step) => {
      if (step.kind === 'file') return writeFileSync(join(clone.folder, step.name), step.text);
      const wantsMistake = step.printed!.some((line) => line.includes(': error: '));
      const runs = step.commands.map((command) => clone.run(command));
      expect(runs.map(({ status }) => status)).toEqual(step.commands.map(() => (wantsMistake ? 2 : 0)));
      // reports go to stdout, and notes beside them to stderr: shown is what there is to see without them
      const { stdout, stderr } = runs.at(-1)!;
      const printed = stdout === '' ? stderr : stdout;
      printedBy.set(step.commands.at(-1)!, printed);
      expect(firstDifference(step.printed!, printed)).toBeNull();
    },
  );
});

// tests of these examples take their figures from the page (test/golden)
it.skipIf(!isFollowed).each([
  [
    'examples/training',
    'npx weft run examples/training/training.yaml --backend analytical,fluid,packet --out training',
  ],
  ['examples/compare-fabrics', 'npx weft compare-fabrics'],
])('the page of %s shows what that command of the first steps prints', (example, command) => {
  const [, table] = /^```text\n([^]*?)^```$/m.exec(readFileSync(join(root, example, 'README.md'), 'utf8'))!;
  expect(firstDifference(['…', ...table!.trimEnd().split('\n'), '…'], printedBy.get(command)!)).toBeNull();
});

it.skipIf(!isFollowed)('the picture in README is the one that the training job of the first steps draws', () => {
  const drawn = readFileSync(join(clone.folder, 'training/fluid/timeline.svg'), 'utf8');
  expect(drawn).toBe(readFileSync(join(root, 'examples/training/timeline.svg'), 'utf8'));
});
