// The bisection of examples/adaptive-routing on a small tree of the same taper: by static tables a run takes what the
// busiest link takes, adaptively about what the taper takes.

import { describe, expect, it } from 'vitest';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const messageBytes = 256 * 1024;
const messages = 2;
const scenario = `
fabric: { generate: fat-tree, pods: 4, edgesPerPod: 2, hostsPerEdge: 4, aggregationPerPod: 2, cores: 4, hostLatency: 0ns, aggregationLatency: 0ns, coreLatency: 0ns }
workload: { program: bisection, pairing: shift, messageSize: 256KiB, messages: ${messages}, eagerLimit: 256KiB, sendOverhead: 0us, receiveOverhead: 0us }
routing: { algorithm: ftree }
backend: credit
packet: { payload: 4KiB, header: 0B, gap: 0B }
credit: { switching: store-and-forward, acceptance: output-queue, buffer: 64KiB }
`;

/** Time of the program, and most pairs of hosts that one link of the tables carries, both in the units of one pair alone. */
async function bisection(set: readonly string[]) {
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': scenario }), overrides: set });
  const { sink, summary } = await scenarioRun(scenario, set);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const pairs = new Map<string, readonly [number, number]>();
  const sources = sink.column(flowTable, FlowColumn.source);
  sink.column(flowTable, FlowColumn.destination).forEach((destination, row) => {
    pairs.set(`${sources[row]} ${destination}`, [sources[row]!, destination]);
  });
  expect(pairs.size).toBe(32);
  const { fabric, routing } = plan;
  const loads = new Int32Array(fabric.portCount);
  const tables = routing.tables?.[0];
  if (tables !== undefined)
    for (const [source, destination] of pairs.values()) {
      let port = fabric.portOffset[source]!;
      for (let node = -1; node !== destination; port = tables.port(node, destination)) {
        loads[port]!++;
        node = fabric.portNode[fabric.portPeer[port]!]!;
        if (node === destination) break;
      }
    }
  const alone = (messages * messageBytes * 8e12) / 100e9;
  return { time: summary.simulatedPs / alone, busiest: Math.max(...loads), counters: summary.counters };
}

describe(`the bisection (WEFT_SEED=${seed})`, () => {
  it('of a shift takes what the taper takes, by ftree', async () => {
    const { time, busiest } = await bisection([]);
    expect(busiest).toBe(2);
    expect(time).toBeGreaterThanOrEqual(2);
    // from the last bit of one message to the first of the next: six links empty, then full
    expect(time).toBeLessThan(2 * 1.1);
  });

  it('of a shuffle takes at least what the busiest link takes by tables; adaptively, less than three pairs a link', async () => {
    const set = ['workload.pairing=shuffle', `seed=${seed}`];
    for (const algorithm of ['ftree', 'random']) {
      const { time, busiest } = await bisection([...set, `routing.algorithm=${algorithm}`]);
      expect(time).toBeGreaterThanOrEqual(busiest);
    }
    const adaptive = await bisection([...set, 'routing.algorithm=ecmp', 'routing.balancing=adaptive']);
    expect(adaptive.time).toBeGreaterThanOrEqual(2);
    // static tables that put three pairs on a link are slower
    expect(adaptive.time).toBeLessThan(3);
  });
});
