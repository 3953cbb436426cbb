// How many packets a queue pair may have in flight, and how that follows its rate, or the other way round.
// Invariant: at least one packet; with a fixed or unlimited window the rate does not matter.
// Source: SimAI's HAS_WIN, GLOBAL_T and VAR_WIN (docs/models/simai.md#hosts); the bandwidth-delay product is that of
// routing/base-delay.ts.

import type { Fabric } from '../../../fabric/fabric.js';
import { largestBdpBytes, pathDelay } from '../../../routing/base-delay.js';
import type { PathTracer } from '../../../routing/path.js';
import type { PacketParts } from '../parts.js';
import type { SenderPacing } from './sender-pacing.js';
import { PairReal, PairWord, type QueuePairs } from '../queue-pairs.js';
import type { PacketSettings } from '../settings.js';

/** packet numbers of a queue pair are 31-bit */
export const mostPackets = 2 ** 31 - 1;

export class Windows {
  /** of any queue pair so far; Infinity without a limit */
  largestBytes = 0;
  private readonly globalBytes: number;

  private readonly fabric: Fabric;
  private readonly tracer: PathTracer;
  private readonly settings: PacketSettings;
  private readonly pairs: QueuePairs;

  /** @param pacing rates of senders of their own; null or left out: none has one */
  constructor(
    parts: Pick<PacketParts, 'fabric' | 'tracer' | 'settings' | 'pairs' | 'largestBdpBytes'>,
    private readonly pacing: SenderPacing | null = null,
  ) {
    this.fabric = parts.fabric;
    this.tracer = parts.tracer;
    this.settings = parts.settings;
    this.pairs = parts.pairs;
    this.globalBytes = parts.settings.queuePair.window === 'max-bdp' ? parts.largestBdpBytes() : 0;
  }

  /** A queue pair begins, with its ends and ports known, at the rate of its NIC. */
  open(pair: number, lineRateBps: number): void {
    this.pairs.lineRateBps[pair] = lineRateBps;
    const windowBytes = this.bytesOf(pair);
    this.pairs.windowBytes[pair] = windowBytes;
    if (windowBytes > this.largestBytes) this.largestBytes = windowBytes;
    this.setRate(pair, lineRateBps);
  }

  /** Sets the rate, and the window with it. @returns true if the window is larger than before */
  setRate(pair: number, rateBps: number): boolean {
    const { pairs } = this;
    const { queuePair, packet } = this.settings;
    const at = (pair << 4) + PairWord.windowPackets;
    const before = pairs.words[at]!;
    this.pace(pair, rateBps, rateBps);
    const window = pairs.windowBytes[pair]!;
    const windowNow =
      queuePair.variableWindow && window !== Infinity
        ? Math.max(1, Math.floor((window * rateBps) / pairs.lineRateBps[pair]!))
        : window;
    // a packet may go while the bytes in flight are below the window: the last one may reach beyond it
    const packets = Math.max(1, Math.min(mostPackets, Math.ceil(windowNow / packet.payload)));
    pairs.words[at] = packets;
    return packets > before;
  }

  /**
   * Sets what a control of windows allows, and the rate with it: what such a window carries in a round trip.
   * @returns true if more packets may be in flight than before
   */
  setWindow(pair: number, windowBytes: number, roundTripPs: number): boolean {
    const { pairs } = this;
    const { payload } = this.settings.packet;
    const line = pairs.lineRateBps[pair]!;
    const allowed = Math.min(windowBytes, pairs.windowBytes[pair]!);
    const rateBps = Math.min(line, Math.max(1, Math.floor((allowed * 8e12) / roundTripPs)));
    pairs.allowedBytes[pair] = windowBytes;
    pairs.roundTripPs[pair] = roundTripPs;
    this.pace(pair, rateBps, allowed < payload ? rateBps : line);
    const at = (pair << 4) + PairWord.windowPackets;
    const before = pairs.words[at]!;
    const packets = Math.max(1, Math.min(mostPackets, Math.floor(allowed / payload)));
    pairs.words[at] = packets;
    return packets > before;
  }

  private pace(pair: number, rateBps: number, paceBps: number): void {
    const { pairs, pacing } = this;
    pairs.rateBps[pair] = rateBps;
    pairs.reals[(pair << 3) + PairReal.paceBps] = pacing === null ? paceBps : pacing.limit(pair, paceBps);
  }

  private bytesOf(pair: number): number {
    const { window } = this.settings.queuePair;
    switch (window) {
      case 'unlimited':
        return Infinity;
      case 'max-bdp':
        return this.globalBytes;
      case 'pair-bdp': {
        const { pairs, tracer } = this;
        const path = new Int32Array(tracer.maxLength);
        const length = tracer.trace(
          pairs.source[pair]!,
          pairs.destination[pair]!,
          pairs.sourcePort[pair]!,
          pairs.destinationPort[pair]!,
          path,
        );
        if (length === 0) return largestBdpBytes(tracer, this.settings.packet.payload);
        const delay = pathDelay(this.fabric, path, length, this.settings.packet.payload, {
          roundTripPs: 0,
          latencyPs: 0,
          bottleneckBps: 0,
        });
        return Math.floor((delay.roundTripPs * delay.bottleneckBps) / 8e12);
      }
      default:
        return window;
    }
  }
}
