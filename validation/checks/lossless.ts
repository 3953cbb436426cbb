// Lossless means lossless: random incasts into small buffers with PFC on, each judged by its own verdicts, by its
// counters and by the checker that shares nothing with the engine.

import type { PacketCounters } from '#weft/backends/packet/packet-counters.js';
import type { Check } from '../check.js';
import { broken, engineRun } from '../engine-run.js';
import { bounded, compared, exact, figure, type Line, matched } from '../line.js';
import { randomIncast } from '../random-incasts.js';
import { problemsOf } from '../run-checker.js';

/** What came of one incast. */
export interface IncastOutcome {
  /** everything that is wrong, in words; empty if nothing is */
  readonly problems: readonly string[];
  readonly counters: PacketCounters;
  readonly flows: number;
  readonly finished: number;
  readonly text: string;
}

/** Runs the incast of a seed and a number, and judges it. */
export function incastOutcome(seed: number, number: number): IncastOutcome {
  const { fabric, transfers, settings, text } = randomIncast(seed, number);
  const run = engineRun(fabric, transfers, { settings, seed: number });
  const { counters } = run.network;
  const problems = [
    ...broken(run),
    ...problemsOf({ fabric, transfers, settings, flows: run.flows, hops: run.hops, counters }),
    ...Object.entries(counters)
      .filter(([, value]) => !(value >= 0))
      .map(([name, value]) => `${name} is ${value}`),
  ];
  if (run.state !== 'finished') problems.push(`the run ended ${run.state}`);
  if (counters.packetsDropped + counters.packetsLost > 0)
    problems.push(`${counters.packetsDropped} packets dropped, ${counters.packetsLost} lost`);
  if (counters.pauseFrames !== counters.resumeFrames)
    problems.push(`${counters.pauseFrames} pauses, but ${counters.resumeFrames} resumes`);
  return { problems, counters, flows: transfers.length, finished: run.flows.length, text };
}

function* incasts(seed: number, count: number, progress: (done: number, total: number) => void): Iterable<Line> {
  const sum = { dropped: 0, pauses: 0, resumes: 0, pausing: 0, flows: 0, finished: 0, hops: 0 };
  let first: string | null = null;
  let failed = 0;
  for (let number = 1; number <= count; number++) {
    progress(number - 1, count);
    const { problems, counters, flows, finished, text } = incastOutcome(seed, number);
    sum.dropped += counters.packetsDropped;
    sum.pauses += counters.pauseFrames;
    sum.resumes += counters.resumeFrames;
    sum.pausing += counters.pauseFrames > 0 ? 1 : 0;
    sum.flows += flows;
    sum.finished += finished;
    sum.hops += counters.packetHops;
    if (problems.length === 0) continue;
    failed++;
    first ??= `incast ${number} of seed ${seed} (${text}): ${problems.join('; ')}`;
  }
  const name = `${figure(count, 0, '')} random incasts, seed ${seed}`;
  yield compared({
    mechanism: `${name}: packets dropped of ${figure(sum.hops, 0, '')} packet-hops`,
    oracle: 'IEEE 802.1Qbb: lossless',
    expected: 0,
    ours: sum.dropped,
    unit: '',
    tolerance: exact,
  });
  yield compared({
    mechanism: `${name}: flows finished`,
    oracle: 'no cycle of buffers, so no deadlock',
    expected: sum.flows,
    ours: sum.finished,
    unit: '',
    tolerance: exact,
  });
  yield compared({
    mechanism: `${name}: resumes`,
    oracle: 'one for every pause',
    expected: sum.pauses,
    ours: sum.resumes,
    unit: '',
    tolerance: exact,
  });
  yield bounded({
    mechanism: `${name}: runs that paused`,
    oracle: 'buffers are small: PFC must be at work',
    ours: sum.pausing,
    least: 0.3 * count,
    most: count,
    unit: '',
  });
  yield matched({
    mechanism: `${name}: runs with a failed self-check, a negative counter or a complaint of the independent checker`,
    oracle: 'conservation, physics, sums by hand',
    expected: 'none',
    ours: first === null ? 'none' : `${failed}; ${first}`,
  });
}

export const lossless: Check = {
  name: 'lossless',
  title: 'Lossless means lossless',
  about:
    'Random incasts (2 to 24 flows into one host, up to six beside them) on stars, trees, leaf-spines and fat trees without loops, 10 to 400 Gb/s, cables of 0 to 1 km, all congestion controls, windows, packet formats, dynamic and static thresholds, pauses with and without timers, switches with and without a latency, and buffers of 1 to 40 packets beyond what is set apart by the headroom rule `cable`. Retransmission timeouts are off, so nothing repairs a loss.',
  isSampled: true,
  *run({ isQuick, seed, progress }) {
    yield* incasts(seed, isQuick ? 200 : 10_000, progress);
  },
};
