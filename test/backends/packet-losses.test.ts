// The record of packets that do not arrive: which, where, when and why, against what a file, a formula or the counters say.

import { describe, expect, it } from 'vitest';
import { switchDropText } from '../../src/formats/omnidma-monitors.js';
import { lossCauseNames, PacketLossColumn, packetLossTable } from '../../src/records/loss-records.js';
import type { MemorySink } from '../../src/records/memory-sink.js';
import { packetCounters } from '../support/packet-counters.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** Two hosts and the switch 2, 100 Gb/s, 1,000 ns and 10 us: 1,056 B take 84.48 ns. */
const one = `
seed: ${seed}
fabric: { generate: wan-dumbbell, bottleneckLatency: 10us }
packet: { payload: 1000B, header: 56B, acknowledgement: 108B, gap: 0B }
congestion: { algorithm: none }
queuePair: { window: unlimited, acknowledgementPriority: 0 }
pfc: { enabled: false }
traffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }
probes: { packetLosses: true }
`;

const column = (sink: MemorySink, index: number): number[] => [...sink.column(packetLossTable, index)];

function causes(sink: MemorySink): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cause of column(sink, PacketLossColumn.cause)) {
    const name = lossCauseNames[cause as keyof typeof lossCauseNames];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function text(sink: MemorySink): string[] {
  const columns = packetLossTable.columns.map((_, index) => sink.column(packetLossTable, index));
  return switchDropText({ schema: packetLossTable, rows: sink.rowCount(packetLossTable), columns })
    .trimEnd()
    .split('\n');
}

describe('the record of lost packets', () => {
  it('says of losses by sequence number which they were, and the simulator of OmniDMA would write the same', async () => {
    const { sink, summary } = await scenarioRun(
      one,
      ['transport.algorithm=omnidma', 'loss.model=sequence', 'loss.file=l.txt'],
      { 'l.txt': '2, 0, 0, [5000, 7000, 7000]\n' },
    );
    // packet 7 is lost, then again when it is sent for the first OmniNACK
    expect(column(sink, PacketLossColumn.packet)).toEqual([5, 7, 7]);
    expect(column(sink, PacketLossColumn.offset)).toEqual([5000, 7000, 7000]);
    expect(column(sink, PacketLossColumn.tier)).toEqual([0, 0, 1]);
    // packet n has crossed the long link after n + 1 packets and 10 us; the switch had seen n before it
    expect(column(sink, PacketLossColumn.time).slice(0, 2)).toEqual([6 * 84_480 + 10e6, 8 * 84_480 + 10e6]);
    expect(text(sink).slice(0, 2)).toEqual(['10507,2,1,1,5,4,17,0,5000,0,0,0', '10676,2,1,1,7,4,17,0,7000,0,0,0']);
    // both holes were told by OmniNACK 1
    expect(text(sink)[2]).toMatch(/^\d+,2,1,1,\d+,4,17,0,7000,1,1,\d+$/);
    expect(packetCounters(summary).packetsLost).toBe(3);
  });

  it(`has a row for every lost or dropped packet, each with its cause (WEFT_SEED=${seed})`, async () => {
    const incast = one
      .replace('generate: wan-dumbbell, bottleneckLatency: 10us', 'generate: dumbbell, leftHosts: 3, rightHosts: 1')
      .replace(
        /transfers: .*\n/,
        'transfers: [ { source: 0, destination: 3, size: 500kB }, { source: 1, destination: 3, size: 500kB }, { source: 2, destination: 3, size: 500kB } ] }\n',
      );
    const { sink, summary } = await scenarioRun(incast, [
      'transport.algorithm=irn',
      'loss.model=amazon',
      'loss.rate=0.05',
      'loss.packets=all',
      'fabric.errorRate=0.01',
      'switch.buffer=100kB',
      'failures={ events: [ { at: 30us, until: 60us, link: 0-4 } ] }',
    ]);
    const counters = packetCounters(summary);
    const { buffer = 0, ...lost } = causes(sink);
    expect(buffer).toBe(counters.packetsDropped);
    expect(buffer).toBeGreaterThan(0);
    expect(Object.values(lost).reduce((sum, count) => sum + count, 0)).toBe(counters.packetsLost);
    for (const cause of ['single', 'burst', 'linkError', 'linkDown']) expect(lost[cause]).toBeGreaterThan(0);
    expect(new Set(column(sink, PacketLossColumn.kind)).size).toBeGreaterThan(1);
    // what the loss model took, and nothing else, has a line
    const byModel = (lost['single'] ?? 0) + (lost['frequent'] ?? 0) + (lost['burst'] ?? 0);
    expect(text(sink)).toHaveLength(byModel);
  });

  it(`changes nothing (WEFT_SEED=${seed})`, async () => {
    const lossy = ['transport.algorithm=irn', 'loss.model=google', 'loss.rate=0.02'];
    const without = await scenarioRun(one, [...lossy, 'probes.packetLosses=false']);
    const recorded = await scenarioRun(one, lossy);
    expect(recorded.summary.counters).toEqual(without.summary.counters);
    expect(without.sink.rowCount(packetLossTable)).toBe(0);
  });
});
