// Which sizes transfers of files may have. A run that ends at a time (`stopTime`) may have transfers of any size that
// cannot end before it: they are sent as the largest that can be, and nothing of the run depends on how much larger
// they are.
// Invariant: a size that was cut is that of a transfer whose sender could not have sent the largest size by then.

import type { Fabric } from '../fabric/fabric.js';
import { maxTransferBytes } from './work-source.js';

export class TransferSizes {
  /** some transfers were cut */
  hasEndless = false;
  private readonly rateBps = new Map<number, number>();

  /** @param stopPs when the run ends, in picoseconds; Infinity: when its work is done */
  constructor(
    private readonly fabric: Fabric,
    private readonly stopPs: number,
  ) {}

  /** What is sent of a transfer, in bytes; null: it is too large. */
  sentBytes(sizeBytes: number, source: number, startPs: number): number | null {
    if (sizeBytes <= maxTransferBytes) return sizeBytes;
    if (this.mostBytes(source, startPs) >= maxTransferBytes) return null;
    this.hasEndless = true;
    return maxTransferBytes;
  }

  /** What a node can send from a time until the run ends, in bytes: its links' rates over that time. */
  mostBytes(source: number, startPs: number): number {
    if (this.stopPs === Infinity) return Infinity;
    let rateBps = this.rateBps.get(source);
    if (rateBps === undefined) this.rateBps.set(source, (rateBps = this.rateOf(source)));
    return (rateBps * Math.max(0, this.stopPs - startPs)) / 8e12;
  }

  /** Why a size is refused, and what to do. */
  get wanted(): string {
    const most = `from 1 to ${maxTransferBytes}`;
    return this.stopPs === Infinity
      ? `${most}, or any size with stopTime, which ends the run before such a flow does`
      : `${most}: this one may have sent more by stopTime`;
  }

  private rateOf(node: number): number {
    const { portOffset, portLink, linkRateBps } = this.fabric;
    let rateBps = 0;
    for (let port = portOffset[node]!; port < portOffset[node + 1]!; port++) rateBps += linkRateBps[portLink[port]!]!;
    return rateBps;
  }
}
