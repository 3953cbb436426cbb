// Polled port counters by hand: waits for credits and pauses whose length is known, bytes beside the paths of flows,
// lanes beside their port, where 32 bits stop, and when which node is read.

import { describe, expect, it } from 'vitest';
import { settingDefaults } from '../../src/base/settings.js';
import { sfcSettings } from '../../src/backends/packet/flow-control/sfc/sfc-settings.js';
import { bytesShift, PacketWord } from '../../src/backends/packet/packets.js';
import { PauseHolder } from '../../src/backends/packet/ports.js';
import { type PortTotals, PortPoller } from '../../src/backends/polling/port-poller.js';
import { WaitTimes } from '../../src/backends/polling/wait-times.js';
import type { PollingSettings } from '../../src/backends/polling/polling-settings.js';
import { flowTable, hopTable } from '../../src/records/flow-records.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { lanePollTable, portPollTable } from '../../src/records/poll-records.js';
import { star } from '../../validation/fabrics.js';
import { type EngineRun, engineRun, settingsWith, type Transfer } from '../support/engine-run.js';
import type { Fabric } from '../../src/fabric/fabric.js';
import { scenarioRun } from '../support/scenario-run.js';
import { type Row, tableRows } from '../support/table-rows.js';

const us = 1e6;
/** 1,000 B of payload, 50 B of header and a gap of 2 B, at 100 Gb/s */
const packetPs = 84_160;

const text = (transfers: string): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: 100Gbps, hostLatency: 1us, spineLatency: 1us }
packet: { payload: 1000B, header: 50B, acknowledgement: 60B, gap: 2B }
backend: credit
polling: { interval: 1ms, tick: 1ps }
traffic: { transfers: [${transfers}] }
`;
const flow = (source: number, destination: number): string =>
  `{ source: ${source}, destination: ${destination}, size: 1MB }`;

/** The last reading of the port of a host. */
function last(rows: readonly Row[], node: number): Row {
  const own = rows.filter((row) => row['node'] === node);
  return own[own.length - 1]!;
}

describe('waits for credits', () => {
  it('room for three packets holds a lone sender back in each of its 333 rounds', async () => {
    const { sink } = await scenarioRun(text(flow(0, 1)), ['credit.switching=store-and-forward', 'credit.buffer=3156B']);
    const rows = tableRows(sink, portPollTable);
    // a packet crosses the first link and the second, and its credit comes back
    const roundPs = 2 * (packetPs + us);
    expect(last(rows, 0)).toMatchObject({ waitTicks: 333 * (roundPs - 3 * packetPs), transmitPackets: 1000 });
    expect(last(rows, 1)).toMatchObject({ waitTicks: 0, transmitPackets: 0, receivePackets: 1000 });
    // headers count, the gap does not
    expect(last(rows, 0)).toMatchObject({ transmitBytes: 1_050_000, receiveBytes: 0 });
    expect(last(rows, 1)).toMatchObject({ transmitBytes: 0, receiveBytes: 1_050_000 });
  });

  it('with room for the round trip nobody waits', async () => {
    const { sink } = await scenarioRun(text(flow(0, 1)), []);
    expect(tableRows(sink, portPollTable).filter((row) => row['waitTicks']! > 0)).toEqual([]);
  });

  it('a port without a link does not wait', async () => {
    // three packets a round trip hold the host back; routes are mended only after the run
    const failures =
      'failures: { convergenceTime: 10ms, events: [{ at: 20us, until: 60us, link: "host[0]-leaf[0]" }] }';
    const set = ['credit.buffer=3156B', 'polling.interval=5us'];
    const { sink } = await scenarioRun(`${text(flow(0, 2))}${failures}\n`, set);
    const rows = tableRows(sink, portPollTable).filter((row) => row['node'] === 0);
    const at = (timeUs: number): number | undefined => rows.find((row) => row['timePs'] === timeUs * us)?.['waitTicks'];
    expect(at(20)).toBeGreaterThan(10 * us);
    expect(at(60)).toBe(at(20));
    expect(at(80)).toBeGreaterThan(at(60)! + 10 * us);
  });

  it('a lane that is held back waits alone, and its port does not', async () => {
    // packets of whole words, so that nothing is rounded
    const { sink } = await scenarioRun(text([flow(0, 2), flow(0, 3), flow(1, 2), flow(1, 3)].join(', ')), [
      'credit.lanes=4',
      'credit.buffer=10kB',
      'polling.lanes=true',
      'packet.header=48B',
      'polling.interval=20us',
    ]);
    const lanes = tableRows(sink, lanePollTable);
    const ports = tableRows(sink, portPollTable);
    let waits = 0;
    ports.forEach((port, i) => {
      const own = lanes.slice(4 * i, 4 * i + 4);
      const sum = (name: string): number => own.reduce((total, row) => total + row[name]!, 0);
      for (const name of ['timePs', 'node', 'interface', 'lid', 'port']) expect(own[0]![name]).toBe(port[name]);
      expect(sum('transmitBytes')).toBe(port['transmitBytes']);
      expect(sum('transmitPackets')).toBe(port['transmitPackets']);
      expect(sum('waitTicks')).toBeGreaterThanOrEqual(port['waitTicks']!);
      if (sum('waitTicks') > port['waitTicks']!) waits++;
    });
    expect(waits).toBeGreaterThan(0);
  });
});

/** Readings of the paused host, and what its priorities have waited at the second one. */
const ofHost = (run: EngineRun): Row[] => tableRows(run.sink, portPollTable).filter((row) => row['node'] === 0);
const laneWaits = (run: EngineRun): number[] =>
  tableRows(run.sink, lanePollTable)
    .filter((row) => row['node'] === 0 && row['poll'] === 1)
    .map((row) => row['waitTicks']!);

describe('waits for pauses', () => {
  const fabric = star(2, us);
  /** of a packet and of an acknowledgement at 100 Gb/s */
  const [ownPs, acknowledgementPs] = [80_000, 4_800];
  // the packet of 10 us to 10.08 us is sent to its end
  const pausePs = 25 * us - 126 * ownPs;

  it('a pause holds its host back from the end of a packet until it ends', () => {
    const run = pausedRun(fabric, [[0, 1, 400_000]], undefined);
    const rows = ofHost(run);
    expect(rows.map(({ timePs, waitTicks }) => [timePs, waitTicks])).toEqual([
      [0, 0],
      [30 * us, pausePs],
      [run.network.nowPs, pausePs],
    ]);
    // 126 packets before the pause; from its end to 30 us 63, the last of which has begun
    expect(rows[1]).toMatchObject({ transmitPackets: 126 + 63 });
    expect(laneWaits(run)).toEqual([0, 0, 0, pausePs, 0, 0, 0, 0]);
  });

  it('a port that sends something else meanwhile does not wait then, and its priority does', () => {
    const sentPs: number[] = [];
    const transfers = [
      [0, 1, 400_000],
      [1, 0, 400_000],
    ] as const;
    const run = pausedRun(fabric, transfers, (packet, port, { nowPs, parts: { records } }) => {
      const bytes = records.words[(packet << 3) + PacketWord.head]! >> bytesShift;
      // acknowledgements of the host, at the switch
      if (fabric.portPeer[port] === 0 && bytes === 60) sentPs.push(nowPs - us - acknowledgementPs);
    });
    // acknowledgements before the pause have moved the packet in whose middle it comes
    const heldPs = laneWaits(run)[3]!;
    expect(Math.abs(heldPs - pausePs)).toBeLessThan(ownPs);
    const meanwhile = sentPs.filter((timePs) => timePs >= 25 * us - heldPs && timePs < 25 * us);
    expect(meanwhile.length).toBeGreaterThan(100);
    expect(ofHost(run)[1]!['waitTicks']).toBe(heldPs - meanwhile.length * acknowledgementPs);
  });
});

/** A run of packets of 1,000 B in which the host with a port is paused by hand from 10.01 us to 25 us. */
function pausedRun(
  fabric: Fabric,
  transfers: readonly Transfer[],
  onArrival: NonNullable<Parameters<typeof engineRun>[2]>['onArrival'],
): EngineRun {
  return engineRun(fabric, transfers, {
    settings: settingsWith({
      packet: { profile: 'simai', payload: 1000, header: 0 },
      queuePair: { window: 'unlimited', acknowledgementPriority: 0 },
      polling: { interval: 30 * us, tick: 1, lanes: true },
    }),
    prepare: ({ parts: { alarms, ports, devices } }) => {
      const pause = alarms.register('a pause by hand', (isPaused) => {
        ports.hold(0, 3, isPaused === 1, PauseHolder.priorityFlowControl);
        if (isPaused === 0) devices.resume(0);
      });
      pause.at(10_010_000, 1);
      pause.at(25 * us, 0);
    },
    ...(onArrival === undefined ? {} : { onArrival }),
  });
}

describe('bytes', () => {
  const spread = text([flow(0, 2), flow(1, 3), flow(3, 0), flow(2, 1), flow(0, 3)].join(', '));

  it('are those of the packets of every flow over each link of its path', async () => {
    const { sink } = await scenarioRun(spread, ['credit.buffer=10kB', 'polling.interval=7us']);
    const rows = tableRows(sink, portPollTable);
    const end = Math.max(...rows.map((row) => row['poll']!));
    /** by node:interface of the sending port: headers and payload of 1,000 packets for each flow */
    const expected = new Map<string, number>();
    const count = (node: number, own: number): void => {
      const key = `${node}:${own}`;
      expected.set(key, (expected.get(key) ?? 0) + 1_050_000);
    };
    for (const row of tableRows(sink, flowTable)) count(row['source']!, 1);
    for (const row of tableRows(sink, hopTable)) count(row['node']!, row['interface']!);
    const sent = rows.filter((row) => row['poll'] === end && row['transmitBytes']! > 0);
    expect(new Map(sent.map((row) => [`${row['node']}:${row['interface']}`, row['transmitBytes']]))).toEqual(expected);
    // the run is that of nobody looking
    const alone = await scenarioRun(spread, ['credit.buffer=10kB', 'polling.interval=0us']);
    expect(tableRows(sink, flowTable)).toEqual(tableRows(alone.sink, flowTable));
    // what was sent has come in, and no counter ever falls
    const sum = (name: string): number =>
      rows.filter(({ poll }) => poll === end).reduce((total, row) => total + row[name]!, 0);
    expect(sum('receiveBytes')).toBe(sum('transmitBytes'));
    expect(sum('receivePackets')).toBe(sum('transmitPackets'));
    for (const name of ['transmitBytes', 'receiveBytes', 'transmitPackets', 'receivePackets', 'waitTicks']) {
      const seen = new Map<string, number>();
      for (const row of rows) {
        const key = `${row['node']}:${row['interface']}`;
        expect(row[name]).toBeGreaterThanOrEqual(seen.get(key) ?? 0);
        seen.set(key, row[name]!);
      }
    }
  });

  it('on packets, are what tests see arriving at the other end, acknowledgements and all, but no PFC frames', () => {
    const fabric = star(4, us);
    const arrived = new Float64Array(fabric.portCount);
    const run = engineRun(
      fabric,
      [0, 1, 2].map((source) => [source, 3, 200_000]),
      {
        settings: settingsWith({
          packet: { payload: 1000, header: 48 },
          queuePair: { window: 'unlimited' },
          ecn: { enabled: false },
          pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1, resumeOffset: 2000 },
          switch: { buffer: 4 * 60_000 + 40_000 },
          polling: { interval: 5 * us, lanes: true, tick: 1 },
        }),
        onArrival: (packet, port, { parts: { records } }) => {
          arrived[fabric.portPeer[port]!]! += records.words[(packet << 3) + PacketWord.head]! >> bytesShift;
        },
      },
    );
    expect(run.network.counters.pauseFrames).toBeGreaterThan(0);
    const rows = tableRows(run.sink, portPollTable).slice(-fabric.portCount);
    expect(rows.map((row) => row['transmitBytes'])).toEqual(Array.from(arrived, (bytes) => Math.floor(bytes / 4) * 4));
    // whoever was paused had something to send all the time
    const paused = run.network.pausesOfHosts();
    expect(paused.length).toBeGreaterThan(0);
    for (const { host, pausedPs } of paused) {
      const waited = rows.find((row) => row['node'] === host)!['waitTicks']!;
      expect(waited).toBeGreaterThan(0);
      expect(waited).toBeLessThanOrEqual(pausedPs);
    }
  });
});

it('messages of source flow control count where they come in as where they are sent', () => {
  const fabric = star(3, us);
  const { network, sink } = engineRun(
    fabric,
    [
      [0, 2, 500_000],
      [1, 2, 500_000],
    ],
    {
      settings: settingsWith({
        queuePair: { window: 'unlimited' },
        congestion: { algorithm: 'none' },
        flowControl: ['pfc', 'sfc'],
        own: { sfc: { ...settingDefaults(sfcSettings), threshold: 50_000, pause: 20e6 } },
        polling: { interval: 10 * us },
      }),
    },
  );
  expect((network.counters as unknown as Record<string, number>)['sfcMessages']).toBeGreaterThan(3);
  const rows = tableRows(sink, portPollTable).slice(-fabric.portCount);
  rows.forEach((row, port) => expect(rows[fabric.portPeer[port]!]!['receivePackets']).toBe(row['transmitPackets']));
});

/** Readings of a round: poll, node, microseconds. Node 3 is a switch of three ports. */
function round(poll: number, nodes: readonly number[]): (readonly [number, number, number])[] {
  return nodes.flatMap((node) =>
    Array.from({ length: node === 3 ? 3 : 1 }, () => [poll, node, 10 * poll + 2 * node] as const),
  );
}

describe('the poller', () => {
  const fabric = star(3, us);
  const counted = (bytes: number, packets: number, waitedPs: number): PortTotals => {
    const portWaits = new WaitTimes(fabric.portCount);
    portWaits.begin(0, 0);
    portWaits.end(0, waitedPs);
    return {
      lanes: 1,
      sentBytes: () => bytes,
      sentPackets: () => packets,
      receivedBytes: () => bytes,
      receivedPackets: () => packets,
      portWaits,
      laneWaits: new WaitTimes(fabric.portCount),
    };
  };
  const made = (ports: PortTotals, changes: Partial<PollingSettings>) => {
    const sink = new MemorySink();
    const settings = { ...settingsWith().polling, interval: 10 * us, ...changes };
    return { sink, poller: new PortPoller({ fabric, settings, ports, sink }) };
  };

  it('stops at 2^32 - 1 words, packets and ticks with 32 bits, and does not with 64', () => {
    const top = 2 ** 32 - 1;
    const cases = [
      // bytes, packets, picoseconds of wait; what 32 bits show of them
      [4 * top + 3, top, 1000 * top + 999, [4 * top, top, top]],
      [4 * top + 4, top + 1, 1000 * (top + 1), [4 * top, top, top]],
      [4 * top - 1, top - 1, 1000 * top - 1, [4 * (top - 1), top - 1, top - 1]],
    ] as const;
    for (const [bytes, packets, waitedPs, narrow] of cases)
      for (const width of ['32-bit', '64-bit'] as const) {
        const { sink, poller } = made(counted(bytes, packets, waitedPs), { width });
        poller.finish(0);
        const row = tableRows(sink, portPollTable)[0]!;
        const wide = [Math.floor(bytes / 4) * 4, packets, Math.floor(waitedPs / 1000)];
        expect([row['transmitBytes'], row['transmitPackets'], row['waitTicks']]).toEqual(
          width === '32-bit' ? narrow : wide,
        );
        expect([row['receiveBytes'], row['receivePackets']]).toEqual([row['transmitBytes'], row['transmitPackets']]);
      }
  });

  it('reads node after node within the spread, leaves out rounds that would say the same, and all at the end', () => {
    const { sink, poller } = made(counted(0, 0, 0), { spread: 8 * us });
    const times = (): (readonly [number, number, number])[] =>
      tableRows(sink, portPollTable).map((row) => [row['poll']!, row['node']!, row['timePs']! / us] as const);
    // nodes 0 to 3 at 0, 2, 4 and 6 us of each round
    expect(poller.catchUp(13 * us)).toBe(14 * us);
    // nothing happens until 95 us: of the rounds up to then the first and the last one are read
    expect(poller.catchUp(95 * us)).toBe(96 * us);
    poller.finish(97 * us);
    expect(times()).toEqual([
      ...round(0, [0, 1, 2, 3]),
      ...round(1, [0, 1, 2, 3]),
      ...round(2, [0, 1]),
      ...round(9, [2]),
      ...round(9, [3]),
      ...[0, 1, 2, 3, 3, 3].map((node) => [10, node, 97] as const),
    ]);
  });
});
