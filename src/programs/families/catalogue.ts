// The programs that Weft knows: one list for scenarios and the documentation.

import { barriers } from './barriers.js';
import { bisection } from './bisection.js';
import { bully } from './bully.js';
import type { ProgramFamily } from './family.js';
import { incast } from './incast.js';
import { miniGhost } from './minighost.js';
import { pf3d } from './pf3d.js';
import { stencil } from './stencil.js';

/** All programs, in the order in which they are listed. */
export const programFamilies: readonly ProgramFamily[] = [bisection, stencil, barriers, bully, incast, pf3d, miniGhost];

/** A program by its name; null: there is none. */
export function findProgram(name: string): ProgramFamily | null {
  return programFamilies.find((family) => family.name === name) ?? null;
}
