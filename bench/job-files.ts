// Files that jobs of the benchmark read: workloads in AICB's layout, written by Weft's own writer, and a trace of
// web-search traffic. Random choices are seeded: the work is the same every time.
// Source of the sizes: WebSearch_distribution.txt of the HPCC repository (alibaba-edu/High-Precision-Congestion-Control,
// traffic_gen), which are those of Alizadeh et al., Data Center TCP, 2010.

import { RandomStream } from '#weft/base/random.js';
import { writeSimaiWorkload } from '#weft/formats/simai-workload-text.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';

/** Largest bytes of a flow, and how many of a hundred flows are smaller. */
const webSearch: readonly (readonly [sizeBytes: number, percent: number])[] = [
  [0, 0],
  [10e3, 15],
  [20e3, 20],
  [30e3, 30],
  [50e3, 40],
  [80e3, 53],
  [200e3, 60],
  [1e6, 70],
  [2e6, 80],
  [5e6, 90],
  [10e6, 97],
  [30e6, 100],
];

/** Mean of the sizes, with every piece of the distribution taken as even, bytes. */
function meanBytes(): number {
  let mean = 0;
  for (const [i, [sizeBytes, percent]] of webSearch.entries())
    if (i > 0) mean += ((sizeBytes + webSearch[i - 1]![0]) / 2) * ((percent - webSearch[i - 1]![1]) / 100);
  return mean;
}

/** The size below which a share of flows lies. @param share 0 to 1 */
function sizeAt(share: number): number {
  const above = webSearch.findIndex(([, percent]) => percent >= 100 * share && percent > 0);
  const [[fromBytes, fromPercent], [toBytes, toPercent]] = [webSearch[above - 1]!, webSearch[above]!];
  const part = (100 * share - fromPercent) / (toPercent - fromPercent);
  return Math.max(1, Math.round(fromBytes + part * (toBytes - fromBytes)));
}

/**
 * A trace of flows between random hosts, which start at random times of a Poisson process.
 * @param load share of the hosts' links that they take, 0 to 1
 */
export function webSearchTrace(hosts: number, rateBps: number, load: number, milliseconds: number): string {
  const random = new RandomStream(12_345, 'web search');
  const flowsPerNs = (load * hosts * rateBps) / (8 * meanBytes()) / 1e9;
  const lines = ['timestamp_ns,src,dst,size_bytes'];
  for (let ns = 0; ;) {
    ns -= Math.log(1 - random.nextFraction()) / flowsPerNs;
    if (ns > milliseconds * 1e6) return `${lines.join('\n')}\n`;
    const source = random.nextBelow(hosts);
    const destination = (source + 1 + random.nextBelow(hosts - 1)) % hosts;
    lines.push(`${ns.toFixed(3)},${source},${destination},${sizeAt(random.nextFraction())}`);
  }
}

/** A trace of flows between random hosts that all start at once, of 1 kB to 2 MiB. */
export function traceAtOnce(hosts: number, flows: number): string {
  const random = new RandomStream(5, 'flows at once');
  const lines = ['timestamp_ns,src,dst,size_bytes'];
  for (let flow = 0; flow < flows; flow++) {
    const source = random.nextBelow(hosts);
    const destination = (source + 1 + random.nextBelow(hosts - 1)) % hosts;
    lines.push(`0,${source},${destination},${1000 + random.nextBelow(2 ** 21 - 999)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The workload that a scenario generates, as a file in AICB's layout. */
export async function generatedWorkload(scenario: string): Promise<string> {
  const host = { ...nodeHost(), readText: () => Promise.resolve(scenario) };
  const { jobs } = await makePlan('workload.yaml', { overrides: [], host });
  return writeSimaiWorkload(jobs[0]!.workload);
}

/** An all_reduce micro-benchmark over all GPUs: so many sizes from 1 KiB up, each twice the one before. */
export function allReduceSizes(sizes: number): string {
  return Array.from({ length: sizes }, (_, i) => `1 ALLREDUCE ${1024 * 2 ** i} DP\n`).join('');
}
