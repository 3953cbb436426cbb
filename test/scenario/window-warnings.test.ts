// Windows that do not suit the rest of a scenario: what is told, and that the run is as slow as it says.

import { describe, expect, it } from 'vitest';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { scenarioRun } from '../support/scenario-run.js';

const text = `
fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 400Gbps, spineRate: 400Gbps, hostLatency: 5us, spineLatency: 5us }
traffic: { transfers: [ { source: 0, destination: 2, size: 1MB } ] }
ecn: { enabled: false }
congestion: { algorithm: none }
`;
const warned = async (...set: string[]) => (await scenarioRun(text, set)).warnings.filter((own) => /window/.test(own));

describe('a window by hand', () => {
  it('below the round trip is told with the rate that is reached, and the run is no faster', async () => {
    const { warnings, sink } = await scenarioRun(text, ['queuePair.window=64KiB']);
    const told = /reaches at most ([\d.]+)Gbps of 400Gbps, and needs (\d+)/.exec(warnings.join('\n'))!;
    // eight cables of 5 us, there and back, hold 64 KiB at a time
    expect(Number(told[1])).toBeLessThan((65_536 * 8) / 40e3);
    const finishPs = sink.column(flowTable, FlowColumn.finish)[0]!;
    expect((1e6 * 8e12) / finishPs).toBeLessThan(Number(told[1]) * 1e9 * 1.02);
    expect(await warned('queuePair.window=8MB')).toEqual([]);
    expect(await warned()).toEqual([]);
  });
});

describe('no window', () => {
  it.each([
    ['hpcc', 1],
    ['hpcc-pint', 1],
    ['dcqcn', 0],
    ['none', 0],
  ])('beside %s: %i warnings', async (algorithm, count) => {
    const set = ['queuePair.window=unlimited', `congestion.algorithm=${algorithm}`];
    expect((await warned(...set)).filter((own) => own.includes('controls what is in flight'))).toHaveLength(count);
  });

  it('is no matter of uec, which has windows of its own', async () => {
    const told = await warned('queuePair.window=unlimited', 'congestion.algorithm=hpcc', 'transport.algorithm=uec');
    expect(told.filter((own) => own.includes('in flight'))).toEqual([]);
  });
});
