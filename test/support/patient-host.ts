// A host for routes in tests: files in memory, no clock, and nothing stops it.

import type { RouteHost } from '../../src/app/routes/make-tables.js';
import { memoryHost } from '../memory-host.js';

/** A host that never asks to end. @param files texts by path */
export function patientHost(files: Readonly<Record<string, string>> = {}): RouteHost {
  return {
    files: memoryHost(files),
    wallMs: () => 0,
    cpuSeconds: () => 0,
    stopRequested: () => false,
    report: () => {},
    whenStopped: new Promise<never>(() => {}),
    solver: null,
  };
}
