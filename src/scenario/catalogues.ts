// What scenarios may choose from. Everything that depends on it (the form of a scenario, its settings, rules and
// checks) is derived from the value that makePlan is given, so that others can add their own.

import type { Backend } from '../backends/backend.js';
import { builtInBackends } from '../backends/catalogue.js';

export interface Catalogues {
  /** by level of detail; the first is what runs if a scenario does not say */
  readonly backends: readonly Backend[];
}

/** What comes with Weft. */
export const defaultCatalogues: Catalogues = { backends: builtInBackends };
