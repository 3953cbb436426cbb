// Priority flow control: an incast into a small buffer pauses its senders, drops nothing and resumes; a pause frame
// waits for the packet on the wire, takes its time, and stops the upstream exactly when it arrives.

import { describe, expect, it } from 'vitest';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { findDeadlock } from '../../src/backends/packet/switch/deadlock.js';
import { Kind } from '../../src/backends/packet/packets.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { star } from '../../validation/fabrics.js';
import { packetFacts } from '../support/engine-records.js';
import {
  broken,
  engineRun,
  settingsWith,
  type EngineRun,
  type SettingChanges,
  type Transfer,
} from '../support/engine-run.js';
import { twoSwitches } from '../support/two-switches.js';

const latencyPs = 500_000;
/** payload 1000 without headers at 100 Gb/s */
const packetPs = 80_000;
const framePs = 43 * 80;

/** No congestion control, no window, no headers: only PFC holds anybody back. */
const plain = {
  packet: { profile: 'simai', payload: 1000, header: 0 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
} satisfies SettingChanges;

/** A frame handed to a port, and what it did at the other end. */
interface Watched {
  readonly sent: { readonly timePs: number; readonly port: number; readonly freeAtPs: number; readonly kind: number }[];
  readonly acted: {
    readonly timePs: number;
    readonly port: number;
    readonly isPaused: boolean;
    readonly queue: number;
  }[];
  /** arrivals of data at the switch: time and port */
  readonly data: { readonly timePs: number; readonly port: number }[];
}

function watchedRun(
  fabric: Fabric,
  transfers: readonly Transfer[],
  changes: SettingChanges,
): { run: EngineRun; watched: Watched } {
  const watched: Watched = { sent: [], acted: [], data: [] };
  const run = engineRun(fabric, transfers, {
    settings: settingsWith({ ...plain, ...changes }),
    prepare: (network: PacketNetwork) => {
      const { ports } = network.parts;
      const [sendControl, setPaused] = [ports.sendControl.bind(ports), ports.setPaused.bind(ports)];
      ports.sendControl = (port, frame) => {
        watched.sent.push({
          timePs: network.nowPs,
          port,
          freeAtPs: ports.freeAtPs(port),
          kind: packetFacts(network.parts, frame).kind,
        });
        sendControl(port, frame);
      };
      ports.setPaused = (port, queue, isPaused) => {
        watched.acted.push({ timePs: network.nowPs, port, isPaused, queue });
        setPaused(port, queue, isPaused);
      };
    },
    onArrival: (packet, port, network) => {
      if (
        packetFacts(network.parts, packet).kind === Kind.data &&
        fabric.nodeKind[fabric.portNode[port]!] === NodeKind.switch
      )
        watched.data.push({ timePs: network.nowPs, port });
    },
  });
  return { run, watched };
}

/**
 * Each frame acts after the packet on the wire, its own 43 bytes and the cable; frames of one port keep their order.
 */
function expectFrameTimes(fabric: Fabric, { sent, acted }: Watched): void {
  expect(acted).toHaveLength(sent.length);
  for (const port of new Set(sent.map((frame) => frame.port))) {
    const frames = sent.filter((frame) => frame.port === port);
    const acts = acted.filter((act) => act.port === fabric.portPeer[port]!);
    expect(acts.map(({ isPaused }) => isPaused)).toEqual(frames.map(({ kind }) => kind === Kind.pause));
    for (const [i, frame] of frames.entries()) {
      expect(acts[i]!.queue).toBe(3);
      expect(acts[i]!.timePs).toBe(Math.max(frame.timePs, frame.freeAtPs) + framePs + latencyPs);
    }
  }
}

/**
 * While a host's port is paused no data packet starts there.
 * @param sendsOnly the hosts have nothing else to send, so that they start again at once
 * @returns how many pauses hosts saw
 */
function expectSilenceWhilePaused(fabric: Fabric, { acted, data }: Watched, sendsOnly = true): number {
  let pauses = 0;
  for (const [i, { timePs, port, isPaused }] of acted.entries()) {
    if (!isPaused || fabric.nodeKind[fabric.portNode[port]!] !== NodeKind.host) continue;
    pauses++;
    const resume = acted.slice(i).find((act) => act.port === port && !act.isPaused)!;
    const starts = data
      .filter((arrival) => arrival.port === fabric.portPeer[port]!)
      .map((arrival) => arrival.timePs - packetPs - latencyPs);
    // a packet that started at the very instant of the pause may have gone first
    expect(starts.filter((startPs) => startPs > timePs && startPs < resume.timePs)).toEqual([]);
    if (sendsOnly && starts.some((startPs) => startPs > timePs)) {
      const before = Math.max(
        0,
        ...acted
          .slice(0, i)
          .filter((act) => act.port === port)
          .map((act) => act.timePs),
      );
      // what was on the wire when the pause came has arrived whole, and the next one starts with the resume
      expect(starts.some((startPs) => startPs >= before && startPs <= timePs && startPs >= timePs - packetPs)).toBe(
        true,
      );
      expect(starts).toContain(
        Math.max(resume.timePs, ...starts.filter((startPs) => startPs <= timePs).map((startPs) => startPs + packetPs)),
      );
    }
  }
  return pauses;
}

describe('an incast into a small buffer', () => {
  // headroom: what arrives while a pause travels: 1 packet above the threshold, the pause behind nothing, 2 latencies
  // of 6,250 B, 1 on the wire
  const small: SettingChanges = {
    pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1, resumeOffset: 2000 },
    switch: { buffer: 5 * 18_750 + 40_000 },
  };

  it("pauses, resumes, drops nothing and finishes at the receiver's rate", () => {
    const fabric = star(5, latencyPs);
    const { run, watched } = watchedRun(
      fabric,
      [0, 1, 2, 3].map((host) => [host, 4, 200_000]),
      small,
    );
    expect(broken(run)).toEqual([]);
    expect(run.state).toBe('finished');
    const { pauseFrames, resumeFrames, packetsDropped, ecnMarks } = run.network.counters;
    expect(pauseFrames).toBeGreaterThan(3);
    expect([resumeFrames, packetsDropped, ecnMarks]).toEqual([pauseFrames, 0, 0]);
    expectFrameTimes(fabric, watched);
    expect(expectSilenceWhilePaused(fabric, watched)).toBe(pauseFrames);
    // PFC wastes nothing here: 800 packets into one port, one after the other, and the last acknowledgement back (60 B)
    const lastPs = Math.max(...run.flows.map(({ finishPs }) => finishPs));
    expect(lastPs).toBe(packetPs + latencyPs + 800 * packetPs + latencyPs + 2 * (60 * 80 + latencyPs));
  });

  it('pauses when the third packet of a sender waits, as computed by hand', () => {
    // Two senders in step. Buffer without headroom: pool 8,000 B, shift 1, no reserve. At the k-th arrival of each: one
    // packet leaves at once, and sender 0's packet waits if the port is busy. Waiting bytes grow by 1,000 B a packet
    // time; sender 0's k-th arrives first, sender 1's right behind it; of the packets that waited, one leaves after
    // both have arrived.
    // Pool bytes (sender 0, sender 1) after arrivals and pauses if pool bytes >= (8,000 - used) / 2:
    //   k = 1: s0 goes out; s1 waits: (0, 1)                                     1 < 3.5
    //   k = 2: s0 waits (1, 1): 1 < 3; s1 waits (1, 2): 2 < 2.5; then s1's first leaves: (1, 1)
    //   k = 3: s0 waits (2, 1): 2 < 2.5; s1 waits (2, 2): 2 >= 2: sender 1 is paused
    const fabric = star(3, latencyPs);
    const { run, watched } = watchedRun(
      fabric,
      [
        [0, 2, 50_000],
        [1, 2, 50_000],
      ],
      {
        pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1, resumeOffset: 0 },
        switch: { buffer: 3 * 18_750 + 8000 },
      },
    );
    expect(watched.sent[0]).toMatchObject({
      timePs: latencyPs + 3 * packetPs,
      port: fabric.portPeer[1]!,
      kind: Kind.pause,
    });
    expect(run.state).toBe('finished');
    expectFrameTimes(fabric, watched);
    expectSilenceWhilePaused(fabric, watched);
  });

  it('lets a pause frame wait for the data on the wire towards the sender', () => {
    const fabric = star(5, latencyPs);
    // host 4 keeps the wires to hosts 0 and 1 busy, half of the time each
    const { run, watched } = watchedRun(
      fabric,
      [
        [0, 4, 200_000],
        [1, 4, 200_000],
        [2, 4, 200_000],
        [3, 4, 200_000],
        [4, 0, 200_000],
        [4, 1, 200_000],
      ],
      small,
    );
    expectFrameTimes(fabric, watched);
    expect(watched.sent.filter(({ timePs, freeAtPs }) => freeAtPs > timePs).length).toBeGreaterThan(2);
    expectSilenceWhilePaused(fabric, watched, false);
    expect(run.network.counters.packetsDropped).toBe(0);
  });

  it('drops instead when it is off', () => {
    const { run } = watchedRun(
      star(5, latencyPs),
      [0, 1, 2, 3].map((host) => [host, 4, 200_000]),
      { pfc: { enabled: false, reserve: 0, thresholdShift: 1 }, switch: { buffer: 40_000 } },
    );
    expect(run.network.counters.pauseFrames).toBe(0);
    expect(run.network.counters.packetsDropped).toBeGreaterThan(0);
  });
});

describe('pauses further back', () => {
  const tight: SettingChanges = {
    pfc: { headroomDelays: 6, reserve: 0, thresholdShift: 1, resumeOffset: 2000 },
    switch: { buffer: 4 * 37_500 + 30_000 },
  };

  it('spread from switch to switch to the senders, and hold up a victim behind them', () => {
    const fabric = twoSwitches(latencyPs);
    const transfers: Transfer[] = [
      [0, 2, 200_000],
      [1, 2, 200_000],
      [4, 3, 200_000],
    ];
    const { run, watched } = watchedRun(fabric, transfers, tight);
    expect(broken(run)).toEqual([]);
    const pausedNodes = new Set(
      watched.acted.filter(({ isPaused }) => isPaused).map(({ port }) => fabric.portNode[port]!),
    );
    expect(pausedNodes.has(5)).toBe(true);
    expect([0, 1, 4].some((host) => pausedNodes.has(host))).toBe(true);
    expectFrameTimes(fabric, watched);
    // alone the bystander needs 16 us and the way; behind paused traffic at 10 Gb/s it needs a good part of 320 us
    const alone = watchedRun(fabric, [[4, 3, 200_000]], tight).run.flows[0]!;
    expect(run.flows.find(({ source }) => source === 4)!.finishPs).toBeGreaterThan(4 * alone.finishPs);
  });

  it('do not concern queue 0: acknowledgements in it are never paused', () => {
    const fabric = twoSwitches(latencyPs);
    const { run, watched } = watchedRun(
      fabric,
      [
        [0, 2, 200_000],
        [1, 2, 200_000],
        [2, 0, 50_000],
      ],
      { ...tight, queuePair: { ...plain.queuePair, acknowledgementPriority: 0 } },
    );
    expect(broken(run)).toEqual([]);
    expect(watched.acted.every(({ queue }) => queue === 3)).toBe(true);
  });

  it('end in a deadlock on a ring of switches whose every link waits for the next, and the run says so', () => {
    // Shortest paths of two hops around a ring of five all go the same way round: a cycle of buffers. With little
    // buffer each fills.
    const builder = new FabricBuilder();
    const n = 5;
    builder.addNodes(NodeKind.host, 2 * n);
    builder.addNodes(NodeKind.switch, n);
    for (let i = 0; i < n; i++) {
      builder.addLink(2 * i, 2 * n + i, 100e9, latencyPs);
      builder.addLink(2 * i + 1, 2 * n + i, 100e9, latencyPs);
      builder.addLink(2 * n + i, 2 * n + ((i + 1) % n), 100e9, latencyPs);
    }
    const fabric = builder.build();
    const transfers = Array.from({ length: n }, (_, i) =>
      [0, 1].map((h): Transfer => [2 * i + h, 2 * ((i + 2) % n) + h, 400_000]),
    ).flat();
    const run = engineRun(fabric, transfers, {
      settings: settingsWith({
        ...plain,
        pfc: { headroomDelays: 8, reserve: 0, thresholdShift: 0, resumeOffset: 0 },
        switch: { buffer: 4 * 50_000 + 10_000 },
      }),
    });
    expect(run.state).toBe('blocked');
    expect(broken(run)).toEqual([
      expect.stringContaining('nothing more can happen'),
      expect.stringContaining('no deadlock by PFC'),
    ]);
    // the cycle is named: the ring's five ports towards the next switch, each waiting for the next
    const ring = Array.from({ length: n }, (_, i) =>
      Array.from({ length: fabric.portCount }, (_unused, p) => p).find(
        (p) => fabric.portNode[p] === 2 * n + i && fabric.portNode[fabric.portPeer[p]!] === 2 * n + ((i + 1) % n),
      )!,
    );
    const cycle = findDeadlock(fabric, run.network.parts.ports, run.network.parts.records)!;
    const first = ring.indexOf(cycle[0]!);
    expect(cycle).toEqual(ring.map((_, i) => ring[(first + i) % n]));
    // every link of the ring is paused
    for (let i = 0; i < n; i++) {
      const from = 2 * n + i;
      const to = 2 * n + ((i + 1) % n);
      const port = Array.from({ length: fabric.portCount }, (_, p) => p).find(
        (p) => fabric.portNode[p] === from && fabric.portNode[fabric.portPeer[p]!] === to,
      )!;
      expect(run.network.parts.ports.pausedQueues(port)).toBe(1 << 3);
    }
    expect(run.network.counters.packetsDropped).toBe(0);
  });

  it('do not come from NVSwitches: they hold what waits', () => {
    const builder = new FabricBuilder(5);
    builder.addNodes(NodeKind.host, 5);
    builder.addNode(NodeKind.nvswitch);
    for (let host = 0; host < 5; host++) builder.addLink(host, 5, 100e9, latencyPs);
    const { run } = watchedRun(
      builder.build(),
      [0, 1, 2, 3].map((host) => [host, 4, 200_000]),
      { pfc: { headroomDelays: 3, reserve: 0, thresholdShift: 1 }, switch: { buffer: 5 * 18_750 + 40_000 } },
    );
    expect(run.network.counters.pauseFrames).toBe(0);
    expect([run.network.counters.packetsDropped, broken(run)]).toEqual([0, []]);
  });
});
