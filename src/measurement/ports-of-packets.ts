// The ports that data of each queue pair took, where packets choose their ways: in the order of the first time, in
// chunks of a cache line, so that noting one costs a write and nothing is made per queue pair. Where each port stands on
// the way is worked out when somebody asks, from the order alone: a port was told after one that leads to its node.
// Invariant: a chunk belongs to one slot or is free. Memory: 4 bytes for each port that a queue pair under way took.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';
import type { Fabric } from '../fabric/fabric.js';

/** a chunk is 16 places, the last of which holds the next chunk (in the free list: the first) */
const chunkMask = 15;
const none = -1;

export class PortsOfPackets {
  /** of the queue pair that was read last: how many ports it took, they, and their places; 0 is the sender's */
  count = 0;
  ports = new Int32Array(64);
  places = new Int32Array(64);
  /** of the same: the entry of each port, as `add` returned it */
  entries = new Int32Array(64);
  /** of the same: the largest place */
  lastPlace = 0;
  private chunks = new Int32Array(1 << 10);
  private chunksEnd = 0;
  private freeChunk = none;
  /** by slot: its first chunk, and the place after its last port */
  private first = new Int32Array(0);
  private end = new Int32Array(0);
  /** by node: which reading reached it last, and the place of the ports from there */
  private readonly reachedIn: Int32Array;
  private readonly placeAt: Int32Array;
  private reading = 0;

  constructor(private readonly fabric: Fabric) {
    this.reachedIn = new Int32Array(fabric.nodeCount);
    this.placeAt = new Int32Array(fabric.nodeCount);
  }

  /** Slots that may have taken ports are below this. */
  get slots(): number {
    return this.first.length;
  }

  /** Entries are below this. */
  get capacity(): number {
    return this.chunks.length;
  }

  /** Data of a queue pair takes a port for the first time. @returns its entry, which is its alone until it is read */
  add(slot: number, port: number): number {
    if (slot >= this.first.length) this.reserve(slot);
    let at = this.end[slot]!;
    if (this.first[slot] === none) this.first[slot] = at = this.takeChunk();
    else if ((at & chunkMask) === chunkMask) {
      const chunk = this.takeChunk();
      this.chunks[at] = chunk;
      at = chunk;
    }
    this.chunks[at] = port;
    this.end[slot] = at + 1;
    return at;
  }

  /** Reads the ports that a queue pair took, in the order in which it took them, and forgets them. */
  read(slot: number): void {
    this.count = this.lastPlace = 0;
    if (slot >= this.first.length || this.first[slot] === none) return;
    const end = this.end[slot]!;
    let at = this.first[slot]!;
    this.begin(this.chunks[at]!);
    while (at !== end) {
      if ((at & chunkMask) === chunkMask) {
        const next = this.chunks[at]!;
        this.release(at - chunkMask);
        at = next;
        continue;
      }
      this.place(slot, this.chunks[at]!, at);
      at++;
    }
    this.release((end - 1) & ~chunkMask);
    this.first[slot] = none;
  }

  /** The first port is the sender's: the way begins at its node. */
  private begin(port: number): void {
    const node = this.fabric.portNode[port]!;
    this.reachedIn[node] = ++this.reading;
    this.placeAt[node] = 0;
  }

  private place(slot: number, port: number, entry: number): void {
    const { reachedIn, placeAt, reading, fabric } = this;
    const node = fabric.portNode[port]!;
    if (reachedIn[node] !== reading)
      fail(`data of slot ${slot} takes output port ${port} of node ${node}, to which it took none`);
    const place = placeAt[node]!;
    const next = fabric.portNeighbour[port]!;
    if (reachedIn[next] !== reading) {
      reachedIn[next] = reading;
      placeAt[next] = place + 1;
    }
    const index = this.count++;
    if (index === this.ports.length) this.widen();
    this.ports[index] = port;
    this.places[index] = place;
    this.entries[index] = entry;
    if (place > this.lastPlace) this.lastPlace = place;
  }

  private widen(): void {
    const capacity = 2 * this.ports.length;
    this.ports = grown(this.ports, capacity);
    this.places = grown(this.places, capacity);
    this.entries = grown(this.entries, capacity);
  }

  private reserve(slot: number): void {
    const capacity = Math.max(256, 2 * (slot + 1));
    this.first = grown(this.first, capacity, none);
    this.end = grown(this.end, capacity);
  }

  private takeChunk(): number {
    const { freeChunk } = this;
    if (freeChunk !== none) {
      this.freeChunk = this.chunks[freeChunk]!;
      return freeChunk;
    }
    const chunk = this.chunksEnd;
    this.chunksEnd += chunkMask + 1;
    if (this.chunksEnd > this.chunks.length) this.chunks = grown(this.chunks, 2 * this.chunks.length);
    return chunk;
  }

  private release(chunk: number): void {
    this.chunks[chunk] = this.freeChunk;
    this.freeChunk = chunk;
  }
}
