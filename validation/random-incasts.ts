// Random incasts on random fabrics without loops: what PFC must carry without losing a packet.
// Fabrics are trees of switches, leaf-spines and fat trees (routes go up, then down), so no cycle of pauses can
// deadlock. Every link of a tree has a rate and a latency of its own. Buffers hold what is set apart and a few packets
// on top, so that nearly every run pauses. The same seed and number give the same incast.

import { SharedBuffer } from '#weft/backends/packet/switch/shared-buffer.js';
import { mechanisms } from '#weft/backends/packet/mechanisms.js';
import type { EcnThreshold } from '#weft/backends/packet/ecn-thresholds.js';
import type { PacketSettings } from '#weft/backends/packet/settings.js';
import { RandomStream } from '#weft/base/random.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { type SettingChanges, settingsWith, type Transfer } from './engine-run.js';
import { Draw } from './draw.js';

export interface Incast {
  readonly fabric: Fabric;
  readonly transfers: readonly Transfer[];
  readonly settings: PacketSettings;
  /** what was drawn, to tell people about a run that failed */
  readonly text: string;
}

const ratesBps = [10e9, 25e9, 40e9, 100e9, 200e9, 400e9];
/** no cable at all, 1 m, 5 m, 20 m, 100 m, 200 m and 1 km of it (5 ns per metre) */
const latenciesPs = [0, 5000, 25_000, 100_000, 500_000, 1_000_000, 5_000_000];
const payloads = [256, 1000, 1024, 4096, 9000];
const algorithms = Object.keys(mechanisms.congestionControls);

/** The incast of a seed and a number. */
export function randomIncast(seed: number, number: number): Incast {
  const draw = new Draw(new RandomStream(seed, `incast ${number}`));
  const [name, fabric] = randomFabric(draw);
  const changes = randomSettings(draw);
  const { settings, poolPackets } = tightBuffer(fabric, changes, draw);
  const transfers = randomTransfers(fabric, draw);
  const text = `${name} of ${fabric.hosts.length} hosts, ${transfers.length} flows, ${poolPackets} packets beyond what is set apart, ${JSON.stringify(changes)}`;
  return { fabric, transfers, settings, text };
}

function randomFabric(draw: Draw): [name: string, fabric: Fabric] {
  switch (draw.between(0, 3)) {
    case 0:
      return ['star', tree(draw, 1, draw.between(3, 24))];
    case 1:
      return ['tree', tree(draw, draw.between(2, 6), draw.between(4, 16))];
    case 2:
      return ['leaf-spine', leafSpine(draw)];
    default:
      return ['fat tree', fatTree(draw)];
  }
}

/** Switches in a random tree, hosts with one NIC or two on any of them. */
function tree(draw: Draw, switches: number, hosts: number): Fabric {
  const builder = new FabricBuilder();
  const first = builder.addNodes(NodeKind.switch, switches);
  const cable = (a: number, b: number): void => builder.addLink(a, b, draw.of(ratesBps), draw.of(latenciesPs));
  for (let i = 1; i < switches; i++) cable(first + i, first + draw.between(0, i - 1));
  for (let i = 0; i < hosts; i++) {
    const host = builder.addNode(NodeKind.host);
    for (let nic = draw.chance(0.2) ? 2 : 1; nic > 0; nic--) cable(host, first + draw.between(0, switches - 1));
  }
  return builder.build();
}

function leafSpine(draw: Draw): Fabric {
  const [leaves, spines, perLeaf, parallel] = [
    draw.between(2, 4),
    draw.between(1, 3),
    draw.between(2, 6),
    draw.between(1, 2),
  ];
  const [hostBps, spineBps, hostPs, spinePs] = [
    draw.of(ratesBps),
    draw.of(ratesBps),
    draw.of(latenciesPs),
    draw.of(latenciesPs),
  ];
  const builder = new FabricBuilder();
  const hosts = builder.addNodes(NodeKind.host, leaves * perLeaf);
  const firstLeaf = builder.addNodes(NodeKind.switch, leaves);
  const firstSpine = builder.addNodes(NodeKind.switch, spines);
  for (let host = 0; host < leaves * perLeaf; host++)
    builder.addLink(hosts + host, firstLeaf + Math.floor(host / perLeaf), hostBps, hostPs);
  for (let leaf = 0; leaf < leaves; leaf++) {
    for (let spine = 0; spine < spines; spine++)
      for (let i = 0; i < parallel; i++) builder.addLink(firstLeaf + leaf, firstSpine + spine, spineBps, spinePs);
  }
  return builder.build();
}

/**
 * Two pods of a 4-ary fat tree: eight hosts, four edges, four aggregations, four cores; a rate and a latency for each
 * level.
 */
function fatTree(draw: Draw): Fabric {
  const builder = new FabricBuilder();
  const hosts = builder.addNodes(NodeKind.host, 8);
  const [edges, aggregations, cores] = [
    builder.addNodes(NodeKind.switch, 4),
    builder.addNodes(NodeKind.switch, 4),
    builder.addNodes(NodeKind.switch, 4),
  ];
  const level = (): ((a: number, b: number) => void) => {
    const [rateBps, latencyPs] = [draw.of(ratesBps), draw.of(latenciesPs)];
    return (a, b) => builder.addLink(a, b, rateBps, latencyPs);
  };
  const [toHosts, toEdges, toCores] = [level(), level(), level()];
  for (let host = 0; host < 8; host++) toHosts(hosts + host, edges + (host >> 1));
  for (let edge = 0; edge < 4; edge++) for (let i = 0; i < 2; i++) toEdges(edges + edge, aggregations + (edge & 2) + i);
  for (let aggregation = 0; aggregation < 4; aggregation++)
    for (let i = 0; i < 2; i++) toCores(aggregations + aggregation, cores + 2 * (aggregation & 1) + i);
  return builder.build();
}

function randomSettings(draw: Draw): SettingChanges {
  const minimumBytes = draw.between(1, 50) * 1000;
  const thresholds = ratesBps.map((rateBps): EcnThreshold => ({
    rateBps,
    minimumBytes,
    maximumBytes: minimumBytes * 4,
    probability: 0.2,
  }));
  return {
    packet: { profile: draw.of(['rocev2', 'simai']), payload: draw.of(payloads) },
    congestion: { algorithm: draw.of(algorithms) },
    // no timeouts: nothing repairs a loss that should not have been
    queuePair: {
      window: draw.of(['max-bdp', 'pair-bdp', 'unlimited', 'unlimited']),
      acknowledgementPriority: draw.of([0, 3, 5]),
      acknowledgementInterval: draw.of([1, 1, 4]),
      notificationDelay: draw.of([0, 0, 2_000_000]),
      perFlow: draw.of([1, 1, 1, 3]),
      retransmissionTimeout: 0,
    },
    ecn: { enabled: draw.chance(0.7) },
    pfc: {
      headroom: 'cable',
      threshold: draw.of(['dynamic', 'dynamic', 'static']),
      thresholdShift: draw.between(0, 5),
      staticThreshold: draw.between(1, 40_000),
      reserve: draw.of([0, 1500, 4096]),
      resumeOffset: draw.of([0, 1000, 3072, 9000]),
      responseTime: draw.of([0, 614_400, 2_000_000]),
      pauseTime: draw.of([0, 0, 0, 100_000_000]),
    },
    ecnThresholds: thresholds,
    switch: { latency: draw.of([0, 0, 300_000]) },
  };
}

/** The least buffer with room for what the largest switch sets apart and some packets. */
function tightBuffer(
  fabric: Fabric,
  changes: SettingChanges,
  draw: Draw,
): { settings: PacketSettings; poolPackets: number } {
  const plenty = 2 ** 40;
  const { packet } = settingsWith(changes);
  const { poolBytes } = new SharedBuffer(
    fabric,
    settingsWith({ ...changes, switch: { ...changes.switch, buffer: plenty } }),
  );
  const apart = plenty - Math.min(...poolBytes.filter((_, node) => fabric.nodeKind[node] === NodeKind.switch));
  const poolPackets = draw.between(1, 40);
  return {
    settings: settingsWith({
      ...changes,
      switch: { ...changes.switch, buffer: apart + poolPackets * (packet.payload + packet.header) },
    }),
    poolPackets,
  };
}

/** Many hosts to one, at once or nearly, and a few flows beside them. */
function randomTransfers(fabric: Fabric, draw: Draw): Transfer[] {
  const { hosts } = fabric;
  const receiver = draw.between(0, hosts.length - 1);
  const fanIn = draw.between(2, 24);
  const most = draw.of([1000, 20_000, 100_000]);
  const spreadPs = draw.of([0, 0, 1_000_000, 20_000_000]);
  const otherThan = (host: number): number => (host + draw.between(1, hosts.length - 1)) % hosts.length;
  const toReceiver = Array.from({ length: fanIn }, (): Transfer => [
    hosts[otherThan(receiver)]!,
    hosts[receiver]!,
    draw.between(1, most),
    draw.between(0, spreadPs),
  ]);
  const beside = Array.from({ length: draw.between(0, 6) }, (): Transfer => {
    const source = draw.between(0, hosts.length - 1);
    return [hosts[source]!, hosts[otherThan(source)]!, draw.between(1, most), draw.between(0, spreadPs)];
  });
  return [...toReceiver, ...beside].sort((a, b) => a[3]! - b[3]!);
}
