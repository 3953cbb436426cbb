// Options that a request has and that do not go with another one of it: refused, never left aside.

import { InputError } from '../../base/diagnostics.js';

/** An option, what was given (false or undefined: nothing; true: no value to name), and a reason of its own. */
export type GivenOption = readonly [option: string, given: string | number | boolean | undefined, why?: string];

/**
 * Refuses the first of some options that is given.
 * @param why of those that have no reason of their own
 * @throws InputError
 */
export function refuseGiven(options: readonly GivenOption[], why: string, hint: string): void {
  for (const [option, given, own = why] of options) {
    if (given === undefined || given === false) continue;
    throw InputError.about('unused-option', option, own, { hint, ...(given !== true && { got: String(given) }) });
  }
}

/** Refuses options that a search for the fewest links above a load does not heed. @throws InputError */
export function refuseWithObjective(objective: unknown, options: readonly GivenOption[]): void {
  if (objective !== undefined) refuseGiven(options, 'it does not go with --objective', 'leave it, or --objective, out');
}
