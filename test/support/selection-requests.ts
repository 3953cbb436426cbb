// What tests of selections ask for: NVLS-capable servers of 8 GPUs, and a request with something changed.

import type { GroupFacts } from '../../src/collectives/group-facts.js';
import { type SelectionRequest } from '../../src/collectives/selection.js';

/** Eight GPUs of one server. */
export const server: GroupFacts = { ranks: 8, servers: 1, ranksPerServer: 8, nvlinkBps: 2.4e12, networkBps: 8e11 };

/** An allreduce of 16 MiB over the server, with changes. */
export function requestOf(changes: Partial<SelectionRequest>): SelectionRequest {
  return {
    kind: 'allreduce',
    groupKind: 'tp',
    sizeBytes: 2 ** 24,
    facts: server,
    gpuType: 'H100',
    hasNvswitches: true,
    nvls: true,
    pxn: false,
    collnet: false,
    channels: 0,
    ...changes,
  };
}
