// How fast this machine is beside the one on which the costs of backends were measured: the time of a small piece of
// work like that of the engine (dependent reads and writes all over a column), in a tenth of a second.
// Not modelled: what differs between machines in other ways, such as caches of other sizes.

import type { Host } from '../../base/host.js';

/** CPU seconds of the piece of work on the machine of backend-costs.ts. */
const referenceSeconds = 0.0062;
const repetitions = 3;
const steps = 2_000_000;
const entries = 1 << 18;

/** Time that this machine takes for what the reference takes 1; 2: half as fast. Between 0.1 and 10. */
export function machineSlowness(host: Pick<Host, 'cpuSeconds'>): number {
  const column = new Int32Array(entries);
  let best = Infinity;
  for (let i = 0; i < repetitions; i++) {
    const start = host.cpuSeconds();
    walk(column);
    best = Math.min(best, host.cpuSeconds() - start);
  }
  return best > 0 ? Math.min(10, Math.max(0.1, best / referenceSeconds)) : 1;
}

function walk(column: Int32Array): void {
  let at = 1;
  for (let i = 0; i < steps; i++) {
    at = (Math.imul(at, 1_664_525) + 1_013_904_223 + column[at & (entries - 1)]!) | 0;
    column[at & (entries - 1)] = i;
  }
}
