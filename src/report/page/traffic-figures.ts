// Who sends how much to whom, and how much longer or shorter that takes in one run than in another, as matrices.
// Invariant: at most 128 rows and columns: of more hosts neighbours (servers first) are put together, and the note says
// how many.

import { NodeKind } from '../../fabric/fabric.js';
import { short, sizeUnit, type Figure, type MatrixFigure } from './figures.js';
import type { ReportRun } from './report-run.js';

const mostPlaces = 128;

/** Hosts as places of a matrix. */
interface Places {
  readonly names: readonly string[];
  readonly perPlace: number;
  readonly of: (host: number) => number;
}

/** The matrices of a report: traffic of each run that differs, and changes where two runs are compared. */
export function trafficFigures(runs: readonly ReportRun[]): Figure[] {
  const sending = runs.filter(({ records }) => records.flows.count > 0);
  if (sending.length === 0) return [];
  const places = placesOf(sending);
  const matrices = sending.map((run) => bytesOf(run, places));
  const figures: Figure[] = [];
  matrices.forEach((matrix, i) => {
    // runs of the same traffic need one picture
    if (matrices.slice(0, i).some((earlier) => sameValues(earlier, matrix))) return;
    const isOnly = matrices.every((other) => sameValues(other, matrix));
    figures.push(trafficFigure(matrix, places, isOnly ? '' : sending[i]!.label, i));
  });
  if (runs.length === 2 && sending.length === 2) figures.push(...changeFigure(sending[0]!, sending[1]!, places));
  return figures;
}

function placesOf(runs: readonly ReportRun[]): Places {
  const hosts = new Set<number>();
  for (const { records } of runs) {
    for (let i = 0; i < records.flows.count; i++) {
      hosts.add(records.flows.source.values[i]!);
      hosts.add(records.flows.destination.values[i]!);
    }
  }
  const sorted = Float64Array.from(hosts).sort();
  const { fabric } = runs[0]!.records;
  const perServer = fabric?.gpusPerServer ?? 1;
  // transfers of NVLS end at the switch of a server
  const named = (node: number): string =>
    fabric?.nodeKind[node] === NodeKind.nvswitch ? `NVSwitch ${node}` : String(node);
  const least = Math.ceil(sorted.length / mostPlaces);
  const perPlace = least === 1 ? 1 : Math.ceil(least / perServer) * perServer;
  const placeOf = new Map<number, number>();
  sorted.forEach((host, i) => placeOf.set(host, Math.floor(i / perPlace)));
  const count = Math.ceil(sorted.length / perPlace);
  return {
    names: Array.from({ length: count }, (_, place) => {
      const [first, last] = [sorted[place * perPlace]!, sorted[Math.min(sorted.length, (place + 1) * perPlace) - 1]!];
      return first === last ? named(first) : `${named(first)}-${last}`;
    }),
    perPlace,
    of: (host) => placeOf.get(host)!,
  };
}

function bytesOf({ records: { flows } }: ReportRun, { names, of }: Places): Float64Array {
  const bytes = new Float64Array(names.length * names.length);
  for (let i = 0; i < flows.count; i++)
    bytes[of(flows.source.values[i]!) * names.length + of(flows.destination.values[i]!)]! += flows.sizeBytes.values[i]!;
  return bytes;
}

function sameValues(a: Float64Array, b: Float64Array): boolean {
  return a.every((value, i) => value === b[i]);
}

function sides({ names, perPlace }: Places): Pick<MatrixFigure, 'rows' | 'columns'> {
  const kind = perPlace === 1 ? 'host' : 'hosts';
  return { rows: { name: `sending ${kind}`, names }, columns: { name: `receiving ${kind}`, names } };
}

function togetherText({ perPlace }: Places): string {
  return perPlace === 1 ? '' : ` Each place is ${perPlace} hosts that follow each other.`;
}

function trafficFigure(bytes: Float64Array, places: Places, label: string, index: number): Figure {
  const { unit, bytes: per } = sizeUnit(bytes.reduce((most, value) => Math.max(most, value), 0));
  return {
    kind: 'matrix',
    id: index === 0 ? 'communication' : `communication-${index + 1}`,
    title: label === '' ? 'Communication matrix' : `Communication matrix: ${label}`,
    note: `Payload of finished flows, from each host (row) to each host (column); the stronger the shade, the more.${togetherText(places)}`,
    ...sides(places),
    value: { name: 'payload', unit },
    values: Array.from(bytes, (value) => (value === 0 ? null : short(value / per, 4))),
    colours: 'gray',
  };
}

/** Mean completion time of each pair in the second run beside the first. */
function changeFigure(first: ReportRun, second: ReportRun, places: Places): Figure[] {
  const [before, after] = [meansOf(first, places), meansOf(second, places)];
  let isChanged = false;
  const values = Array.from(before, (mean, i) => {
    if (Number.isNaN(mean) || Number.isNaN(after[i]!) || mean === 0) return null;
    const change = short(100 * (after[i]! / mean - 1), 3);
    isChanged ||= change !== 0;
    return change;
  });
  if (!isChanged) return [];
  return [
    {
      kind: 'matrix',
      id: 'completion-change',
      title: 'Change of completion time by pair',
      note: `Mean flow completion time of each pair in "${second.label}" beside "${first.label}": blue is faster, red slower.${togetherText(places)}`,
      ...sides(places),
      value: { name: 'change', unit: '%' },
      values,
      colours: 'signed',
    },
  ];
}

function meansOf({ records: { flows } }: ReportRun, { names, of }: Places): Float64Array {
  const sums = new Float64Array(names.length * names.length);
  const counts = new Float64Array(sums.length);
  for (let i = 0; i < flows.count; i++) {
    const cell = of(flows.source.values[i]!) * names.length + of(flows.destination.values[i]!);
    sums[cell]! += flows.completionPs(i);
    counts[cell]!++;
  }
  return sums.map((sum, i) => (counts[i] === 0 ? NaN : sum / counts[i]!));
}
