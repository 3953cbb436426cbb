// Which output ports the data of a queue pair has taken, so that each is told once, where packets choose their ways one
// by one: a bit for each queue pair and port, as long as that is little memory, so that a packet finds it in a cache;
// else a hash table of those that were taken.
// Invariant: a number of a queue pair that is used again has taken nothing yet. Memory: bits of up to `mostBitBytes`;
// beyond it 12 bytes for each place of the table, of which at most half are in use.

import { grown } from '../base/columns.js';

const fibonacci = 0x9e3779b1;
const mostBitBytes = 64e6;

export class TakenWays {
  /** by queue pair: words of a bit for each port; null: there are too many */
  private bits: Uint32Array | null;
  private readonly words: number;
  /** hash table with linear probing of (queue pair, port), each with the life of the queue pair that it was noted in */
  private keys = new Float64Array(1024).fill(-1);
  private lives = new Int32Array(1024);
  private count = 0;
  /** by queue pair: how many flows have had the number */
  private life = new Int32Array(256);

  /** @param portCount ports of the fabric @param mostBytes that bits may take */
  constructor(
    private readonly portCount: number,
    private readonly mostBytes = mostBitBytes,
  ) {
    this.words = (portCount + 31) >> 5;
    this.bits = 4 * this.words * this.life.length <= mostBytes ? new Uint32Array(this.words * this.life.length) : null;
  }

  /** A queue pair begins. */
  begin(pair: number): void {
    if (pair >= this.life.length) this.reserve(Math.max(2 * this.life.length, pair + 1));
    this.life[pair]!++;
    if (this.bits !== null) this.bits.fill(0, pair * this.words, (pair + 1) * this.words);
  }

  /** Notes that data of a queue pair, which has begun, takes a port. @returns whether it is the first time */
  note(pair: number, port: number): boolean {
    const { bits } = this;
    if (bits === null) return this.enter(pair, port);
    const word = pair * this.words + (port >>> 5);
    const bit = 1 << (port & 31);
    if ((bits[word]! & bit) !== 0) return false;
    bits[word]! |= bit;
    return true;
  }

  /** The same in the table. */
  private enter(pair: number, port: number): boolean {
    const key = pair * this.portCount + port;
    const life = this.life[pair]!;
    const mask = this.keys.length - 1;
    let at = (Math.imul(pair, fibonacci) ^ Math.imul(port, 0x85ebca6b)) & mask;
    while (this.keys[at] !== key && this.keys[at] !== -1) at = (at + 1) & mask;
    if (this.keys[at] === key && this.lives[at] === life) return false;
    if (this.keys[at] === -1) this.count++;
    this.keys[at] = key;
    this.lives[at] = life;
    if (2 * this.count > mask) this.grow();
    return true;
  }

  /** Room for more queue pairs: in bits, or, where those become too many, in the table. */
  private reserve(pairs: number): void {
    const { bits, words } = this;
    const known = this.life.length;
    this.life = grown(this.life, pairs);
    if (bits === null) return;
    if (4 * words * pairs <= this.mostBytes) {
      this.bits = grown(bits, words * pairs);
      return;
    }
    this.bits = null;
    for (let pair = 0; pair < known; pair++)
      for (let port = 0; port < this.portCount; port++)
        if ((bits[pair * words + (port >>> 5)]! & (1 << (port & 31))) !== 0) this.enter(pair, port);
  }

  private grow(): void {
    const { keys, lives, portCount } = this;
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
