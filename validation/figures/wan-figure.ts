// The matrix of OmniDMA's authors over the wan-dumbbell example: delays, losses of the amazon mix, three transports and
// two windows of IRN; examples/wan-dumbbell/matrix.svg and the table beside it. Medians of seeds; go-back-N, where it takes
// longer than a cap of simulated time, is shown as far as it came, and is run with one seed.

import { simulate } from '#weft/app/simulate.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { pathOf, writeBlock, writeFile } from './pages.js';
import { wanChart } from './wan-chart.js';

/** A line of the picture: what is sent how. */
export const wanTransports = [
  { name: 'go-back-N', overrides: ['transport.algorithm=go-back-n'], color: '#b5442f' },
  { name: 'IRN, 500 kB', overrides: ['transport.algorithm=irn', 'queuePair.window=500kB'], color: '#d99a2b' },
  { name: 'IRN, 5 MB', overrides: ['transport.algorithm=irn', 'queuePair.window=5MB'], color: '#1f5a94' },
  { name: 'OmniDMA', overrides: ['transport.algorithm=omnidma'], color: '#2a8a5f' },
] as const;
export const wanDelays = ['1us', '50us', '500us', '5ms', '15ms'] as const;
/** in percent, as the authors write them */
export const wanLosses = [0, 0.01, 0.05, 0.1, 0.5, 1, 2, 3, 5] as const;

/** Medians of a transport, a delay and a loss. */
export interface WanCell {
  readonly goodputGbps: number;
  readonly sentAgain: number;
  readonly lost: number;
  readonly isFinished: boolean;
}

/** of go-back-N, which sends millions of packets again at 5 and 15 ms */
const capPs = 1e12;
const example = 'examples/wan-dumbbell';

/** Runs all and draws. */
export async function drawWan(): Promise<void> {
  const cells: WanCell[][][] = [];
  for (const { name, overrides } of wanTransports) {
    const rows: WanCell[][] = [];
    cells.push(rows);
    for (const delay of wanDelays) {
      process.stderr.write(`${name}, ${delay} …\n`);
      const row: WanCell[] = [];
      rows.push(row);
      for (const loss of wanLosses) row.push(await cellOf([...overrides, `fabric.bottleneckLatency=${delay}`], loss));
    }
  }
  writeFile(`${example}/matrix.svg`, wanChart(cells));
  writeBlock(`${example}/README.md`, 'matrix', table(cells));
}

async function cellOf(overrides: readonly string[], lossPercent: number): Promise<WanCell> {
  const runs: WanCell[] = [];
  for (const seed of lossPercent === 0 ? [1] : [1, 2, 3]) {
    runs.push(await runOf([...overrides, 'loss.model=amazon', `loss.rate=${lossPercent / 100}`, `seed=${seed}`]));
    if (!runs[0]!.isFinished) break;
  }
  const median = (of: (run: WanCell) => number): number => runs.map(of).sort((a, b) => a - b)[runs.length >> 1]!;
  return {
    goodputGbps: median((run) => run.goodputGbps),
    sentAgain: median((run) => run.sentAgain),
    lost: median((run) => run.lost),
    isFinished: runs.every((run) => run.isFinished),
  };
}

async function runOf(overrides: readonly string[]): Promise<WanCell> {
  const host = nodeHost();
  const plan = await makePlan(pathOf(`${example}/wan.yaml`), { host, overrides });
  const isCapped = overrides.includes('transport.algorithm=go-back-n');
  let nowPs = 0;
  const { outcome, counters, simulatedPs, verdicts, fct } = await simulate(plan, {
    host,
    // slices of a fixed size: a run is cut at the same event everywhere
    sliceEvents: 10_000,
    onProgress: (progress) => ({ nowPs } = progress),
    stopRequested: () => isCapped && nowPs > capPs,
  });
  const isFinished = outcome === 'finished';
  const failed = verdicts.filter(({ ok }) => !ok);
  if (isFinished && failed.length > 0) throw new Error(`${overrides.join(' ')}: ${failed[0]!.detail}`);
  return {
    goodputGbps: ((counters['payloadBytesDelivered'] ?? 0) * 8e3) / (isFinished ? fct.maxNs * 1e3 : simulatedPs),
    sentAgain: counters['retransmittedPackets'] ?? 0,
    lost: counters['packetsLost'] ?? 0,
    isFinished,
  };
}

function table(cells: readonly WanCell[][][]): string {
  const rows = wanDelays.flatMap((delay, d) =>
    wanLosses.map((loss, l) => {
      const texts = cells.map((rowsOfTransport) => {
        const { goodputGbps, sentAgain, lost, isFinished } = rowsOfTransport[d]![l]!;
        const digits = goodputGbps < 1 ? 2 : 1;
        return `${goodputGbps.toFixed(digits)}${isFinished ? '' : '*'} / ${sentAgain.toLocaleString('en')} (${lost.toLocaleString('en')})`;
      });
      return `| ${delay} | ${loss} % | ${texts.join(' | ')} |\n`;
    }),
  );
  const names = wanTransports.map(({ name }) => name).join(' | ');
  return `\n| delay | loss | ${names} |\n|---|---|${'---|'.repeat(wanTransports.length)}\n${rows.join('')}\n`;
}
