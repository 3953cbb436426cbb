// The example of source ports, in the order of its page: the run by hash, its traffic to the optimizer, ports along the
// optimizer's ways, and the run with them. What the page says of it is read from the page.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { runCommand } from '../support/run-command.js';

const example = fileURLToPath(new URL('../../examples/route-source-ports/', import.meta.url));
let page = '';
let folder = '';
beforeAll(async () => {
  page = await readFile(join(example, 'README.md'), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'weft-ports-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The page's commands, its files in a folder of the test. */
const commands = (): string[][] =>
  [...page.matchAll(/^ {4}npx weft (.*)$/gm)].map(([, words]) =>
    words!
      .replaceAll('$PWD/', `${folder}/`)
      .split(' ')
      .map((word) => {
        if (word.startsWith('examples/')) return join(example, word.slice('examples/route-source-ports/'.length));
        return /^(?:before|after|[\w.]+\.(?:topo|lfts|csv))$/.test(word) ? `@${word}` : word;
      }),
  );

it('prints what its page shows', async () => {
  const all = commands();
  expect(all.map((words) => words.slice(0, 2).join(' '))).toHaveLength(5);
  let printed = '';
  for (const words of all) {
    const { code, stdout, stderr } = await runCommand(folder, words, { makePlan, simulate });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    printed += stdout;
  }
  const shown = [...page.matchAll(/(?:^ {4}(?!npx weft ).*\n|^\n)+/gm)]
    .flatMap(([block]) => block.split('\n'))
    .filter((line) => line.startsWith('    '))
    .map((line) => line.slice(4));
  expect(shown.length).toBeGreaterThan(10);
  const lines = printed.replaceAll(`${folder}/`, '').split('\n');
  expect(shown.filter((line) => !lines.includes(line))).toEqual([]);
});

it('says in its table what the runs give', async () => {
  const rows = [...page.matchAll(/^\| `(--set [^`]*)`[^|]*\| ([\d.]+) ms \| ([\d.]+) ms \|$/gm)];
  expect(rows).toHaveLength(5);
  for (const [, options, mean, last] of rows) {
    const words = ['run', join(example, 'permutation.yaml'), ...options!.split(' '), '--json'];
    const { code, stdout } = await runCommand(folder, words, { makePlan, simulate });
    expect(code).toBe(0);
    const { fct } = JSON.parse(stdout) as { fct: { meanNs: number; maxNs: number } };
    expect([(fct.meanNs / 1e6).toFixed(3), (fct.maxNs / 1e6).toFixed(3)]).toEqual([mean, last]);
  }
});
