// What hosts count on examples/sampled-ethernet is what their senders send, by sampling theory, and its page says it.

import { describe, expect, it } from 'vitest';
import { ethernetCounts, slope, slopeRow } from '../../validation/figures/ethernet-figure.js';
import { blockOf } from '../../validation/figures/pages.js';

/** Datagrams a second of h1 and h3. */
const rate = 30;
/** Links on the ways h1 to h2 and h3 to h2, and which flows take each: [flows of h1, of h3]. */
const [blue, green] = [4, 3];
const flowsOn: Readonly<Record<string, readonly [number, number]>> = {
  'h1 - s1': [1, 0],
  's1 - s4': [1, 0],
  's4 - s2': [1, 0],
  's2 - h2': [1, 1],
  'h3 - s3': [0, 1],
  's3 - s2': [0, 1],
};

describe.each(['one-bit', 'standard'] as const)('hosts that sample with the %s variant', async (variant) => {
  const counts = await ethernetCounts([`sampling.variant=${variant}`]);

  it.each([
    [0, 20, 0],
    [20, 50, 1],
  ])('between %d and %d s count what was sent', (from, to, h3) => {
    for (const link of counts) {
      const [h1, both] = flowsOn[link.name]!;
      const sent = [h1 * rate * (to - from), both * h3 * rate * (to - from)] as const;
      const packets = sent[0] + sent[1];
      // variance of one packet's part of the estimate: l - 1 where it names its link, l^2 - 1 where it has a bit of it
      const of = (links: number): number => (variant === 'standard' ? links - 1 : links ** 2 - 1);
      const error = Math.sqrt(sent[0] * of(blue) + sent[1] * of(green)) / (to - from);
      // 33.333 ms are not quite 1/30 s, and a packet may be under way at the end of a window
      const margin = 2 / (to - from);
      expect(Math.abs(slope(link, link.traffic, from, to) - packets / (to - from))).toBeLessThanOrEqual(
        3 * error + margin,
      );
      expect(slope(link, link.congested, from, to)).toBe(0);
    }
  });

  it('see that s1 - s4 is congested while others fill it, and only that', () => {
    for (const link of counts) {
      const congested = slope(link, link.congested, 50, 175);
      const arrived = slope(link, link.traffic, 50, 175);
      if (link.name === 's1 - s4') {
        expect(congested).toBeGreaterThan(0.75 * arrived);
        // theirs alone: far below the 190 of these packets a second that the link can carry
        expect(arrived).toBeLessThan(rate);
      } else if (variant === 'standard') expect(congested).toBe(0);
      else expect(Math.abs(congested)).toBeLessThan((3 * Math.sqrt(9900) * blue) / 125);
    }
  });
});

it('the page has these slopes', async () => {
  const block = blockOf('examples/sampled-ethernet/README.md', 'slopes');
  for (const link of await ethernetCounts()) expect(block).toContain(slopeRow(link));
});
