// The example of 127 hosts that send to one: its page says what a run says, and no run is faster than the receiver's
// link.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';

const folder = 'examples/incast-127';
const page = readFileSync(`${folder}/README.md`, 'utf8');

/** 127 transfers of 256 packets of 4096 B with 82 B around each, over 100 Gb/s. */
const linkMs = ((127 * 256 * (4096 + 82) * 8) / 100e9) * 1000;

const ms = (ns: number): string => `${(ns / 1e6).toFixed(3)} ms`;

it("names the bound of the receiver's link", () => {
  expect(page).toContain(`= ${linkMs.toFixed(3)} ms`);
});

describe.each(['hpcc', 'none'])('%s', (algorithm) => {
  it('does what the page says, and the last flow ends after the bound', async () => {
    const host = nodeHost();
    const { fct, counters, verdicts, finished } = await simulate(
      await makePlan(`${folder}/incast-127.yaml`, { host, overrides: [`congestion.algorithm=${algorithm}`] }),
      { host },
    );
    expect(finished).toBe(127);
    expect(verdicts.filter(({ ok }) => !ok)).toEqual([]);
    // the probes that the figure's runs had on change nothing
    expect(page).toContain(
      `| ${algorithm} | ${ms(fct.meanNs)} | ${ms(fct.p99Ns)} | ${ms(fct.maxNs)} | ${counters.pauseFrames} | ${counters.ecnMarks} |`,
    );
    expect(fct.maxNs / 1e6).toBeGreaterThan(linkMs);
    // with nothing to slow the senders the link is never idle: the first packet's way to it and the last ACK's way back
    // remain
    if (algorithm === 'none') expect(fct.maxNs / 1e6).toBeLessThan(linkMs + 0.015);
  });
});
