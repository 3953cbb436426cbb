// The peak memory that a run reports is its own, not that of whoever started it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeHost } from '../../src/storage/node-host.js';

const hasProc = ((): boolean => {
  try {
    return readFileSync('/proc/self/status', 'utf8').includes('VmHWM');
  } catch {
    return false;
  }
})();

it.skipIf(!hasProc)('is that of the process, whose parent may have held more', () => {
  const ballast = Buffer.alloc(400_000_000, 1);
  const child =
    'process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(require("fs").readFileSync("/proc/self/status", "utf8"))[1])';
  const childBytes = Number(execFileSync(process.execPath, ['-e', child], { encoding: 'utf8' })) * 1024;
  expect(childBytes).toBeLessThan(ballast.length / 2);
  expect(nodeHost().peakMemoryBytes()).toBeGreaterThan(ballast.length);
});
