// Which ports the data of a queue pair took, where balancing decides packet by packet: told once for each port, when the
// first packet takes it. It stands around the balancing itself, so a run whose paths are fixed pays nothing.
// Invariant: it changes no choice. Acknowledgements and packets of a flow that has finished are not followed.

import { grown } from '../../../base/columns.js';
import type { Verdict } from '../../../execution/network.js';
import { Kind, kindMask, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import { type Balancing, held, type PacketHolding } from '../plug-ins.js';
import { PairWord } from '../queue-pairs.js';

const { head: HEAD, pair: PAIR } = PacketWord;
const HELD = held;
const fibonacci = 0x9e3779b1;

/** Is told of each port that a queue pair takes for the first time. */
export interface PathWatcher {
  took(pair: number, port: number): void;
}

export class TakenPaths implements Balancing {
  readonly paths = 'per-packet';
  /** hash table with linear probing of (queue pair, port), each with the life of the queue pair that it was noted in */
  private keys = new Float64Array(1024).fill(-1);
  private lives = new Int32Array(1024);
  private count = 0;
  /** by queue pair: how many flows had the number before */
  private life: Int32Array;

  constructor(
    private readonly parts: Pick<PacketParts, 'fabric' | 'pairs' | 'records'>,
    private readonly inner: Balancing,
    private readonly watcher: PathWatcher,
  ) {
    const { pairs } = parts;
    this.life = new Int32Array(pairs.capacity);
    pairs.onGrow((capacity) => {
      this.life = grown(this.life, capacity);
    });
    pairs.onAllocate((pair) => {
      this.life[pair]!++;
    });
  }

  connect(pair: number): number {
    return this.inner.connect(pair);
  }

  get holding(): PacketHolding | undefined {
    return this.inner.holding;
  }

  get counters(): Readonly<Record<string, number>> {
    return this.inner.counters ?? {};
  }

  verdicts(): Verdict[] {
    return this.inner.verdicts?.() ?? [];
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    const port = this.inner.depart(packet, pair, isReply);
    if (!isReply) this.note(pair, this.parts.pairs.words[(pair << 4) + PairWord.nicPort]!);
    return port;
  }

  next(packet: number): number {
    const next = this.inner.next(packet);
    // a packet that waits will take the port that it waits for
    const port = next === HELD ? this.inner.holding!.port : next;
    const at = packet << 3;
    const { words } = this.parts.records;
    if (port >= 0 && (words[at + HEAD]! & kindMask) === Kind.data) this.note(words[at + PAIR]!, port);
    return next;
  }

  private note(pair: number, port: number): void {
    if (this.parts.pairs.slotOf(pair) < 0) return;
    const key = pair * this.parts.fabric.portCount + port;
    const life = this.life[pair]!;
    const mask = this.keys.length - 1;
    let at = (Math.imul(pair, fibonacci) ^ Math.imul(port, 0x85ebca6b)) & mask;
    while (this.keys[at] !== key && this.keys[at] !== -1) at = (at + 1) & mask;
    if (this.keys[at] === key && this.lives[at] === life) return;
    if (this.keys[at] === -1) this.count++;
    this.keys[at] = key;
    this.lives[at] = life;
    if (2 * this.count > mask) this.grow();
    this.watcher.took(pair, port);
  }

  private grow(): void {
    const { keys, lives } = this;
    const { portCount } = this.parts.fabric;
    const mask = 2 * keys.length - 1;
    this.keys = new Float64Array(mask + 1).fill(-1);
    this.lives = new Int32Array(mask + 1);
    keys.forEach((key, i) => {
      if (key === -1) return;
      const pair = Math.floor(key / portCount);
      let at = (Math.imul(pair, fibonacci) ^ Math.imul(key - pair * portCount, 0x85ebca6b)) & mask;
      while (this.keys[at] !== -1) at = (at + 1) & mask;
      this.keys[at] = key;
      this.lives[at] = lives[i]!;
    });
  }
}
