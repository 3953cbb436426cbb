// Amounts of traffic in units that suit a solver: solvers keep rows and whole variables to absolute tolerances near
// 1e-7, so that amounts of 1e-9 would all be nothing to them and amounts of 1e12 never exact. Invariant: the unit is a
// power of two, so that dividing by it and multiplying with it is exact; amounts that suit stay as they are.

import type { LeafTraffic } from '../optimization/leaf-traffic.js';

/** The largest flow is to be between these, in units. */
const fewest = 1;
const most = 1_048_576;

/** Traffic for a solver, and what one of its units is. */
export interface UnitTraffic {
  readonly phases: readonly LeafTraffic[];
  readonly unit: number;
}

/** Traffic of one phase or more in common units. Of its columns only the weights of flows are divided. */
export function inSolverUnits(phases: readonly LeafTraffic[]): UnitTraffic {
  const largest = phases.reduce((sofar, { weight }) => weight.reduce((own, amount) => Math.max(own, amount), sofar), 0);
  let unit = 1;
  if (largest > 0 && (largest < fewest || largest > most)) {
    while (largest / unit > 1024) unit *= 2;
    while (largest / unit < 512) unit /= 2;
  }
  return unit === 1
    ? { phases, unit }
    : { phases: phases.map((own) => ({ ...own, weight: own.weight.map((amount) => amount / unit) })), unit };
}
