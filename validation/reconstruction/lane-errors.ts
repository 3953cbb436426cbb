// Errors of reconstructed mini-applications by levels, lanes and basis: Tables 4.2 and 4.3 of Taffet's dissertation
// (docs/SOURCES.md). Cells are kept in a file, so that some can be measured anew without the others.
// Invariant: a search is limited by CPU time, so that other work on the machine does not shorten it.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reconstructTraffic } from '#weft/app/reconstruct/reconstruct-traffic.js';
import type { ReconstructionRequest } from '#weft/app/reconstruct/reconstruction-request.js';
import type { RouteHost } from '#weft/app/routes/make-tables.js';
import { csvText, writeWhole } from '../data-file.js';
import { repositoryFolder } from '../repository.js';
import { laneColumns, printedErrors, type LaneColumn } from './printed-tables.js';

/** A measured cell. */
export interface ErrorCell {
  readonly pattern: string;
  readonly basis: string;
  /** title of its column */
  readonly column: string;
  readonly relativeError: number;
  readonly cpuSeconds: number;
  /** whether the search had settled before its time was over */
  readonly isSettled: boolean;
}

const file = path.join(repositoryFolder, 'docs/models/reconstruction-errors.csv');
const head = ['application', 'dictionary', 'lanes', 'relative error', 'CPU seconds', 'settled'];

/** Cells that were measured before. */
export function keptCells(): ErrorCell[] {
  if (!existsSync(file)) return [];
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    // the title of a column has a comma and is quoted
    const [, pattern, basis, column, error, seconds, settled] = /^(.*?),(.*?),"(.*?)",(.*?),(.*?),(.*?)$/.exec(line)!;
    return {
      pattern: pattern!,
      basis: basis!,
      column: column!,
      relativeError: Number(error),
      cpuSeconds: Number(seconds),
      isSettled: settled === 'true',
    };
  });
}

/**
 * Measures cells, and writes each into the file once it is known.
 * @param patterns of these applications @param mostSeconds CPU time of a search @param say told what is being done
 */
export async function measureErrors(
  patterns: readonly string[],
  columns: readonly string[],
  mostSeconds: number,
  say: (text: string) => void,
): Promise<readonly ErrorCell[]> {
  const cells = keptCells();
  for (const { pattern, basis } of printedErrors.filter((own) => patterns.includes(own.pattern)))
    for (const column of laneColumns.filter(({ title }) => columns.includes(title)))
      for (const dictionary of [basis, 'od']) {
        say(`${pattern} by ${dictionary}, ${column.title}`);
        const cell = await measured(pattern, dictionary, column, mostSeconds);
        const at = cells.findIndex(
          (own) => own.pattern === pattern && own.basis === dictionary && own.column === column.title,
        );
        cells.splice(at === -1 ? cells.length : at, at === -1 ? 0 : 1, cell);
        writeWhole(file, csvText(head, cells.map(lineOf)));
      }
  return cells;
}

function lineOf({ pattern, basis, column, relativeError, cpuSeconds, isSettled }: ErrorCell): (string | number)[] {
  return [pattern, basis, column, Number(relativeError.toPrecision(4)), Number(cpuSeconds.toFixed(1)), `${isSettled}`];
}

/** CPU time of this process, in seconds. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function measured(
  pattern: string,
  dictionary: string,
  { title, lanes, serviceLevels, strategy }: LaneColumn,
  mostSeconds: number,
): Promise<ErrorCell> {
  const found = await reconstructedOnce({ traffic: pattern, dictionary, lanes, serviceLevels, strategy }, mostSeconds);
  return {
    pattern,
    basis: dictionary,
    column: title,
    relativeError: found.relativeError!,
    cpuSeconds: found.cpuSeconds,
    isSettled: found.end === 'settled',
  };
}

/** Traffic of quartz1, by ftree if nothing else is said, reconstructed. @param mostSeconds CPU time of the search */
export function reconstructedOnce(
  request: Omit<ReconstructionRequest, 'fabric' | 'tables' | 'seconds'> &
    Partial<Pick<ReconstructionRequest, 'tables'>>,
  mostSeconds: number,
): ReturnType<typeof reconstructTraffic> {
  return reconstructTraffic({ fabric: 'quartz1', tables: 'ftree', seconds: 1e6, ...request }, cpuHost(mostSeconds));
}

/** A host for searches that are limited by the CPU time of this process alone. @param mostSeconds from now on */
export function cpuHost(mostSeconds: number): RouteHost {
  const begin = cpuSeconds();
  return {
    cpuSeconds,
    wallMs: () => performance.now(),
    stopRequested: () => cpuSeconds() - begin >= mostSeconds,
    whenStopped: Promise.race([]),
    report: () => {},
    solver: null,
  };
}
