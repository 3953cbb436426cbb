// Files that jobs of the benchmark read: workloads in AICB's layout, written by Weft's own writer, and a trace of
// web-search traffic, with the sizes of the example. Random choices are seeded: the work is the same every time.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Diagnostics } from '#weft/base/diagnostics.js';
import { RandomStream } from '#weft/base/random.js';
import { readSizeDistribution } from '#weft/formats/size-distribution.js';
import { writeSimaiWorkload } from '#weft/formats/simai-workload-text.js';
import { makePlan } from '#weft/scenario/make-plan.js';
import { nodeHost } from '#weft/storage/node-host.js';
import { repositoryFolder } from '../validation/repository.js';

/**
 * A trace of flows between random hosts, which start at random times of a Poisson process.
 * @param load share of the hosts' links that they take, 0 to 1
 */
export function webSearchTrace(hosts: number, rateBps: number, load: number, milliseconds: number): string {
  const random = new RandomStream(12_345, 'web search');
  const file = join(repositoryFolder, 'examples/web-search/web-search.txt');
  const sizes = readSizeDistribution(readFileSync(file, 'utf8'), file, new Diagnostics())!;
  const flowsPerNs = (load * hosts * rateBps) / (8 * sizes.meanBytes) / 1e9;
  const lines = ['timestamp_ns,src,dst,size_bytes'];
  for (let ns = 0; ;) {
    ns -= Math.log(1 - random.nextFraction()) / flowsPerNs;
    if (ns > milliseconds * 1e6) return `${lines.join('\n')}\n`;
    const source = random.nextBelow(hosts);
    const destination = (source + 1 + random.nextBelow(hosts - 1)) % hosts;
    lines.push(`${ns.toFixed(3)},${source},${destination},${sizes.sizeAt(random.nextFraction())}`);
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
