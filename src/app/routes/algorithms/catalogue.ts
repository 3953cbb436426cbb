// The algorithms of `weft route compute`. One more is a file beside this one and its name in this list.

import { InputError, wholeFile } from '../../../base/diagnostics.js';
import type { AlgorithmEntry, OwnOption, SearchingAlgorithm } from '../route-algorithm.js';
import { afar } from './afar.js';
import { dmodk } from './dmodk.js';
import { basicMcf, combinedMcf, partitionedBinary } from './exact.js';
import { ftree } from './ftree.js';
import { minhop } from './minhop.js';
import { random } from './random.js';
import { dfsssp, sssp } from './sssp.js';
import { updn } from './updn.js';
import { weft } from './weft.js';

const algorithms = [
  ftree,
  random,
  dmodk,
  minhop,
  updn,
  sssp,
  dfsssp,
  afar,
  weft,
  basicMcf,
  partitionedBinary,
  combinedMcf,
] as const;

type Entry = (typeof algorithms)[number];

/** Algorithms that need no solver. */
export type RouteAlgorithm = Exclude<Entry, { readonly kind: 'exact' }>['name'];
/** Those that solve programmes with whole variables. */
export type ExactAlgorithm = Extract<Entry, { readonly kind: 'exact' }>['name'];
/** Those that search for given traffic. */
export type SearchAlgorithm = Extract<Entry, { readonly kind: 'search' }>['name'];
export type AnyAlgorithm = RouteAlgorithm | ExactAlgorithm;

/** All of them, in the order in which they are listed. */
export const allAlgorithms: readonly (AlgorithmEntry & { readonly name: AnyAlgorithm })[] = algorithms;

/** The names of those that need no solver, and of those that do. */
export const routeAlgorithms = algorithms.flatMap((entry) => (entry.kind === 'exact' ? [] : [entry.name]));
export const exactAlgorithms = algorithms.flatMap((entry) => (entry.kind === 'exact' ? [entry.name] : []));

/** An algorithm by name. @throws InputError if there is none of that name */
export function algorithmNamed(name: string): AlgorithmEntry {
  const entry = allAlgorithms.find((own) => own.name === name);
  if (entry !== undefined) return entry;
  throw InputError.at('unknown-algorithm', '--algorithm', wholeFile, 'there is no such algorithm of routes', {
    got: name,
    wanted: allAlgorithms.map((own) => own.name).join(', '),
  });
}

/** A search by name. */
export function searchNamed(name: SearchAlgorithm): SearchingAlgorithm {
  return name === 'afar' ? afar : weft;
}

/** Which algorithms heed an option, in words. */
export function heededBy(option: OwnOption): string {
  const names = allAlgorithms.flatMap(({ name, heeds }) => (heeds?.includes(option) === true ? [name] : []));
  return names.join(', ');
}

/** @throws InputError if the algorithm does not heed an option that is given @param why in a few words, if not so */
export function refuseUnheeded(algorithm: string, option: OwnOption, value: unknown, why = 'does not heed it'): void {
  if (value === undefined || value === null || algorithmNamed(algorithm).heeds?.includes(option) === true) return;
  throw InputError.at('unused-option', option, wholeFile, `${algorithm} ${why}`, {
    hint: `it belongs to --algorithm ${heededBy(option)}`,
  });
}
