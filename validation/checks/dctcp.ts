// DCTCP: alpha against the share of marks, and against the fixed point of the paper's own model of a sawtooth.

import { Dctcp } from '#weft/backends/packet/congestion/dctcp/dctcp.js';
import type { Check } from '../check.js';
import { ControlBench } from '../control-bench.js';
import { compared, exact, type Line, matched, within } from '../line.js';

const lineBps = 100e9;

function bench(gain: number, additiveIncrease = 1e9): ControlBench<Dctcp> {
  return new ControlBench(lineBps, (parts) => new Dctcp(parts, { gain, additiveIncrease, minimumRate: 1e6 }));
}

/** Every period-th of 20,000 packets is marked. */
function* shareOfMarks(period: number): Iterable<Line> {
  const { congestion, pair } = drive(bench(1 / 16), 20_000, 20, (sequence) => sequence % period === 0);
  yield compared({
    mechanism: `alpha after 20,000 ACKs, one in ${period} marked`,
    oracle: 'Alizadeh et al., SIGCOMM 2010, equation (1): the share of marks',
    expected: 1 / period,
    ours: congestion.alphaOf(pair),
    unit: '',
    digits: 4,
    tolerance: within(0.05),
  });
}

function drive(
  control: ControlBench<Dctcp>,
  count: number,
  inFlight: number,
  isMarked: (sequence: number) => boolean,
): ControlBench<Dctcp> {
  for (let sequence = 1; sequence <= count; sequence++) control.acknowledge(sequence, inFlight, isMarked(sequence));
  return control;
}

/**
 * The paper's section 3.3: windows grow by a packet per round trip; in the round trip in which the window exceeds W*
 * every packet is marked. alpha = packets of that round trip / packets of the cycle, with S(a, b) = (b^2 - a^2) / 2
 * packets sent while a window grows from a to b:
 *   alpha = S(W*, W* + 1) / S((W* + 1) (1 - alpha / 2), W* + 1), that is alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* +
 *   1)^2
 */
function paperAlpha(criticalWindow: number): number {
  const right = (2 * criticalWindow + 1) / ((criticalWindow + 1) * (criticalWindow + 1));
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (middle * middle * (1 - middle / 4) < right) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The same sawtooth with our control: a window is its rate in packets per round trip; a packet is marked if the window
 * exceeds W*.
 */
function sawtoothAlpha(criticalWindow: number): number {
  const packetBps = 100e6;
  const control = bench(1 / 64, packetBps);
  control.pairs.rateBps[control.pair] = criticalWindow * packetBps;
  let sum = 0;
  let count = 0;
  let sequence = 0;
  for (let round = 0; round < 4000; round++) {
    const window = Math.max(1, Math.round(control.rateBps / packetBps));
    const isMarked = window > criticalWindow;
    for (let i = 0; i < window; i++) control.acknowledge(++sequence, window - 1, isMarked);
    if (round < 2000) continue;
    sum += control.congestion.alphaOf(control.pair);
    count++;
  }
  return sum / count;
}

export const dctcp: Check = {
  name: 'dctcp',
  title: 'DCTCP: alpha',
  about:
    "The control on its own, with acknowledgements made by hand; g = 1/16 and 1/64. W* is the window at which marking begins, in packets; the paper's model is continuous, ours moves by whole packets.",
  *run() {
    for (const period of [2, 4, 5]) yield* shareOfMarks(period);
    for (const criticalWindow of [100, 200, 400]) {
      yield compared({
        mechanism: `fixed point of alpha, W* = ${criticalWindow}`,
        oracle: 'Alizadeh et al., section 3.3: alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2',
        expected: paperAlpha(criticalWindow),
        ours: sawtoothAlpha(criticalWindow),
        unit: '',
        digits: 4,
        tolerance: within(0.1),
      });
    }
    const marked = drive(bench(1 / 16), 10, 10, () => true);
    yield matched({
      mechanism: 'a window of 10 marks: rates set',
      oracle: 'equation (2), once per window: 100 (1 - 1/2)',
      expected: '50 Gb/s',
      ours: marked.rates.map((rate) => `${rate / 1e9} Gb/s`).join(', '),
    });
    for (let sequence = 12; sequence <= 40; sequence++) marked.acknowledge(sequence, 10, false);
    yield compared({
      mechanism: 'then ACKs 12 to 40 without: rate',
      oracle: '+1 Gb/s per window: 12, 23 and 34 end one',
      expected: 53,
      ours: marked.rateBps / 1e9,
      unit: 'Gb/s',
      digits: 2,
      tolerance: exact,
    });
  },
};
