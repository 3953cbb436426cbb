// What the layers of a workload cost, as a table of at most 80 columns: computation and waiting by pass, and how fast
// its collective was. Layers whose names differ in numbers alone and that send the same are one row; of many rows the
// costliest are shown.
// Invariant: rows that are not shown are counted, with their times.

import { formatSizeBytes, formatTimePs } from '../base/units.js';
import type { LayerFigures, PassFigures } from '../jobs/job-report.js';
import { passNames, type PassName } from '../workload/policies.js';
import { coloured, counted, numberWithin, type TextStyle } from './text-style.js';

/** Rows that the table shows at most. */
const mostRows = 12;

const nameColumns = 20;
const timeColumns = 8;
const collectiveColumns = 26;

const passLetters: Readonly<Record<PassName, string>> = { forward: 'F', inputGradient: 'I', weightGradient: 'W' };

const nothing = { layers: 0, computePs: 0, exposedPs: 0, communicationPs: 0, algorithmWork: 0, busWork: 0 };

/** Layers that are alike, one pass of them. */
interface Row {
  readonly name: string;
  readonly pass: PassName;
  readonly collective: PassFigures['collective'];
  layers: number;
  computePs: number;
  exposedPs: number;
  communicationPs: number;
  /** bandwidths times the time they hold for */
  algorithmWork: number;
  busWork: number;
}

/** The table with its head; no lines without layers. */
export function layerTable(layers: readonly LayerFigures[], style: TextStyle): string[] {
  const rows = rowsOf(layers);
  if (rows.length === 0) return [];
  const costliest = rows.slice();
  costliest.sort((a, b) => cost(b) - cost(a));
  const shown = new Set(costliest.slice(0, mostRows));
  const head =
    '  ' +
    `${'layer'.padEnd(nameColumns)}${''.padEnd(2)}${'compute'.padStart(timeColumns)}${'waits'.padStart(timeColumns)} ` +
    ` ${'collective'.padEnd(collectiveColumns)}${'algbw busbw'.padStart(11)}`;
  const lines = [coloured(style, 'dim', head), ...rows.filter((row) => shown.has(row)).map(lineOf)];
  const rest = rows.filter((row) => !shown.has(row));
  if (rest.length > 0) {
    const sum = (figure: 'computePs' | 'exposedPs'): string =>
      timeText(rest.reduce((total, row) => total + row[figure], 0));
    lines.push(
      `  ${`${counted(rest.length, 'more row')}`.padEnd(nameColumns + 2)}${sum('computePs')}${sum('exposedPs')}`,
    );
  }
  const ofWhom = layers.some(({ stage }) => stage > 0) ? ';\n  of every layer the first rank of its stage' : '';
  lines.push(
    ...`  F forward, I input gradient, W weight gradient; GB/s as nccl-tests counts${ofWhom}`
      .split('\n')
      .map((line) => coloured(style, 'dim', line)),
  );
  return lines;
}

function cost({ computePs, exposedPs }: Row): number {
  return computePs + exposedPs;
}

function rowsOf(layers: readonly LayerFigures[]): Row[] {
  const rows = new Map<string, Row>();
  for (const layer of layers) {
    const name = layer.name.replace(/\d+/g, '*');
    for (const pass of passNames) {
      const { computePs, exposedPs, communicationPs, collective } = layer[pass];
      if (computePs === 0 && collective === null) continue;
      const key = `${name} ${pass} ${collective === null ? '' : `${collective.kind} ${collective.group} ${collective.sizeBytes}`}`;
      const row: Row = rows.get(key) ?? { name, pass, collective, ...nothing };
      rows.set(key, row);
      row.layers++;
      row.computePs += computePs;
      row.exposedPs += exposedPs;
      row.communicationPs += communicationPs;
      row.algorithmWork += (collective?.algorithmBandwidth ?? 0) * communicationPs;
      row.busWork += (collective?.busBandwidth ?? 0) * communicationPs;
    }
  }
  return [...rows.values()];
}

function lineOf(row: Row): string {
  const times = row.layers > 1 ? ` x${row.layers}` : '';
  const room = nameColumns - times.length - 1;
  const name = row.name.length > room ? `${row.name.slice(0, room - 1)}~` : row.name;
  const costs = `  ${`${name}${times}`.padEnd(nameColumns)}${passLetters[row.pass].padEnd(2)}${timeText(row.computePs)}${timeText(row.exposedPs)}`;
  const { collective, communicationPs } = row;
  if (collective === null) return costs;
  const { kind, group, sizeBytes } = collective;
  const what = `${kind === 'allreduceThenAlltoall' ? 'ar+alltoall' : kind} ${group} ${formatSizeBytes(sizeBytes)}`;
  const bandwidth = (work: number): string =>
    communicationPs > 0 ? numberWithin(work / communicationPs / 1e9, 4) : '-';
  return `${costs}  ${what.padEnd(collectiveColumns)}${bandwidth(row.algorithmWork).padStart(5)}${bandwidth(row.busWork).padStart(6)}`;
}

function timeText(timePs: number): string {
  return (timePs === 0 ? '-' : formatTimePs(timePs)).padStart(timeColumns);
}
