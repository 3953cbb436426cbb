// Packet latencies are those of data: headers that trimming left, which go before all queues, do not count.

import { expect, it } from 'vitest';
import { LatencyHistogramColumn, latencyHistogramTable } from '../../src/records/probe-records.js';
import { packetCounters } from '../support/packet-counters.js';
import { scenarioRun } from '../support/scenario-run.js';

it('counts every data packet that arrives whole, and no trimmed one', async () => {
  const { sink, summary } = await scenarioRun(
    `
fabric: { generate: dumbbell, leftHosts: 4, rightHosts: 1 }
traffic:
  transfers:
    - { source: 0, destination: 4, size: 500kB }
    - { source: 1, destination: 4, size: 500kB }
    - { source: 2, destination: 4, size: 500kB }
    - { source: 3, destination: 4, size: 500kB }
transport: { algorithm: uec }
pfc: { enabled: false }
switch: { buffer: 100kB, trimming: true }
probes: { packetLatency: true }
`,
    [],
  );
  const { dataPacketsSent, packetsTrimmed, packetsDropped, packetsLost } = packetCounters(summary);
  expect([packetsDropped, packetsLost]).toEqual([0, 0]);
  expect(packetsTrimmed).toBeGreaterThan(100);
  const counted = [...sink.column(latencyHistogramTable, LatencyHistogramColumn.packets)];
  expect(counted.reduce((sum, packets) => sum + packets, 0)).toBe(dataPacketsSent - packetsTrimmed);
});
