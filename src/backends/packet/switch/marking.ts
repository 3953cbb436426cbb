// ECN marking at a switch's output: random early detection on the bytes left in the queue when a packet leaves it.
// Source: RED, Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993, on the instantaneous queue as DCQCN wants it (Zhu et al.,
// SIGCOMM 2015, 3.1).
// Invariant: queue 0, hosts and NVSwitches never mark; no random number is drawn outside the two thresholds.
// The queue that came closest to its threshold from below is kept: it says why nothing was marked.

import type { UnmarkedQueue } from '../../../execution/network-figures.js';
import { RandomStream } from '../../../base/random.js';
import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import type { EcnThreshold } from '../ecn-thresholds.js';
import type { PacketSettings } from '../settings.js';

export class EcnMarking {
  marks = 0;
  /** by port: its thresholds in bytes, infinite where nothing is marked */
  private readonly minimumBytes: Float64Array;
  private readonly maximumBytes: Float64Array;
  private readonly probability: Float64Array;
  private readonly random: RandomStream;
  /** the largest share of its lower threshold that a packet has left behind below it, and of which port */
  private closestShare = -0;
  private closestPort = -1;

  constructor(fabric: Fabric, settings: PacketSettings, seed: number) {
    this.minimumBytes = new Float64Array(fabric.portCount).fill(Infinity);
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
      this.minimumBytes[port] = threshold.minimumBytes;
      this.maximumBytes[port] = threshold.maximumBytes;
      this.probability[port] = threshold.probability;
    }
  }

  /**
   * The queue that came closest to being marked.
   * @returns null if something was marked, nothing ever is, or no packet left another behind
   */
  closest(fabric: Fabric): UnmarkedQueue | null {
    const { closestPort: port } = this;
    if (this.marks > 0 || port < 0) return null;
    const thresholdBytes = this.minimumBytes[port]!;
    return {
      rateBps: fabric.linkRateBps[fabric.portLink[port]!]!,
      thresholdBytes,
      longestQueueBytes: Math.round(this.closestShare * thresholdBytes),
    };
  }

  /**
   * Decides for a packet that leaves a queue.
   * @param queuedBytes bytes left in the queue behind it
   */
  shouldMark(port: number, queuedBytes: number): boolean {
    const minimum = this.minimumBytes[port]!;
    if (queuedBytes <= minimum) {
      // not a number, and so not larger, where nothing is marked
      if (queuedBytes > this.closestShare * minimum) {
        this.closestShare = queuedBytes / minimum;
        this.closestPort = port;
      }
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
