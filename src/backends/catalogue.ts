// The backends that come with Weft: the one place that names them. Invariant: nobody else names two of them; a test
// sees to it.

import { analyticalBackend } from './analytical/analytical-backend.js';
import type { Backend } from './backend.js';
import { creditBackend } from './credit/credit-backend.js';
import { fluidBackend } from './fluid/fluid-backend.js';
import { packetBackend } from './packet/packet-backend.js';

/**
 * The first is what runs if a scenario does not say. To add another, give `{ backends: [...builtInBackends, another] }`
 * as the catalogues of a plan.
 */
export const builtInBackends: readonly Backend[] = [packetBackend, creditBackend, fluidBackend, analyticalBackend];

/** Their names, in the same order. */
export const backendNames: readonly string[] = builtInBackends.map(({ name }) => name);

/** Those that jobs are timed on, one after the other, from the quickest to the most detailed. */
export const levelsOfDetail = [analyticalBackend.name, fluidBackend.name, packetBackend.name] as const;

/** What each simulates, for the help of a command's option. */
export function backendHelp(): string {
  return builtInBackends.map(({ name, description }) => `${name}: ${description}`).join(';\n');
}
