// What fast-forward is told to do, and what it asks of whoever carries collectives out.

import type { OpenCollective } from '../open-collective.js';

export interface FastForwardSettings {
  /** by how much ranks may come earlier or later than in the recorded phase, in picoseconds */
  readonly tolerancePs: number;
  /** every so many replays of a phase it is simulated, too */
  readonly sampleEvery: number;
  /**
   * transfers by which a long phase measures its rate before it leaps over a steady stretch (leaps.ts); 0: none does
   */
  readonly leapTransfers: number;
}

/** What is asked of whoever carries collectives out. */
export interface ReplayEvents {
  /** The rank of a place is done with a collective at a time, which may have passed: then now. */
  ends(collective: OpenCollective, place: number, endPs: number): void;
  /** Nothing more of a collective is sent; what is under way arrives. */
  abandon(collective: OpenCollective): void;
  /** What is left of a collective (`shareLeft`) is sent from a time on. */
  goOn(collective: OpenCollective, atPs: number): void;
  /** When a rank does something next of its own; Infinity: all wait for collectives. */
  nextPs(): number;
}
