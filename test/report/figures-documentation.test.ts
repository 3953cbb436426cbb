// The tables of docs/formats/run-directory.md that name the figures of a run are those of the catalogue. `npx vitest run
// test/report/figures-documentation.test.ts -u` writes them anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtInBackends } from '../../src/backends/catalogue.js';
import { counterFigures } from '../../src/report/figures/counters.js';
import type { FigureEntry } from '../../src/report/figures/figure.js';
import { jobFigures, programFigures, transferJobFigures } from '../../src/report/figures/jobs.js';
import { catalogueOrder, figureAt, placedFigures } from '../../src/report/figures/places.js';
import { runFigures } from '../../src/report/figures/run.js';

const page = fileURLToPath(new URL('../../docs/formats/run-directory.md', import.meta.url));
const [begin, end] = [
  (name: string) => `<!-- figures: ${name}, from the catalogue -->`,
  '<!-- end of the figures -->',
] as const;

/** What has a table of its own, or stands in this one already. */
const elsewhere = new Set(['workload', 'jobs[]', 'stages[]']);

function rows(entries: readonly FigureEntry<never>[], before = ''): string[] {
  const lines: string[] = [];
  for (const { key, form, unit, says, entries: below } of entries) {
    const path = `${before}${key}${form === 'list' ? '[]' : ''}`;
    const isOpen = below.length > 0 && !elsewhere.has(path);
    const unitCell = unit === null ? '| |' : `| ${unit} |`;
    const last = lines.at(-1);
    // figures without a sentence, of one unit, that stand beside each other
    if (says === '' && !isOpen && last?.endsWith(` ${unitCell} |`) === true)
      lines[lines.length - 1] = last.replace(` ${unitCell} |`, `, \`.${key}\` ${unitCell} |`);
    else if (says !== '' || !isOpen) lines.push(`| \`${path}\` ${unitCell}${says === '' ? '' : ` ${says}`} |`);
    if (isOpen) lines.push(...rows(below, `${path}.`));
  }
  return lines;
}

const tables: Readonly<Record<string, readonly FigureEntry<never>[]>> = {
  run: runFigures,
  training: jobFigures,
  program: programFigures,
  transfers: transferJobFigures,
};

describe('figures of a run', () => {
  it('stand in the documents as they are in the catalogue', async () => {
    let text = readFileSync(page, 'utf8');
    for (const [name, entries] of Object.entries(tables)) {
      const from = text.indexOf(begin(name)) + begin(name).length;
      expect(from, name).toBeGreaterThan(begin(name).length);
      const to = text.indexOf(end, from);
      const table = ['', '', '| key | unit | what it says |', '|---|---|---|', ...rows(entries), '', ''].join('\n');
      text = text.slice(0, from) + table + text.slice(to);
    }
    await expect(text).toMatchFileSnapshot(page);
  });

  it('have every counter that a backend counts', () => {
    const known = new Set(counterFigures.map(({ key }) => key));
    const counted = builtInBackends.flatMap(({ counters }) => counters).map((name) => name.replace(/Ps$/, 'Ns'));
    expect(counted.length).toBeGreaterThan(20);
    expect(counted.filter((name) => !known.has(name))).toEqual([]);
  });

  it('have each path once, and each label one figure', () => {
    const paths = placedFigures.map(({ path }) => path).filter((path) => !/^(workload|jobs\[\])\./.test(path));
    expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
    const labelled = new Map<string, Set<unknown>>();
    for (const { entry } of placedFigures)
      if (entry.look.label !== undefined)
        labelled.set(entry.look.label, (labelled.get(entry.look.label) ?? new Set()).add(entry));
    expect([...labelled].filter(([, of]) => of.size > 1)).toEqual([]);
  });

  it('are found by the paths that sweeps have, and unknown ones go by their names', () => {
    expect(figureAt('jobs[3].ranks.max').entry.look.label).toBe('Job time');
    expect(figureAt('workload.exposedNs.TP')).toMatchObject({ prominence: 'first', entry: { unit: 'ns' } });
    expect(catalogueOrder('counters.newThing')).toBe(Infinity);
    expect(figureAt('counters.waitedNs').entry).toMatchObject({ unit: 'ns', isWhole: false });
    expect(figureAt('counters.newBytes').entry).toMatchObject({ unit: 'B', isWhole: true });
    expect(figureAt('counters.newThing').entry).toMatchObject({ unit: '1', isWhole: true });
  });
});
