// The watchdog over paused ports: what it finds and when, what its actions do, and that nobody notices it otherwise.

import type { WatchdogFigures } from '../../src/execution/network-figures.js';
import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { packetLossTable } from '../../src/records/loss-records.js';
import { PfcEventColumn, pfcEventTable } from '../../src/records/probe-records.js';
import { scenarioRun, type ScenarioRun } from '../support/scenario-run.js';

/** Two hosts send to one that receives at a thousandth of its rate and pauses its leaf for hundreds of microseconds. */
const stuck = `fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 3, hostRate: 100Gbps }
traffic:
  transfers:
    - { source: 0, destination: 2, size: 300kB }
    - { source: 1, destination: 2, size: 300kB }
    - { source: 0, destination: 1, size: 300kB }
packet: { payload: 1000B }
congestion: { algorithm: none }
queuePair: { window: unlimited, retransmissionTimeout: 1ms, retries: 100 }
stragglers: [ { rank: 2, receive: 0.001, receiveBuffer: 20kB } ]
probes: { pfcEvents: true }
pfc: { watchdogDetectionTime: 100us, watchdogRestorationTime: 50us }
`;

/**
 * A ring of five switches of two hosts each; shortest paths of two hops all go the same way round: a circle of buffers
 * that fill and wait for each other.
 */
function ring(): string {
  const builder = new FabricBuilder();
  const n = 5;
  builder.addNodes(NodeKind.host, 2 * n);
  builder.addNodes(NodeKind.switch, n);
  for (let i = 0; i < n; i++) {
    builder.addLink(2 * i, 2 * n + i, 100e9, 1e6);
    builder.addLink(2 * i + 1, 2 * n + i, 100e9, 1e6);
    builder.addLink(2 * n + i, 2 * n + ((i + 1) % n), 100e9, 1e6);
  }
  return writeTopology(builder.build());
}
const transfers = [0, 1, 2, 3, 4].flatMap((i) =>
  [0, 1].map((h) => ({ source: 2 * i + h, destination: 2 * ((i + 2) % 5) + h, size: '400kB' })),
);
const circle = JSON.stringify({
  fabric: { file: 'ring.topo' },
  traffic: { transfers },
  packet: { payload: '1000B' },
  congestion: { algorithm: 'none' },
  ecn: { enabled: false },
  queuePair: { window: 'unlimited', retransmissionTimeout: '1ms', retries: 100 },
  pfc: { headroom: 'delays', headroomDelays: 8, reserve: 0, thresholdShift: 0, resumeOffset: 0 },
  switch: { buffer: '410kB' },
});

const watched = (run: ScenarioRun): WatchdogFigures => run.summary.watchdog!;
const failed = ({ summary }: ScenarioRun): string[] => summary.verdicts.flatMap(({ name, ok }) => (ok ? [] : [name]));

/** When pauses began and ended at a port, by the probe of frames. */
function pausesAt({ sink }: ScenarioRun, node: number, port: number): { timePs: number; isPause: boolean }[] {
  const columns = [PfcEventColumn.time, PfcEventColumn.node, PfcEventColumn.interface, PfcEventColumn.isPause].map(
    (column) => sink.column(pfcEventTable, column),
  );
  return Array.from(columns[0]!, (timePs, row) => ({
    timePs,
    isHere: columns[1]![row] === node && columns[2]![row] === port,
    isPause: columns[3]![row] === 1,
  })).filter(({ isHere }) => isHere);
}

/** The last of some events in order of time that came until a time. */
function lastUntil(events: ReturnType<typeof pausesAt>, untilPs: number): ReturnType<typeof pausesAt>[number] {
  let last = events[0]!;
  for (const event of events) if (event.timePs <= untilPs) last = event;
  return last;
}

describe('a storm', () => {
  it('is found when pauses have held a queue for the detection time, and is over when none has for the other', async () => {
    for (const action of ['drop', 'forward', 'alert']) {
      const run = await scenarioRun(stuck, [`pfc.watchdog=${action}`]);
      const { storms, first } = watched(run);
      expect(storms).toBeGreaterThan(0);
      for (const { node, interface: port, name, detectedPs, restoredPs } of first) {
        // the port of the leaf to the slow host
        expect([name, run.summary.watchdog!.action]).toEqual(['leaf[0]:3', action]);
        const events = pausesAt(run, node, port);
        const since = lastUntil(events, detectedPs);
        expect([since.isPause, detectedPs - since.timePs]).toEqual([true, 100e6]);
        if (restoredPs === null) continue;
        const until = lastUntil(events, restoredPs);
        expect([until.isPause, restoredPs - until.timePs]).toEqual([false, 50e6]);
      }
    }
  });

  it('with `drop` costs the packets of its queue, which are counted, told and sent again', async () => {
    const run = await scenarioRun(stuck, ['pfc.watchdog=drop', 'probes.packetLosses=true']);
    const { packetsDropped, first } = watched(run);
    expect(packetsDropped).toBeGreaterThan(10);
    expect(first.reduce((sum, storm) => sum + storm.packetsDropped, 0)).toBe(packetsDropped);
    expect(run.summary.counters['packetsDropped']).toBe(packetsDropped);
    expect(run.summary.counters['retransmittedPackets']).toBeGreaterThanOrEqual(packetsDropped);
    expect(run.sink.rowCount(packetLossTable)).toBe(packetsDropped);
    // no drop while lossless: the watchdog did it
    expect([run.summary.outcome, failed(run)]).toEqual(['finished', []]);
  });

  it('with `forward` sends on, and the receiver has to take what comes', async () => {
    const run = await scenarioRun(stuck, ['pfc.watchdog=forward']);
    expect([
      run.summary.outcome,
      watched(run).packetsDropped,
      failed(run).filter((name) => !/buffer/.test(name)),
    ]).toEqual(['finished', 0, []]);
    const alone = await scenarioRun(stuck, []);
    expect(run.summary.counters['receiveBufferPeakBytes']!).toBeGreaterThan(
      2 * alone.summary.counters['receiveBufferPeakBytes']!,
    );
  });

  it('with `alert` changes nothing', async () => {
    const [alert, off] = [await scenarioRun(stuck, ['pfc.watchdog=alert']), await scenarioRun(stuck, [])];
    expect(alert.summary.digest).toBe(off.summary.digest);
    expect([watched(alert).packetsDropped, off.summary.watchdog]).toEqual([0, null]);
  });

  it('is none where pauses are shorter, whatever the action', async () => {
    const off = await scenarioRun(stuck, []);
    for (const action of ['drop', 'forward']) {
      const run = await scenarioRun(stuck, [`pfc.watchdog=${action}`, 'pfc.watchdogDetectionTime=1s']);
      expect([watched(run).storms, run.summary.digest]).toEqual([0, off.summary.digest]);
    }
  });

  it('is over after twice the detection time if nothing else is said', async () => {
    const run = await scenarioRun(stuck, ['pfc.watchdog=drop', 'pfc.watchdogRestorationTime=0us']);
    const { node, interface: port, restoredPs } = watched(run).first[0]!;
    const last = lastUntil(pausesAt(run, node, port), restoredPs!);
    expect(restoredPs! - last.timePs).toBe(200e6);
  });
});

describe('a deadlock by PFC', () => {
  const files = { 'ring.topo': ring() };

  it('blocks a run for ever without the watchdog', async () => {
    const run = await scenarioRun(circle, [], files);
    expect([run.summary.outcome, failed(run)]).toEqual(['blocked', ['all flows finished', 'no deadlock by PFC']]);
  });

  it.each(['drop', 'forward'])('is broken by `%s`', async (action) => {
    const run = await scenarioRun(circle, [`pfc.watchdog=${action}`, 'pfc.watchdogDetectionTime=300us'], files);
    expect([run.summary.outcome, run.summary.finished, failed(run)]).toEqual(['finished', 10, []]);
    expect(watched(run).storms).toBeGreaterThanOrEqual(1);
  });

  it('is only told by `alert`', async () => {
    const run = await scenarioRun(circle, ['pfc.watchdog=alert', 'pfc.watchdogDetectionTime=300us'], files);
    expect([run.summary.outcome, failed(run)]).toEqual(['blocked', ['all flows finished', 'no deadlock by PFC']]);
    const { storms, first } = watched(run);
    expect([storms >= 5, first.every(({ restoredPs }) => restoredPs === null)]).toEqual([true, true]);
  });
});
