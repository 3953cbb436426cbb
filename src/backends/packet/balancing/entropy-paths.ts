// Spraying by entropies: every data packet carries an entropy in the place of its connection's source port, and every
// switch hashes it as it would hash that port. Who chooses entropies (random, or recycled: recycled-entropies.ts) knows
// nothing of paths; switches know nothing of flows. An answer goes back under the entropy of the packet that it
// answers; what a receiver sends by itself (a credit, a CNP) under all entropies in turn.
// Invariants: a packet keeps its entropy, so it takes one way that ECMP could take; the choice at a switch is that of
// routing/path.ts, over the routes in force when the packet arrives there.
// Source: Hoefler et al., arXiv:2508.08906 (entropy value); Bonato et al., REPS, arXiv:2407.21625, 2. Guessed: the
// entropy of answers. Not modelled: entropies of several fields (flow label), a source port that data centre switches
// hash together with it.

import type { PathTracer } from '../../../routing/path.js';
import type { EventRecords } from '../../../engine/event-records.js';
import { Kind, kindMask, markBit, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import { ConnectionEnds } from './connection-ends.js';
import { arrivedHere, noRoute, type Balancing, type PathFeedback } from '../plug-ins.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';

// constants of this module fold into the machine code, imported ones do not
const { place: PLACE, port: PORT, pair: PAIR, head: HEAD } = PacketWord;
const { nicPort: NIC_PORT } = PairWord;
const ACK = Kind.ack;

/** parts of the place word: whether the packet goes back, whether its entropy may be reused; above them the entropy */
const replyBit = 1;
const goodBit = 2;
const entropyShift = 2;

/** Chooses the entropies of data packets. */
export interface EntropyChoice {
  /** The entropy of the next packet of a queue pair: a whole number from 0 to 65535. */
  next(pair: number): number;
  /** A packet has come through under an entropy without being marked or trimmed. Left out: nobody wants to know. */
  worked?(pair: number, entropy: number): void;
  /** A sender has taken packets for lost by its timer. Left out: nobody wants to know. */
  failed?(pair: number): void;
}

export class EntropyPaths implements Balancing, PathFeedback {
  readonly paths = 'per-packet';
  /** null: the choice learns nothing */
  readonly feedback: PathFeedback | null;
  /** the data packet that its receiver is just answering, -1: none */
  private answering = -1;
  /** entropy of the last packet that a receiver sent by itself */
  private own = 0;

  private readonly ends: ConnectionEnds;
  private readonly tracer: PathTracer;
  private readonly pairs: QueuePairs;
  private readonly records: EventRecords;

  constructor(
    parts: Pick<PacketParts, 'tracer' | 'pairs' | 'records'>,
    private readonly choice: EntropyChoice,
  ) {
    this.tracer = parts.tracer;
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.feedback = choice.worked === undefined ? null : this;
    this.ends = new ConnectionEnds(parts.tracer, parts.pairs);
  }

  connect(pair: number): number {
    return this.ends.connect(pair);
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    const { words } = this.records;
    const at = (packet << 3) + PLACE;
    if (!isReply) {
      words[at] = this.choice.next(pair) << entropyShift;
      return this.pairs.words[(pair << 4) + NIC_PORT]!;
    }
    if (packet === this.answering) words[at]! |= replyBit;
    else {
      this.own = (this.own + 1) & 0xffff;
      words[at] = (this.own << entropyShift) | replyBit;
    }
    return this.ends.replyPort[pair]!;
  }

  next(packet: number): number {
    const { words } = this.records;
    const { source, destination, destinationPort } = this.pairs;
    const { portNode, portPeer } = this.tracer.fabric;
    const at = packet << 3;
    const node = portNode[portPeer[words[at + PORT]!]!]!;
    const pair = words[at + PAIR]!;
    const place = words[at + PLACE]!;
    const isReply = (place & replyBit) !== 0;
    if (node === (isReply ? source : destination)[pair]) return arrivedHere;
    const entropy = place >> entropyShift;
    const port = isReply
      ? this.tracer.nextPort(node, destination[pair]!, source[pair]!, destinationPort[pair]!, entropy)
      : this.tracer.nextPort(node, source[pair]!, destination[pair]!, entropy, destinationPort[pair]!);
    return port < 0 ? noRoute : port;
  }

  arriving(packet: number, isTrimmed: boolean): void {
    const { words } = this.records;
    const at = packet << 3;
    if (!isTrimmed && (words[at + HEAD]! & markBit) === 0) words[at + PLACE]! |= goodBit;
    this.answering = packet;
  }

  answered(): void {
    this.answering = -1;
  }

  returned(packet: number, pair: number): void {
    const { words } = this.records;
    const at = packet << 3;
    if ((words[at + HEAD]! & kindMask) === ACK && (words[at + PLACE]! & goodBit) !== 0)
      this.choice.worked!(pair, words[at + PLACE]! >> entropyShift);
  }

  timedOut(pair: number): void {
    this.choice.failed?.(pair);
  }
}
