// The random numbers by which a switch decides whether a packet's reservoir takes its link: with probability
// 1 / (links behind + 1), by a table of thresholds in place of a division.
// A packet whose reservoir has just taken its link h takes the next one at link n or before with probability 1 - h / n,
// as no link between takes it with probability h / (h + 1) x (h + 1) / (h + 2) x ... = h / n. So one number u says at
// which: floor(h / u) + 1. That is drawn once in place of a number at every link. Where it is known how long the way is
// when a packet departs, the link that stays in its reservoir at the end is drawn at once: each is as likely.
// Two sources: a good generator of 32 bits; or a linear-feedback shift register of 16 bits at each output port, which
// takes one step for each packet, so that 15 bits of a number are those of the number before (the hardware of the
// source). Registers start at random states.
// Source: Taffet's dissertation (docs/SOURCES.md), 2.5.2 and 2.6. Taps of the register (16, 15, 13, 4: the longest
// period, 65,535): P. Alfke, Xilinx application note 052, 1996.

import { RandomStream } from '../base/random.js';

/** Decides at an output port. */
export interface Draws {
  /** True with probability 1 / (links + 1). @param links behind a packet, from 1 to `most` */
  takes(port: number, links: number): boolean;
}

/** stands for a link behind all ways */
const never = 0xffff;

/** @param most links that a hop count tells apart @param bits of a random number */
function thresholds(most: number, bits: 16 | 32): Float64Array {
  return Float64Array.from({ length: most + 1 }, (_, links) =>
    Math.round((bits === 32 ? 4_294_967_296 : 65_536) / (links + 1)),
  );
}

/** By a generator that all ports share. */
export class GeneratorDraws implements Draws {
  private readonly random: RandomStream;
  private readonly below: Float64Array;

  constructor(seed: number, most: number) {
    this.random = new RandomStream(seed, 'sampling at switches');
    this.below = thresholds(most, 32);
  }

  takes(_: number, links: number): boolean {
    return this.random.nextUint32() < this.below[links]!;
  }

  /** The link that a packet takes next after a link, above 255: none below. @param links behind it, from 1 */
  next(links: number): number {
    const u = this.random.nextUint32();
    // u / 2^32 > links / 65535, else it is no link of any way
    return u * never > links * 4_294_967_296 ? Math.floor((links * 4_294_967_296) / u) + 1 : never;
  }

  /** The link that stays of a way of so many, from 1. */
  last(links: number): number {
    return this.random.nextBelow(links) + 1;
  }
}

/** One step of the register. @param state 1 to 65,535 */
export function shiftRegister(state: number): number {
  const bit = (state >>> 15) ^ (state >>> 14) ^ (state >>> 12) ^ (state >>> 3);
  return ((state << 1) | (bit & 1)) & 0xffff;
}

/** By a shift register at each port. */
export class RegisterDraws implements Draws {
  private readonly state: Uint16Array;
  private readonly below: Float64Array;

  constructor(seed: number, ports: number, most: number) {
    const random = new RandomStream(seed, 'sampling registers');
    this.state = Uint16Array.from({ length: ports }, () => 1 + random.nextBelow(0xffff));
    this.below = thresholds(most, 16);
  }

  takes(port: number, links: number): boolean {
    const state = shiftRegister(this.state[port]!);
    this.state[port] = state;
    return state < this.below[links]!;
  }
}
