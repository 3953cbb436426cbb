// The example of load balancers on a leaf-spine fabric: slowdowns are what they are said to be, and with the flows of ConWeave's simulator balancers come out as they do there.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { referencePath } from '../reference.js';

const folder = 'examples/leaf-spine-128';
const page = readFileSync(`${folder}/README.md`, 'utf8');
const balancers = ['ecmp', 'letflow', 'conga', 'conweave', 'spray', 'drill', 'adaptive'];

interface Run {
  readonly summary: RunSummary;
  readonly sink: MemorySink;
}

async function run(file: string, overrides: readonly string[]): Promise<Run> {
  const host = nodeHost();
  const plan = await makePlan(`${folder}/${file}`, { host, overrides });
  const sink = new MemorySink();
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  expect([summary.outcome, summary.finished]).toEqual(['finished', summary.flows]);
  return { summary, sink };
}

/** Codes of the warnings of a plan: what is run stands in test/architecture/page-figures.slow.test.ts. */
async function warningsOf(file: string, overrides: readonly string[]): Promise<string[]> {
  const plan = await makePlan(`${folder}/${file}`, { host: nodeHost(), overrides });
  return plan.warnings.map(({ code }) => code);
}

it.each(['lossless.yaml', 'irn.yaml'])('%s warns of nothing', async (file) => {
  for (const balancing of balancers) expect(await warningsOf(file, [`routing.balancing=${balancing}`])).toEqual([]);
});

it.each(['spray', 'drill', 'adaptive'])(
  'go-back-N takes what %s puts out of order for lost, which a warning says beforehand',
  async (balancing) => {
    const warnings = await warningsOf('lossless.yaml', [`routing.balancing=${balancing}`, 'reorder.buffer=0B']);
    expect(warnings).toEqual(['go-back-n-out-of-order']);
    const [, mean] = new RegExp(`^\\| ${balancing} \\| ([\\d.]+) \\| [\\d,]+ \\|$`, 'm').exec(page)!;
    expect(Number(mean)).toBeGreaterThan(6);
  },
);

it('a slowdown is the time over round trip and bytes on the wire, at least 1', async () => {
  const { summary, sink } = await run('lossless.yaml', []);
  const column = (name: keyof typeof FlowColumn): Float64Array => sink.column(flowTable, FlowColumn[name]);
  const [source, destination, size] = [column('source'), column('destination'), column('size')];
  const [start, finish] = [column('start'), column('finish')];
  const ratios = Array.from(size, (bytes, i) => {
    const links = Math.floor(source[i]! / 16) === Math.floor(destination[i]! / 16) ? 2 : 4;
    // 1 us and 80 ns of payload for each link, and 80 ps for each byte
    const alonePs = links * (2e6 + 80e3) + (bytes + Math.ceil(bytes / 1000) * 48) * 80;
    return Math.max(1, (finish[i]! - start[i]!) / alonePs);
  }).sort((a, b) => a - b);
  const mean = ratios.reduce((sum, ratio) => sum + ratio) / ratios.length;
  expect(summary.slowdown.mean).toBeCloseTo(mean, 9);
  expect(summary.slowdown.p99).toBeCloseTo(ratios[Math.ceil(0.99 * ratios.length) - 1]!, 9);
});

describe('with the flows of its simulator', () => {
  const flows = referencePath('omnidma', 'leafspine128_flows.txt');
  /** mean and p99 slowdown, conweave-ns3 */
  const theirs = { ecmp: [1.525, 6.631], letflow: [1.508, 6.62], conga: [1.419, 5.898], conweave: [1.375, 4.548] };

  it.skipIf(flows === null)('balancers come out in its order, each mean within 5 % of its', async () => {
    const ours: Record<string, RunSummary['slowdown']> = {};
    for (const [balancing, [mean, p99]] of Object.entries(theirs)) {
      const { summary } = await run('lossless.yaml', [`routing.balancing=${balancing}`, `traffic.file=${flows}`]);
      expect(summary.flows).toBe(9652);
      expect(Math.abs(summary.slowdown.mean / mean! - 1)).toBeLessThan(0.05);
      expect(page).toContain(
        `| ${balancing} | ${summary.slowdown.mean.toFixed(3)} | ${mean!.toFixed(3)} | ${summary.slowdown.p99.toFixed(3)} | ${p99!.toFixed(3)} |`,
      );
      ours[balancing] = summary.slowdown;
    }
    for (const name of ['mean', 'p99'] as const) {
      expect(Math.abs(ours['letflow']![name] / ours['ecmp']![name] - 1)).toBeLessThan(0.03);
      const others = Math.min(ours['ecmp']![name], ours['letflow']![name]);
      expect(ours['conga']![name]).toBeLessThan(others);
      expect(ours['conweave']![name]).toBeLessThan(ours['conga']![name]);
    }
  });
});
