// The page of a report about a sweep: figures over settings with their spread over seeds, what makes a difference,
// every combination, and what failed.
// Invariant: every name and value is escaped; nothing is called a difference that the test does not carry.

import { leftOutText } from '../sweep/ignored-settings.js';
import type { SettingOfColumn } from '../sweep/row-columns.js';
import { escaped } from '../svg-text.js';
import { counted, grouped } from '../text-style.js';
import { changeText } from './headline.js';
import { cardHtml, gridHtml, pageDocument, type PageProgram } from './page-shell.js';
import { bestTable, type ChoiceRequest, frontTable, sharesTable } from './sweep-choice-html.js';
import { chartsOfSweep } from './sweep-front-figure.js';
import { amountText } from './sweep-words.js';
import { significanceLevel, type SweepDifference, type SweepEffect, type SweepFigures } from './sweep-figures.js';
import { numberText } from './figures.js';

/** What a sweep's folder says of it. */
export interface SweepLabel {
  readonly name: string;
  readonly scenario: string;
  readonly weftVersion: string;
  readonly outcome: string;
  /** planned */
  readonly runs: number;
  /** as people write them; null: the scenario's own */
  readonly seeds: string | null;
  readonly settings: readonly SettingOfColumn[];
  readonly inputs: readonly { readonly role: string; readonly path: string; readonly sha256: string }[];
}

const [tableFigures, testedFigures, mostErrors] = [5, 5, 40];

/** The page. */
export function sweepHtml(
  label: SweepLabel,
  sweep: SweepFigures,
  program: PageProgram,
  choice: ChoiceRequest = {},
): string {
  const { pareto, bestPer } = choice;
  const charts = chartsOfSweep(sweep, choice);
  const [figures, front] = [charts.filter(({ id }) => id !== 'front'), charts.filter(({ id }) => id === 'front')];
  const verdict = sweep.verdict();
  const head = [
    '<p ' +
      `class="by">${escaped(`${grouped(sweep.runs)} of ${counted(label.runs, 'run')} · ${counted(sweep.count, 'combination')} · seeds ${label.seeds ?? "the scenario's own"} · Weft ${label.weftVersion}`)}</p>`,
    ...sweep.ignored.list().map((left) => `<p class="by">${escaped(leftOutText(left))}</p>`),
    ...(label.outcome === 'finished' ? [] : [`<p class="by bad">${escaped(stateText(label.outcome))}</p>`]),
  ];
  return pageDocument(
    {
      title: `${label.name}: sweep`,
      head: head.join(''),
      legend: '',
      parts: [
        { id: 'findings', title: 'What is best', html: verdict === '' ? '' : `<p>${escaped(verdict)}</p>` },
        { id: 'figures', title: 'Figures', html: cards(sweep, label) },
        {
          id: 'over',
          title: 'Over settings',
          html:
            figures.length === 0
              ? '<p class="note">No figure differs between the runs.</p>'
              : gridHtml(figures, charts),
        },
        { id: 'differences', title: 'What makes a difference', html: differenceTable(sweep) },
        { id: 'shares', title: 'What moves the figures', html: sharesTable(sweep) },
        {
          id: 'front',
          title: 'Front',
          html: pareto === undefined ? '' : gridHtml(front, charts) + frontTable(sweep, pareto),
        },
        { id: 'best', title: 'Best of each group', html: bestPer === undefined ? '' : bestTable(sweep, bestPer) },
        { id: 'combinations', title: 'Combinations', html: combinationTable(sweep, label.settings) },
        { id: 'failed', title: sweep.failed === 0 ? 'What cannot run' : 'What failed', html: errorTable(sweep) },
        { id: 'scenario', title: 'Scenario', html: scenarioTable(label) },
      ],
      weftVersion: label.weftVersion,
      data: { figures: charts, drawings: [], congestion: [] },
    },
    program,
  );
}

function stateText(outcome: string): string {
  return outcome === 'running'
    ? 'the sweep has not ended, or was killed: what follows is of the runs that have ended'
    : 'stopped: what follows is of the runs that have ended';
}

function cards(sweep: SweepFigures, { runs, settings }: SweepLabel): string {
  const passed = sweep.runs - sweep.failed - sweep.infeasible;
  return `<div class="cards">${[
    cardHtml('Runs that ended', sweep.runs === runs ? grouped(runs) : `${grouped(sweep.runs)} of ${grouped(runs)}`),
    cardHtml('Combinations', grouped(sweep.count)),
    ...settings.slice(0, 2).map(({ path, values }) => cardHtml(path, counted(values.length, 'value'))),
    cardHtml(
      'Self-checks',
      sweep.failed === 0 ? 'all passed' : `${grouped(sweep.failed)} of ${grouped(sweep.runs)} failed`,
      sweep.failed === 0 ? ' good' : ' bad',
    ),
    cardHtml('Did all they were asked', grouped(passed)),
    ...(sweep.infeasible === 0 ? [] : [cardHtml('Settings that do not go together', counted(sweep.infeasible, 'run'))]),
  ].join('')}</div>`;
}

function differenceTable(sweep: SweepFigures): string {
  const { names, keys, rows } = sweep.differences(testedFigures);
  if (rows.length === 0 || names.length === 0)
    return '<p class="note">No setting has several values, or no figure differs.</p>';
  const pairs = Math.max(0, ...rows.flatMap(({ effects }) => effects.map((effect) => effect?.pairs ?? 0)));
  const note =
    'Change of the mean beside the first value of the setting, over pairs of runs with the same seed and the ' +
    `same other settings (${pairs} at most). Bold: a difference by Wilcoxon's signed-rank test, at ` +
    `${100 * significanceLevel} % for all comparisons of a figure together (Holm's correction); the rest may be ` +
    `chance.${fewSeeds(pairs, rows.length)}`;
  return (
    `<div class="panel long"><p class="note">${escaped(note)}</p><div class="scroll"><table class="stacked"><thead><tr><th ` +
    'scope="col">Setting</th><th ' +
    `scope="col">Value</th>${names.map((name) => `<th scope="col" class="number">${escaped(name)}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => differenceRow(row, keys, names)).join('')}</tbody></table></div></div>`
  );
}

function powerOfTwo(exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent && i < 60; i++) power *= 2;
  return power;
}

/** Why nothing can be shown, if it cannot: the smallest probability of the test is 2 / 2^pairs. */
function fewSeeds(pairs: number, comparisons: number): string {
  const isEnough = (count: number): boolean => 2 * comparisons <= significanceLevel * powerOfTwo(count);
  if (isEnough(pairs)) return '';
  let needed = pairs;
  while (!isEnough(needed)) needed++;
  return ` With ${counted(pairs, 'pair')} this test can show no difference: ${needed} are needed, so give more seeds.`;
}

function differenceRow(
  { setting, value, first, effects }: SweepDifference,
  keys: readonly string[],
  names: readonly string[],
): string {
  return (
    `<tr><th scope="row"><code>${escaped(setting)}</code></th><td${labelOf('Value')}>${escaped(value)}<div class="note">beside ` +
    `${escaped(first)}</div></td>${effects.map((effect, i) => `<td${labelOf(names[i]!)} class="number">${effectText(effect, keys[i]!)}</td>`).join('')}</tr>`
  );
}

function effectText(effect: SweepEffect | null, key: string): string {
  if (effect === null) return '&ndash;';
  const { change, changePercent, p } = effect;
  const text =
    changePercent === null
      ? `${change < 0 ? '−' : '+'}${amountText(key, Math.abs(change))}`
      : changeText(changePercent);
  const isDifference = p <= significanceLevel;
  const chance = `<span class="change">p ${p < 0.001 ? '&lt; 0.001' : numberText(p, 2)}</span>`;
  return isDifference ? `<strong>${escaped(text)}</strong> ${chance}` : `${escaped(text)} ${chance}`;
}

/** The head of a cell's column: where a telephone stacks cells, it stands before each. */
function labelOf(name: string): string {
  return ` data-label="${escaped(name)}"`;
}

function combinationTable(sweep: SweepFigures, settings: readonly SettingOfColumn[]): string {
  const { names, rows, beyond } = sweep.table(tableFigures);
  const more =
    beyond === 0 ? '' : `<p class="note">${escaped(`${counted(beyond, 'more combination')} stand in runs.csv.`)}</p>`;
  return `<div class="panel long"><p class="note">Means over seeds, ± a standard deviation.</p><div class="scroll"><table class="stacked"><thead><tr>${settings.map(({ path }) => `<th scope="col"><code>${escaped(path)}</code></th>`).join('')}<th scope="col" class="number">Runs</th>${names.map((name) => `<th scope="col" class="number">${escaped(name)}</th>`).join('')}</tr></thead><tbody>${rows
    .map(
      ({ values, runs, failed, texts }) =>
        `<tr>${values.map((value, i) => `<td${labelOf(settings[i]!.path)}>${escaped(value)}</td>`).join('')}<td${labelOf('Runs')} ` +
        `class="number">${runs}${failed === 0 ? '' : ` <span class="bad">${failed} failed</span>`}</td>${texts.map((text, i) => `<td${labelOf(names[i]!)} class="number">${text === '' ? '&ndash;' : escaped(text)}</td>`).join('')}</tr>`,
    )
    .join('')}</tbody></table></div>${more}</div>`;
}

function errorTable({ errors }: SweepFigures): string {
  if (errors.size === 0) return '';
  const shown = [...errors].slice(0, mostErrors);
  const left = errors.size - shown.length;
  return `<div class="panel long"><div class="scroll"><table><thead><tr><th scope="col">Why</th><th scope="col" class="number">Runs</th></tr></thead><tbody>${shown
    .map(([error, runs]) => `<tr><td>${escaped(error)}</td><td class="number">${grouped(runs)}</td></tr>`)
    .join(
      '',
    )}</tbody></table></div>${left > 0 ? `<p class="note">${escaped(`${counted(left, 'other reason')} stand in runs.csv.`)}</p>` : ''}</div>`;
}

function scenarioTable({ scenario, settings, inputs }: SweepLabel): string {
  return `<div class="panel long"><p class="note">${escaped(`Scenario ${scenario}, with every combination of these values:`)}</p><div class="scroll"><table><tbody>${settings
    .map(
      ({ path, values }) =>
        '<tr><th ' +
        `scope="row"><code>${escaped(path)}</code></th><td>${escaped(values.slice(0, 60).join(', '))}${values.length > 60 ? ' ..' : ''}</td></tr>`,
    )
    .join('')}</tbody></table></div></div>
<div class="panel long"><div class="scroll"><table><thead><tr><th scope="col">File</th><th scope="col">Path</th><th scope="col">SHA-256</th></tr></thead><tbody>${inputs
    .map(
      ({ role, path, sha256 }) =>
        `<tr><th scope="row">${escaped(role)}</th><td>${escaped(path)}</td><td ` +
        `class="hash">${escaped(sha256)}</td></tr>`,
    )
    .join('')}</tbody></table></div></div>`;
}
