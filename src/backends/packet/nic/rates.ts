// What happens when a queue pair's rate or window changes: the other follows, and it may be able to send again.

import type { Ports } from '../ports.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';
import type { SendControl } from '../plug-ins.js';
import type { Nic } from './nic.js';
import type { Windows } from './windows.js';

export interface RatesParts {
  readonly pairs: QueuePairs;
  readonly ports: Ports;
  readonly windows: Windows;
  readonly nic: Nic;
}

export class Rates implements SendControl {
  constructor(private readonly parts: RatesParts) {}

  setRate(pair: number, rateBps: number): void {
    if (this.parts.windows.setRate(pair, rateBps)) this.parts.nic.canSendAgain(pair);
  }

  setWindow(pair: number, windowBytes: number, roundTripPs: number): void {
    if (this.parts.windows.setWindow(pair, windowBytes, roundTripPs)) this.parts.nic.canSendAgain(pair);
  }

  /**
   * The NIC's rate has changed, or the queue pair has moved to another NIC: its rate changes in proportion, its window
   * stays.
   */
  followLineRate(pair: number): void {
    const { pairs, ports } = this.parts;
    const lineRateBps = ports.rateBps[pairs.words[(pair << 4) + PairWord.nicPort]!]!;
    const before = pairs.lineRateBps[pair]!;
    if (lineRateBps === before) return;
    pairs.lineRateBps[pair] = lineRateBps;
    const { allowedBytes, roundTripPs } = pairs;
    if (roundTripPs[pair] === 0) this.setRate(pair, pairs.rateBps[pair]! * (lineRateBps / before));
    else this.setWindow(pair, allowedBytes[pair]!, roundTripPs[pair]!);
  }
}
