// Several tables for one traffic, made by algorithms or given: a row for each, judged in the same way.
// Invariants: rows are judged from the tables alone (judgeTables); an algorithm that does not route the fabric is a row
// that says so; once the wish to end has come, what is to come is left out.

import { InputError } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { ComparedTables } from '../../report/routes/route-comparison-text.js';
import { byOffset, changedByOffset, type TablesByOffset } from '../../routing/lid-offsets.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { LidUse } from '../../optimization/lid-use.js';
import { judgeTables } from './compute-routes.js';
import type { MadeTables } from './make-tables.js';
import { ftreeOrNull, type ExactAlgorithm, type RouteAlgorithm } from './route-algorithms.js';

/** What tables are judged for. */
export interface ComparisonBasis {
  readonly source: RoutedFabric;
  readonly traffic: Traffic;
  /** links above this share of the adaptive bound between switches count as hot */
  readonly threshold: number;
  /** tables that entries are counted against; null = none */
  readonly reference: TablesByOffset | null;
  /** how the LIDs of hosts are used, if they have several */
  readonly lidUse?: LidUse;
}

/** A row of tables that are there. @param made how they were made, if they were made here */
export function comparedRow(
  { source, traffic, threshold, reference, lidUse }: ComparisonBasis,
  name: string,
  tables: ForwardingTables | TablesByOffset,
  made: Partial<Pick<MadeTables, 'notes' | 'lanes' | 'bounds' | 'outOfTime' | 'cpuSeconds'>> = {},
): ComparedTables {
  const { evaluation, deadlock, verdicts } = judgeTables(source, tables, traffic, threshold, {
    ...(made.lanes === undefined ? {} : { lanes: made.lanes }),
    ...(made.bounds === undefined ? {} : { bounds: made.bounds }),
    ...(lidUse === undefined ? {} : { lidUse }),
  });
  return {
    name,
    evaluation,
    deadlock,
    verdicts,
    cpuSeconds: made.cpuSeconds ?? null,
    changedEntries: reference === null ? null : changedByOffset(source.identity, reference, byOffset(tables)),
    notes: made.notes ?? [],
    outOfTime: made.outOfTime === true,
    refusal: null,
  };
}

/**
 * Makes and judges tables of algorithms, one after the other.
 * @param make makes them; `stopped` once the wish to end has come
 * @param isAlone whether there is nothing beside them: then a single algorithm that refuses is a mistake
 * @param say told what is judged
 * @returns rows in the order of the algorithms; fewer if it was stopped
 * @throws InputError if the only algorithm does not route the fabric
 */
export async function compareAlgorithms(
  basis: ComparisonBasis,
  algorithms: readonly (RouteAlgorithm | ExactAlgorithm)[],
  make: (algorithm: RouteAlgorithm | ExactAlgorithm) => Promise<MadeTables & { readonly stopped: boolean }>,
  isAlone: boolean,
  say: (name: string) => void,
): Promise<ComparedTables[]> {
  const rows: ComparedTables[] = [];
  for (const algorithm of algorithms) {
    try {
      const made = await make(algorithm);
      say(algorithm);
      rows.push(comparedRow(basis, algorithm, made.offsets ?? made.tables, made));
      if (made.stopped) break;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { code, message } = error.diagnostics[0]!;
      // what OpenSM does once it is told the top level; judged, for a fabric with a failed link is what people compare
      const told = code === 'ftree-refuses' ? ftreeOrNull(basis.source) : null;
      if (told === null && isAlone && algorithms.length === 1) throw error;
      rows.push(told === null ? refusedRow(algorithm, message) : comparedRow(basis, algorithm, told, recognisedTop));
    }
  }
  return rows;
}

const recognisedTop = {
  notes: ['with the top level as recognised: without --roots OpenSM refuses this fabric'],
};

function refusedRow(name: string, refusal: string): ComparedTables {
  return {
    name,
    evaluation: null,
    deadlock: null,
    verdicts: [],
    cpuSeconds: null,
    changedEntries: null,
    notes: [],
    outOfTime: false,
    refusal,
  };
}
