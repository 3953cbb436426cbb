// Which of several long cases a run of the suite takes: the seed says, so all have their turn over the commits.
// WEFT_DRAWS, whatever it is, takes them all.

import { seed } from './seed.js';

/** Whether more is wanted than the seed's part of the long cases. */
export const drawsAll = process.env['WEFT_DRAWS'] !== undefined;

/** Whether the case at this place is among those of the seed: one in so many. */
export function isDrawn(place: number, oneIn: number): boolean {
  return drawsAll || place % oneIn === seed % oneIn;
}
