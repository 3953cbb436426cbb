// examples/compare-fabrics: what crosses leaves is what PAT's distances say, and the order of the fabrics follows from
// how they are built. Figures are those of its page, which the first steps hold against the run itself
// (test/architecture/first-steps.slow.test.ts).

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseTimePs } from '../../src/base/units.js';

const page = readFileSync(new URL('../../examples/compare-fabrics/README.md', import.meta.url), 'utf8');

/** A row of the page's table; crossing and held up as shares. */
function rowOf(fabric: string): { timePs: number; crossing: string; heldUp: number } {
  const row = page.split('\n').find((line) => line.startsWith(`${fabric} `))!;
  const [, time, crossing, heldUp] = /^\S+ +(\S+) +(?:~ )?(?:-|\+?\d+ %) +\S+ +(\S+ %) +(\S+) %/.exec(row)!;
  return { timePs: parseTimePs(time!)!, crossing: crossing!, heldUp: Number(heldUp) / 100 };
}

/**
 * Of the bytes of PAT over 128 servers, those that leave a leaf with `servers` of them: distances 1, 2, 4 ... 64 carry
 * 64/127, 32/127 ... 1/127.
 */
function crossing(servers: number): string {
  const share = [1, 2, 4, 8, 16, 32, 64].reduce(
    (sum, distance) => sum + (64 / distance / 127) * Math.min(1, distance / servers),
    0,
  );
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

it('1,024 GPUs on eight fabrics', () => {
  const [spectrum, hpn, dcn, ...others] = ['spectrum-x', 'alibaba-hpn', 'dcn+', 'torus', 'hyperx'].map(rowOf);
  // switches of 64 ports: 32 NICs of 400 Gb/s under a leaf, or 64 of 200; on DCN+ these are those of 4 servers
  expect([spectrum, hpn, dcn].map((row) => row!.crossing)).toEqual([crossing(32), crossing(64), crossing(4)]);
  expect(spectrum!.heldUp).toBeLessThan(dcn!.heldUp);
  expect(hpn!.heldUp).toBeLessThan(0.01);
  for (const other of [dcn!, ...others]) expect(other.timePs).toBeGreaterThan(1.3 * spectrum!.timePs);
});
