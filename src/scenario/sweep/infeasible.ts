// Which mistakes of a combination of settings make it one that cannot run: each value is right by itself, and together
// they do not go. In a sweep that is a row with its reason; everything else is a mistake of whoever wrote it.
// Invariant: names, forms, files and values out of their ranges are never among them.

import { InputError } from '../../base/diagnostics.js';

const infeasibleCodes: ReadonlySet<string> = new Set([
  'formula',
  // workloads
  'context-groups',
  'expert-groups',
  'group-product',
  'group-size',
  'workload-groups',
  'workload-memory',
  'workload-parameter',
  'workload-ranks',
  'workload-too-large',
  'workload-too-many-gpus',
  // fabrics and their routes
  'conflicting-parameters',
  'over-capacity',
  'tables',
  'too-large',
  'too-many-nics',
  'uneven-planes',
  'uneven-servers',
  'wrong-switch-count',
  // backends and mechanisms
  'backend-failures',
  'backend-lossless',
  'backend-losses',
  'control-without-window',
  'controller-without-hash',
  'credit-buffer',
  'credit-buffer-below-round-trip',
  'ecn-minimum-above-maximum',
  'go-back-n-out-of-order',
  'headroom-above-buffer',
  'level-without-lane',
  'minimum-rate-above-link',
  'packet-above-buffer',
  'pause-too-long',
  'pause-too-short',
  'timeout-below-round-trip',
  'window-below-round-trip',
]);

/** Whether settings are right one by one, and cannot run together. */
export function isInfeasible(error: unknown): boolean {
  return (
    error instanceof InputError &&
    error.errorCount > 0 &&
    error.diagnostics.every(({ severity, code }) => severity === 'warning' || infeasibleCodes.has(code))
  );
}
