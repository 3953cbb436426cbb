// The packets of profile rocev2 on the wire and in buffers, against hand computations: at 100 Gb/s a byte takes 80 ps.
// A full data packet is 14 + 20 + 8 + 12 + 4096 + 4 + 4 = 4158 B and takes 4178 B of link time, an ACK 66 and 86, a PFC
// frame 64 and 84.

import { describe, expect, it } from 'vitest';
import { Kind } from '../../src/backends/packet/packets.js';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { star } from '../../validation/fabrics.js';
import { packetFacts } from '../support/engine-records.js';
import { broken, engineRun, settingsWith, type SettingChanges } from '../support/engine-run.js';

const bytePs = 80;
const latencyPs = 1_000_000;
const unlimited: SettingChanges = { queuePair: { window: 'unlimited' }, ecn: { enabled: false } };

/** Two hosts, and switches between them: `links` links in all. */
function line(links: number): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 2);
  let last = 0;
  for (let i = 1; i < links; i++) {
    const node = builder.addNode(NodeKind.switch);
    builder.addLink(last, node, 100e9, latencyPs);
    last = node;
  }
  builder.addLink(last, 1, 100e9, latencyPs);
  return builder.build();
}

it('is the default, with sizes that add up', () => {
  const [ethernet, ipv4, udp, baseTransportHeader, icrc, fcs, aeth] = [14, 20, 8, 12, 4, 4, 4];
  const header = ethernet + ipv4 + udp + baseTransportHeader + icrc + fcs;
  expect(defaultPacketSettings().packet).toEqual({
    profile: 'rocev2',
    payload: 4096,
    header,
    acknowledgement: header + aeth,
    notification: header + 16,
    pauseFrame: 64,
    gap: 8 + 12,
  });
  expect(defaultPacketSettings('simai').packet).toEqual({
    profile: 'simai',
    payload: 9000,
    header: 52,
    acknowledgement: 60,
    notification: 60,
    pauseFrame: 43,
    gap: 0,
  });
});

describe('one flow', () => {
  it.each([
    [1, 1, 4096],
    [2, 5, 4],
    [3, 40, 1000],
    [6, 200, 4095],
  ])('over %i links with %i full packets and one of %i B takes the time of the pipeline', (links, full, rest) => {
    // every packet and every acknowledgement with 20 B of preamble and gap; a last packet shorter than an ACK would let
    // ACKs queue
    const fullPs = (4096 + 82) * bytePs;
    const completionPs =
      (links - 1 + full) * fullPs + (rest + 82) * bytePs + links * 86 * bytePs + 2 * links * latencyPs;
    const run = engineRun(line(links), [[0, 1, full * 4096 + rest]], { settings: settingsWith(unlimited) });
    expect(broken(run)).toEqual([]);
    expect(run.flows[0]!.finishPs).toBe(completionPs);
    // SimAI's estimate with what every packet takes of the link: 2 x latency, a payload per link, all packets
    expect(run.flows[0]!.idealPs).toBe(
      2 * links * latencyPs + links * 4096 * bytePs + full * fullPs + (rest + 82) * bytePs,
    );
  });

  it('has packets of 4158 B and acknowledgements of 66 B, which arrive every 4178 B of link time', () => {
    const data: { timePs: number; bytes: number }[] = [];
    const replies: { timePs: number; bytes: number }[] = [];
    engineRun(line(1), [[0, 1, 3 * 4096]], {
      settings: settingsWith(unlimited),
      onArrival: (packet, _port, network) => {
        const { kind, wireBytes } = packetFacts(network.parts, packet);
        (kind === Kind.data ? data : replies).push({ timePs: network.nowPs, bytes: wireBytes });
      },
    });
    const arrivals = [1, 2, 3].map((k) => k * 4178 * bytePs + latencyPs);
    expect(data).toEqual(arrivals.map((timePs) => ({ timePs, bytes: 4158 })));
    expect(replies).toEqual(arrivals.map((timePs) => ({ timePs: timePs + 86 * bytePs + latencyPs, bytes: 66 })));
  });

  it('is paced by link time: at a quarter of line rate every fourth slot is its own, at line rate every one', () => {
    for (const [rateBps, slots] of [
      [25e9, 4],
      [100e9, 1],
    ] as const) {
      const run = engineRun(line(2), [[0, 1, 60 * 4096]], {
        settings: settingsWith(unlimited),
        prepare: (network) => {
          network.parts.congestion.start = (pair) => network.parts.rates.setRate(pair, rateBps);
        },
      });
      expect(run.flows[0]!.finishPs).toBe(
        59 * slots * 4178 * bytePs + 2 * 4178 * bytePs + 2 * 86 * bytePs + 4 * latencyPs,
      );
    }
  });

  it('never sleeps between two packets at line rate', () => {
    // a pace event would be an event more: each packet is an arrival per link, each but the first a port-free event at
    // its NIC, each ACK two arrivals
    const count = 50;
    const run = engineRun(line(2), [[0, 1, count * 4096]], {
      settings: settingsWith({ ...unlimited, queuePair: { window: 'unlimited', retransmissionTimeout: 0 } }),
    });
    const unpaced = engineRun(line(2), [[0, 1, count * 4096]], {
      settings: settingsWith({
        ...unlimited,
        queuePair: { window: 'unlimited', rateBound: false, retransmissionTimeout: 0 },
      }),
    });
    expect(run.network.counters.events).toBe(unpaced.network.counters.events);
    expect(run.flows).toEqual(unpaced.flows);
  });
});

it('holds packets in buffers without preamble and gap', () => {
  // four packets arrive at one instant for the same host: the first goes out at once, the others wait
  const fabric = star(5, latencyPs);
  const output = fabric.portPeer[fabric.portOffset[0]!]!;
  const waiting: number[] = [];
  const held: number[] = [];
  engineRun(
    fabric,
    [1, 2, 3, 4].map((host) => [host, 0, 4096] as const),
    {
      settings: settingsWith({ ...unlimited, pfc: { reserve: 0 } }),
      onArrival: (packet, port, network) => {
        if (packetFacts(network.parts, packet).kind !== Kind.data || fabric.portNode[port] === 0) return;
        waiting.push(network.parts.ports.queueBytes(output, 3));
        held.push(network.parts.buffer.poolUsed[fabric.portNode[port]!]!);
      },
    },
  );
  expect(waiting).toEqual([0, 0, 4158, 2 * 4158]);
  expect(held).toEqual(waiting);
});

it('sends PFC frames that take 84 B of link time', () => {
  // the first pause goes out before anything else has gone that way, so that nothing holds it up
  const fabric = star(5, latencyPs);
  const sentPs: number[] = [];
  const actedPs: number[] = [];
  const run = engineRun(
    fabric,
    [1, 2, 3, 4].map((host) => [host, 0, 100 * 4096] as const),
    {
      settings: settingsWith({
        ...unlimited,
        pfc: { reserve: 0, headroom: 'delays', headroomDelays: 8, responseTime: 300_000, thresholdShift: 1 },
        switch: { buffer: 5 * 100_000 + 20_000 },
      }),
      prepare: (network) => {
        const { ports } = network.parts;
        const [sendControl, setPaused] = [ports.sendControl.bind(ports), ports.setPaused.bind(ports)];
        ports.sendControl = (port, frame) => {
          expect(packetFacts(network.parts, frame)).toMatchObject({ wireBytes: 64 });
          sentPs.push(network.nowPs);
          sendControl(port, frame);
        };
        ports.setPaused = (port, queue, isPaused) => {
          actedPs.push(network.nowPs);
          setPaused(port, queue, isPaused);
        };
      },
    },
  );
  expect(broken(run)).toEqual([]);
  expect(actedPs[0]).toBe(sentPs[0]! + 84 * bytePs + latencyPs + 300_000);
});
