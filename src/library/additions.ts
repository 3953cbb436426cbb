// Levels of detail and mechanisms of others, beside those that come with Weft: what `extend` offers the interfaces for.
// Invariant: a plan carries what it was made with, so that its run needs no catalogue.

import type { Backend } from '../backends/backend.js';
import { builtInBackends } from '../backends/catalogue.js';
import { type Mechanisms, mechanisms as ours } from '../backends/packet/mechanisms.js';
import { packetBackendWith } from '../backends/packet/packet-backend.js';
import type { Catalogues } from '../scenario/catalogues.js';

/** What a scenario may choose from beside what comes with Weft. */
export interface Additions {
  /** levels of detail, which `backend` chooses by name; one that is called as one of Weft's takes its place */
  readonly backends?: readonly Backend[];
  /**
   * mechanisms of the packet backend by kind and name, with settings of their own; one that is called as one of Weft's
   * takes its place
   */
  readonly mechanisms?: Partial<Mechanisms>;
}

/** What comes with Weft, and the additions. */
export function cataloguesWith({ backends = [], mechanisms }: Additions): Catalogues {
  const added = mechanisms === undefined ? backends : [packetBackendWith(merged(mechanisms)), ...backends];
  const all = new Map([...builtInBackends, ...added].map((backend) => [backend.name, backend]));
  // a name keeps its first place: what runs if a scenario does not say is still the packet backend
  return { backends: [...all.values()] };
}

function merged(more: Partial<Mechanisms>): Mechanisms {
  return {
    transports: { ...ours.transports, ...more.transports },
    congestionControls: { ...ours.congestionControls, ...more.congestionControls },
    flowControls: { ...ours.flowControls, ...more.flowControls },
    balancers: { ...ours.balancers, ...more.balancers },
    lossModels: { ...ours.lossModels, ...more.lossModels },
  };
}
