// The backends that come with Weft, as they declare themselves.

import { analyticalDeclaration } from './analytical/declaration.js';
import type { BackendDeclaration } from './backend-declaration.js';
import { fluidDeclaration } from './fluid/declaration.js';
import { packetDeclaration } from './packet/declaration.js';

/** The first is what runs if a scenario does not say. */
export const backendDeclarations: readonly BackendDeclaration[] = [
  packetDeclaration,
  fluidDeclaration,
  analyticalDeclaration,
];
