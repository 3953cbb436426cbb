// The steps of one collective by rank as a chart: when each rank had what a step brings it.
// Invariants: bars of a row do not overlap; their number is bounded, and the note says what was left out or put together.

import { NodeKind } from '../../fabric/fabric.js';
import { counted } from '../text-style.js';
import type { CollectiveSteps } from './collective-steps.js';
import { coloursOfKinds, short, timeUnit, valueText, type Figure } from './figures.js';
import type { FlowColumns } from './flow-columns.js';
import type { ReportRun } from './report-run.js';

const mostRows = 40;
const mostBars = 6000;

/** What a rank does in a step, in the order of the colours. */
const kinds = ['receives and adds', 'receives', 'sends alone'] as const;

/** What a rank does in a step. */
interface RankStep {
  kind: number;
  moves: number;
  startPs: number;
  finishPs: number;
}

/** The charts of the steps of collectives: one for each run that is of a collective. */
export function stepFigures(runs: readonly ReportRun[]): Figure[] {
  return runs.flatMap((run, place) => stepFigure(run, place, runs.length));
}

function stepFigure({ label, records: { steps, flows, fabric } }: ReportRun, place: number, runs: number): Figure[] {
  if (steps.flow.length === 0 || flows.count === 0) return [];
  const isSwitch = (node: number): boolean => fabric?.nodeKind[node] === NodeKind.nvswitch;
  const { ranks, beyond } = latestRanks(flows, isSwitch);
  const perBar = Math.ceil((steps.stepCount * ranks.length) / mostBars);
  const done = stepsOfRanks(steps, ranks, perBar);
  const bars = done.flatMap((own, row) => barsOf(own, row));
  const { unit, ps } = timeUnit(flows.lastFinishPs);
  const occurring = kinds.map((_, kind) => kind).filter((kind) => bars.some((bar) => bar.kind === kind));
  const colours = coloursOfKinds(kinds.length, runs);
  const [from, to] = [bars.map(({ startPs }) => startPs), bars.map(({ finishPs }) => finishPs)].map((times) =>
    times.map((timePs) => short(timePs / ps, 7)),
  ) as [number[], number[]];
  return [
    {
      kind: 'spans',
      id: runs === 1 ? 'steps' : `steps-${place + 1}`,
      title: `Steps by rank${runs === 1 ? '' : `: ${label}`}`,
      note:
        'A bar ends when the rank has all that the step brings it (of a step in which it only sends: when that has arrived). ' +
        'It begins with the first of that, but not before the end of the step before. Where there is no bar the rank waits for others, ' +
        `or, at first, for the start of its kernel.${perBar > 1 ? ` A bar stands for ${perBar} steps.` : ''}` +
        `${beyond === 0 ? '' : ` Drawn are the ${ranks.length} ranks that were ready last; ${counted(beyond, 'other')} came before.`}`,
      x: { name: 'time', unit, ...(runs === 1 ? { time: { fromPs: 0, unitPs: ps } } : {}) },
      rows: ranks.map((node) => `node ${node}`),
      kinds: occurring.map((kind) => kinds[kind]!),
      colours: occurring.map((kind) => colours[kind]!),
      row: bars.map(({ row }) => row),
      kindOf: bars.map(({ kind }) => occurring.indexOf(kind)),
      from,
      to,
      text: bars.map(({ bar, kind, moves, startPs, finishPs }) => {
        const last = Math.min(steps.stepCount, (bar + 1) * perBar) - 1;
        const name = perBar === 1 ? `step ${bar}` : `steps ${bar * perBar} to ${last}`;
        return `${name}: ${kinds[kind]!}, ${counted(moves, 'transfer')}, ${valueText(short((finishPs - startPs) / ps, 4), { unit })}`;
      }),
    },
  ];
}

/** The hosts that were ready last, by number, and how many others there are. */
function latestRanks(
  flows: FlowColumns,
  isSwitch: (node: number) => boolean,
): { readonly ranks: readonly number[]; readonly beyond: number } {
  const lastPs = new Map<number, number>();
  const see = (node: number, timePs: number): void => {
    if (!isSwitch(node)) lastPs.set(node, Math.max(lastPs.get(node) ?? 0, timePs));
  };
  for (let i = 0; i < flows.count; i++) {
    see(flows.destination.values[i]!, flows.finishPs.values[i]!);
    see(flows.source.values[i]!, 0);
  }
  const ordered = [...lastPs].sort(([a, aPs], [b, bPs]) => bPs - aPs || a - b).map(([node]) => node);
  const ranks = ordered.slice(0, mostRows).sort((a, b) => a - b);
  return { ranks, beyond: ordered.length - ranks.length };
}

/** By rank, then by bar: what it does then. */
function stepsOfRanks(
  { flow, step, isReduction, flows }: CollectiveSteps,
  ranks: readonly number[],
  perBar: number,
): Map<number, RankStep>[] {
  const rowOf = new Map(ranks.map((node, row) => [node, row]));
  const [received, sent] = [ranks.map(() => new Map<number, RankStep>()), ranks.map(() => new Map<number, RankStep>())];
  const note = (into: Map<number, RankStep>[], node: number, kind: number, bar: number, index: number): void => {
    const own = into[rowOf.get(node) ?? -1];
    if (own === undefined) return;
    const [startPs, finishPs] = [flows.startPs.values[index]!, flows.finishPs.values[index]!];
    const known = own.get(bar);
    if (known === undefined) own.set(bar, { kind, moves: 1, startPs, finishPs });
    else {
      known.kind = Math.min(known.kind, kind);
      known.moves++;
      known.startPs = Math.min(known.startPs, startPs);
      known.finishPs = Math.max(known.finishPs, finishPs);
    }
  };
  for (let i = 0; i < flow.length; i++) {
    const index = flows.find(flow.values[i]!);
    if (index < 0) continue;
    const bar = Math.floor(step.values[i]! / perBar);
    note(received, flows.destination.values[index]!, isReduction.values[i] === 1 ? 0 : 1, bar, index);
    note(sent, flows.source.values[index]!, 2, bar, index);
  }
  return received.map((own, row) => new Map([...sent[row]!, ...own]));
}

/** Bars of a row, none before the end of the one before. */
function barsOf(
  steps: ReadonlyMap<number, RankStep>,
  row: number,
): (RankStep & { readonly row: number; readonly bar: number })[] {
  let readyPs = 0;
  return [...steps]
    .sort(([a], [b]) => a - b)
    .flatMap(([bar, own]) => {
      const startPs = Math.max(readyPs, own.startPs);
      if (own.finishPs <= startPs) return [];
      readyPs = own.finishPs;
      return [{ ...own, row, bar, startPs }];
    });
}
