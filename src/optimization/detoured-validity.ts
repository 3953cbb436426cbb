// Tables whose ways go down and up again are valid as well, if they were shown not to deadlock: ways of that kind are
// detours then, not faults.

import type { DeadlockCheck } from '../routing/channel-dependencies.js';
import type { RouteValidity } from './route-validity.js';

/** Validity with what the check for deadlock came to, of the same tables. */
export function withDetoursAllowed(validity: RouteValidity, { cycle }: DeadlockCheck): RouteValidity {
  const { faults, examples } = validity;
  if (faults['down-up'] === 0 || cycle !== null) return validity;
  const { 'down-up': _, ...others } = examples;
  return {
    ...validity,
    valid: faults.unreachable + faults.loop === 0,
    faults: { ...faults, 'down-up': 0 },
    examples: others,
    detours: faults['down-up'],
  };
}
