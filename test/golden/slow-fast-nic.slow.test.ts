// The example of a lossy flow beside a fast one on one NIC: its page says what runs say, and the DMA is a bottleneck
// where its operations take longer than the time between them.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { RnicDmaStatisticsColumn, rnicDmaStatisticsTable } from '../../src/records/rnic-records.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { flowRows } from '../support/engine-run.js';

const folder = 'examples/slow-fast-nic';
const page = readFileSync(`${folder}/README.md`, 'utf8');
const alone = 'traffic.transfers=[{ source: 0, destination: 2, size: 30MB, start: 4ms }]';
/** 30,000 packets of 1,056 B at 100 Gb/s, the longest way of one of them, and its ACK back over both links */
const loneUs = 30_000 * 0.084_48 + 0.042_24 + 11 + (108 * 8) / 100e3 + (108 * 8) / 200e3 + 11;

async function run(
  overrides: readonly string[],
): Promise<{ fastUs: number; meanWaitUs: number; longestWaitUs: number }> {
  const host = nodeHost();
  const sink = new MemorySink();
  const plan = await makePlan(`${folder}/slow-fast.yaml`, { host, overrides: [...overrides] });
  const summary = await simulate(plan, { host, sink });
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const fast = flowRows(sink).find(({ source }) => source === 0)!;
  const last = (column: number): number => (sink.column(rnicDmaStatisticsTable, column).at(-1) ?? 0) / 1e6;
  return {
    fastUs: (fast.finishPs - fast.startPs) / 1e6,
    meanWaitUs: last(RnicDmaStatisticsColumn.meanWait),
    longestWaitUs: last(RnicDmaStatisticsColumn.maximumWait),
  };
}

const figure = (us: number, digits = 1): string =>
  us.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

describe('examples/slow-fast-nic', () => {
  it.each([
    ['single', '200ns'],
    ['single', '500ns'],
    ['single', '1us'],
    ['single', '2us'],
    ['duplex', '200ns'],
    ['duplex', '1us'],
    ['duplex', '5us'],
  ])('%s, %s', async (dma, latency) => {
    const set = [`rnic.dma=${dma}`, `rnic.dmaLatency=${latency}`];
    const [by, beside] = [await run([...set, alone]), await run(set)];
    const mean = figure(beside.meanWaitUs, beside.meanWaitUs < 1 ? 2 : 1);
    expect(page).toContain(
      `| \`${dma}\` | ${latency} | ${figure(by.fastUs)} us | ${figure(beside.fastUs)} us | ${mean} us | ${figure(beside.longestWaitUs)} us |`,
    );
    expect(by.fastUs).toBeGreaterThan(loneUs);
    // 1.1 million operations a second of the slow flow alone
    if (dma === 'single' && Number.parseInt(latency, 10) < 200) expect(beside.fastUs).toBeGreaterThan(1.5 * by.fastUs);
    else expect(beside.fastUs).toBeLessThan(1.001 * by.fastUs);
  });

  it('a flow that loses little never meets the DMA', async () => {
    const set = ['loss.places[0].rate=0.001', 'rnic.dmaLatency=10us'];
    expect((await run([...set, alone])).fastUs).toBe((await run(set)).fastUs);
  });
});
