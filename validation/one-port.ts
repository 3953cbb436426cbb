// Senders that never end, into one port: how busy they keep it, how long its queue is, how evenly they share it.
// n hosts of a star send to host 0, each from 0 on; the port is the switch's to host 0. Figures are of what happens from
// `fromPs` to `toPs`, the longest queue also from the start, when all begin at line rate.

import type { PacketSettings } from '#weft/backends/packet/settings.js';
import { Kind } from '#weft/backends/packet/packets.js';
import { packetFacts } from './engine-records.js';
import { engineRun, type SettingChanges, settingsWith, type Transfer } from './engine-run.js';
import { star } from './fabrics.js';

export type Algorithm = PacketSettings['congestion']['algorithm'];

/** A star of hosts with endless flows into host 0. */
export interface OnePort {
  readonly senders: number;
  readonly lineBps: number;
  /** of every cable */
  readonly latencyPs: number;
  readonly fromPs: number;
  readonly toPs: number;
  readonly changes: SettingChanges;
}

export interface OnePortFigures {
  /** share of the port's time that packets take, gaps included */
  readonly use: number;
  /** bytes that the longest queue found by an arriving packet has: from the start on, and from fromPs on */
  readonly longestQueueBytes: number;
  readonly laterQueueBytes: number;
  /** of what each sender got through */
  readonly jain: number;
}

/** Jain's index of throughputs: 1 if all are equal, 1 / n if one has it all (Jain, Chiu and Hawe, DEC-TR-301, 1984). */
export function jainIndex(rates: readonly number[]): number {
  const sum = rates.reduce((total, rate) => total + rate, 0);
  return (sum * sum) / (rates.length * rates.reduce((total, rate) => total + rate * rate, 0));
}

/** Runs the senders and watches the port. */
export function onePort({ senders, lineBps, latencyPs, fromPs, toPs, changes }: OnePort): OnePortFigures {
  const fabric = star(senders + 1, latencyPs, () => lineBps);
  const settings = settingsWith(changes);
  const receiverPort = fabric.portOffset[0]!;
  const port = fabric.portPeer[receiverPort]!;
  const bytesOf = new Map<number, number>();
  let linkBytes = 0;
  let longestQueueBytes = 0;
  let laterQueueBytes = 0;
  // more than the port can carry to one sender in the time
  const sizeBytes = Math.ceil((lineBps * toPs) / 8e12);
  engineRun(
    fabric,
    Array.from({ length: senders }, (_, i): Transfer => [i + 1, 0, sizeBytes]),
    {
      settings,
      untilPs: toPs,
      onArrival: (packet, arrivedBy, { nowPs, parts }) => {
        if (nowPs >= toPs) return;
        const queueBytes = parts.ports.queueBytes(port, settings.queuePair.priority);
        longestQueueBytes = Math.max(longestQueueBytes, queueBytes);
        if (nowPs < fromPs) return;
        laterQueueBytes = Math.max(laterQueueBytes, queueBytes);
        if (arrivedBy !== receiverPort) return;
        const { kind, pair, wireBytes } = packetFacts(parts, packet);
        if (kind !== Kind.data) return;
        linkBytes += wireBytes + settings.packet.gap;
        bytesOf.set(pair, (bytesOf.get(pair) ?? 0) + wireBytes);
      },
    },
  );
  const shares = [...bytesOf.values()];
  return {
    use: (linkBytes * 8e12) / (toPs - fromPs) / lineBps,
    longestQueueBytes,
    laterQueueBytes,
    // who got nothing at all has a share, too
    jain: jainIndex([...shares, ...Array.from({ length: senders - shares.length }, () => 0)]),
  };
}
