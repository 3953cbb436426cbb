// Who sends how much to whom among the ranks of a program, in the colours of its phases, and which of it met congestion,
// as matrices.
// Invariant: at most 128 rows and columns: of more ranks neighbours are put together, and the note says how many.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 5 (figures 5.4 and 5.6) and appendix A.1.

import { counted } from '../text-style.js';
import { short, sizeUnit, type Figure, type MatrixFigure } from './figures.js';
import type { ProgramMessages } from './rank-messages.js';
import type { ReportRun } from './report-run.js';
import { programsOf, type RunProgram } from './run-programs.js';
import type { SampledLinks } from './sampled-links.js';

const mostPlaces = 128;
/** phases with a colour of their own; later ones share one */
const mostPhases = 7;

/** Both matrices of each program whose packets had samples. */
export function rankMatrices(runs: readonly ReportRun[]): Figure[] {
  const figures: Figure[] = [];
  runs.forEach((run, i) => {
    const { samples, messages } = run.records;
    const programs = programsOf(run);
    for (const program of programs) {
      const sent = messages.of(program.program);
      if (samples === null || sent === undefined) continue;
      const who = [runs.length > 1 ? run.label : '', programs.length > 1 ? program.name : ''].filter(
        (own) => own !== '',
      );
      const named = {
        suffix: `${runs.length > 1 ? `-${i + 1}` : ''}${programs.length > 1 ? `-job-${program.job}` : ''}`,
        who: who.length === 0 ? '' : `: ${who.join(', ')}`,
      };
      figures.push(trafficFigure(program, sent, named));
      const fraction = fractionFigure(program, samples, named);
      if (fraction !== null) figures.push(fraction);
    }
  });
  return figures;
}

interface Named {
  readonly suffix: string;
  readonly who: string;
}

/** Bytes from rank to rank, in the colour of the phase that most of them are of. */
function trafficFigure(
  { ranks, phases }: RunProgram,
  { source, destination, phase, sizeBytes }: ProgramMessages,
  { suffix, who }: Named,
): MatrixFigure {
  const perPlace = Math.ceil(ranks / mostPlaces);
  const places = Math.ceil(ranks / perPlace);
  const occurring = phases.flatMap((_, i) => (phase.values.subarray(0, phase.length).includes(i) ? [i] : []));
  const kinds = Math.min(occurring.length, mostPhases + 1);
  const kindOf = Int32Array.from(phases, (_, i) => Math.min(kinds - 1, Math.max(0, occurring.indexOf(i))));
  const bytes = new Float64Array(places * places * kinds);
  for (let i = 0; i < source.length; i++) {
    const [row, column] = [source.values[i]!, destination.values[i]!].map((rank) => Math.floor(rank / perPlace));
    if (row! < places && column! < places)
      bytes[(row! * places + column!) * kinds + kindOf[phase.values[i]!]!]! += sizeBytes.values[i]!;
  }
  const cells = Array.from({ length: places * places }, (_, cell) => bytes.subarray(cell * kinds, (cell + 1) * kinds));
  const sums = cells.map((own) => own.reduce((sum, value) => sum + value, 0));
  const { unit, bytes: per } = sizeUnit(sums.reduce((most, value) => Math.max(most, value), 0));
  const isShared = occurring.length > kinds;
  return {
    kind: 'matrix',
    id: `rank-traffic${suffix}`,
    title: `Traffic between ranks${who}`,
    note:
      'Payload over the network from each rank (row) to each rank (column). The colour is the phase of most of it; the ' +
      `stronger, the more.${isShared ? ` Phases from ${phases[occurring[kinds - 1]!]!} on share a colour.` : ''}${together(perPlace)}`,
    ...sidesOf(ranks, perPlace),
    value: { name: 'payload', unit },
    values: sums.map((sum) => (sum === 0 ? null : short(sum / per, 4))),
    colours: 'kinds',
    kinds: {
      names: Array.from({ length: kinds }, (_, i) =>
        isShared && i === kinds - 1 ? 'later phases' : phases[occurring[i]!]!,
      ),
      of: cells.map((own) => own.reduce((most, value, i) => (value > own[most]! ? i : most), 0)),
    },
  };
}

/** Congested fraction from class of ranks to class of ranks; null: samples do not tell them apart. */
function fractionFigure(
  { job, ranks }: RunProgram,
  samples: SampledLinks,
  { suffix, who }: Named,
): MatrixFigure | null {
  const own = samples.labels.flatMap((label, i) =>
    label.job === job && label.sourceRank >= 0 && label.destinationRank >= 0 && label.classRanks > 0 ? [i] : [],
  );
  if (own.length === 0) return null;
  const { classRanks } = samples.labels[own[0]!]!;
  const perPlace = classRanks * Math.ceil(ranks / classRanks / mostPlaces);
  const places = Math.ceil(ranks / perPlace);
  if (places < 2) return null;
  const sums = () => new Float64Array(places * places);
  const [traffic, congested, squares] = [sums(), sums(), sums()];
  const all = samples.sumsByLabel();
  for (const i of own) {
    const { sourceRank, destinationRank } = samples.labels[i]!;
    const cell = Math.floor(sourceRank / perPlace) * places + Math.floor(destinationRank / perPlace);
    if (cell >= traffic.length) continue;
    traffic[cell]! += all.traffic[i]!;
    congested[cell]! += all.congested[i]!;
    squares[cell]! += all.noise[i]! * all.noise[i]!;
  }
  return {
    kind: 'matrix',
    id: `rank-congestion${suffix}`,
    title: `Congestion between ranks${who}`,
    note:
      'Of all links that packets from the ranks of a row to those of a column came over, the share at which they met ' +
      `congestion, estimated from samples.${together(perPlace)} sampling.rankClasses says how finely samples tell ranks apart.`,
    ...sidesOf(ranks, perPlace),
    value: { name: 'congested', unit: '%', most: 100 },
    values: Array.from(traffic, (value, cell) =>
      value <= Math.sqrt(squares[cell]!) ? null : short(100 * Math.min(1, Math.max(0, congested[cell]! / value)), 3),
    ),
    colours: 'gray',
  };
}

function sidesOf(ranks: number, perPlace: number): Pick<MatrixFigure, 'rows' | 'columns'> {
  const names = Array.from({ length: Math.ceil(ranks / perPlace) }, (_, i) => {
    const [first, last] = [i * perPlace, Math.min(ranks, (i + 1) * perPlace) - 1];
    return first === last ? String(first) : `${first}-${last}`;
  });
  const kind = perPlace === 1 ? 'rank' : 'ranks';
  return { rows: { name: `sending ${kind}`, names }, columns: { name: `receiving ${kind}`, names } };
}

function together(perPlace: number): string {
  return perPlace === 1 ? '' : ` Each place is ${counted(perPlace, 'rank')} that follow each other.`;
}
