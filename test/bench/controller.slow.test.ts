// The benchmark's cases for the central controller: a line for each policy, in the order of the policies.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { controllerPolicies } from '../../src/controller/central-controller.js';

const bench = fileURLToPath(new URL('../../dist/bench/main.js', import.meta.url));

function benchController(...words: string[]) {
  return spawnSync(process.execPath, [bench, '--controller', ...words], { encoding: 'utf8' });
}

it('bench --controller prints a line for each policy, and names what there is', () => {
  const { status, stdout } = benchController('--only', 'all-to-all-128', '--runs', '1', '--json');
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { policy: string; flows: number; medianUs: number; free: number });
  expect([status, rows.map(({ policy }) => policy)]).toEqual([0, [...controllerPolicies]]);
  expect(rows.every(({ flows, medianUs }) => flows === 16_256 && medianUs > 0)).toBe(true);
  // first-fit finds a path for one flow per link up: 8 leaves of 64 links
  expect(rows[0]!.free).toBeCloseTo(512 / 13_440, 3);
  expect(benchController('--only', 'nothing').status).toBe(2);
});
