// The algorithms of `weft route compute` by name.

import { InputError, wholeFile } from '../base/diagnostics.js';
import { collapsed, type Traffic } from '../flows/traffic/matrix.js';
import { routeAfar } from '../optimization/afar.js';
import { aggregateByLeaf } from '../optimization/leaf-traffic.js';
import { routeDmodK } from '../routing/d-mod-k.js';
import { ForwardingTables } from '../routing/forwarding-tables.js';
import { routeFtree } from '../routing/ftree.js';
import { routeRandom } from '../routing/random-minimal.js';
import type { RoutedFabric } from './route-inputs.js';

/** The names, in the order in which they are listed. */
export const routeAlgorithms = ['ftree', 'random', 'dmodk', 'afar'] as const;

export type RouteAlgorithm = (typeof routeAlgorithms)[number];

export interface AlgorithmInputs {
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** wall-clock time after which a search ends */
  readonly seconds: number;
  readonly wallMs: () => number;
  /** progress, called often */
  readonly say: (text: string) => void;
}

/** The most moves of AFAR, and how many it makes without getting better. */
const afarLimits = { mostMoves: 1_000_000, patience: 2000 };

/**
 * Computes tables.
 * @returns them, and what is worth saying about how they were made
 * @throws InputError if the algorithm does not route this fabric
 */
export function computeTables(algorithm: RouteAlgorithm, source: RoutedFabric, inputs: AlgorithmInputs): { tables: ForwardingTables; notes: string[] } {
  switch (algorithm) {
    case 'random': return { tables: routeRandom(source.tree, inputs.seed), notes: [] };
    case 'dmodk': return { tables: routeDmodK(source.tree), notes: [] };
    case 'ftree': return { tables: ftreeOf(source), notes: [] };
    case 'afar': return afar(source, inputs);
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

function afar(source: RoutedFabric, { traffic, seconds, wallMs, say }: AlgorithmInputs): { tables: ForwardingTables; notes: string[] } {
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
