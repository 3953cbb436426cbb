// Long, lossy paths by each transport, beside the OmniDMA authors' simulator where that is right: without loss, and
// OmniDMA at 10 us.

import type { Check } from '../check.js';
import { bounded, compared, type Line, within } from '../line.js';
import {
  goBackN,
  irn,
  irnRewinding,
  irnWithoutWindow,
  lossRates,
  medianPath,
  omnidma,
  runPath,
  wholeNanosecondsBps,
} from '../long-paths/lossy-path.js';

const peer = "the OmniDMA authors' simulator";

function* withoutLoss(): Iterable<Line> {
  for (const delayUs of [10, 1000])
    for (const transport of [goBackN, irn, irnRewinding, omnidma])
      yield compared({
        mechanism: `${transport.name}, ${delayUs} us, no loss: completion of 30 MB`,
        oracle: peer,
        expected: omnidma.peer[delayUs]![0]!.fctMs,
        ours: runPath(transport, delayUs, 0, 1).fctMs,
        unit: 'ms',
        digits: 3,
        tolerance: within(0.02),
      });
  yield compared({
    mechanism: 'omnidma, 10 us, no loss, links on which a packet takes 84 ns: completion of 30 MB',
    oracle: `${peer}, which cuts times to whole nanoseconds`,
    expected: 2.5421,
    ours: runPath(omnidma, 10, 0, 1, { rateBps: wholeNanosecondsBps }).fctMs,
    unit: 'ms',
    digits: 4,
    tolerance: within(0.0001),
  });
}

function* omnidmaUnderLoss(seeds: number): Iterable<Line> {
  const noLossMs = runPath(omnidma, 10, 0, 1).fctMs;
  for (const rate of lossRates.slice(1, 4)) {
    const ours = medianPath(seeds, (seed) => runPath(omnidma, 10, rate, seed));
    yield compared({
      mechanism: `omnidma, 10 us, loss ${rate}: completion of 30 MB, median of ${seeds} seeds`,
      oracle: peer,
      expected: omnidma.peer[10]![lossRates.indexOf(rate)]!.fctMs,
      ours: ours.fctMs,
      unit: 'ms',
      digits: 3,
      tolerance: within(0.02),
    });
    yield bounded({
      mechanism: `omnidma, 10 us, loss ${rate}: packets sent again, median of ${seeds} seeds`,
      oracle: 'those that were lost, 1 % and two more',
      ours: ours.repeated,
      most: 1.01 * ours.lost + 2,
      unit: '',
    });
    if (rate === 1e-2)
      yield bounded({
        mechanism: `omnidma, 10 us, loss ${rate}: goodput as a share of that without loss`,
        oracle: 'a loss costs its packet alone',
        ours: noLossMs / ours.fctMs,
        least: 0.97,
        unit: '',
        digits: 3,
      });
  }
}

/** Timeouts that follow from the round trip: what remains is how a transport learns of losses. */
function* farAway(seeds: number): Iterable<Line> {
  for (const rate of [1e-3, 1e-2, 5e-2]) {
    const [a, b] = [omnidma, irnWithoutWindow].map(
      (transport) => medianPath(seeds, (seed) => runPath(transport, 5000, rate, seed)).fctMs,
    ) as [number, number];
    yield bounded({
      mechanism: `omnidma, 5 ms, loss ${rate}: completion as a share of IRN's, median of ${seeds} seeds`,
      oracle: 'not slower, to a thousandth',
      ours: a / b,
      most: 1.001,
      unit: '',
      digits: 3,
    });
  }
}

export const longPaths: Check = {
  name: 'long-paths',
  title: 'Long, lossy paths',
  about:
    'One flow of 30 MB over one switch, a link of the delay named and one of 1 us, 100 Gb/s, packets of 1,056 B, ACKs of 108 B, losses of data at the ingress of the switch, no congestion control: all cells are in [transports](transports.md#one-flow-over-a-long-lossy-path).',
  isSampled: true,
  *run({ isQuick }) {
    const seeds = isQuick ? 1 : 20;
    yield* withoutLoss();
    yield* omnidmaUnderLoss(seeds);
    if (!isQuick) yield* farAway(seeds);
  },
};
