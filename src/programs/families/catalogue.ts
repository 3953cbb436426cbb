// The programs that Weft knows: one list for scenarios and the documentation.

import { bisection } from './bisection.js';
import type { ProgramFamily } from './family.js';

/** All programs, in the order in which they are listed. */
export const programFamilies: readonly ProgramFamily[] = [bisection];

/** A program by its name; null: there is none. */
export function findProgram(name: string): ProgramFamily | null {
  return programFamilies.find((family) => family.name === name) ?? null;
}
