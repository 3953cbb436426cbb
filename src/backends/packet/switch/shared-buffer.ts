// The packet buffer of a switch. Lossless (PFC on): every ingress port and queue has a small reserve, all share a pool
// under a threshold (dynamic: a share of what is free, or static), and each has headroom (headroom.ts) for what is in
// flight when it pauses its upstream. Lossy (PFC off): all is pool, and a queue of an output port may hold a share of
// what is free; beyond that its packets are dropped, whoever sent them, and those to other ports are not.
// Invariants: bytes counted in equal bytes counted out; no counter is ever negative; a packet that starts transmission
// on arrival never occupies the buffer.
// Source: dynamic thresholds, Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998, on the queues of output ports there as in
// the lossy profiles of SONiC (egress_lossy_profile, dynamic_th); reserve, headroom and hysteresis as SimAI has them
// (docs/models/simai.md#switches). Not modelled: cells, separate egress pools, lossless and lossy queues in one switch.

import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import { headroomBytes, isLossless, setApartBytes } from './headroom.js';
import { queuesPerPort } from '../ports.js';
import type { PacketSettings } from '../settings.js';

/** What became of a packet at the buffer's door. */
export const BufferVerdict = { refused: 0, roomy: 1, crowded: 2 } as const;

const { refused: REFUSED, roomy: ROOMY, crowded: CROWDED } = BufferVerdict;

export class SharedBuffer {
  /**
   * 2 x (queue x ports + ingress port), so that the few queues in use stand close together: bytes in reserve and pool;
   * the next element: bytes in headroom
   */
  readonly ingress: Float64Array;
  private readonly portCount: number;
  /**
   * headroom of each ingress queue of a port in bytes; Infinity at NVSwitches, which hold what NVLink's credits would
   * keep at the sender
   */
  readonly headroomLimit: Float64Array;
  /** pool bytes of each node in use, and in all */
  readonly poolUsed: Float64Array;
  readonly poolBytes: Float64Array;
  readonly reserveBytes: number;
  /** queues are lossy: `takes` is asked before `admit` */
  readonly isLossy: boolean;
  /** by node: share of its free pool that a lossy queue may hold; Infinity at NVSwitches */
  private readonly dropShare: Float64Array;
  /** the threshold is fixedBytes + share x free pool bytes: one of the two is 0 */
  private readonly fixedBytes: number;
  private readonly share: number;

  constructor(fabric: Fabric, settings: PacketSettings) {
    const { pfc, switch: device } = settings;
    this.portCount = fabric.portCount;
    this.ingress = new Float64Array(fabric.portCount * queuesPerPort * 2);
    this.headroomLimit = new Float64Array(fabric.portCount);
    this.poolUsed = new Float64Array(fabric.nodeCount);
    this.poolBytes = new Float64Array(fabric.nodeCount);
    this.isLossy = !isLossless(settings);
    this.dropShare = Float64Array.from(fabric.nodeKind, (kind) =>
      kind === NodeKind.nvswitch ? Infinity : device.dropThreshold,
    );
    this.reserveBytes = this.isLossy ? 0 : pfc.reserve;
    const isFixed = this.isLossy || pfc.threshold === 'static';
    this.fixedBytes = this.isLossy ? Infinity : isFixed ? pfc.staticThreshold : 0;
    this.share = isFixed ? 0 : 1 / (1 << pfc.thresholdShift);
    for (let node = 0; node < fabric.nodeCount; node++) {
      if (fabric.nodeKind[node] === NodeKind.host) continue;
      let set = 0;
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++) {
        this.headroomLimit[port] =
          fabric.nodeKind[node] === NodeKind.nvswitch ? Infinity : headroomBytes(fabric, port, settings);
        set += setApartBytes(fabric, port, settings);
      }
      this.poolBytes[node] = device.buffer - set;
    }
  }

  /** Bytes that one ingress queue of a node may hold in the pool right now. */
  threshold(node: number): number {
    return this.fixedBytes + (this.poolBytes[node]! - this.poolUsed[node]!) * this.share;
  }

  /** Bytes in reserve and pool of an ingress queue (ingress port x 8 + queue). */
  bytesOf(index: number): number {
    return this.ingress[this.placeOf(index)]!;
  }

  /** Pool bytes of an ingress queue. */
  poolBytesOf(index: number): number {
    const over = this.bytesOf(index) - this.reserveBytes;
    return over > 0 ? over : 0;
  }

  /** Headroom bytes of an ingress queue. */
  headroomBytesOf(index: number): number {
    return this.ingress[this.placeOf(index) + 1]!;
  }

  /**
   * Whether a lossy queue of an output port may take one more packet; an empty one may if the pool has room.
   * @param queuedBytes of that queue
   */
  takes(node: number, queuedBytes: number, bytes: number): boolean {
    const share = this.dropShare[node]!;
    return (
      queuedBytes === 0 ||
      share === Infinity ||
      queuedBytes + bytes <= share * (this.poolBytes[node]! - this.poolUsed[node]!)
    );
  }

  /**
   * Takes a packet in.
   * @param port the port it came in by; index: that port x 8 + queue
   * @returns BufferVerdict.refused if there is no room (the packet is to be dropped, and nothing was counted),
   * BufferVerdict.crowded if its ingress queue now uses headroom or has reached the threshold, else BufferVerdict.roomy
   */
  admit(node: number, port: number, index: number, bytes: number): number {
    const { ingress, poolUsed, fixedBytes, share } = this;
    const at = this.placeOf(index);
    const after = ingress[at]! + bytes;
    const over = after - this.reserveBytes;
    const pool = this.poolBytes[node]!;
    const used = poolUsed[node]!;
    if (over <= 0) {
      ingress[at] = after;
      return ingress[at + 1]! > 0 || fixedBytes + (pool - used) * share <= 0 ? CROWDED : ROOMY;
    }
    const usedNow = used + (over < bytes ? over : bytes);
    // static thresholds may promise more than the pool has
    if (over > fixedBytes + (pool - used) * share || usedNow > pool) {
      if (ingress[at + 1]! + bytes > this.headroomLimit[port]!) return REFUSED;
      ingress[at + 1]! += bytes;
      return CROWDED;
    }
    ingress[at] = after;
    poolUsed[node] = usedNow;
    return ingress[at + 1]! > 0 || over >= fixedBytes + (pool - usedNow) * share ? CROWDED : ROOMY;
  }

  /**
   * Lets a packet out that was admitted with the same arguments: headroom empties first, then the pool, then the
   * reserve.
   */
  vacate(node: number, index: number, bytes: number): void {
    const { ingress } = this;
    const at = this.placeOf(index);
    let rest = bytes;
    const inHeadroom = ingress[at + 1]!;
    if (inHeadroom > 0) {
      const out = inHeadroom < rest ? inHeadroom : rest;
      ingress[at + 1] = inHeadroom - out;
      rest -= out;
    }
    const pool = this.poolBytesOf(index);
    this.poolUsed[node]! -= pool < rest ? pool : rest;
    ingress[at]! -= rest;
  }

  /** Where an ingress queue (ingress port x 8 + queue) stands. */
  private placeOf(index: number): number {
    return ((index & 7) * this.portCount + (index >> 3)) << 1;
  }
}
