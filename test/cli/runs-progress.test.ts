// Progress of several runs together: the sum over them by weight, whoever does them and in whatever order they end.

import { describe, expect, it } from 'vitest';
import { ProgressDisplay } from '../../src/cli/progress.js';
import { RunsProgress } from '../../src/cli/runs-progress.js';
import { KeptStream } from '../support/command-context.js';
import { progressWith } from '../support/hand-made-run.js';

/** A display that shows every update as a line, and the runs a (a tenth), b (six tenths) and c (three tenths). */
function three() {
  const stream = new KeptStream();
  let nowMs = 0;
  const shown = new RunsProgress(new ProgressDisplay(stream, () => (nowMs += 20_000)), [
    { name: 'a', weight: 1 },
    { name: 'b', weight: 6 },
    { name: 'c', weight: 3 },
  ]);
  return { shown, last: () => stream.text.trimEnd().split('\n').at(-1)! };
}

describe('several runs', () => {
  it('count by their weights, and those under way are named', () => {
    const { shown, last } = three();
    shown.update(0, progressWith({ share: 0.5 }));
    expect(last()).toMatch(/^a {2}5% /);
    shown.update(1, progressWith({ share: 0.25 }));
    // half of a tenth and a quarter of six tenths
    expect(last()).toMatch(/^a, b {2}20% .* 80\/400 flows/);
    shown.end(1);
    shown.update(2, progressWith({ share: 0.1 }));
    expect(last()).toMatch(/^a, c {2}68% .* 80\/400 flows/);
  });

  it('have the share of none while that of one is not known, and those that have ended count whole', () => {
    const { shown, last } = three();
    shown.update(1, progressWith({ share: null }));
    expect(last()).toMatch(/^b {2}5ms simulated .* left unknown$/);
    shown.end(1);
    shown.update(0, progressWith({ share: 0 }));
    expect(last()).toMatch(/^a {2}60% /);
  });

  it('go on with one time left from one run to the next', () => {
    const { shown, last } = three();
    // the clock is read twice an update: each is 20 s, 1 % of all, behind the one before
    for (let share = 0; share <= 0.9; share += 0.1) shown.update(0, progressWith({ share }));
    shown.end(0);
    shown.update(1, progressWith({ share: 0 }));
    expect(last()).toMatch(/^b {2}10% .* 30 min 00 s left$/);
  });
});
