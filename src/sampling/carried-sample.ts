// What a packet carries of its sample, in one word: whether it has one, whether the link in its reservoir was congested,
// the link's number on the way modulo 8, and the link itself (standard) or the word y of the identifier and the hash of the
// link (one-bit, link-hash.ts).

import { parity } from './link-hash.js';

/** Bits of what a packet carries. */
export const Carried = {
  isSampled: 1,
  metCongestion: 2,
  /** the hash of the link; only with one bit */
  hash: 4,
  /** from here on the number of the link on its way, modulo 8; only without */
  placeShift: 3,
  placeMask: 7,
  /** from here on the link, or the word y */
  valueShift: 6,
} as const;

const { isSampled: SAMPLED, metCongestion: CONGESTED, hash: HASH, placeShift, placeMask, valueShift } = Carried;

/** What a packet carries of a link. @param port that sends @param place number of the link on its way, from 1 */
export function carriedLink(port: number, place: number, isCongested: boolean): number {
  return (port << valueShift) | ((place & placeMask) << placeShift) | (isCongested ? SAMPLED | CONGESTED : SAMPLED);
}

/** What a packet carries of the hash of a link. @param word y of its identifier @param port that sends */
export function carriedBit(word: number, port: number, isCongested: boolean): number {
  const bit = parity(word & (port + 1)) === 1 ? HASH : 0;
  return (word << valueShift) | bit | (isCongested ? SAMPLED | CONGESTED : SAMPLED);
}
