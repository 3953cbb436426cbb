// The backends that come with Weft, in the order in which they are listed. The one place that names them.

import { analyticalBackend } from './analytical/analytical-backend.js';
import type { Backend } from './backend.js';
import { fluidBackend } from './fluid/fluid-backend.js';
import { packetBackend } from './packet/packet-backend.js';

/** Every backend by itself; to add another, pass `[...builtInBackends, another]` where a plan is made. */
export const builtInBackends: readonly Backend[] = [packetBackend, fluidBackend, analyticalBackend];

/** The one that a scenario gets if it names none. */
export const defaultBackend = packetBackend.name;
