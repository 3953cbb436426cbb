// Packets that wait for credits: nothing is lost and nothing stands still on trees, whatever the lanes; ways that go
// round stand still, and the ring is named; on the lanes of layers they do not.

import type { Check } from '../check.js';
import { compared, exact, figure, type Line } from '../line.js';
import { type CreditOutcome, layeredOutcome, loopOutcome, treeOutcome } from '../random-credits.js';

interface Series {
  readonly mechanism: string;
  readonly oracle: string;
  readonly outcome: (seed: number, number: number) => CreditOutcome;
  readonly share: number;
}

const series: readonly Series[] = [
  {
    mechanism: 'fat trees: ECMP, adaptive, ftree, random, d-mod-k',
    oracle: 'every packet arrives once, every credit is back, every flow ends',
    outcome: treeOutcome,
    share: 0.9,
  },
  {
    mechanism: 'rings of 3 to 8 switches, one lane',
    oracle: 'stands still, and the verdict names every link of the ring in order',
    outcome: loopOutcome,
    share: 0.05,
  },
  {
    mechanism: 'the same rings on the lanes of layers',
    oracle: 'as on fat trees',
    outcome: layeredOutcome,
    share: 0.05,
  },
];

export const credits: Check = {
  name: 'credits',
  title: 'Credits and lanes',
  about:
    'Random transfers on the credit backend: 1 to 5 lanes that packets keep, change or only count, buffers of 1 to 4 packets, both ways of switching and of accepting; a third of the trees also watched by samples and polled counters, which change nothing and know every packet.',
  isSampled: true,
  *run({ isQuick, seed, progress }): Iterable<Line> {
    const total = isQuick ? 200 : 10_000;
    let done = 0;
    for (const { mechanism, oracle, outcome, share } of series) {
      const count = total * share;
      let failed = 0;
      let packets = 0;
      let first = '';
      for (let number = 1; number <= count; number++) {
        progress(done++, total);
        const { problems, packets: own, text } = outcome(seed, number);
        packets += own;
        if (problems.length === 0) continue;
        failed++;
        first ||= `; ${text}: ${problems[0]}`;
      }
      yield compared({
        mechanism: `${figure(count, 0, '')} ${mechanism}, ${figure(packets, 0, '')} packets`,
        oracle: `${oracle}${first}`,
        expected: 0,
        ours: failed,
        unit: 'failed',
        tolerance: exact,
      });
    }
  },
};
