// `npm run figures`, parts sfc-times, sfc-experiments and sfc-kinds: the tables of the pages are what comes out; of the
// longer ones some rows.

import { describe, expect, it } from 'vitest';
import { blockOf } from '../../validation/figures/pages.js';
import { reactionPage, reactionTables } from '../../validation/figures/reaction-tables.js';
import { experimentTables } from '../../validation/figures/sfc-experiments.js';
import { kindMarkdown, kindsOfTraffic, kindsPage } from '../../validation/figures/sfc-kinds.js';
import { offPhase } from '../../validation/off-phase.js';
import { dcqcnSteps, dcqcnWith, reactionTimes } from '../../validation/reaction-times.js';
import { reorderingEdge } from '../../validation/reordering-edge.js';

describe.each(reactionTables)('$name', ({ name, markdown }) => {
  it('stands in its page as it is: else run npm run figures -- --only sfc-times', () => {
    expect(blockOf(reactionPage, name)).toBe(`\n${markdown()}\n`);
  });
});

describe.each(experimentTables)('$name', ({ name, head, rows }) => {
  it('stands in its page as it is: else run npm run figures -- --only sfc-experiments', () => {
    const block = blockOf(kindsPage, name);
    expect(block).toContain(head);
    expect(block!.trim().split('\n')).toHaveLength(2 + rows.length);
    for (const row of rows.filter((_, i) => i % 4 === 3)) expect(block).toContain(row());
  });
});

it('bursts stand in their page as they are: else run npm run figures -- --only sfc-kinds', async () => {
  const kind = kindsOfTraffic.find(({ name }) => name === 'bursts-200kB')!;
  expect(blockOf(kindsPage, kind.name)).toBe(`\n${await kindMarkdown(kind)}\n`);
});

describe('what the pages say', () => {
  it('DCQCN that cuts by half at once needs two CNPs, 50 us apart, and one that waits for its timer as much again', () => {
    const [paper, waiting] = ['and every packet marked from 400 kB on', 'alpha updated every 55 us'].map(
      (name) => reactionTimes(dcqcnSteps.find((step) => step.name === name)!).senderPs / 1e6,
    );
    expect(paper).toBeGreaterThan(50);
    expect(paper).toBeLessThan(70);
    expect(waiting).toBeGreaterThan(100);
    expect(waiting).toBeLessThan(130);
  });

  it('while nothing is sent rates go up by what is added in that time, and by what the target was above them', () => {
    const paper = { alphaInterval: 55e6, decreaseInterval: 4e6, increaseInterval: 55e6, fastRecoveryRounds: 5 };
    // 5 ms are 91 increases of the target by at most 40 Mb/s: 3.6 % of the link, and what the target was above the rate
    const { before, after } = offPhase(dcqcnWith(50, { ...paper, additiveIncrease: 40e6, hyperIncrease: 40e6 }), 5e9);
    expect(after - before).toBeGreaterThan(0.02);
    expect(after - before).toBeLessThan(0.12);
  });

  it('a bridge that puts packets in order holds what the host holds else, and sends it as a burst', () => {
    const { heldBytes, hostBytes, orderedPeakBytes, plainPeakBytes, releasedBytes } = reorderingEdge(0.9, 100e6);
    expect(heldBytes).toBe(hostBytes);
    // at most what seven senders sent while the path was slow, and the packet that was on it, at its 2 Gb/s
    expect(heldBytes).toBeLessThan(((0.9 * 100e9) / 8) * (100e-6 + 17e-6));
    expect(orderedPeakBytes).toBeGreaterThan(plainPeakBytes);
    expect(orderedPeakBytes).toBeGreaterThanOrEqual(releasedBytes);
  });
});
