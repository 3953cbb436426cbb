// Source flow control on packets: how far its messages travel, whom they stop, and how slowly an edge switch goes on.

import { describe, expect, it } from 'vitest';
import { sfcSettings } from '../../src/backends/packet/flow-control/sfc/sfc-settings.js';
import { Kind, kindMask, PacketWord } from '../../src/backends/packet/packets.js';
import { settingDefaults } from '../../src/base/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { PauseColumn, pauseTable } from '../../src/records/probe-records.js';
import { engineRun, type EngineRun, settingsWith } from '../support/engine-run.js';
import { scenarioRun } from '../support/scenario-run.js';

const rateBps = 100e9;
const packetBytes = 1000;

/** Hosts 0 and 1 on leaves of their own and 2 on a third (nodes 3 to 5), and one spine (6). */
function threeLeaves(more: (builder: FabricBuilder, leaves: number) => void = () => {}): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, 3);
  const leaves = builder.addNodes(NodeKind.switch, 3);
  const spine = builder.addNodes(NodeKind.switch, 1);
  for (let host = 0; host < 3; host++) builder.addLink(host, leaves + host, rateBps, 500_000);
  for (let leaf = 0; leaf < 3; leaf++) builder.addLink(leaves + leaf, spine, 4 * rateBps, 500_000);
  more(builder, leaves);
  return builder.build();
}

/** Hosts 0 and 1 send 1 MB each to host 2 with source flow control beside PFC. */
function incast(
  fabric: Fabric,
  sfc: object,
  onArrival?: (packet: number, port: number, network: EngineRun['network']) => void,
): EngineRun {
  return engineRun(
    fabric,
    [
      [0, 2, 1e6],
      [1, 2, 1e6],
    ],
    {
      settings: settingsWith({
        packet: { payload: packetBytes, header: 0, gap: 0 },
        queuePair: { window: 'unlimited', acknowledgementPriority: 0 },
        congestion: { algorithm: 'none' },
        flowControl: ['pfc', 'sfc'],
        own: { sfc: { ...settingDefaults(sfcSettings), threshold: 50_000, pause: 20e6, ...sfc } },
      }),
      ...(onArrival === undefined ? {} : { onArrival }),
    },
  );
}

const countersOf = ({ network }: EngineRun): Record<string, number> =>
  network.counters as unknown as Record<string, number>;

function sound(run: EngineRun): void {
  expect(run.state).toBe('finished');
  expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([]);
}

describe('a message', () => {
  it.each([
    // from leaf 5 over the spine: to the host, or taken at the leaf before it
    ['end-station', 3],
    ['proxy', 2],
  ])('crosses the links up to whom it is for: %s', (reaction, links) => {
    const run = incast(threeLeaves(), { reaction });
    sound(run);
    const { packetHops, dataPacketsSent, acknowledgementsSent, sfcMessages } = countersOf(run);
    expect(sfcMessages).toBeGreaterThan(3);
    // 4 links from host to host
    expect(packetHops! - 4 * (dataPacketsSent! + acknowledgementsSent!)).toBe(links * sfcMessages!);
  });

  it.each(['end-station', 'proxy', 'bridge'])('finds a host with ports on two leaves: %s', (reaction) => {
    const fabric = threeLeaves((builder, leaves) => {
      builder.addLink(0, leaves + 1, rateBps, 500_000);
      builder.addLink(1, leaves, rateBps, 500_000);
    });
    const run = incast(fabric, { reaction });
    sound(run);
    const { sfcMessages, sfcMessagesLost, sfcPauses } = countersOf(run);
    expect(sfcMessages).toBeGreaterThan(3);
    expect(sfcMessagesLost).toBe(0);
    expect(sfcPauses).toBeGreaterThan(3);
  });
});

describe('an edge switch that goes on slowly', () => {
  it.each([0.1, 0.5])('sends a stopped flow at its share of the link: %d', (bridgeShare) => {
    const at: number[] = [];
    const run = incast(threeLeaves(), { reaction: 'bridge', bridgeShare, pause: 1e9 }, (packet, port, { parts }) => {
      const { words } = parts.records;
      const isData = (words[(packet << 3) + PacketWord.head]! & kindMask) === Kind.data;
      const isOfFirst = parts.pairs.source[words[(packet << 3) + PacketWord.pair]!] === 0;
      if (isData && isOfFirst && parts.fabric.portNode[port] === 6) at.push(parts.wheel.nowPs);
    });
    sound(run);
    expect(at.length).toBe(1000);
    const gaps = at.slice(1).map((ps, i) => ps - at[i]!);
    const linePs = (packetBytes * 8e12) / rateBps;
    // at line rate until the message comes, then by the share; the sender has 1 MB, all of it before the pause ends
    const first = gaps.findIndex((ps) => ps > 1.5 * linePs);
    expect(first).toBeGreaterThan(0);
    const paused = gaps.slice(first + 1);
    const perPs = Math.round(linePs / bridgeShare);
    const slow = paused.filter((ps) => ps === perPs).length;
    // a pause of 1 ms lets 12.5 MB x share through, at most the whole flow
    expect(slow).toBeGreaterThan(0.9 * Math.min(paused.length, (1e9 / perPs) | 0));
    expect(paused.slice(0, slow)).toEqual(Array.from({ length: slow }, () => perPs));
  });
});

it.each(['end-station', 'proxy'])('a pause of a host names the switch that is congested: %s', async (reaction) => {
  const { sink, summary } = await scenarioRun(
    `fabric: { generate: leaf-spine, leaves: 2, spines: 6, hostsPerLeaf: 3 }
traffic: { transfers: [ { source: 0, destination: 3, size: 1MB }, { source: 1, destination: 3, size: 1MB }, { source: 2, destination: 3, size: 1MB } ] }
congestion: { algorithm: none }
queuePair: { window: unlimited }
flowControl: [pfc, sfc]
sfc: { reaction: ${reaction}, threshold: 50kB, pause: 20us }
routing: { balancing: spray }
probes: { pauses: true }
`,
    [],
  );
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  const column = (which: number): number[] => [...sink.column(pauseTable, which)];
  // hosts 0 to 5, leaves 6 and 7: the queue before host 3 stands on its leaf, the hosts that are paused on the other
  const [near, far] = [6, 7];
  expect(new Set(column(PauseColumn.causeNode))).toEqual(new Set([far]));
  expect(new Set(column(PauseColumn.node))).toEqual(new Set([near]));
});
