// Reorder queues over time: what the probe sees is what the run's own counters say, and its text is ConWeave's.

import { expect, it } from 'vitest';
import { ReorderColumn, reorderTable } from '../../src/records/probe-records.js';
import { reorderQueuesText } from '../../src/formats/conweave-monitors.js';
import { TableWriter } from '../../src/records/schema.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { scenarioRun } from '../support/scenario-run.js';

/** Four senders of one leaf over two spines, one of them slow: queue pairs move, and packets overtake each other. */
const scenario = `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
traffic:
  transfers:
${[0, 1, 2, 3].map((i) => `    - { source: ${i}, destination: ${4 + i}, size: 3MB }\n`).join('')}
routing: { balancing: conweave }
queuePair: { window: unlimited }
congestion: { algorithm: none }
failures: { convergenceTime: 1s, events: [ { at: 0us, until: 1s, link: 'leaf[0]-spine[0]', rate: 20Gbps } ] }
`;

it('holds what waits in switches with hosts, and nothing at the end', async () => {
  const { summary, sink } = await scenarioRun(scenario, ['probes.reorderInterval=1us']);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const [time, node, queues, packets, bytes] = [
    ReorderColumn.time,
    ReorderColumn.node,
    ReorderColumn.queues,
    ReorderColumn.packets,
    ReorderColumn.bytes,
  ].map((column) => Array.from(sink.column(reorderTable, column))) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ];
  // the two leaves, in turn, at 0, 1, 2 ... us
  expect(new Set(node).size).toBe(2);
  const looks = time.length / 2;
  expect(looks).toBeGreaterThan(summary.simulatedPs / 1e6);
  for (let look = 0; look < looks - 1; look++)
    expect([time[2 * look], time[2 * look + 1]]).toEqual([look * 1e6, look * 1e6]);
  const peaks = summary.counters;
  expect(Math.max(...packets)).toBeGreaterThan(0);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(peaks['reorderSwitchPeakBytes']!);
  expect(Math.max(...bytes)).toBeGreaterThan(peaks['reorderSwitchPeakBytes']! / 2);
  // four ports to hosts
  expect(Math.max(...queues)).toBeLessThanOrEqual(4 * peaks['reorderSwitchPeakQueues']!);
  for (let row = 0; row < time.length; row++) {
    expect(packets[row]! > 0).toBe(bytes[row]! > 0);
    if (packets[row]! > 0) expect(queues[row]).toBeGreaterThan(0);
  }
  expect([queues.at(-1), packets.at(-1), bytes.at(-1)]).toEqual([0, 0, 0]);
});

it('changes nothing of the run', async () => {
  const [off, on] = [await scenarioRun(scenario, []), await scenarioRun(scenario, ['probes.reorderInterval=1us'])];
  expect([on.summary.fct, on.summary.counters]).toEqual([off.summary.fct, off.summary.counters]);
});

it('is written as ConWeave writes it', () => {
  const sink = new MemorySink();
  let text = '';
  const table = new TableWriter(reorderTable, {
    ...sink,
    full: false,
    put: (batch) => {
      text += reorderQueuesText(batch);
    },
    drain: () => Promise.resolve(),
  });
  for (const [row, values] of [
    [2_000_010_000_000, 128, 3, 41, 43_000],
    [2_000_010_000_400, 129, 0, 0, 0],
  ].entries()) {
    for (const [column, value] of values.entries()) table.columns[column]![row] = value;
    table.commit();
  }
  table.flush();
  expect(text).toBe('2000010000,128,3,41\n2000010000,129,0,0\n');
});
