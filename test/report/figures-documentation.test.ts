// The tables of docs/formats that name figures are those of the catalogues. `npx vitest run
// test/report/figures-documentation.test.ts -u` writes them anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtInBackends } from '../../src/backends/catalogue.js';
import {
  collectiveFigures,
  errorFigures,
  explanationFigures,
  measuredFigures,
} from '../../src/report/figures/collectives.js';
import { backendFigures, flowFigures, policyFigures } from '../../src/report/figures/compared.js';
import { counterFigures } from '../../src/report/figures/counters.js';
import { fabricFigures } from '../../src/report/figures/fabrics.js';
import type { FigureEntry } from '../../src/report/figures/figure.js';
import { jobFigures, programFigures, transferJobFigures } from '../../src/report/figures/jobs.js';
import { catalogueOrder, figureAt, placedFigures } from '../../src/report/figures/places.js';
import {
  deadlockFigures,
  evaluationFigures,
  phaseFigures,
  routedFabricFigures,
  validityFigures,
} from '../../src/report/figures/routes.js';
import { runFigures } from '../../src/report/figures/run.js';
import { jobWith, kinds, rankWith } from '../support/hand-made-job.js';
import { figuresWith, inferenceWith } from '../support/hand-made-run.js';

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

const everything = figuresWith({
  jobs: [jobWith({ stages: [rankWith({ communicationPs: kinds({ TP: 2 }), bubblePs: 1 })] })],
  inference: inferenceWith(),
});

const pages: Readonly<Record<string, Readonly<Record<string, readonly FigureEntry<never>[]>>>> = {
  'run-directory.md': {
    run: runFigures,
    training: jobFigures,
    program: programFigures,
    transfers: transferJobFigures,
  },
  'json-output.md': {
    fabrics: fabricFigures,
    policies: policyFigures,
    flows: flowFigures,
    backends: backendFigures([everything]),
    collective: collectiveFigures,
    measured: measuredFigures,
    errors: errorFigures,
    explanation: explanationFigures,
    'fabric of routes': routedFabricFigures,
    loads: evaluationFigures,
    'phase of loads': phaseFigures,
    validity: validityFigures,
    deadlock: deadlockFigures,
  },
};

describe('figures', () => {
  it.each(Object.entries(pages))('stand in %s as they are in the catalogues', async (name, tables) => {
    const page = fileURLToPath(new URL(`../../docs/formats/${name}`, import.meta.url));
    let text = readFileSync(page, 'utf8');
    for (const [table, entries] of Object.entries(tables)) {
      const from = text.indexOf(begin(table)) + begin(table).length;
      expect(from, table).toBeGreaterThan(begin(table).length);
      const to = text.indexOf(end, from);
      const lines = ['', '', '| key | unit | what it says |', '|---|---|---|', ...rows(entries), '', ''].join('\n');
      text = text.slice(0, from) + lines + text.slice(to);
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
