// Adaptive routing on the credit backend: what the rules choose, and what runs gain by it.

import { expect, it } from 'vitest';
import { LowestPort } from '../../src/backends/credit/lowest-port.js';
import { LeastLoaded } from '../../src/backends/least-loaded.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../../src/records/flow-records.js';
import { PortPollColumn, portPollTable } from '../../src/records/poll-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const ports = Int32Array.of(9, 4, 7, 5, 8);

/** How often a rule chooses each port, the bytes of which are given. */
function chosen(rule: 'least-loaded' | 'lowest-port', bytes: Record<number, number>, seed: number, draws: number) {
  const Choice = rule === 'lowest-port' ? LowestPort : LeastLoaded;
  const choice = new Choice({ loadBytes: (port) => bytes[port]! }, 10, seed);
  const counts: Record<number, number> = {};
  for (let i = 0; i < draws; i++) {
    const port = choice.choose(ports, 1, 5, 0);
    counts[port] = (counts[port] ?? 0) + 1;
  }
  return counts;
}

it(`least-loaded takes those with the least alike (WEFT_SEED=${seed})`, () => {
  const draws = 30_000;
  // port 9 has nothing to do and is no candidate
  const counts = chosen('least-loaded', { 9: 0, 4: 100, 7: 200, 5: 100, 8: 100 }, seed, draws);
  expect(Object.keys(counts)).toEqual(['4', '5', '8']);
  // six standard deviations of a third of the draws
  for (const count of Object.values(counts))
    expect(Math.abs(count - draws / 3)).toBeLessThan(6 * Math.sqrt((draws * 2) / 9));
});

it(`lowest-port keeps a drawn port that is idle, and else takes the lowest (WEFT_SEED=${seed})`, () => {
  const draws = 30_000;
  const idle = chosen('lowest-port', { 9: 0, 4: 0, 7: 200, 5: 0, 8: 100 }, seed, draws);
  // 4 and 5 when they are drawn; 4 in place of 7 and 8, too
  expect(Object.keys(idle)).toEqual(['4', '5']);
  expect(Math.abs(idle[5]! - draws / 4)).toBeLessThan(6 * Math.sqrt((draws * 3) / 16));
  expect(chosen('lowest-port', { 9: 0, 4: 300, 7: 200, 5: 100, 8: 100 }, seed, 100)).toEqual({ 5: 100 });
});

const crowded = `
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4, hostRate: 100Gbps, spineRate: 100Gbps, hostLatency: 1us, spineLatency: 1us }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
backend: credit
traffic: { transfers: [ ${[0, 1, 2, 3].map((host) => `{ source: ${host}, destination: ${host + 4}, size: 1MB }`).join(', ')} ] }
`;

it('fills all spines, where hashes leave some idle; packets overtake each other, and are counted', async () => {
  const fixed = await scenarioRun(crowded, []);
  const adaptive = await scenarioRun(crowded, ['routing.balancing=adaptive', `seed=${seed}`]);
  for (const { summary } of [fixed, adaptive]) expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  // the hash puts several flows on one spine
  expect(Math.max(...fixed.sink.column(flowTable, FlowColumn.finish))).toBeGreaterThan(2 * 84.16e6);
  expect(Math.max(...adaptive.sink.column(flowTable, FlowColumn.finish))).toBeLessThan(1.2 * 84.16e6);
  expect(fixed.summary.counters['packetsOutOfOrder']).toBe(0);
  expect(adaptive.summary.counters['packetsOutOfOrder']).toBeLessThan(4000);
});

it('over tables there is one way, so that nothing is chosen', async () => {
  const set = ['routing.algorithm=dmodk'];
  const fixed = await scenarioRun(crowded, set);
  const adaptive = await scenarioRun(crowded, [...set, 'routing.balancing=adaptive']);
  expect(adaptive.summary.fct).toEqual(fixed.summary.fct);
  expect(adaptive.summary.counters['packetsOutOfOrder']).toBe(0);
});

const trees = `
fabric: { generate: fat-tree, k: 4, hostLatency: 200ns }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
backend: credit
routing: { balancing: adaptive }
polling: { interval: 1ms }
traffic: { transfers: [ ${Array.from({ length: 16 }, (_, host) => `{ source: ${host}, destination: ${(host * 5 + 3) % 16}, size: 60kB }`).join(', ')} ] }
`;

it.each([
  { name: 'one lane', set: [] },
  { name: 'lanes that change', set: ['credit.lanes=3', 'credit.sl2vl=random'] },
])(
  `tells of every port of a switch that sent packets, and once for each flow, on $name (WEFT_SEED=${seed})`,
  async ({ set }) => {
    const { sink, fabric } = await scenarioRun(trees, [...set, `seed=${seed}`]);
    const hops = [HopColumn.flow, HopColumn.node, HopColumn.interface].map((column) => sink.column(hopTable, column));
    const rows = Array.from(hops[0]!, (flow, row) => `${flow} ${hops[1]![row]} ${hops[2]![row]}`);
    expect(new Set(rows).size).toBe(rows.length);
    const polled = [PortPollColumn.node, PortPollColumn.interface, PortPollColumn.transmitPackets].map((column) =>
      sink.column(portPollTable, column),
    );
    const sending = new Set<string>();
    for (const [row, node] of polled[0]!.entries())
      if (polled[2]![row]! > 0 && fabric.nodeKind[node] === NodeKind.switch) sending.add(`${node} ${polled[1]![row]}`);
    expect(new Set(rows.map((row) => row.slice(row.indexOf(' ') + 1)))).toEqual(sending);
    expect(sending.size).toBeGreaterThan(40);
  },
);
