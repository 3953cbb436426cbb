// What DCQCN's rates do while senders rest: seven hosts on one leaf send bursts to one host on another, on standing queue
// pairs, with a gap after each. Rates and queue are looked at packet by packet.

import { Kind, kindMask, PacketWord } from '#weft/backends/packet/packets.js';
import { SenderPaces } from '#weft/execution/sender-paces.js';
import { engineRun, type SettingChanges, settingsWith } from './engine-run.js';
import { incastFabric } from './reaction-times.js';

const senders = 7;
const rateBps = 100e9;
const packetsOfBurst = 1000;
const payloadBytes = 4000;
const bursts = 3;

export interface OffPhase {
  /** mean over senders and gaps of the sender's rate over its link's, at the last packet before a gap and the first one after it */
  readonly before: number;
  readonly after: number;
  /** most bytes that wait for the receiver: until somebody begins his second burst, and from then on */
  readonly firstPeakBytes: number;
  readonly laterPeakBytes: number;
  /** mean from the first to the last packet of a burst but the first, in picoseconds */
  readonly burstPs: number;
  readonly pauseFrames: number;
}

/** Runs bursts of 4 MB with gaps under DCQCN or something else. */
export function offPhase(changes: SettingChanges, gapPs: number): OffPhase {
  const fabric = incastFabric();
  const nearLeaf = senders + 1;
  const egress = fabric.portPeer[fabric.portOffset[senders]!]!;
  const settings = settingsWith({
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    balancing: 'spray',
    reorder: { buffer: 1e9 },
    switch: { buffer: 256e6 },
    pfc: { threshold: 'static', staticThreshold: 4_000_000 },
    packet: { payload: payloadBytes },
    ...changes,
    queuePair: { window: 'unlimited', acknowledgementPriority: 0, ...changes.queuePair },
  });
  const paces = new SenderPaces();
  for (let host = 0; host < senders; host++)
    paces.set(host, { rateBps: Infinity, burstBytes: packetsOfBurst * payloadBytes, gapPs });
  const [before, after, times]: [number[], number[], number[]] = [[], [], []];
  const beganPs = new Float64Array(senders);
  let [firstPeakBytes, laterPeakBytes, isLater] = [0, 0, false];
  const sizeBytes = bursts * packetsOfBurst * payloadBytes;
  const run = engineRun(
    fabric,
    Array.from({ length: senders }, (_, host) => [host, senders, sizeBytes] as const),
    {
      settings,
      paces,
      onArrival: (packet, port, { parts: { records, pairs, ports } }) => {
        const { words } = records;
        const at = packet << 3;
        if ((words[at + PacketWord.head]! & kindMask) !== Kind.data) return;
        const queuedBytes = ports.queueBytes(egress, settings.queuePair.priority);
        if (isLater) laterPeakBytes = Math.max(laterPeakBytes, queuedBytes);
        else firstPeakBytes = Math.max(firstPeakBytes, queuedBytes);
        const host = fabric.portNode[fabric.portPeer[port]!]!;
        if (fabric.portNode[port] !== nearLeaf || host >= senders) return;
        const sequence = words[at + PacketWord.sequence]!;
        const share = pairs.rateBps[words[at + PacketWord.pair]!]! / rateBps;
        const sentPs = ports.sentAtPs(packet);
        const place = sequence % packetsOfBurst;
        if (place === 0) {
          beganPs[host] = sentPs;
          if (sequence > 0) {
            after.push(share);
            isLater = true;
          }
        } else if (place === packetsOfBurst - 1) {
          if (sequence < sizeBytes / payloadBytes - 1) before.push(share);
          if (sequence >= packetsOfBurst) times.push(sentPs - beganPs[host]!);
        }
      },
    },
  );
  if (run.state !== 'finished') throw new Error(`bursts with gaps of ${gapPs} ps: ${run.state}`);
  return {
    before: mean(before),
    after: mean(after),
    firstPeakBytes,
    laterPeakBytes,
    burstPs: mean(times),
    pauseFrames: run.network.counters.pauseFrames,
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
