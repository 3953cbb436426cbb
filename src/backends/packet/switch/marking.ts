// ECN marking at a switch's output: random early detection on the bytes left in the queue when a packet leaves it.
// Source: RED, Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993, on the instantaneous queue as DCQCN wants it (Zhu et al.,
// SIGCOMM 2015, 3.1).
// Invariant: queue 0, hosts and NVSwitches never mark; no random number is drawn outside the two thresholds.
// The longest queue that stayed below the threshold is kept: it says why nothing was marked.

import { RandomStream } from '../../../base/random.js';
import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import type { EcnThreshold, PacketSettings } from '../settings.js';

/** A queue that stayed below its threshold, beside it. */
export interface UnmarkedQueue {
  /** of its port, in bit/s */
  readonly rateBps: number;
  /** packets are marked above it, in bytes */
  readonly thresholdBytes: number;
  /** most bytes that a packet left behind */
  readonly longestQueueBytes: number;
}

export class EcnMarking {
  marks = 0;
  /**
   * 2 x port: its lower threshold in bytes, infinite where nothing is marked; the next element: the longest queue below
   * it that a packet has left behind
   */
  private readonly lowerBytes: Float64Array;
  /** by port: its upper threshold in bytes */
  private readonly maximumBytes: Float64Array;
  private readonly probability: Float64Array;
  private readonly random: RandomStream;

  constructor(fabric: Fabric, settings: PacketSettings, seed: number) {
    this.lowerBytes = new Float64Array(2 * fabric.portCount);
    for (let port = 0; port < fabric.portCount; port++) this.lowerBytes[2 * port] = Infinity;
    this.maximumBytes = new Float64Array(fabric.portCount).fill(Infinity);
    this.probability = new Float64Array(fabric.portCount);
    this.random = new RandomStream(seed, 'ecn');
    if (!settings.ecn.enabled) return;
    const byRate = new Map<number, EcnThreshold>(
      settings.ecnThresholds.map((threshold) => [threshold.rateBps, threshold]),
    );
    for (let port = 0; port < fabric.portCount; port++) {
      if (fabric.nodeKind[fabric.portNode[port]!] !== NodeKind.switch) continue;
      const threshold = byRate.get(fabric.linkRateBps[fabric.portLink[port]!]!);
      if (threshold === undefined) continue;
      this.lowerBytes[2 * port] = threshold.minimumBytes;
      this.maximumBytes[port] = threshold.maximumBytes;
      this.probability[port] = threshold.probability;
    }
  }

  /**
   * The queue that came closest to being marked.
   * @returns null if something was marked, nothing ever is, or no packet left another behind
   */
  closest(fabric: Fabric): UnmarkedQueue | null {
    if (this.marks > 0) return null;
    let closest = -1;
    let share = 0;
    for (let port = 0; port < fabric.portCount; port++) {
      const portShare = this.lowerBytes[2 * port + 1]! / this.lowerBytes[2 * port]!;
      if (portShare <= share) continue;
      share = portShare;
      closest = port;
    }
    if (closest < 0) return null;
    return {
      rateBps: fabric.linkRateBps[fabric.portLink[closest]!]!,
      thresholdBytes: this.lowerBytes[2 * closest]!,
      longestQueueBytes: this.lowerBytes[2 * closest + 1]!,
    };
  }

  /**
   * Decides for a packet that leaves a queue.
   * @param queuedBytes bytes left in the queue behind it
   */
  shouldMark(port: number, queuedBytes: number): boolean {
    const { lowerBytes } = this;
    const minimum = lowerBytes[port << 1]!;
    if (queuedBytes <= minimum) {
      if (queuedBytes > lowerBytes[(port << 1) + 1]!) lowerBytes[(port << 1) + 1] = queuedBytes;
      return false;
    }
    const maximum = this.maximumBytes[port]!;
    if (queuedBytes <= maximum) {
      const probability = (this.probability[port]! * (queuedBytes - minimum)) / (maximum - minimum);
      if (this.random.nextFraction() >= probability) return false;
    }
    this.marks++;
    return true;
  }
}
