// Which fabric of a comparison is faster, and what of that is decided.
// The rule: a fabric is behind for certain if its time is longer than the fastest's by more than "9 of 10 at most" of
// the error band of such times. Two fabrics under one model share errors, which then cancel; nobody measured how far,
// so the whole band of one time stands for the difference. Invariant: without a band nothing is decided.

import type { ErrorBand } from './band-classes.js';
import { counted, grouped } from './text-style.js';

/** What the answer needs of a fabric that was compared. */
export interface JudgedFabric {
  readonly name: string;
  /** time over that of the fastest, less 1 */
  readonly slower: number;
  /** share of the network's bytes that leave their leaf */
  readonly crossing: number;
  readonly hasLoads: boolean;
  readonly bill: { readonly cost: number | null };
  readonly shape: { readonly gpusPerServer: number; readonly hasServerLinks: boolean };
}

/** Differences below this share are called equal, whatever the band. */
export const equalWithin = 0.005;

/** The difference from the fastest that the band decides, as a share; null: none does. */
function decidingShare(band: ErrorBand | string | null): number | null {
  return band === null || typeof band === 'string' ? null : band.p90Percent / 100;
}

/**
 * For every fabric whether its place is decided: of the fastest that all others are behind for certain, of another that
 * it is.
 */
export function decidedOf(slower: readonly number[], band: ErrorBand | string | null): boolean[] {
  const share = decidingShare(band);
  const behind = slower.map((own) => share !== null && own > share);
  const first = slower.indexOf(0);
  return behind.map((own, i) =>
    i === first ? slower.length > 1 && behind.every((other, k) => k === i || other) : own,
  );
}

/** The answer in a few sentences: the fastest, what is too close to call, and the bill. */
export function verdictText(rows: readonly JudgedFabric[], band: ErrorBand | string | null): string {
  if (rows.length < 2) return '';
  const share = decidingShare(band);
  const fastest = rows.reduce((best, row) => (row.slower < best.slower ? row : best));
  const close = rows.filter((row) => share === null || row.slower <= share);
  const sentences: string[] = [];
  if (rows.every(({ crossing, hasLoads }) => hasLoads && crossing === 0))
    sentences.push(
      'No byte of this job leaves its leaf on any of them, so it says nothing about what connects the leaves: ' +
        'try more GPUs, another job, or fewer ports per leaf.',
    );
  const bare = rows.filter(({ shape }) => shape.gpusPerServer > 1 && !shape.hasServerLinks);
  if (bare.length > 0 && bare.length < rows.length)
    sentences.push(
      `Servers of ${listed(bare.map(({ name }) => name))} have no NVLink and the others do: that comes before anything between switches.`,
    );
  const isEqual = close.length === rows.length && rows.every(({ slower }) => slower <= equalWithin);
  if (close.length === 1) sentences.push(`${fastest.name} is the fastest.`);
  else
    sentences.push(
      share === null
        ? `Too close to call: no error band is known of such times${isEqual ? ', and they are equal' : ''}.`
        : `Too close to call between ${listed(close.map(({ name }) => name))}: ` +
            `${isEqual ? 'they take as long' : `the band of such times is ${(share * 100).toFixed(1)} %`}.`,
    );
  const priced = close.filter(({ bill }) => bill.cost !== null);
  if (close.length > 1 && priced.length === close.length) {
    const cheapest = priced.reduce((best, row) => (row.bill.cost! < best.bill.cost! ? row : best));
    const dearest = Math.max(...priced.map(({ bill }) => bill.cost!));
    sentences.push(
      dearest === cheapest.bill.cost
        ? 'They cost the same.'
        : `Of these ${cheapest.name} costs least: ${grouped(cheapest.bill.cost!)} of up to ${grouped(dearest)}.`,
    );
  }
  const behind = rows.filter((row) => !close.includes(row));
  if (behind.length > 0)
    sentences.push(
      `${counted(behind.length, 'fabric is', 'fabrics are')} slower by more than the band: ` +
        `${listed(behind.map(({ name, slower }) => `${name} (+${(slower * 100).toFixed(0)} %)`))}.`,
    );
  return sentences.join(' ');
}

/** Names in a sentence: `a, b and c`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
}
