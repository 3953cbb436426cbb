// What an edge bridge that puts sprayed packets in order has to hold and lets go at once: seven hosts on one leaf send to
// one host on another, together slower than its link, and one of eight spines is slow for a while. Weft's hosts put
// packets in order, not its switches; so the bridge is worked out from the packets' arrivals at the last switch: it keeps
// what is ahead of its turn, and sends what is in order at the rate of the link, first come, first served. What its
// queue would make PFC or messages do is not in it.

import { bytesShift, Kind, kindMask, PacketWord } from '#weft/backends/packet/packets.js';
import { SenderPaces } from '#weft/execution/sender-paces.js';
import { engineRun, settingsWith } from './engine-run.js';
import { failuresOf } from './link-changes.js';
import { incastFabric } from './reaction-times.js';

const senders = 7;
const rateBps = 100e9;
const slowRateBps = 2e9;
const slowFromPs = 100e6;
/** the cable from the first spine to the receiver's leaf, after eight of hosts and eight of the other leaf */
const slowLink = 16;

export interface ReorderingEdge {
  /** most bytes that wait for the receiver where nothing is put in order before the host */
  readonly plainPeakBytes: number;
  /** most that a bridge holds because it is ahead of its turn, and most that one packet lets go */
  readonly heldBytes: number;
  readonly releasedBytes: number;
  /** most bytes in order that wait for the receiver's link behind the bridge */
  readonly orderedPeakBytes: number;
  /** from the first moment with at least 300 kB of them to the last, in picoseconds; 0: there was none */
  readonly crowdedPs: number;
  /** most bytes that waited in the host's own buffer */
  readonly hostBytes: number;
}

/** Senders together at a share of the receiver's link, one path slow for a time. */
export function reorderingEdge(load: number, slowPs: number): ReorderingEdge {
  const fabric = incastFabric();
  const farLeaf = senders + 2;
  const egress = fabric.portPeer[fabric.portOffset[senders]!]!;
  const settings = settingsWith({
    congestion: { algorithm: 'none' },
    ecn: { enabled: false },
    balancing: 'spray',
    reorder: { buffer: 1e9, timeout: 50e9 },
    switch: { buffer: 256e6 },
    pfc: { threshold: 'static', staticThreshold: 4_000_000 },
    queuePair: { window: 'unlimited', acknowledgementPriority: 0 },
  });
  const paces = new SenderPaces();
  for (let host = 0; host < senders; host++)
    paces.set(host, { rateBps: (load * rateBps) / senders, burstBytes: Infinity, gapPs: 0 });
  const bridge = new Bridge(settings.packet.gap);
  let plainPeakBytes = 0;
  const run = engineRun(
    fabric,
    Array.from({ length: senders }, (_, host) => [host, senders, 1e6] as const),
    {
      settings,
      paces,
      failures: failuresOf(
        slowPs === 0
          ? []
          : [
              [slowFromPs, slowLink, 'rate', slowRateBps],
              [slowFromPs + slowPs, slowLink, 'rate', rateBps],
            ],
        1e6,
      ),
      onArrival: (packet, port, { parts: { records, ports, wheel } }) => {
        const at = packet << 3;
        const head = records.words[at + PacketWord.head]!;
        if ((head & kindMask) !== Kind.data || fabric.portNode[port] !== farLeaf) return;
        plainPeakBytes = Math.max(plainPeakBytes, ports.queueBytes(egress, settings.queuePair.priority));
        const pair = records.words[at + PacketWord.pair]!;
        bridge.arrived(wheel.nowPs, pair, records.words[at + PacketWord.sequence]!, head >> bytesShift);
      },
    },
  );
  if (run.state !== 'finished') throw new Error(`a path slow for ${slowPs} ps: ${run.state}`);
  if (bridge.heldNow > 0) throw new Error(`${bridge.heldNow} bytes were never in order`);
  const counters = run.network.counters as unknown as Readonly<Record<string, number>>;
  return {
    plainPeakBytes,
    heldBytes: bridge.heldPeak,
    releasedBytes: bridge.releasePeak,
    orderedPeakBytes: bridge.queuePeak,
    crowdedPs: bridge.lastCrowdedPs - bridge.firstCrowdedPs,
    hostBytes: counters['reorderHostPeakBytes']!,
  };
}

const crowdedBytes = 300_000;

/** Puts packets in order, and sends them one after the other. */
class Bridge {
  heldNow = 0;
  heldPeak = 0;
  releasePeak = 0;
  queuePeak = 0;
  firstCrowdedPs = 0;
  lastCrowdedPs = 0;
  /** by queue pair: the packet whose turn it is, and those that wait, by their number */
  private readonly expected = new Map<number, number>();
  private readonly waiting = new Map<number, Map<number, number>>();
  /** when the link has sent all that is in order */
  private freePs = 0;

  constructor(private readonly gapBytes: number) {}

  arrived(nowPs: number, pair: number, sequence: number, bytes: number): void {
    let turn = this.expected.get(pair) ?? 0;
    if (!this.waiting.has(pair)) this.waiting.set(pair, new Map());
    const waiting = this.waiting.get(pair)!;
    if (sequence > turn) {
      waiting.set(sequence, bytes);
      this.heldNow += bytes;
      this.heldPeak = Math.max(this.heldPeak, this.heldNow);
      return;
    }
    let released = bytes;
    this.send(nowPs, bytes);
    for (let next = waiting.get(++turn); next !== undefined; next = waiting.get(++turn)) {
      waiting.delete(turn);
      this.heldNow -= next;
      released += next;
      this.send(nowPs, next);
    }
    this.expected.set(pair, turn);
    this.releasePeak = Math.max(this.releasePeak, released);
    const queued = ((this.freePs - nowPs) * rateBps) / 8e12;
    this.queuePeak = Math.max(this.queuePeak, queued);
    if (queued < crowdedBytes) return;
    if (this.firstCrowdedPs === 0) this.firstCrowdedPs = nowPs;
    this.lastCrowdedPs = nowPs;
  }

  private send(nowPs: number, bytes: number): void {
    this.freePs = Math.max(this.freePs, nowPs) + ((bytes + this.gapBytes) * 8e12) / rateBps;
  }
}
