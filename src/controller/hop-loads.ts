// What the flows that a controller has placed ask of every hop: how many they are, their bytes and their rates.
// Invariant: what a flow gives back is what it took; a hop that nobody uses has a load of exactly 0 (counts and bytes
// are whole numbers, rates are whole bit/s).

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';

export class HopLoads {
  /** by output port: flows that were placed on it, their bytes, and their rates in bit/s */
  readonly flows: Float64Array;
  readonly bytes: Float64Array;
  readonly rateBps: Float64Array;
  /** by output port: bytes that others will carry over it, for whoever weighs links (background-load.ts); mostly 0 */
  readonly otherBytes: Float64Array;
  /** by flow x stride: its hops; by flow: how many, its bytes and its rate */
  private hops = new Int32Array(0);
  private hopCount = new Int32Array(0);
  private flowBytes = new Float64Array(0);
  private flowRateBps = new Float64Array(0);

  /** @param stride most hops of a flow */
  constructor(
    portCount: number,
    private readonly stride: number,
  ) {
    this.flows = new Float64Array(portCount);
    this.bytes = new Float64Array(portCount);
    this.rateBps = new Float64Array(portCount);
    this.otherBytes = new Float64Array(portCount);
  }

  /** Whether a flow is placed. */
  isPlaced(flow: number): boolean {
    return flow < this.hopCount.length && this.hopCount[flow]! > 0;
  }

  /**
   * Whether a flow holds just the hops of a path from `from` to `end` (not included); none: whether it holds nothing.
   */
  isAt(flow: number, path: Int32Array, from: number, end: number): boolean {
    if (!this.isPlaced(flow)) return end <= from;
    if (this.hopCount[flow] !== end - from) return false;
    for (let i = from; i < end; i++) if (this.hops[flow * this.stride + i - from] !== path[i]) return false;
    return true;
  }

  /** Calls for each hop that a flow holds. */
  eachHop(flow: number, visit: (hop: number) => void): void {
    const count = this.isPlaced(flow) ? this.hopCount[flow]! : 0;
    for (let i = 0; i < count; i++) visit(this.hops[flow * this.stride + i]!);
  }

  /** The bytes on the heaviest hop that a flow holds, others' among them; 0 if it holds none. */
  mostBytesOf(flow: number): number {
    let most = 0;
    for (let i = this.isPlaced(flow) ? this.hopCount[flow]! - 1 : -1; i >= 0; i--) {
      const port = this.hops[flow * this.stride + i]!;
      most = Math.max(most, this.bytes[port]! + this.otherBytes[port]!);
    }
    return most;
  }

  /** Whether a flow is placed, and shares no hop that it holds. */
  isAlone(flow: number): boolean {
    for (let i = this.isPlaced(flow) ? this.hopCount[flow]! - 1 : -1; i >= 0; i--)
      if (this.flows[this.hops[flow * this.stride + i]!] !== 1) return false;
    return this.isPlaced(flow);
  }

  /**
   * Places a flow that is not placed.
   * @param path output ports, of which those from `from` to `end` (not included) are its hops
   */
  place(flow: number, path: Int32Array, from: number, end: number, sizeBytes: number, rateBps: number): void {
    this.reserve(flow);
    if (this.hopCount[flow] !== 0) fail(`flow ${flow} already holds a path`);
    this.hopCount[flow] = end - from;
    this.flowBytes[flow] = sizeBytes;
    this.flowRateBps[flow] = rateBps;
    for (let i = from; i < end; i++) {
      const port = path[i]!;
      this.hops[flow * this.stride + i - from] = port;
      this.flows[port]!++;
      this.bytes[port]! += sizeBytes;
      this.rateBps[port]! += rateBps;
    }
  }

  /** Takes a flow off its hops, if it is placed. */
  remove(flow: number): void {
    if (!this.isPlaced(flow)) return;
    const count = this.hopCount[flow]!;
    for (let i = 0; i < count; i++) {
      const port = this.hops[flow * this.stride + i]!;
      this.bytes[port]! -= this.flowBytes[flow]!;
      this.rateBps[port]! -= this.flowRateBps[flow]!;
      if (--this.flows[port]! < 0) fail(`flow ${flow} leaves output port ${port}, on which nobody is`);
      if (this.flows[port] === 0 && (this.bytes[port] !== 0 || this.rateBps[port] !== 0))
        fail(`output port ${port} keeps ${this.bytes[port]} B of flows that are gone`);
    }
    this.hopCount[flow] = 0;
  }

  private reserve(flow: number): void {
    if (flow < this.hopCount.length) return;
    const capacity = Math.max(64, flow + 1, this.hopCount.length * 2);
    this.hopCount = grown(this.hopCount, capacity);
    this.flowBytes = grown(this.flowBytes, capacity);
    this.flowRateBps = grown(this.flowRateBps, capacity);
    this.hops = grown(this.hops, capacity * this.stride);
  }
}
