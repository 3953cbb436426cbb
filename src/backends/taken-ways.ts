// Which output ports the data of a queue pair has taken, so that each is told once, where packets choose their ways one
// by one.
// Invariant: a number of a queue pair that is used again has taken nothing yet. Memory: 12 bytes for each place, of
// which at most half are in use.

import { grown } from '../base/columns.js';

const fibonacci = 0x9e3779b1;

export class TakenWays {
  /** hash table with linear probing of (queue pair, port), each with the life of the queue pair that it was noted in */
  private keys = new Float64Array(1024).fill(-1);
  private lives = new Int32Array(1024);
  private count = 0;
  /** by queue pair: how many flows have had the number */
  private life = new Int32Array(256);

  /** @param portCount ports of the fabric */
  constructor(private readonly portCount: number) {}

  /** A queue pair begins. */
  begin(pair: number): void {
    if (pair >= this.life.length) this.life = grown(this.life, Math.max(2 * this.life.length, pair + 1));
    this.life[pair]!++;
  }

  /** Notes that data of a queue pair, which has begun, takes a port. @returns whether it is the first time */
  note(pair: number, port: number): boolean {
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
