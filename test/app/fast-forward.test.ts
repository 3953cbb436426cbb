// Fast-forward as scenarios ask for it: what runs print of it, what it cannot go with, how progress counts.

import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { Progress, RunSummary } from '../../src/app/run-progress.js';
import { InputError } from '../../src/base/diagnostics.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { runReport } from '../../src/report/run-report.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

const job = `fabric: { generate: spectrum-x, gpus: 8, gpusPerServer: 4, nvswitchesPerServer: 1 }
workload:
  tensorParallel: 4
  iterations: 4
  layers:
    - { name: a, forward: { compute: 20us, collective: allreduce, group: tp, size: 256KiB }, weightGradient: { compute: 20us, collective: allreduce, group: dp, size: 256KiB } }
`;
const label = { name: 'job', seed: 1, weftVersion: '0', warnings: [] };
const style = { colour: false, unicode: false };

async function run(text: string, onProgress?: (progress: Progress) => void): Promise<RunSummary> {
  const host = memoryHost({ 's.yaml': text });
  const plan = await makePlan('s.yaml', { host, overrides: [] });
  return simulate(plan, { host, sliceEvents: 500, ...(onProgress === undefined ? {} : { onProgress }) });
}

const problem = async (text: string): Promise<string> => {
  try {
    await makePlan('s.yaml', { host: memoryHost({ 's.yaml': `${job}${text}` }), overrides: [] });
    return '';
  } catch (error) {
    return (error as InputError).diagnostics.map(({ line, code, message }) => `${line} ${code}: ${message}`).join('\n');
  }
};

const refused = (what: string): RegExp => new RegExp(`^\\d+ fast-forward: .*here are ${what}`);

describe('fast-forward', () => {
  it('is off, and nothing is said of it, unless it is asked for', async () => {
    const summary = await run(job);
    expect(summary.fastForward).toBe(null);
    expect(summaryObject(label, summary)).not.toHaveProperty('fastForward');
    expect(runReport(label, summary, '', style)).not.toContain('replayed');
  });

  it('gives the times of the whole job and says what was replayed, and how far samples differ', async () => {
    const whole = await run(job);
    const fast = await run(`${job}fastForward: { enabled: true }\n`);
    expect(fast.jobs).toEqual(whole.jobs);
    expect(fast.simulatedPs).toBe(whole.simulatedPs);
    expect(fast.flows).toBeLessThan(whole.flows);
    const { collectives, replayed } = fast.fastForward!;
    // two groups of tensors and four of data in each of four iterations
    expect(collectives).toBe(4 * (2 + 4));
    expect(replayed).toBeGreaterThan(collectives / 2);
    expect(summaryObject(label, fast)).toMatchObject({ fastForward: fast.fastForward });
    const text = runReport(label, fast, '', style);
    expect(text).toContain(`replayed     ${replayed} of 24 collectives`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('compared: they differ by 0 % on average, 0 % at most');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(fast.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('cannot go with what would see or disturb what is simulated alone', async () => {
    const fast = 'fastForward: { enabled: true }\n';
    expect(await problem(fast)).toBe('');
    expect(await problem(`${fast}traffic: { transfers: [ { source: 0, destination: 4 } ] }\n`)).toMatch(
      refused('traffic'),
    );
    expect(await problem(`${fast}probes: { pauses: true }\n`)).toMatch(refused('probes'));
    expect(await problem(`${fast}timeline: { moves: true }\n`)).toMatch(refused('rows of moves'));
    expect(await problem(`${fast}controller: { enabled: true }\n`)).toMatch(refused('a controller'));
    expect(await problem(`${fast}failures: { events: [ { at: 1us, switch: 'leaf[0]' } ] }\n`)).toMatch(
      refused('links that change'),
    );
    // off, it goes with everything
    expect(await problem('fastForward: { enabled: false }\nprobes: { pauses: true }\n')).toBe('');
  });

  it('has no effect on other backends, which is said', async () => {
    const host = memoryHost({ 's.yaml': `${job}backend: fluid\nfastForward: { enabled: true }\n` });
    const { warnings } = await makePlan('s.yaml', { host, overrides: [] });
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('fastForward.enabled has no effect'),
    ]);
  });
});
