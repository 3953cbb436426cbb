// The shortest traffic exactly, as a linear programme: |v| of an entry v = p - n is p + n, both at least 0.
// Invariant: the programme is that of restarted-pdhg.ts: its optimum is what those steps come to.

import { InputError } from '../../base/diagnostics.js';
import { LinearProgram, type LinearTerms } from '../../exact/linear-program.js';
import { weighAnew } from '../../reconstruction/entry-weights.js';
import type { BasisShape, PairGrid } from '../../reconstruction/pair-grid.js';
import type { RouteHost } from '../routes/make-tables.js';
import { requireSolver } from '../routes/route-algorithm.js';
import type { ReconstructionRequest } from './reconstruction-request.js';
import { usualReconstructionSeconds, type SearchResult } from './search-until.js';

/** Open pairs times bases that a solver is given at most: HiGHS takes about a minute of such programmes. */
const mostVariables = 20_000;
/** What the largest counter is in the programme: solvers keep rows to 1e-7. */
const largestInProgramme = 10_000;

/** Solves. @throws InputError if the programme is too large, or no traffic agrees with the counters */
export async function searchExactly(
  grid: PairGrid,
  counters: Float64Array,
  shapes: readonly BasisShape[],
  request: Pick<ReconstructionRequest, 'seconds' | 'reweight' | 'counters'>,
  host: RouteHost,
): Promise<SearchResult> {
  const { seconds = usualReconstructionSeconds, reweight = 0 } = request;
  refuseLarge(grid.openPairs, shapes.length);
  const solver = requireSolver(host.solver, '--method', 'an exact search').solver();
  const counted = grid.countedBy(counters);
  const unit = (counted.reduce((most, own) => Math.max(most, own), 0) || 1) / largestInProgramme;
  const { program, shares, entries } = shortestProgram(grid, counted, shapes, unit);
  const close = host.watch?.('reconstruction', seconds);
  const untilMs = host.wallMs() + 1000 * seconds;
  let values: Float64Array = new Float64Array(program.variableCount);
  let end = 'settled';
  let reweighted = 0;
  try {
    for (let round = 0; round <= reweight && end === 'settled'; round++) {
      program.objectives.push({ name: `sum${round}`, terms: weighted(entries, round === 0 ? null : values, grid) });
      const left = Math.max(0, (untilMs - host.wallMs()) / 1000);
      const solution = await solver.solve(program, round, { seconds: left, cancelled: host.whenStopped });
      if (solution.status === 'infeasible') throw noneAgrees(request);
      if (solution.status !== 'optimal') end = host.stopRequested() ? 'stopped' : `after ${seconds} s`;
      if (solution.values === null && round === 0) throw nothingYet(seconds);
      if (solution.values !== null) [values, reweighted] = [solution.values, round];
    }
  } finally {
    close?.();
  }
  const pairs = new Float64Array(2 * grid.places);
  for (const share of shares)
    share.forEach((variable, pair) => {
      if (variable !== -1) pairs[pair]! += unit * Math.max(0, values[variable]!);
    });
  return { pairs, earlier: null, steps: 0, end, residual: residualOf(grid, counted, pairs), reweighted };
}

function refuseLarge(openPairs: number, basisCount: number): void {
  if (openPairs * basisCount <= mostVariables) return;
  throw InputError.about('too-large', '--method', 'this is too large to be solved exactly', {
    got: `${openPairs} open pairs by ${basisCount} ${basisCount === 1 ? 'basis' : 'bases'}`,
    wanted: `at most ${mostVariables} pairs times bases`,
    hint: '--method first-order; or a --dictionary of one basis, --jobs, or counters of more --lanes',
  });
}

function noneAgrees({ counters }: Pick<ReconstructionRequest, 'counters'>): InputError {
  const place = counters === undefined ? '--method' : '--counters';
  return InputError.about('counters-not-met', place, 'no traffic has exactly these counters', {
    hint: '--method first-order comes as near as it can',
  });
}

function nothingYet(seconds: number): InputError {
  return InputError.about('no-solution', '--method', `the solver found no traffic within ${seconds} s`, {
    hint: 'give it more --time, or take --method first-order',
  });
}

/** A programme without an objective. */
interface ShortestProgram {
  readonly program: LinearProgram;
  /** by basis: variable of each pair of the grid, -1: it has sent nothing */
  readonly shares: readonly Int32Array[];
  /** by basis and entry: the sum that is its size */
  readonly entries: readonly (readonly LinearTerms[])[];
}

/** R sum x_b = t, and the entries of each basis. @param unit of amounts in the programme */
function shortestProgram(
  grid: PairGrid,
  counted: Float64Array,
  shapes: readonly BasisShape[],
  unit: number,
): ShortestProgram {
  const { places, rowStart, rows, shares: ofRows, links, counterOf } = grid;
  const program = new LinearProgram('reconstruction');
  const isOpen = (pair: number): boolean => rowStart[pair + 1]! > rowStart[pair]!;
  const shares = shapes.map((_, b) =>
    Int32Array.from({ length: 2 * places }, (_pair, pair) => (isOpen(pair) ? program.real(`x${b}_${pair}`) : -1)),
  );
  const byRow = new Map<number, [number, number][]>();
  for (let pair = 0; pair < 2 * places; pair++)
    for (let at = rowStart[pair]!; at < rowStart[pair + 1]!; at++) {
      const terms = byRow.get(rows[at]!) ?? [];
      for (const share of shares) terms.push([share[pair]!, ofRows === null ? 1 : ofRows[at]!]);
      byRow.set(rows[at]!, terms);
    }
  for (const [row, terms] of byRow) program.row(`t${counterOf[row]}`, terms, '=', counted[row]! / unit);
  const entries = shapes.map(({ isSymmetric }, b) => {
    const before = links[b]?.before ?? null;
    return Array.from({ length: 2 * places }, (_entry, entry): LinearTerms => {
      const [place, side] = [entry >> 1, entry % 2];
      const last = before === null ? -1 : before[place]!;
      const signs = isSymmetric ? [1, side === 0 ? 1 : -1] : side === 0 ? [1, 0] : [0, 1];
      const terms = [0, 1].flatMap((i): (readonly [number, number])[] => [
        [shares[b]![2 * place + i]!, signs[i]!],
        [last === -1 ? -1 : shares[b]![2 * last + i]!, -signs[i]!],
      ]);
      return sizeOf(
        program,
        `${b}_${entry}`,
        terms.filter(([variable, sign]) => variable !== -1 && sign !== 0),
      );
    });
  });
  return { program, shares, entries };
}

/** A sum that is the size of another one, once it is minimised. */
function sizeOf(program: LinearProgram, name: string, terms: LinearTerms): LinearTerms {
  if (terms.every(([, sign]) => sign > 0)) return terms;
  const [more, less] = [program.real(`p${name}`), program.real(`n${name}`)];
  program.row(`v${name}`, [...terms, [more, -1], [less, 1]], '=', 0);
  return [
    [more, 1],
    [less, 1],
  ];
}

/** The sum of all entries, weighted by what was found. @param values null: all weigh 1 */
function weighted(
  entries: readonly (readonly LinearTerms[])[],
  values: Float64Array | null,
  { counterOf }: PairGrid,
): LinearTerms {
  if (values === null) return entries.flatMap((own) => own.flat());
  const weights = entries.map((own) => Float64Array.from(own, (terms) => LinearProgram.valueOf(terms, values)));
  weighAnew(weights, counterOf.length);
  return entries.flatMap((own, b) =>
    own.flatMap((terms, entry) => terms.map(([variable, size]) => [variable, size * weights[b]![entry]!] as const)),
  );
}

/** |R x - t| / |t|. @param pairs x by pair of the grid */
function residualOf(grid: PairGrid, counted: Float64Array, pairs: Float64Array): number {
  const told = new Float64Array(counted.length);
  pairs.forEach((own, pair) => grid.addTo(told, pair, own));
  let error = 0;
  let size = 0;
  told.forEach((own, row) => {
    error += (own - counted[row]!) * (own - counted[row]!);
    size += counted[row]! * counted[row]!;
  });
  return size === 0 ? 0 : Math.sqrt(error / size);
}
