// What the probes record of every packet and frame, against closed forms and against what can be watched from outside.

import { describe, expect, it } from 'vitest';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import {
  latencyHistogramTable,
  notificationTable,
  packetLatencyTable,
  pfcEventTable,
  portCounterTable,
  queueTable,
} from '../../src/records/probe-records.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { packetFacts } from '../support/engine-records.js';
import { broken, engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';
import { tableRows, type Row } from '../support/table-rows.js';

const latencyPs = 400_000;
/** payload 1000 without headers at 100 Gb/s */
const packetPs = 80_000;

/** Hosts 0 .. n - 1 on switch n. */
function star(hosts: number, errorRate = 0): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, hosts);
  builder.addNode(NodeKind.switch);
  for (let host = 0; host < hosts; host++) builder.addLink(host, hosts, 100e9, latencyPs, errorRate);
  return builder.build();
}

/** No congestion control, no window, no headers, no gaps. */
const plain: SettingChanges = {
  packet: { payload: 1000, header: 0, acknowledgement: 60, gap: 0, pauseFrame: 43 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
};

describe('packet latency', () => {
  const probes = { packetLatency: true };
  const rowsOf = (changes: SettingChanges, transfers: readonly Transfer[], fabric = star(3)): Row[] =>
    tableRows(
      engineRun(fabric, transfers, {
        settings: settingsWith({ ...plain, ...changes, probes: { ...probes, ...changes.probes } }),
      }).sink,
      packetLatencyTable,
    );

  it('of a packet alone is two transmissions and two cables; a short last packet waits for the one before', () => {
    expect(rowsOf({}, [[0, 2, 10_000]])).toEqual([
      {
        flowId: 0,
        source: 0,
        destination: 2,
        sourcePort: expect.any(Number) as number,
        destinationPort: 100,
        packets: 10,
        meanPs: 2 * (packetPs + latencyPs),
        maximumPs: 2 * (packetPs + latencyPs),
      },
    ]);
    // 500 B take 40 ns: sent at once behind the first, it waits 40 ns at the switch
    expect(rowsOf({}, [[0, 2, 1500]])[0]).toMatchObject({
      packets: 2,
      meanPs: (2 * packetPs + 40_000 + packetPs) / 2 + 2 * latencyPs,
      maximumPs: 2 * (packetPs + latencyPs),
    });
  });

  it('counts the gap ahead of a packet, and not the congestion control that holds it back', () => {
    // 250 B of gap: 100 ns for each transmission; the window lets one packet go per round trip
    const [row] = rowsOf({ packet: { ...plain.packet, gap: 250 }, queuePair: { window: 'pair-bdp' } }, [
      [0, 2, 20_000],
    ]);
    expect(row).toMatchObject({ packets: 20, meanPs: 2 * (100_000 + latencyPs), maximumPs: 2 * (100_000 + latencyPs) });
  });

  it('of a two-to-one incast grows by a packet with each packet', () => {
    const n = 40;
    const rows = rowsOf({}, [
      [0, 2, n * 1000],
      [1, 2, n * 1000],
    ]);
    const least = 2 * (packetPs + latencyPs);
    // packets leave in pairs and are served one by one: the k-th of one flow waits k - 1 packets' time, of the other k
    const byMaximum = rows.map(({ meanPs, maximumPs }) => [meanPs, maximumPs]).sort(([, a], [, b]) => a! - b!);
    expect(byMaximum).toEqual([
      [least + ((n - 1) / 2) * packetPs, least + (n - 1) * packetPs],
      [least + ((n + 1) / 2) * packetPs, least + n * packetPs],
    ]);
  });

  it('has a histogram of the run and a summary that agree', () => {
    const run = engineRun(
      star(3),
      [
        [0, 2, 40_000],
        [1, 2, 40_000],
      ],
      { settings: settingsWith({ ...plain, probes }) },
    );
    const buckets = tableRows(run.sink, latencyHistogramTable);
    expect(buckets.reduce((sum, { packets }) => sum + packets!, 0)).toBe(80);
    const { latency, tables } = run.network.probeSummary()!;
    const last = buckets.at(-1)!;
    expect(latency).toMatchObject({ packets: 80, maxNs: (2 * (packetPs + latencyPs) + 40 * packetPs) / 1000 });
    expect(last['fromPs']! <= latency!.maxNs * 1000 && latency!.maxNs * 1000 < last['belowPs']!).toBe(true);
    expect(tables).toEqual([
      { name: 'packet_latency', rows: 2 },
      { name: 'latency_histogram', rows: buckets.length },
    ]);
  });

  it('is recorded of packets that leave within the time asked for', () => {
    // packets leave at k x 80 ns: those of 80 ns to 400 ns
    expect(rowsOf({ probes: { start: packetPs, end: 5 * packetPs } }, [[0, 2, 20_000]])[0]).toMatchObject({
      packets: 5,
    });
    expect(rowsOf({ probes: { start: packetPs + 1 } }, [[0, 2, 2000]])).toEqual([]);
  });

  it('counts every arrival where packets are lost and sent again, and gives rows of flows that never end', () => {
    const lossy = engineRun(
      star(3, 0.02),
      [
        [0, 2, 200_000],
        [1, 2, 200_000],
      ],
      {
        settings: settingsWith({
          ...plain,
          queuePair: { ...plain.queuePair, nackInterval: 5_000_000, retransmissionTimeout: 50_000_000 },
          probes,
        }),
      },
    );
    expect(broken(lossy)).toEqual([]);
    expect(lossy.network.counters.retransmittedBytes).toBeGreaterThan(0);
    expect(lossy.network.probeSummary()!.latency!.packets).toBe(lossy.network.counters.dataPacketsDelivered);
    // every acknowledgement is lost: the flow goes nowhere, but its packets arrive
    const stuck = engineRun(star(2), [[0, 1, 5000]], {
      settings: settingsWith({ ...plain, probes }),
      prepare: (network) => {
        network.parts.transport.receiveAcknowledgement = (packet, pair) => {
          network.parts.packets.release(packet);
          network.parts.pairs.unreference(pair);
        };
      },
    });
    expect(stuck.state).toBe('blocked');
    expect(tableRows(stuck.sink, packetLatencyTable)).toMatchObject([
      { flowId: 0, packets: stuck.network.counters.dataPacketsDelivered },
    ]);
  });
});

describe('PFC events', () => {
  const small: SettingChanges = {
    ...plain,
    pfc: { headroom: 'delays', headroomDelays: 8, reserve: 0, thresholdShift: 0, resumeOffset: 0 },
    switch: { buffer: 5 * 40_000 + 30_000 },
  };
  const transfers = [0, 1, 2, 3].map((host): Transfer => [host, 4, 100_000]);

  it('are the pauses and resumes that took effect, where and when they did', () => {
    const acted: number[][] = [];
    const run = engineRun(star(5), transfers, {
      settings: settingsWith({ ...small, probes: { pfcEvents: true } }),
      prepare: (network) => {
        const { ports } = network.parts;
        const setPaused = ports.setPaused.bind(ports);
        ports.setPaused = (port, queue, isPaused) => {
          acted.push([network.nowPs, port, queue, isPaused ? 1 : 0]);
          setPaused(port, queue, isPaused);
        };
      },
    });
    expect(broken(run)).toEqual([]);
    expect(acted.length).toBeGreaterThan(10);
    const { fabric } = run.network.parts;
    expect(tableRows(run.sink, pfcEventTable)).toEqual(
      acted.map(([timePs, port, priority, isPause]) => ({
        timePs,
        node: fabric.portNode[port!]!,
        nodeKind: 0,
        interface: 1,
        priority,
        isPause,
      })),
    );
    expect(run.network.counters.pauseFrames + run.network.counters.resumeFrames).toBe(acted.length);
  });

  it('are of the whole run, whatever the time asked for', () => {
    const [whole, some] = [{}, { rateInterval: 1_000_000, start: 5_000_000, end: 6_000_000 }].map((more) => {
      const run = engineRun(star(5), transfers, {
        settings: settingsWith({ ...small, probes: { pfcEvents: true, ...more } }),
      });
      return tableRows(run.sink, pfcEventTable);
    });
    expect(whole!.length).toBeGreaterThan(10);
    expect(some).toEqual(whole);
  });
});

/** The port counters of a run. */
const counters = (
  changes: SettingChanges,
  transfers: readonly Transfer[],
  fabric = star(3),
): { rows: Row[]; run: ReturnType<typeof engineRun> } => {
  const run = engineRun(fabric, transfers, {
    settings: settingsWith({ ...plain, ...changes, probes: { portCounters: true, ...changes.probes } }),
  });
  return { rows: tableRows(run.sink, portCounterTable), run };
};
const at = (rows: readonly Row[], node: number, port: number, priority: number): Row | undefined =>
  rows.find((row) => row['node'] === node && row['interface'] === port && row['priority'] === priority);
const sum = (rows: readonly Row[], column: string): number => rows.reduce((total, row) => total + row[column]!, 0);

describe('port counters', () => {
  const n = 30;
  it('of an incast count packets, bytes and the longest queue', () => {
    const { rows } = counters({}, [
      [0, 2, n * 1000],
      [1, 2, n * 1000],
    ]);
    // at each instant two packets arrive before one leaves, as they were scheduled before: n - 1 + 2 at most
    expect(at(rows, 3, 3, 3)).toMatchObject({
      packetsSent: 2 * n,
      bytesSent: 2 * n * 1000,
      packetsDropped: 0,
      packetsMarked: 0,
      peakQueueBytes: (n + 1) * 1000,
      pausesSent: 0,
    });
    expect(at(rows, 0, 1, 3)).toMatchObject({ packetsSent: n, bytesSent: n * 1000, peakQueueBytes: 0 });
    expect(at(rows, 2, 1, 3)).toMatchObject({ packetsSent: 2 * n, bytesSent: 2 * n * 60 });
    expect(rows.map(({ node, interface: port, priority }) => [node, port, priority])).toEqual([
      [0, 1, 3],
      [1, 1, 3],
      [2, 1, 3],
      [3, 1, 3],
      [3, 2, 3],
      [3, 3, 3],
    ]);
  });

  it('count drops at the output that had no room, by priority', () => {
    const { rows, run } = counters(
      { pfc: { enabled: false }, switch: { buffer: 50_000 } },
      [0, 1, 3].map((host): Transfer => [host, 2, 100_000]),
      star(4),
    );
    expect(run.network.counters.packetsDropped).toBeGreaterThan(10);
    expect(at(rows, 4, 3, 3)).toMatchObject({ packetsDropped: run.network.counters.packetsDropped });
    expect(sum(rows, 'packetsDropped')).toBe(run.network.counters.packetsDropped);
  });

  it('count marks where they are made, and PFC frames at both ends', () => {
    const { rows, run } = counters(
      {
        ecn: { enabled: true },
        ecnThresholds: [{ rateBps: 100e9, minimumBytes: 3000, maximumBytes: 20_000, probability: 0.5 }],
        pfc: { headroom: 'delays', headroomDelays: 8, reserve: 0, thresholdShift: 2, resumeOffset: 0 },
        switch: { buffer: 5 * 40_000 + 30_000 },
      },
      [0, 1, 2, 3].map((host): Transfer => [host, 4, 200_000]),
      star(5),
    );
    const { ecnMarks, pauseFrames, resumeFrames, packetHops } = run.network.counters;
    expect(broken(run)).toEqual([]);
    expect([ecnMarks > 20, pauseFrames > 5]).toEqual([true, true]);
    expect(at(rows, 5, 5, 3)).toMatchObject({ packetsMarked: ecnMarks });
    expect(sum(rows, 'packetsMarked')).toBe(ecnMarks);
    for (const [column, total] of [
      ['pausesSent', pauseFrames],
      ['resumesSent', resumeFrames],
      ['pausesReceived', pauseFrames],
      ['resumesReceived', resumeFrames],
    ] as const)
      expect(sum(rows, column)).toBe(total);
    for (let host = 0; host < 4; host++) {
      const [sender, port] = [at(rows, host, 1, 3)!, at(rows, 5, host + 1, 3)!];
      expect([sender['pausesReceived'], sender['resumesReceived'], sender['pausesSent']]).toEqual([
        port['pausesSent'],
        port['resumesSent'],
        0,
      ]);
    }
    // frames ride in queue 0 and are packets there
    expect(
      sum(
        rows.filter(({ priority }) => priority === 0),
        'bytesSent',
      ),
    ).toBe((pauseFrames + resumeFrames) * 43);
    expect(sum(rows, 'packetsSent')).toBe(packetHops + pauseFrames + resumeFrames);
  });

  it('are of the whole run, whatever the time asked for', () => {
    const whole = counters({}, [
      [0, 2, n * 1000],
      [1, 2, n * 1000],
    ]).rows;
    expect(
      counters({ probes: { queueInterval: packetPs, start: 1_000_000, end: 2_000_000 } }, [
        [0, 2, n * 1000],
        [1, 2, n * 1000],
      ]).rows,
    ).toEqual(whole);
  });

  it('keep the longest queue of several bursts', () => {
    const bursts = [
      [10, 0],
      [n, 10_000_000],
      [5, 20_000_000],
    ] as const;
    const { rows } = counters(
      {},
      bursts.flatMap(([packets, startPs]) => [0, 1].map((host): Transfer => [host, 2, packets * 1000, startPs])),
    );
    expect(at(rows, 3, 3, 3)).toMatchObject({ packetsSent: 2 * (n + 15), peakQueueBytes: (n + 1) * 1000 });
  });

  it('have peaks that no sample exceeds', () => {
    const { rows, run } = counters(
      { probes: { queueInterval: 10_000 } },
      [0, 1, 3].map((host): Transfer => [host, 2, 70_000]),
      star(4),
    );
    const peaks = new Map<string, number>();
    for (const { node, interface: port, priority, queueBytes } of tableRows(run.sink, queueTable)) {
      const key = `${node!} ${port!} ${priority!}`;
      peaks.set(key, Math.max(peaks.get(key) ?? 0, queueBytes!));
    }
    expect(peaks.size).toBeGreaterThan(0);
    for (const { node, interface: port, priority, peakQueueBytes } of rows) {
      const sampled = peaks.get(`${node!} ${port!} ${priority!}`) ?? 0;
      expect(sampled).toBeLessThanOrEqual(peakQueueBytes!);
      // a queue changes by three packets at once at most
      expect(sampled).toBeGreaterThanOrEqual(peakQueueBytes! - 3000);
    }
  });
});

describe('notifications', () => {
  it('are the acknowledgements with marks that each sender gets', () => {
    const marked = new Float64Array(4);
    const run = engineRun(
      star(5),
      [0, 1, 2, 3].map((host) => [host, 4, 500_000]),
      {
        settings: settingsWith({
          ...plain,
          ecn: { enabled: true },
          ecnThresholds: [{ rateBps: 100e9, minimumBytes: 5000, maximumBytes: 50_000, probability: 0.5 }],
          probes: { notificationInterval: 2_000_000 },
        }),
        onArrival: (packet, port, network) => {
          const { kind, marked: isMarked } = packetFacts(network.parts, packet);
          const host = network.parts.fabric.portNode[port]!;
          if (kind === Kind.ack && isMarked && host < 4) marked[host]!++;
        },
      },
    );
    expect(broken(run)).toEqual([]);
    const rows = tableRows(run.sink, notificationTable);
    let total = 0;
    for (const { flow, source, finishPs } of run.flows) {
      const own = rows.filter(({ flowId }) => flowId === flow);
      expect(own.length).toBeGreaterThan(5);
      for (const [i, row] of own.entries()) {
        expect(row['timePs']! % 2_000_000 === 0 || row['timePs'] === finishPs).toBe(true);
        expect(row['notifications']).toBeGreaterThan(own[i - 1]?.['notifications'] ?? 0);
        expect(row).toMatchObject({ source, destination: 4, sizeBytes: 500_000 });
      }
      expect(own.at(-1)!['notifications']).toBe(marked[source]);
      total += marked[source]!;
    }
    expect(total).toBe(run.network.counters.notifications);
  });

  it('of a flow that takes over the number of another begin at zero', () => {
    const thresholds = [{ rateBps: 100e9, minimumBytes: 0, maximumBytes: 0, probability: 1 }];
    // two bursts into one port, the second when the first is over: the same queue pair numbers
    const transfers: Transfer[] = [
      [0, 2, 20_000],
      [1, 2, 20_000],
      [0, 2, 20_000, 50_000_000],
      [1, 2, 20_000, 50_000_000],
    ];
    const run = engineRun(star(3), transfers, {
      settings: settingsWith({
        ...plain,
        congestion: { algorithm: 'none' },
        ecn: { enabled: true },
        ecnThresholds: thresholds,
        probes: { notificationInterval: 200_000_000 },
      }),
    });
    expect(run.network.parts.pairs.count).toBe(2);
    const rows = tableRows(run.sink, notificationTable);
    // the same burst twice
    const last = (flow: number): number =>
      Math.max(...rows.filter(({ flowId }) => flowId === flow).map(({ notifications }) => notifications!));
    expect(last(0) + last(1)).toBeGreaterThan(10);
    expect(last(2) + last(3)).toBe(last(0) + last(1));
  });
});
