// How long PFC, DCQCN and source flow control take to stop an incast: from the moment at which the congested queue calls
// for it until senders send, and until the congested switch gets, at most a quarter of what they did.
// Seven hosts on one leaf send to one host on another over eight spines, packet by packet, all links alike.

import { sfcSettings } from '#weft/backends/packet/flow-control/sfc/sfc-settings.js';
import { bytesShift, Kind, kindMask, PacketWord } from '#weft/backends/packet/packets.js';
import { settingDefaults } from '#weft/base/settings.js';
import { type Fabric, FabricBuilder, NodeKind } from '#weft/fabric/fabric.js';
import { engineRun, type SettingChanges, settingsWith } from './engine-run.js';

const senders = 7;
const spines = 8;
const rateBps = 100e9;
const latencyPs = 500_000;
const binPs = 1_000_000;
const bins = 400;

/** A way to stop an incast, with its thresholds. */
export interface Scheme {
  readonly name: string;
  readonly changes: SettingChanges;
  /** the queue calls for it from this many bytes on, in all; null: from its first mark or PFC frame on */
  readonly thresholdBytes: number | null;
  /** microseconds that the source's table has for it; left out: it has none */
  readonly sender?: { readonly least?: number; readonly most?: number };
  readonly ingress?: { readonly least?: number; readonly most?: number };
}

export interface ReactionTimes {
  /** picoseconds from the call until the senders, and until what comes to the congested switch; Infinity: never */
  readonly senderPs: number;
  readonly ingressPs: number;
}

const sfc = (reaction: 'end-station' | 'proxy', more: object = {}): SettingChanges => ({
  flowControl: ['pfc', 'sfc'],
  own: { sfc: { ...settingDefaults(sfcSettings), reaction, threshold: 200_000, pause: 50e6, ...more } },
});
const pfc = (staticThreshold: number): SettingChanges => ({ pfc: { threshold: 'static', staticThreshold } });

const byMessage = { sender: { most: 10 }, ingress: { most: 15 } };

export const schemes: readonly Scheme[] = [
  { name: 'PFC, 50 kB a port', changes: pfc(50_000), thresholdBytes: null },
  { name: 'PFC, 200 kB a port', changes: pfc(200_000), thresholdBytes: null },
  { name: 'PFC, 1 MB a port', changes: pfc(1_000_000), thresholdBytes: null, sender: { least: 50 } },
  {
    name: 'DCQCN, a CNP at most every 50 us',
    changes: {
      congestion: { algorithm: 'dcqcn' },
      ecn: { enabled: true },
      queuePair: { notificationInterval: 50e6, notificationDelay: 1e6 },
      dcqcn: { decreaseInterval: 50e6 },
    },
    thresholdBytes: null,
    sender: { least: 100 },
    ingress: { least: 100 },
  },
  {
    name: 'SFC at the end station, t1 = t2 = 1 us',
    changes: sfc('end-station'),
    thresholdBytes: 200_000,
    ...byMessage,
  },
  { name: 'SFC by a proxy, t1 = t2 = 1 us', changes: sfc('proxy'), thresholdBytes: 200_000, ...byMessage },
  {
    name: 'SFC at the end station, t1 = t2 = 5 us',
    changes: sfc('end-station', { buildTime: 5e6, reactionTime: 5e6 }),
    thresholdBytes: 200_000,
  },
];

/** Hosts 0 to 6 on one leaf, 7 on the other. */
function fabricOf(): Fabric {
  const builder = new FabricBuilder();
  builder.addNodes(NodeKind.host, senders + 1);
  const leaves = builder.addNodes(NodeKind.switch, 2);
  const first = builder.addNodes(NodeKind.switch, spines);
  for (let host = 0; host <= senders; host++)
    builder.addLink(host, leaves + (host === senders ? 1 : 0), rateBps, latencyPs);
  for (let leaf = 0; leaf < 2; leaf++)
    for (let spine = 0; spine < spines; spine++) builder.addLink(leaves + leaf, first + spine, rateBps, latencyPs);
  return builder.build();
}

/** Runs an incast under a scheme. */
export function reactionTimes({ changes, thresholdBytes }: Scheme): ReactionTimes {
  const fabric = fabricOf();
  const [nearLeaf, farLeaf] = [senders + 1, senders + 2];
  const sent = new Float64Array(bins);
  const come = new Float64Array(bins);
  const egress = fabric.portPeer[fabric.portOffset[senders]!]!;
  const settings = settingsWith({
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    balancing: 'spray',
    reorder: { buffer: 1e9 },
    switch: { buffer: 256e6 },
    pfc: { threshold: 'static', staticThreshold: 4_000_000 },
    ...changes,
    queuePair: { window: 'unlimited', acknowledgementPriority: 0, ...changes.queuePair },
  });
  let callPs = Infinity;
  const transfers = Array.from({ length: senders }, (_, host) => [host, senders, 20e6] as const);
  engineRun(fabric, transfers, {
    settings,
    untilPs: binPs * bins,
    onArrival: (packet, port, { parts }) => {
      const head = parts.records.words[(packet << 3) + PacketWord.head]!;
      const node = fabric.portNode[port]!;
      if ((head & kindMask) !== Kind.data || (node !== nearLeaf && node !== farLeaf)) return;
      const { nowPs } = parts.wheel;
      const isFromHost = fabric.portNode[fabric.portPeer[port]!]! < senders;
      // what a sender's link takes and the cable lie before its arrival
      const atPs = isFromHost ? parts.ports.sentAtPs(packet) : nowPs;
      const bin = Math.floor(atPs / binPs);
      const into = isFromHost ? sent : come;
      if (bin < bins && (isFromHost || node === farLeaf)) into[bin]! += head >> bytesShift;
      const isCalled =
        thresholdBytes !== null
          ? parts.ports.queueBytes(egress, settings.queuePair.priority) >= thresholdBytes
          : parts.marking.marks > 0 || parts.flowControl.counters['pauseFrames']! > 0;
      if (isCalled && nowPs < callPs) callPs = nowPs;
    },
  });
  return { senderPs: quietAfter(sent, callPs), ingressPs: quietAfter(come, callPs) };
}

/** From a call until the first whole bin with at most a quarter of the senders' rate. */
function quietAfter(bytes: Float64Array, callPs: number): number {
  const mostBytes = ((senders * rateBps) / 4 / 8e12) * binPs;
  for (let bin = Math.ceil(callPs / binPs); bin < bins; bin++)
    if (bytes[bin]! <= mostBytes) return Math.max(0, bin * binPs - callPs);
  return Infinity;
}
