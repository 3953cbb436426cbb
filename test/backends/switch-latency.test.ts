// The time that switches take: closed forms of completion and ideal times, windows that grow with it, PFC frames that
// do not take it.

import { describe, expect, it } from 'vitest';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { portLatencyPs, withForwardingLatency } from '../../src/fabric/forwarding-latency.js';
import { largestBdpBytes, largestRoundTripPs } from '../../src/routing/base-delay.js';
import { EqualCostRoutes } from '../../src/routing/equal-cost.js';
import { PathTracer } from '../../src/routing/path.js';
import { broken, engineRun, settingsWith, type SettingChanges, type Transfer } from '../support/engine-run.js';

const latencyPs = 500_000;
const switchPs = 300_000;
const nvswitchPs = 70_000;
const times = { latency: switchPs, nvswitchLatency: nvswitchPs };

/** Host 0, n - 1 switches, host 1 at 100 Gb/s. */
function line(links: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  const first = builder.addNodes(NodeKind.switch, links - 1);
  for (let i = 0; i < links; i++)
    builder.addLink(i === 0 ? 0 : first + i - 1, i === links - 1 ? 1 : first + i, 100e9, latencyPs);
  return builder.build();
}

/** Two GPUs of a server on an NVSwitch, and a switch above both. */
function server(): Fabric {
  const builder = new FabricBuilder(2);
  builder.addNodes(NodeKind.host, 2);
  const nvswitch = builder.addNode(NodeKind.nvswitch);
  const leaf = builder.addNode(NodeKind.switch);
  for (const host of [0, 1]) builder.addLink(host, nvswitch, 400e9, latencyPs);
  for (const host of [0, 1]) builder.addLink(host, leaf, 100e9, latencyPs);
  return builder.build();
}

/** No headers, ACKs of 60 B, no gap: 80 ps a byte at 100 Gb/s. */
const plain = {
  packet: { profile: 'simai', payload: 1000, header: 0 },
  queuePair: { window: 'unlimited' },
  ecn: { enabled: false },
} satisfies SettingChanges;

describe('switch.latency', () => {
  it.each([2, 3, 6])('is taken once at each switch there and back, over %i links', (n) => {
    const run = engineRun(line(n), [[0, 1, 20_000]], { settings: settingsWith({ ...plain, switch: times }) });
    // the pipeline of 20 packets over n links, the last one's ACK, cables and switches both ways
    const [row] = run.flows;
    expect(row!.finishPs).toBe((19 + n) * 80_000 + n * 4800 + 2 * n * latencyPs + 2 * (n - 1) * switchPs);
    // SimAI's estimate: round trip with one payload per link, and all bytes once more
    expect(row!.idealPs).toBe(2 * n * latencyPs + 2 * (n - 1) * switchPs + n * 80_000 + 20 * 80_000);
    expect(broken(run)).toEqual([]);
  });

  it('is part of the round trip that windows stand for, so a flow alone keeps its rate', () => {
    const fabric = withForwardingLatency(line(4), times);
    const tracer = new PathTracer(new EqualCostRoutes(fabric, 'descending-node-id'));
    const roundTripPs = 8 * latencyPs + 6 * switchPs + 4 * 80_000;
    expect([largestRoundTripPs(tracer, 1000), largestBdpBytes(tracer, 1000)]).toEqual([roundTripPs, roundTripPs / 80]);
    for (const window of ['max-bdp', 'pair-bdp'] as const) {
      const run = engineRun(line(4), [[0, 1, 2_000_000]], {
        settings: settingsWith({ ...plain, queuePair: { window }, switch: times }),
      });
      // as fast as without a window, give or take the ACK's way, which the window does not count
      const freePs = 2003 * 80_000 + 4 * 4800 + 8 * latencyPs + 6 * switchPs;
      expect(run.flows[0]!.finishPs / freePs).toBeGreaterThanOrEqual(1);
      expect(run.flows[0]!.finishPs / freePs).toBeLessThan(1.01);
    }
  });

  it('holds for NVSwitches by its own setting, also where an NVSwitch is the end of the way', () => {
    const settings = settingsWith({ ...plain, switch: times });
    // 1,000 B at 400 Gb/s: 20 ns; ACK 1.2 ns
    expect(engineRun(server(), [[0, 1, 1000]], { settings }).flows[0]!.finishPs).toBe(
      2 * 20_000 + 2 * 1200 + 4 * latencyPs + 2 * nvswitchPs,
    );
    const [up] = engineRun(server(), [[0, 2, 1000]], { settings }).flows;
    expect(up!.finishPs).toBe(20_000 + 1200 + 2 * latencyPs + nvswitchPs);
    const [down] = engineRun(server(), [[2, 0, 1000]], { settings }).flows;
    expect(down!.finishPs).toBe(20_000 + 1200 + 2 * latencyPs + nvswitchPs);
  });

  it('is a property of the device at the far end of a port', () => {
    const fabric = withForwardingLatency(server(), times);
    const byPeer = Array.from({ length: fabric.portCount }, (_, port) => [
      fabric.nodeKind[fabric.portNode[fabric.portPeer[port]!]!]!,
      portLatencyPs(fabric, port) - latencyPs,
    ]);
    const wanted: Readonly<Record<number, number>> = {
      [NodeKind.host]: 0,
      [NodeKind.switch]: switchPs,
      [NodeKind.nvswitch]: nvswitchPs,
    };
    for (const [kind, extraPs] of byPeer) expect(extraPs).toBe(wanted[kind!]);
  });

  it('is not taken by PFC frames, and headroom by cable counts it', () => {
    // two senders on one switch, a slow receiver behind a second
    const builder = new FabricBuilder();
    builder.addNodes(NodeKind.host, 3);
    builder.addNodes(NodeKind.switch, 2);
    for (const host of [0, 1]) builder.addLink(host, 3, 100e9, latencyPs);
    builder.addLink(3, 4, 100e9, latencyPs);
    builder.addLink(4, 2, 10e9, latencyPs);
    const sent: { timePs: number; port: number; freeAtPs: number }[] = [];
    const acted: { timePs: number; port: number }[] = [];
    const fabric = builder.build();
    const run = engineRun(
      fabric,
      [0, 1].map((host): Transfer => [host, 2, 400_000]),
      {
        settings: settingsWith({
          ...plain,
          pfc: { headroom: 'cable', responseTime: 0, reserve: 0, thresholdShift: 1 },
          switch: { ...times, buffer: 120_000 },
        }),
        prepare: ({ parts: { ports } }: PacketNetwork) => {
          const [sendControl, setPaused] = [ports.sendControl.bind(ports), ports.setPaused.bind(ports)];
          ports.sendControl = (port, frame) => {
            sent.push({ timePs: ports.nowPs, port, freeAtPs: ports.freeAtPs(port) });
            sendControl(port, frame);
          };
          ports.setPaused = (port, queue, isPaused) => {
            acted.push({ timePs: ports.nowPs, port });
            setPaused(port, queue, isPaused);
          };
        },
      },
    );
    expect(broken(run)).toEqual([]);
    // between the switches, too: 43 B and the cable, behind what is on the wire
    const between = sent.filter(({ port }) => fabric.portNode[port] === 4);
    expect(between.length).toBeGreaterThan(3);
    const heard = acted.filter(({ port }) => fabric.portNode[port] === 3);
    expect(heard.map(({ timePs }) => timePs)).toEqual(
      between.map(({ timePs, freeAtPs }) => Math.max(timePs, freeAtPs) + 43 * 80 + latencyPs),
    );
  });
});
