// The page of a report about one run or several.
// Invariants: every name, detail and value of a run is escaped; the same report gives the same text, byte for byte.

import { equalWithin } from '../fabric-verdict.js';
import { escaped } from '../svg-text.js';
import { counted } from '../text-style.js';
import { changeText, verdictsOf, type Headline } from './headline.js';
import { dot, gridHtml, pageDocument, type PageProgram } from './page-shell.js';
import { congestedHtml } from './congested-html.js';
import { evidenceHtml } from './evidence-html.js';
import { fabricHtml, timelineHtml } from './drawing-html.js';
import { figuresOf, type Finding, type Report, type RunDrawings } from './report.js';
import { listAt, jsonAt, numberAt, textAt, type ReportRun } from './report-run.js';
import { differences, outline } from './scenario-text.js';

const mostDifferences = 60;

/** The page. @param report of one run or several */
export function reportHtml(report: Report, program: PageProgram): string {
  const { findings, runs, headlines, sections, drawings, congestion } = report;
  const figures = figuresOf(report);
  const title = titleOf(runs);
  const [ranks, ...others] = sections;
  const charts = others
    .filter(({ id, figures: own }) => own.length > 0 || (id === 'congestion' && congestion.length > 0))
    .map(({ id, title: text, figures: own }) => ({
      id,
      title: text,
      html: `${id === 'congestion' ? congestedHtml(congestion, runs.length > 1) : ''}${gridHtml(own, figures)}`,
    }));
  const drawn = (draw: typeof fabricHtml): string =>
    drawings
      .map((own, i) => draw(own, i, drawings.length > 1))
      .filter((html) => html !== '')
      .join('\n');
  const isOneOfMany = runs.length > 1;
  return pageDocument(
    {
      title,
      head: byline(runs),
      legend: isOneOfMany
        ? `<ul class="runs" aria-label="Runs">${runs.map((run, i) => `<li>${dot(i)}<span>${escaped(run.label)}</span></li>`).join('')}</ul>`
        : '',
      parts: [
        { id: 'findings', title: 'What was slow, and why', html: findingsHtml(findings) + evidenceHtml(runs) },
        { id: 'figures', title: 'Figures', html: cards(headlines, runs) + headlineTable(headlines, runs) },
        {
          id: 'ranks',
          title: 'Ranks',
          html: drawn(timelineHtml) + (ranks!.figures.length > 0 ? gridHtml(ranks!.figures, figures) : ''),
        },
        { id: 'fabric', title: 'Fabric', html: drawn(fabricHtml) },
        ...charts,
        { id: 'checks', title: 'Checks', html: runs.map((run, i) => checks(run, i, isOneOfMany)).join('\n') },
        {
          id: 'scenario',
          title: 'Scenario',
          html: differenceTable(runs) + runs.map((run, i) => scenario(run, i, isOneOfMany)).join('\n'),
        },
      ],
      weftVersion: textAt(runs[0]?.manifest, 'weftVersion'),
      data: {
        figures,
        drawings: drawings.map(({ fabric }) => withoutPicture(fabric)),
        congestion: congestion.map(({ desk }) => desk),
      },
    },
    program,
  );
}

/** A paragraph for each; those about a run begin with its name. */
function findingsHtml(findings: readonly Finding[]): string {
  return findings
    .map(({ about, text }) => `<p>${about === '' ? '' : `<strong>${escaped(about)}</strong>: `}${escaped(text)}</p>`)
    .join('\n');
}

function withoutPicture(picture: RunDrawings['fabric']): RunDrawings['fabric'] {
  return picture === null ? null : { ...picture, svg: '' };
}

function titleOf(runs: readonly ReportRun[]): string {
  const names = [...new Set(runs.map(({ manifest }) => textAt(manifest, 'name')))];
  if (runs.length === 1) return names[0] || runs[0]!.label;
  return names.length === 1 && names[0] !== '' ? `${names[0]}: ${runs.length} runs` : `${runs.length} runs compared`;
}

function byline(runs: readonly ReportRun[]): string {
  const parts = runs.length > 1 ? [] : facts(runs[0]!);
  const outcomes = runs.filter(({ manifest }) => !['', 'finished'].includes(textAt(manifest, 'outcome')));
  const warning = outcomes.map(
    ({ label, manifest }) =>
      `<p class="by${textAt(manifest, 'outcome') === 'ended' ? '' : ' bad'}">${escaped(`${label}: ${outcomeText(textAt(manifest, 'outcome'))}`)}</p>`,
  );
  return `${parts.length === 0 ? '' : `<p class="by">${escaped(parts.join(' · '))}</p>`}${warning.join('')}`;
}

function outcomeText(outcome: string): string {
  if (outcome === 'blocked') return 'blocked: flows are unfinished, but nothing moves any more';
  if (outcome === 'stopped') return 'stopped: what follows is of the part that was done';
  if (outcome === 'ended') return 'ended at its stopTime: flows may be unfinished';
  return outcome === 'running' ? 'not ended: what follows is of the part that was written' : outcome;
}

function facts({ manifest, summary }: ReportRun): string[] {
  const flows = numberAt(summary, 'flows');
  return [
    textAt(summary, 'backend') === '' ? '' : `${textAt(summary, 'backend')} backend`,
    flows === null ? '' : counted(flows, 'flow'),
    `seed ${numberAt(manifest, 'seed') ?? '?'}`,
    `Weft ${textAt(manifest, 'weftVersion')}`,
  ].filter((part) => part !== '');
}

function change({ changes, lessIsBetter, undecidedPercent }: Headline, run: number): string {
  const own = changes[run] ?? null;
  const text = changeText(own);
  if (text === '') return '';
  const quality =
    lessIsBetter === null || own === null || Math.abs(own) <= undecidedPercent
      ? ''
      : own < 0 === lessIsBetter
        ? ' good'
        : ' bad';
  return `<span class="change${quality}">${escaped(text)}</span>`;
}

function cards(headlines: readonly Headline[], runs: readonly ReportRun[]): string {
  const leading = headlines.filter(({ isLeading }) => isLeading).slice(0, 5);
  const verdicts = runs.map(verdictsOf);
  const failed = verdicts.flat().filter(({ ok }) => !ok).length;
  const all = verdicts.flat().length;
  const check =
    '<div class="card"><div class="name">Self-checks</div><div class="big ' +
    `${failed === 0 ? 'good' : 'bad'}">${failed === 0 ? `all ${all} passed` : `${failed} of ${all} failed`}</div></div>`;
  return `<div class="cards">${leading
    .map((headline) => {
      const { name, explanation, texts } = headline;
      const values =
        runs.length === 1
          ? `<div class="big">${escaped(texts[0]!)}</div>`
          : texts
              .map(
                (text, run) =>
                  `<div class="row">${dot(run)}<span class="value">${text === '' ? '&ndash;' : escaped(text)}</span>${change(headline, run)}</div>`,
              )
              .join('');
      return `<div class="card"${explanation === '' ? '' : ` title="${escaped(explanation)}"`}><div class="name">${escaped(name)}</div>${values}</div>`;
    })
    .join('')}${all === 0 ? '' : check}</div>`;
}

function headlineTable(headlines: readonly Headline[], runs: readonly ReportRun[]): string {
  if (headlines.length === 0) return '<p class="note">The run has no figures: its summary is missing.</p>';
  const head =
    runs.length === 1
      ? ''
      : '<thead><tr><th ' +
        `scope="col">Figure</th>${runs.map(({ label }, i) => `<th scope="col" class="number">${dot(i)} ${escaped(label)}</th>`).join('')}</tr></thead>`;
  const rows = headlines.map(
    (headline) =>
      '<tr><th ' +
      `scope="row">${escaped(headline.name)}${headline.explanation === '' ? '' : `<div class="note">${escaped(headline.explanation)}</div>`}</th>${headline.texts.map((text, run) => `<td${runs.length > 1 ? ` data-label="${escaped(runs[run]!.label)}"` : ''} class="number">${text === '' ? '&ndash;' : escaped(text)} ${run === 0 ? '' : change(headline, run) || '<span class="change"></span>'}</td>`).join('')}</tr>`,
  );
  return (
    `<div class="panel long"><details${runs.length > 1 ? ' open' : ''}><summary>All ` +
    `figures${runs.length > 1 ? ', with changes from the first run' : ''}</summary>${bandNote(headlines, runs)}<div ` +
    `class="scroll"><table${runs.length > 1 ? ' class="stacked"' : ''}>${head}<tbody>${rows.join('')}</tbody></table></div></details></div>`
  );
}

/** Which changes are gray. */
function bandNote(headlines: readonly Headline[], runs: readonly ReportRun[]): string {
  if (runs.length < 2) return '';
  const band = headlines.reduce((most, { undecidedPercent }) => Math.max(most, undecidedPercent), 0);
  const isBand = band > 100 * equalWithin;
  return `<p class="note">Green is better, red is worse. Gray says nothing: a change of at most ${100 * equalWithin} %${isBand ? `, of times of at most ${band.toFixed(1)} %, the error band of such times` : ''}.</p>`;
}

function checks(run: ReportRun, index: number, isOneOfMany: boolean): string {
  const verdicts = verdictsOf(run);
  const failed = verdicts.filter(({ ok }) => !ok);
  const said =
    verdicts.length === 0
      ? 'No self-checks are recorded.'
      : failed.length === 0
        ? `All ${verdicts.length} passed.`
        : `${failed.length} of ${verdicts.length} failed.`;
  const items = [...failed, ...verdicts.filter(({ ok }) => ok)].map(
    ({ name, ok, detail }) =>
      '<li><span class="mark ' +
      `${ok ? 'good' : 'bad'}">${ok ? '✓ passed' : '✗ failed'}</span><div>${escaped(name)}<div ` +
      `class="detail">${escaped(detail)}</div></div></li>`,
  );
  const warnings = listAt(run.manifest, 'warnings').map(
    (warning) => `<li><span class="mark">warning</span><div>${escaped(textAt(warning, 'message'))}</div></li>`,
  );
  const open = !isOneOfMany || failed.length > 0 ? ' open' : '';
  return (
    '<div class="panel ' +
    `long"><details${open}><summary>${isOneOfMany ? `${dot(index)} ${escaped(run.label)}: ` : ''}<span ` +
    `class="${failed.length > 0 ? 'bad' : 'good'}">${escaped(said)}</span></summary><ul ` +
    `class="checks">${items.join('')}${warnings.join('')}</ul></details></div>`
  );
}

function differenceTable(runs: readonly ReportRun[]): string {
  if (runs.length < 2) return '';
  const found = differences(runs, mostDifferences);
  if (found.length === 0)
    return '<p class="note">The scenarios of all runs are the same, but perhaps for seeds and files.</p>';
  return `<div class="panel long"><h3>What differs</h3><div class="scroll"><table class="stacked"><thead><tr><th scope="col">Setting</th>${runs.map(({ label }, i) => `<th scope="col">${dot(i)} ${escaped(label)}</th>`).join('')}</tr></thead><tbody>${found
    .map(
      ({ path, values }) =>
        `<tr><th scope="row"><code>${escaped(path)}</code></th>${values.map((value, run) => `<td data-label="${escaped(runs[run]!.label)}"><code>${escaped(value.slice(0, 300))}</code></td>`).join('')}</tr>`,
    )
    .join('')}</tbody></table></div></div>`;
}

function scenario(run: ReportRun, index: number, isOneOfMany: boolean): string {
  const { manifest } = run;
  const inputs = listAt(manifest, 'inputs').map(
    (input) =>
      `<tr><th scope="row">${escaped(textAt(input, 'role'))}</th><td>${escaped(textAt(input, 'path'))}</td><td ` +
      `class="number">${numberAt(input, 'sizeBytes') ?? ''} B</td><td ` +
      `class="hash">${escaped(textAt(input, 'sha256'))}</td></tr>`,
  );
  const digest = textAt(manifest, 'digest');
  const table =
    inputs.length === 0
      ? ''
      : '<div class="scroll"><table><thead><tr><th scope="col">File</th><th scope="col">Path</th><th scope="col" ' +
        'class="number">Size</th><th ' +
        `scope="col">SHA-256</th></tr></thead><tbody>${inputs.join('')}</tbody></table></div>`;
  return `<div class="panel long">${isOneOfMany ? `<h3>${dot(index)} ${escaped(run.label)}</h3>` : ''}${table}
${digest === '' ? '' : `<p class="note">Digest of the records: <span class="hash">${escaped(digest)}</span></p>`}
<details><summary>Settings as they were resolved</summary><pre tabindex="0">${escapedLines(outline(jsonAt(manifest, 'scenario')))}</pre></details></div>`;
}

function escapedLines(text: string): string {
  return text.split('\n').map(escaped).join('\n');
}
