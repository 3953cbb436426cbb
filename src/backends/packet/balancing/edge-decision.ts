// What balancers have in common that choose whole ways: the first switch at which a data packet has a choice, the edge
// switch of its sender on a fabric of leaves and spines, decides for all switches that follow. The way is a number in
// the packet's place word: a switch with n next hops takes the one whose number is the remainder by n, and leaves the
// quotient.
// Invariants: packets with one number take one way while routes stay as they are; with a random number of 30 bits every
// next hop of a switch is as likely as any other (to one in 2^20). When routes change under way, the rest of a number
// leads on by the ways that are left. Not modelled: the bits that a header would need for it.

import { PacketWord } from '../packets.js';
import { DataBalancing } from './data-balancing.js';

const { pair: PAIR, place: PLACE } = PacketWord;
const UNDECIDED = -1;

/** bits of the number of a way */
export const wayBits = 30;

export abstract class EdgeDecision extends DataBalancing {
  override depart(packet: number, pair: number, isReply: boolean): number {
    const port = super.depart(packet, pair, isReply);
    if (!isReply) this.records.words[(packet << 3) + PLACE] = UNDECIDED;
    return port;
  }

  protected choose(packet: number, _set: number, first: number, count: number): number {
    const { words } = this.records;
    const at = packet << 3;
    const place = words[at + PLACE]!;
    const way = place === UNDECIDED ? this.decide(packet, words[at + PAIR]!, first, count) : place;
    words[at + PLACE] = (way / count) | 0;
    return this.tracer.routes.setPorts[first + (way % count)]!;
  }

  /**
   * The number of the way of a packet, which is at the first switch with a choice: 0 to 2^30 - 1.
   * @param first where its next hops begin in the routes' setPorts, `count` of them
   */
  protected abstract decide(packet: number, pair: number, first: number, count: number): number;
}
