// The algorithms of `weft route compute` by name.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { collapsed, type Traffic } from '../flows/traffic/matrix.js';
import { routeAfar } from '../optimization/afar.js';
import { aggregateByLeaf } from '../optimization/leaf-traffic.js';
import { optimizeRoutes, type SearchTrace } from '../optimization/optimize-routes.js';
import { routeDmodK } from '../routing/d-mod-k.js';
import { ForwardingTables } from '../routing/forwarding-tables.js';
import { routeFtree } from '../routing/ftree.js';
import { routeRandom } from '../routing/random-minimal.js';
import type { RoutedFabric } from './route-inputs.js';

/** The names, in the order in which they are listed. */
export const routeAlgorithms = ['ftree', 'random', 'dmodk', 'afar', 'weft'] as const;

export type RouteAlgorithm = (typeof routeAlgorithms)[number];

/** Those that solve programmes with whole variables (route-exact.ts). */
export const exactAlgorithms = ['basic-mcf', 'partitioned-binary', 'combined'] as const;

export type ExactAlgorithm = (typeof exactAlgorithms)[number];

/** Whether an algorithm is one of those. */
export function isExact(algorithm: RouteAlgorithm | ExactAlgorithm): algorithm is ExactAlgorithm {
  return (exactAlgorithms as readonly string[]).includes(algorithm);
}

export interface AlgorithmInputs {
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** wall-clock time after which a search ends */
  readonly seconds: number;
  /** work after which `weft` ends; Infinity = only the clock and its own patience end it */
  readonly mostWork: number;
  /** tables in use; null = none were given */
  readonly current: ForwardingTables | null;
  /** entries of `current` that `weft` may change; null = all */
  readonly mostChanges: number | null;
  readonly threshold: number;
  readonly wallMs: () => number;
  /** progress, called often */
  readonly say: (text: string) => void;
}

/** The most moves of AFAR, and how many it makes without getting better. */
const afarLimits = { mostMoves: 1_000_000, patience: 2000 };

/** Tables, and how they were made. */
export interface ComputedTables {
  readonly tables: ForwardingTables;
  /** lines for people */
  readonly notes: readonly string[];
  /** how the search of `weft` went: its work, and when it came to which load */
  readonly search?: { readonly work: number; readonly trace: SearchTrace };
}

/**
 * Computes tables.
 * @returns them, and what is worth saying about how they were made
 * @throws InputError if the algorithm does not route this fabric
 */
export function computeTables(algorithm: RouteAlgorithm, source: RoutedFabric, inputs: AlgorithmInputs): ComputedTables {
  switch (algorithm) {
    case 'random': return { tables: routeRandom(source.tree, inputs.seed), notes: [] };
    case 'dmodk': return { tables: routeDmodK(source.tree), notes: [] };
    case 'ftree': return { tables: ftreeOf(source), notes: [] };
    case 'afar': return afar(source, inputs);
    case 'weft': return weft(source, inputs);
  }
}

function ftreeOf({ fabric, identity, roots, name }: RoutedFabric): ForwardingTables {
  const made = routeFtree(fabric, identity, roots);
  if (made instanceof ForwardingTables) return made;
  throw InputError.at('ftree-refuses', name, wholeFile, `ftree does not route this fabric: ${made.refusal}`, {
    ...(made.nodes.length > 0 ? { got: made.nodes.map((node) => identity.nodeName[node]).join(', ') } : {}),
    hint: 'OpenSM would fall back to minhop; give --roots FILE with the GUIDs of the top level, or another --algorithm',
  });
}

/** ftree's tables, with the recognised top level as roots where it refuses otherwise; null if it still does. */
export function ftreeOrNull({ fabric, identity, roots, tree }: RoutedFabric): ForwardingTables | null {
  const made = routeFtree(fabric, identity, roots);
  if (made instanceof ForwardingTables) return made;
  const again = routeFtree(fabric, identity, [...tree.switches[tree.levels - 1]!]);
  return again instanceof ForwardingTables ? again : null;
}

function afar(source: RoutedFabric, { traffic, seconds, wallMs, say }: AlgorithmInputs): ComputedTables {
  const start = ftreeOrNull(source) ?? routeDmodK(source.tree);
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const { tables, moves, finished } = routeAfar(start, aggregateByLeaf(source.tree, collapsed(traffic!)), {
    ...afarLimits,
    stopped: (done, largest) => {
      say(`afar: ${done} moves, largest load between switches ${largest}`);
      outOfTime = wallMs() >= untilMs;
      return outOfTime;
    },
  });
  const end = finished ? 'no link can be relieved any more' : outOfTime ? `after ${seconds} s` : `after ${afarLimits.patience} moves that did not help`;
  return { tables, notes: [`${moves} moves; ended: ${end}`] };
}

function weft(source: RoutedFabric, { traffic, seed, seconds, mostWork, current, mostChanges, threshold, wallMs, say }: AlgorithmInputs): ComputedTables {
  const untilMs = wallMs() + 1000 * seconds;
  let outOfTime = false;
  const starts = [ftreeOrNull(source) ?? routeDmodK(source.tree), ...(current === null ? [] : [current])];
  const { tables, work, proven, trace } = optimizeRoutes(source.tree, traffic!, starts, {
    seed, mostWork, thresholdShare: threshold,
    ...(current === null || mostChanges === null ? {} : { limit: { from: current, most: mostChanges } }),
    stopped: ({ incumbent, bound, stage }) => {
      say(`weft: ${stage}, load ${Number(incumbent.toPrecision(6))}, bound ${Number(bound.toPrecision(6))}, gap ${bound > 0 ? ((100 * (incumbent - bound)) / bound).toFixed(2) : '0.00'} %`);
      outOfTime = wallMs() >= untilMs;
      return outOfTime;
    },
  });
  const end = proven ? 'the bound was met' : outOfTime ? `after ${seconds} s` : work >= mostWork ? 'by its work' : 'nothing better was found with growing patience';
  return { tables, notes: [`work ${work} (--work ${work} repeats it); ended: ${end}`], search: { work, trace } };
}
