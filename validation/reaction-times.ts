// How long PFC, DCQCN and source flow control take to stop an incast: from the moment at which the congested queue calls
// for it until senders send, and until the congested switch gets, at most a quarter of what they did.
// Seven hosts on one leaf send to one host on another over eight spines, packet by packet, all links alike.
// Of PFC besides: how long one port takes that has sent a frame. Of DCQCN besides: what its time is made of.

import { sfcSettings } from '#weft/backends/packet/flow-control/sfc/sfc-settings.js';
import { PriorityFlowControl } from '#weft/backends/packet/flow-control/pfc.js';
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
const meanBins = 10;
/** of payload and header */
const packetBytes = 4158;
/** A port by which no packet has come for this long has stopped: without pauses there is one every 0.4 us. */
const stillPs = 2_000_000;

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
  /** of the congested switch's ports by which the incast comes: the longest from its first PFC frame to its last packet; null: there was no frame */
  readonly portPs: number | null;
}

const sfc = (reaction: 'end-station' | 'proxy', more: object = {}): SettingChanges => ({
  flowControl: ['pfc', 'sfc'],
  own: { sfc: { ...settingDefaults(sfcSettings), reaction, threshold: 200_000, pause: 50e6, ...more } },
});
const pfc = (staticThreshold: number): SettingChanges => ({ pfc: { threshold: 'static', staticThreshold } });

/** The marks of a queue of 100 Gb/s from 400 kB on, as usual; or of every packet. */
const everyPacket = [{ rateBps, minimumBytes: 400_000, maximumBytes: 400_001, probability: 1 }];

/** DCQCN with CNPs so many microseconds apart, which come from their receiver 1 us after the mark. */
export const dcqcnWith = (
  notificationUs: number,
  constants: Partial<SettingChanges['dcqcn']> = {},
): SettingChanges => ({
  congestion: { algorithm: 'dcqcn' },
  ecn: { enabled: true },
  queuePair: { notificationInterval: notificationUs * 1e6, notificationDelay: 1e6 },
  dcqcn: { decreaseInterval: 50e6, ...constants },
});

const byMessage = { sender: { most: 10 }, ingress: { most: 15 } };

export const schemes: readonly Scheme[] = [
  { name: 'PFC, 50 kB a port', changes: pfc(50_000), thresholdBytes: null },
  { name: 'PFC, 200 kB a port', changes: pfc(200_000), thresholdBytes: null },
  { name: 'PFC, 1 MB a port', changes: pfc(1_000_000), thresholdBytes: null, sender: { least: 50 } },
  {
    name: 'DCQCN, a CNP at most every 50 us',
    changes: dcqcnWith(50),
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

const steadyAlpha = { alphaInterval: 55e6 };
const atOnce = { decreaseInterval: 4e6 };

/** DCQCN of the table above with one thing changed after another: where its time goes. */
export const dcqcnSteps: readonly Scheme[] = (
  [
    ['as above: first cut 50 us after the first CNP, alpha updated every 1 us', dcqcnWith(50)],
    ['alpha updated every 55 us', dcqcnWith(50, steadyAlpha)],
    ['a cut within 4 us of a CNP', dcqcnWith(50, atOnce)],
    ['both, as in the paper', dcqcnWith(50, { ...steadyAlpha, ...atOnce })],
    [
      'and every packet marked from 400 kB on',
      { ...dcqcnWith(50, { ...steadyAlpha, ...atOnce }), ecnThresholds: everyPacket },
    ],
    ['and a CNP every 10 us', { ...dcqcnWith(10, { ...steadyAlpha, ...atOnce }), ecnThresholds: everyPacket }],
    ['a CNP for every mark, all else by default', dcqcnWith(0, atOnce)],
    ['as in the first line, g = 1/64', dcqcnWith(50, { gain: 1 / 64 })],
  ] as const
).map(([name, changes]) => ({ name, changes, thresholdBytes: null }));

/** Hosts 0 to 6 on one leaf, 7 on the other. */
export function incastFabric(): Fabric {
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
  const fabric = incastFabric();
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
  /** by port of the congested switch: when it first called for a frame, whether it has stopped since, its last packet until then */
  const framePs = new Float64Array(fabric.portCount).fill(Infinity);
  const hasStopped = new Uint8Array(fabric.portCount);
  const lastPs = new Float64Array(fabric.portCount);
  const transfers = Array.from({ length: senders }, (_, host) => [host, senders, 20e6] as const);
  engineRun(fabric, transfers, {
    settings,
    untilPs: binPs * bins,
    onArrival: (packet, port, { parts }) => {
      const head = parts.records.words[(packet << 3) + PacketWord.head]!;
      const node = fabric.portNode[port]!;
      const sender = fabric.portPeer[port]!;
      if ((head & kindMask) !== Kind.data || (node !== nearLeaf && node !== farLeaf)) return;
      const { flowControl, wheel } = parts;
      const { nowPs } = wheel;
      const isFromHost = fabric.portNode[sender]! < senders;
      // what a sender's link takes and the cable lie before its arrival
      const atPs = isFromHost ? parts.ports.sentAtPs(packet) : nowPs;
      if (node === farLeaf && flowControl instanceof PriorityFlowControl) {
        // a frame goes out when a packet has come in; it is seen at the next one
        if (framePs[port] === Infinity && flowControl.pausedUpstream[port] !== 0) framePs[port] = lastPs[port]!;
        if (hasStopped[port] === 0 && (framePs[port] === Infinity || nowPs - lastPs[port]! < stillPs))
          lastPs[port] = nowPs;
        else hasStopped[port] = 1;
      }
      const bin = Math.floor(atPs / binPs);
      const into = isFromHost ? sent : come;
      if (bin < bins && (isFromHost || node === farLeaf)) into[bin]! += head >> bytesShift;
      const isCalled =
        thresholdBytes !== null
          ? parts.ports.queueBytes(egress, settings.queuePair.priority) >= thresholdBytes
          : parts.marking.marks > 0 || flowControl.counters['pauseFrames']! > 0;
      if (isCalled && nowPs < callPs) callPs = nowPs;
    },
  });
  const paused = [...framePs.keys()].filter((port) => framePs[port]! < Infinity);
  return {
    senderPs: quietAfter(sent, callPs),
    ingressPs: quietAfter(come, callPs),
    portPs: paused.length === 0 ? null : Math.max(...paused.map((port) => Math.max(0, lastPs[port]! - framePs[port]!))),
  };
}

/**
 * From a call until the first whole bin with at most a quarter of the senders' rate that begins ten bins with no more in
 * the mean, but for a packet: at a little more than a quarter some bins have fewer packets than others.
 */
function quietAfter(bytes: Float64Array, callPs: number): number {
  const mostBytes = ((senders * rateBps) / 4 / 8e12) * binPs;
  for (let bin = Math.ceil(callPs / binPs); bin + meanBins <= bins; bin++) {
    const sumBytes = bytes.subarray(bin, bin + meanBins).reduce((sum, value) => sum + value, 0);
    if (bytes[bin]! <= mostBytes && sumBytes <= meanBins * mostBytes + packetBytes)
      return Math.max(0, bin * binPs - callPs);
  }
  return Infinity;
}
