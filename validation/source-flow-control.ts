// One turn of the sawtooth of source flow control on packets: senders on one switch, each on a link of its own rate, into
// one receiver. What is seen is taken from arrivals at the switch and from its output port, nothing from a formula.

import { sfcSettings } from '#weft/backends/packet/flow-control/sfc/sfc-settings.js';
import { Kind, kindMask, PacketWord } from '#weft/backends/packet/packets.js';
import { settingDefaults } from '#weft/base/settings.js';
import type { AllValues } from '#weft/source-flow-control/conditions.js';
import { engineRun, settingsWith } from './engine-run.js';
import { star } from './fabrics.js';

/** bytes of a data packet and of a message; neither header nor gap, so that bytes in buffers are bytes on links */
export const packetBytes = 1000;
const messageBytes = 64;
const queue = 3;

/** What a round trip takes beyond its two cables each way: a message and a packet on the sender's link. */
export function transmissionPs({ alpha, bandwidthBps }: Pick<AllValues, 'alpha' | 'bandwidthBps'>): number {
  return ((packetBytes + messageBytes) * 8e12) / (alpha * bandwidthBps);
}

/** What packets did until the first of them came after the pause. */
export interface Turn {
  /** most bytes that waited for the output port, and fewest when senders were back, who are so one after the other */
  readonly peakBytes: number;
  readonly troughBytes: number;
  /** the output port had nothing to send meanwhile */
  readonly hasIdled: boolean;
  /** PFC had paused somebody by then */
  readonly hasPaused: boolean;
}

/**
 * Runs one turn. Of the values all quantities count but the buffer.
 * @param at what the threshold is about: the egress queue, or what came in by each port and waits, which is an Nth of it
 * @returns null if no packet came after a pause
 */
export function simulatedTurn(values: AllValues, at: 'egress' | 'ingress'): Turn | null {
  const { senders, alpha, bandwidthBps, rttPs, t1Ps, t2Ps, pausePs, sfcThresholdBytes, pfcThresholdBytes } = values;
  const latencyPs = Math.round((rttPs - transmissionPs(values)) / 2);
  const fabric = star(senders + 1, latencyPs, (host) => (host === senders ? bandwidthBps : alpha * bandwidthBps));
  const settings = settingsWith({
    packet: { payload: packetBytes, header: 0, gap: 0 },
    queuePair: { window: 'unlimited', priority: queue, acknowledgementPriority: 0, retransmissionTimeout: 0 },
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    // of what came in by each port: senders are alike, so together they have N times as much
    pfc: { threshold: 'static', staticThreshold: pfcThresholdBytes / senders, reserve: 0 },
    switch: { buffer: 1e9 },
    flowControl: ['pfc', 'sfc'],
    own: {
      sfc: {
        ...settingDefaults(sfcSettings),
        at,
        threshold: at === 'egress' ? sfcThresholdBytes : sfcThresholdBytes / senders,
        buildTime: Math.round(t1Ps),
        reactionTime: Math.round(t2Ps),
        pause: Math.round(pausePs),
        message: messageBytes,
      },
    },
  });
  // within two packets of each sender all are back
  const backPs = (2 * packetBytes * 8e12) / (alpha * bandwidthBps);
  let [peakBytes, lastPs, endPs] = [0, 0, Infinity];
  let turn: Turn | null = null;
  const transfers = Array.from({ length: senders }, (_, host) => [host, senders, 4e7] as const);
  engineRun(fabric, transfers, {
    settings,
    onArrival: (packet, port, { parts }) => {
      const { ports, records, flowControl, wheel } = parts;
      if ((records.words[(packet << 3) + PacketWord.head]! & kindMask) !== Kind.data) return;
      if (fabric.portNode[port] !== senders + 1) return;
      const egress = fabric.portPeer[fabric.portOffset[senders]!]!;
      const queuedBytes = ports.queueBytes(egress, queue);
      const { nowPs } = wheel;
      const hasIdled = queuedBytes === 0 && ports.freeAtPs(egress) < nowPs;
      if (turn !== null) {
        lastPs = nowPs;
        if (nowPs > endPs) return;
        const troughBytes = Math.min(turn.troughBytes, queuedBytes);
        turn = { ...turn, troughBytes, hasIdled: turn.hasIdled || hasIdled };
        return;
      }
      if (flowControl.counters['sfcPauses']! > 0 && nowPs - lastPs > pausePs / 2) {
        turn = { peakBytes, troughBytes: queuedBytes, hasIdled, hasPaused: flowControl.counters['pauseFrames']! > 0 };
        endPs = nowPs + backPs;
      }
      lastPs = nowPs;
      peakBytes = Math.max(peakBytes, queuedBytes);
    },
    mostEvents: 2_000_000,
    isOver: () => turn !== null && lastPs > endPs,
  });
  return turn;
}
