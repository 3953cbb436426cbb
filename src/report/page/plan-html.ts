// The page of `weft plan`: the answer first, what each plan spends its time on, what the next ones lose by, what could not
// run, what networks cost, how firm the order is, and the command that made it.
// Invariants: sentences and tables are those of the text (plan-account.ts); every name is escaped.

import { formatTimePs } from '../../base/units.js';
import { communicationKinds, type CommunicationKind } from '../../jobs/job-report.js';
import { escaped } from '../svg-text.js';
import { counted, grouped, percentText } from '../text-style.js';
import { planAccount, type PlanNote, type PlanReport, refusedPlans } from '../training-plans/plan-account.js';
import { exposedOf, planName, planNameHelp, whyOf } from '../training-plans/plan-words.js';
import { type NoLinkFault, type PlanTimes, type RankedPlan, slowGpuSpeed } from '../training-plans/ranked-plan.js';
import { short, type SpanFigure, timeUnit, valueText } from './figures.js';
import { cardHtml, gridHtml, pageDocument, type PageProgram, tablePanel } from './page-shell.js';

/** Plans that are drawn, and those that stand in tables; what is beyond is counted. */
const [mostDrawn, mostRows] = [40, 200];

/** The page. @param command that made it, as people type it @param report with a plan at least */
export function planHtml(report: PlanReport, command: string, program: PageProgram): string {
  const [first] = report.plans;
  const account = planAccount(report, first!);
  const figures = [timeFigure(report.plans)];
  return pageDocument(
    {
      title: `Plans for ${report.model} on ${grouped(report.gpus)} ${report.gpuType}`,
      head: `<p class="by">${escaped(account.asked)}</p>`,
      legend: '',
      parts: [
        { id: 'findings', title: 'Which plan', html: `<p>${escaped(account.lead)}</p>${cards(first!)}` },
        {
          id: 'ranking',
          title: 'Ranking',
          html: gridHtml(figures, figures) + rankingTable(report.plans, account.ranking),
        },
        { id: 'firm', title: 'How firm', html: notesHtml(account.notes) + faultTable(report.plans) },
        { id: 'infeasible', title: 'What cannot run', html: infeasibleTable(report) },
        {
          id: 'networks',
          title: account.fabrics.rows.length > 1 ? 'Networks' : 'Network',
          html: networksHtml(account),
        },
        {
          id: 'command',
          title: 'Command',
          html: `<div class="panel"><pre tabindex="0">${escaped(command)}</pre></div>`,
        },
      ],
      weftVersion: report.weftVersion,
      data: { figures, drawings: [], congestion: [] },
    },
    program,
  );
}

function cards({ times, mfu }: RankedPlan): string {
  const share = (timePs: number): string => percentText(timePs / times.totalPs);
  return `<div class="cards">${[
    cardHtml('An iteration', formatTimePs(times.totalPs)),
    cardHtml('MFU', percentText(mfu)),
    cardHtml('Computation', share(times.computePs)),
    cardHtml('Waits for communication', share(exposedOf(times))),
    cardHtml('Pipeline bubble', share(times.bubblePs)),
  ].join('')}</div>`;
}

/** A part of a plan's time: what it is called, how it is coloured, and how long it takes. */
type TimePart = readonly [name: string, colour: SpanFigure['colours'][number], timePs: (times: PlanTimes) => number];

const timeParts: readonly TimePart[] = [
  ['computation', 0, ({ computePs }) => computePs],
  ...communicationKinds.map((kind): TimePart => [waitName(kind), waitName(kind), ({ exposedPs }) => exposedPs[kind]]),
  ['bubble', 'waits for another stage', ({ bubblePs }) => bubblePs],
];

function waitName(kind: CommunicationKind) {
  return kind === 'all' ? 'waits for others' : (`waits for ${kind}` as const);
}

/** What the time of each plan consists of: one bar for each, its parts behind each other. */
function timeFigure(plans: readonly RankedPlan[]): SpanFigure {
  const drawn = plans.slice(0, mostDrawn);
  const parts = timeParts.filter(([, , timeOf]) => drawn.some(({ times }) => timeOf(times) > 0));
  const { unit, ps } = timeUnit(Math.max(...drawn.map(({ times }) => times.totalPs)));
  const spans = drawn.flatMap(({ times }, row) => {
    let from = 0;
    return parts.flatMap(([name, , timeOf], kind) => {
      const [begin, timePs] = [from, timeOf(times)];
      from += timePs;
      const text = `${name}: ${valueText(short(timePs / ps, 4), { unit })}`;
      return timePs === 0 ? [] : [{ row, kind, text, from: short(begin / ps, 7), to: short(from / ps, 7) }];
    });
  });
  const left = plans.length - drawn.length;
  return {
    kind: 'spans',
    id: 'plan-times',
    title: 'What an iteration spends its time on',
    note:
      'Of the rank that ends last: what it computes, what it waits for, and the bubble of the pipeline add up to the iteration.' +
      `${left === 0 ? '' : ` Drawn are the first ${drawn.length}; ${counted(left, 'other')} in the table.`}`,
    x: { name: 'time of an iteration', unit },
    rows: drawn.map((plan) => planName(plan)),
    kinds: parts.map(([name]) => name),
    colours: parts.map(([, colour]) => colour),
    row: spans.map(({ row }) => row),
    kindOf: spans.map(({ kind }) => kind),
    from: spans.map(({ from }) => from),
    to: spans.map(({ to }) => to),
    text: spans.map(({ row, text }) => `${planName(drawn[row]!)}\n${text}`),
  };
}

type Account = ReturnType<typeof planAccount>;

function rankingTable(plans: readonly RankedPlan[], { heads, rows }: Account['ranking']): string {
  const why = (place: number): string => (place === 0 ? 'the first' : whyOf(plans, place));
  const cells = cellsOf(rows.map((row, place) => [...row, why(place)]));
  const numbers = heads.flatMap((_, i) => (i > 0 ? [i] : []));
  return tablePanel(planNameHelp, [...heads.map(capital), 'Why'], cells, beyond(rows.length), numbers);
}

/** What is said of the order, of memory, and of how times were found; what could not run has a table of its own. */
function notesHtml(notes: readonly PlanNote[]): string {
  const told = notes.filter(({ label }) => label !== 'infeasible' && label !== '');
  return `<div class="panel">${told
    .map(({ label, text }) => `<p><strong>${escaped(capital(label))}</strong>: ${escaped(text)}</p>`)
    .join('')}</div>`;
}

/** What faults make of the plans that were run with them. */
function faultTable(plans: readonly RankedPlan[]): string {
  const rows = plans.flatMap((plan) =>
    plan.disturbed === undefined
      ? []
      : [
          [
            planName(plan),
            ...[plan.times.totalPs, plan.disturbed.slowGpuPs, plan.disturbed.failedLinkPs].map(timeCell),
          ],
        ],
  );
  if (rows.length === 0) return '';
  const heads = [
    'Plan',
    'Time',
    `A GPU at ${percentText(slowGpuSpeed, 0)} of its speed`,
    'A link between switches down',
  ];
  return tablePanel('', heads, cellsOf(rows), '', [1, 2, 3]);
}

function timeCell(timePs: number | NoLinkFault): string {
  return typeof timePs === 'number' ? formatTimePs(timePs) : timePs;
}

/** Cells as markup; a number stays beside its percent sign. */
function cellsOf(rows: readonly (readonly string[])[]): string[][] {
  return rows.slice(0, mostRows).map((row) => row.map((cell) => escaped(cell.replace(/ %$/, '\u00a0%'))));
}

function infeasibleTable({ infeasible }: PlanReport): string {
  if (infeasible.size === 0) return '';
  return tablePanel(
    'Divisions of model and batch that were refused, by what refused them.',
    ['By', 'How many', 'Such as'],
    refusedPlans(infeasible).map(({ reason, count, example }) => [
      `<code>${escaped(reason)}</code>`,
      grouped(count),
      escaped(example),
    ]),
    '',
    [1],
  );
}

function networksHtml({ fabrics: { heads, rows, named }, money }: Account): string {
  const told = money.map(({ label, text }) => `<p><strong>${escaped(capital(label))}</strong>: ${escaped(text)}</p>`);
  const cells = cellsOf(rows.map(([, ...figures], i) => [named[i]!.name, ...figures, named[i]!.plan]));
  const numbers = heads.flatMap((_, i) => (i > 0 ? [i] : []));
  const close = '~: too close to call within the error band. Tokens in a second are for 1,000 of the currency.';
  const table = tablePanel(close, [...heads.map(capital), 'Best plan'], cells, '', numbers);
  return `<div class="panel">${told.join('')}</div>${rows.length < 2 ? '' : table}`;
}

function beyond(count: number): string {
  const left = count - mostRows;
  return left > 0 ? `<p class="note">${escaped(`${counted(left, 'more plan')} stand in --json.`)}</p>` : '';
}

function capital(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}
