// A search for traffic within its limits.

import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import { bases, dictionaryOf, type BasisName } from '../../reconstruction/pair-grid.js';
import type { Reconstruction } from '../../reconstruction/restarted-pdhg.js';
import { memoryHost } from '../memory-host.js';
import type { RouteHost } from '../routes/make-tables.js';
import { expectedResidual } from './made-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';

/**
 * A share of what was counted that cannot be met; and steps before a search may end as it comes no nearer. Counters of
 * words are rounded: less than that is never met exactly.
 */
const worthTelling = 0.001;
const fewSteps = 2000;
/** Steps after which traffic is kept first, to compare with later. */
const firstMark = 20;
/** Counters this often as far as expected are within their noise. */
const withinNoise = 2;
/** Limit of a search, in wall-clock seconds. */
export const usualReconstructionSeconds = 60;

/**
 * Noise within which counters are met, as a share of each; 0: they are met as they are. Readings that come late move all
 * counters of a node alike, so alone they are no noise; beside noise they count as more of it.
 */
export function noiseOf(request: Pick<ReconstructionRequest, 'noise' | 'skew'>): number {
  return (request.noise ?? 0) === 0 ? 0 : expectedResidual(request);
}

/** Tells that counters are not met; nothing if they are. */
export function notMet(residual: number, request: ReconstructionRequest): readonly Diagnostic[] {
  const { counters } = request;
  if (residual <= Math.max(worthTelling, withinNoise * expectedResidual(request))) return [];
  const unmet: Diagnostic = {
    severity: 'warning',
    code: 'counters-not-met',
    file: counters === undefined ? '--time' : '--counters',
    ...wholeFile,
    message: `what was found would have counted otherwise: ${(100 * residual).toPrecision(2)} % are not met`,
    hint:
      counters === undefined
        ? 'give the search more --time'
        : 'are counters, tables and fabric of one moment? If they are, give the search more --time',
  };
  return [unmet];
}

/** Tells that traffic to begin with was not used; nothing if it was, or none was given. */
export function notBegun(began: boolean, { start }: ReconstructionRequest): readonly Diagnostic[] {
  if (began || start === undefined) return [];
  const unused: Diagnostic = {
    severity: 'warning',
    code: 'start-not-used',
    file: '--start',
    ...wholeFile,
    message: 'counters are of other traffic: it says less than half of them, and the search began with none',
  };
  return [unused];
}

/** Bases of a name. @param sizes of jobs; CS is for those that are powers of two @throws InputError */
export function dictionaryFor(name: string, sizes: readonly number[]): readonly BasisName[] {
  const ranks = sizes.find((size) => (size & (size - 1)) === 0) ?? sizes[0] ?? 0;
  const names = dictionaryOf(name, ranks);
  if (names === null)
    throw InputError.about('bad-setting', '--dictionary', 'there is no such basis', {
      got: name,
      wanted: `od, or ${Object.keys(bases).join(', ')}, also several: scd+s`,
      hint: 'leave --dictionary out for od, the usual one',
    });
  if (names.some((own) => own.endsWith('cs')) && (ranks & (ranks - 1)) !== 0)
    throw InputError.about('bad-setting', '--dictionary', 'CS is for a power of two of hosts', {
      got: `${name}, and ${ranks} hosts that send or receive`,
      wanted: 'od, scd, cd, s or i',
      hint: 'leave --dictionary out for od, which does without CS there',
    });
  return names;
}

/** What a search came to. */
export interface SearchResult {
  /** traffic by pair of the grid, in units of the counters */
  readonly pairs: Float64Array;
  /** the same after a quarter to a half of the steps; null: not asked for, nothing is open any more, or there were few */
  readonly earlier: Float64Array | null;
  readonly steps: number;
  /** why it ended */
  readonly end: string;
  /** |R x - t| / |t| */
  readonly residual: number;
  /** how often entries were weighed anew */
  readonly reweighted: number;
}

/** Told after how many steps counters were how far from met; `pairs` gives the traffic of then, by pair of the grid. */
export type SearchLook = (steps: number, residual: number, pairs: () => Float64Array) => void;

/** Steps between two looks, as a share of those before: a search of a million steps has about a hundred. */
const lookShare = 0.1;

/**
 * Searches until one of the limits.
 * @param keepsEarlier whether {@link SearchResult} is to have earlier traffic
 * @param look told how it goes, at the end as well; left out: nobody
 */
export async function searchUntil(
  search: Reconstruction,
  request: Pick<ReconstructionRequest, 'seconds' | 'mostWork' | 'noise' | 'skew' | 'reweight'>,
  host: RouteHost,
  keepsEarlier: boolean,
  look?: SearchLook,
): Promise<SearchResult> {
  const { seconds = usualReconstructionSeconds, mostWork = Infinity, reweight = 0 } = request;
  const { files = memoryHost() } = host;
  const within = withinNoise * noiseOf(request);
  const close = host.watch?.('reconstruction', seconds);
  const untilMs = host.wallMs() + 1000 * seconds;
  let least = Infinity;
  let leastAt = 0;
  let reweighted = 0;
  // traffic when steps had last doubled, and the time before
  let marked: Float64Array | null = null;
  let earlier: Float64Array | null = null;
  let nextMark = firstMark;
  let [looked, nextLook] = [-1, 0];
  const tell = (residual: number): void => {
    look?.(search.steps, residual, () => search.traffic());
    [looked, nextLook] = [search.steps, search.steps * (1 + lookShare)];
  };
  const found = (end: string): SearchResult => {
    const residual = search.residual();
    if (search.steps > looked) tell(residual);
    return {
      pairs: search.traffic(),
      earlier: end === 'settled' ? null : earlier,
      steps: search.steps,
      end,
      residual,
      reweighted,
    };
  };
  try {
    for (;;) {
      if (search.isSettled) {
        if (reweighted === reweight) return found('settled');
        search.reweight();
        reweighted++;
        [least, leastAt] = [Infinity, search.steps];
      }
      if (host.stopRequested()) return found('stopped');
      if (search.steps >= mostWork) return found('by its work');
      if (host.wallMs() >= untilMs) return found(`after ${seconds} s`);
      search.advance();
      if (keepsEarlier && search.steps >= nextMark) {
        [earlier, marked] = [marked, search.traffic()];
        nextMark *= 2;
      }
      const residual = search.residual();
      if (search.steps >= nextLook) tell(residual);
      if (residual < 0.99 * least) [least, leastAt] = [residual, search.steps];
      // within their noise counters come no nearer, while the traffic is still told shorter
      const patience = residual <= within ? Infinity : least > worthTelling ? 2 : 8;
      if (search.steps > patience * Math.max(leastAt, fewSteps)) return found('nothing came nearer for long');
      host.stage?.(`step ${search.steps}: counters are met but for ${(100 * residual).toPrecision(2)} %`);
      await files.breathe();
    }
  } finally {
    close?.();
  }
}
