// Bus bandwidth of every kind under profile `nccl` as messages grow, and choices beside the best that NCCL allows: a sample of
// `npm run busbw-sweep`.

import {
  casesOf,
  chosenRow,
  curvesOf,
  isRight,
  sizesBy,
  type SweepCase,
  type SweepRow,
  sweepRow,
} from '../busbw-sweep/sweep.js';
import type { Check, CheckContext } from '../check.js';
import { bounded, type Line } from '../line.js';

const fabrics = ['spectrum-x'];
const mostFall = 3;
const leastRight = 95;
const mib = 2 ** 20;

/** the kinds that take least to simulate on many GPUs */
function isQuickOn256({ kind }: SweepCase): boolean {
  return kind === 'allreduce' || kind === 'sendrecv';
}

/** The deepest fall of bus bandwidth from one size to the next, percent; 0: it never falls. */
function deepestFall(curve: readonly SweepRow[]): number {
  const falls = curve.map(({ busbwGBps }, i) => 1 - busbwGBps / (curve[i - 1]?.busbwGBps ?? busbwGBps));
  return 100 * Math.max(0, ...falls);
}

async function* fallsOf(cases: readonly SweepCase[], progress: CheckContext['progress']): AsyncIterable<Line> {
  const rows: SweepRow[] = [];
  for (const [done, one] of cases.entries()) {
    progress(done, cases.length);
    rows.push(await chosenRow(one));
  }
  for (const curve of curvesOf(rows)) {
    const { kind, gpus, backend } = curve[0]!;
    yield bounded({
      mechanism: `${kind}, ${gpus} GPUs, ${backend}: deepest fall of bus bandwidth over ${curve.length} sizes`,
      oracle: 'a pipeline that is fuller is no slower',
      ours: deepestFall(curve),
      most: mostFall,
      unit: '%',
      digits: 1,
    });
  }
}

async function* rightOf(
  what: string,
  cases: readonly SweepCase[],
  progress: CheckContext['progress'],
): AsyncIterable<Line> {
  let right = 0;
  for (const [done, one] of cases.entries()) {
    progress(done, cases.length);
    if (isRight(await sweepRow(one))) right++;
  }
  yield bounded({
    mechanism: `${what}: rows whose choice is within 10 % of the best, of ${cases.length}`,
    oracle: 'all that NCCL allows, simulated',
    ours: (100 * right) / cases.length,
    least: leastRight,
    unit: '%',
    digits: 1,
  });
}

export const busbw: Check = {
  name: 'busbw',
  title: 'Bus bandwidth as messages grow',
  about:
    'Every kind with profile `nccl` on Spectrum-X: on 8 and 16 GPUs from 1 KiB to 1 GiB by factor 2 (`fluid`), its choices by 16; on 256 GPUs and with packets less. A sample of [the sweep](busbw-sweep.md), which has three fabrics, 64 GPUs and the reasons.',
  isSampled: true,
  async *run({ isQuick, progress }) {
    if (isQuick) {
      yield* fallsOf(casesOf(fabrics, [8], 'fluid', sizesBy(16)), progress);
      return;
    }
    yield* fallsOf(casesOf(fabrics, [8, 16], 'fluid', sizesBy(2, 2 ** 10, 1024 * mib)), progress);
    yield* fallsOf(casesOf(fabrics, [8], 'packet', sizesBy(8, 2 ** 10, 4 * mib)), progress);
    yield* rightOf('8 and 16 GPUs, fluid', casesOf(fabrics, [8, 16], 'fluid', sizesBy(16)), progress);
    yield* rightOf('8 GPUs, packet', casesOf(fabrics, [8], 'packet', sizesBy(32, 2 ** 10, mib)), progress);
    yield* fallsOf(casesOf(fabrics, [256], 'fluid', sizesBy(32, 2 ** 10, 32 * mib)).filter(isQuickOn256), progress);
  },
};
