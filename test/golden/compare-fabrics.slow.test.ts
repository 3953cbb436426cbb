// examples/compare-fabrics: what crosses leaves is what PAT's distances say, and the order of the fabrics follows from
// how they are built.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

/**
 * Of the bytes of PAT over 128 servers, those that leave a leaf with `servers` of them: distances 1, 2, 4 ... 64 carry
 * 64/127, 32/127 ... 1/127.
 */
function crossing(servers: number): number {
  return [1, 2, 4, 8, 16, 32, 64].reduce(
    (sum, distance) => sum + (64 / distance / 127) * Math.min(1, distance / servers),
    0,
  );
}

it('1,024 GPUs on five fabrics', { timeout: 300_000 }, async () => {
  const world = scriptedContext({ makePlan, simulate });
  const scenario = fileURLToPath(new URL('../../examples/compare-fabrics/scenario.yaml', import.meta.url));
  expect(await runProgram(['compare-fabrics', scenario, '--json', '--quiet'], world)).toBe(0);
  const { fabrics } = JSON.parse(world.stdout.text) as {
    fabrics: { fabric: string; timeNs: number; crossing: number; heldUp: number; digest: string }[];
  };
  const [spectrum, onePlane, twoPlanes, oneTor, twoTors] = fabrics;
  expect(fabrics.map((each) => each.crossing.toFixed(3))).toEqual(
    [crossing(64), 0, 0, crossing(8), crossing(16)].map((share) => share.toFixed(3)),
  );
  // nothing crosses, so planes make no difference
  expect(twoPlanes!.timeNs).toBe(onePlane!.timeNs);
  expect(spectrum!.heldUp).toBeLessThan(0.01);
  expect(oneTor!.heldUp).toBeGreaterThan(twoTors!.heldUp);
  for (const other of [oneTor, twoTors]) expect(other!.timeNs).toBeGreaterThan(1.3 * spectrum!.timeNs);
  // a GPU has 400 Gb/s on each, over one port or over two; and no byte of HPN's waits for a spine
  expect(onePlane!.timeNs).toBeLessThan(1.005 * spectrum!.timeNs);
});
