// Credits of the receiver (RCCC): it lets its senders send as fast as its link takes what they send, one packet at a
// time, each in turn. A sender begins with a first credit that it need not ask for; every packet says how many
// transmissions its sender foresees, sent ones included, and every credit how many are granted in all, so that a lost
// one is repaired by the next. What a trimmed packet must be sent again for is foreseen by the receiver itself.
// Invariants: a receiver's link grants no faster than one packet per its time on the link; no queue pair has more
// credits unused than the limit; a queue pair stands in its ring at most once, and its number is kept while it does.
// Source: Hoefler et al., arXiv:2508.08906 (RCCC: credits by the receiver, shared among its senders); Olteanu et al.,
// "An edge-queued datagram service for all datacenter traffic" (EQDS), NSDI 2022 (pacing at the link's rate, a first
// window without credit, demand told by the sender). Guessed: the limit of unused credits (the largest window), credits
// of one packet each in packets of their own. Not modelled: credits on acknowledgements, shares by traffic class,
// credits that slow down with marks of the fabric.

import type { Alarm } from '../../../../engine/alarms.js';
import type { TransportParts } from '../../parts.js';
import type { SideColumn } from '../../side-columns.js';

/** What credits are made from. */
export type CreditParts = Pick<TransportParts, 'alarms' | 'clock' | 'columns' | 'fabric' | 'pairs' | 'ports'>;

/** Sends a credit to the sender of a queue pair. */
export interface CreditSender {
  /** @param total transmissions that are granted in all */
  sendCredit(pair: number, total: number): void;
}

const none = -1;

export class Credits {
  /** per pair, at the sender: transmissions that it knows to be granted */
  private readonly known: SideColumn<'int32'>;
  /** per pair, at the receiver: transmissions granted, foreseen, seen; most that may be granted and not seen */
  private readonly granted: SideColumn<'int32'>;
  private readonly foreseen: SideColumn<'int32'>;
  private readonly seen: SideColumn<'int32'>;
  private readonly limit: SideColumn<'int32'>;
  /** per pair: whether it stands in a ring, and who comes after it there */
  private readonly isWaiting: SideColumn<'uint8'>;
  private readonly next: SideColumn<'int32'>;
  /** per receiving port: its ring, whether its alarm is set, when it may grant again */
  private readonly first: Int32Array;
  private readonly last: Int32Array;
  private readonly isPacing: Uint8Array;
  private readonly readyPs: Float64Array;
  private readonly pace: Alarm;

  /** @param linkBytes what a full packet takes of a link, gap included */
  constructor(
    private readonly parts: CreditParts,
    private readonly linkBytes: number,
    private readonly sender: CreditSender,
  ) {
    const { alarms, columns, fabric } = parts;
    this.known = columns.byPair('int32');
    this.granted = columns.byPair('int32');
    this.foreseen = columns.byPair('int32');
    this.seen = columns.byPair('int32');
    this.limit = columns.byPair('int32');
    this.isWaiting = columns.byPair('uint8');
    this.next = columns.byPair('int32');
    this.first = new Int32Array(fabric.portCount).fill(none);
    this.last = new Int32Array(fabric.portCount).fill(none);
    this.isPacing = new Uint8Array(fabric.portCount);
    this.readyPs = new Float64Array(fabric.portCount);
    this.pace = alarms.register('grant a credit', (port) => this.due(port));
  }

  /** A queue pair begins. @param first packets that it may send unasked; limit: most credits that it may have unused */
  open(pair: number, first: number, limit: number): void {
    this.known.values[pair] = this.granted.values[pair] = first;
    this.limit.values[pair] = Math.max(limit, first);
  }

  /** Whether a sender that has sent so often may send once more. */
  mayTransmit(pair: number, transmissions: number): boolean {
    return transmissions < this.known.values[pair]!;
  }

  /** A sender has heard nothing for so long that it asks once more, without credit. */
  ask(pair: number, transmissions: number): void {
    if (transmissions >= this.known.values[pair]!) this.known.values[pair] = transmissions + 1;
  }

  /** A credit has reached its sender. */
  received(pair: number, total: number): void {
    if (total > this.known.values[pair]!) this.known.values[pair] = total;
  }

  /**
   * A data packet has come in.
   * @param port the receiver's; transmission: its number; foreseen: transmissions that its sender foresees
   * @param again it must be sent once more, as its payload is gone
   */
  arrived(pair: number, port: number, transmission: number, foreseen: number, again: boolean): void {
    if (transmission >= this.seen.values[pair]!) this.seen.values[pair] = transmission + 1;
    if (foreseen > this.foreseen.values[pair]!) this.foreseen.values[pair] = foreseen;
    if (again) this.foreseen.values[pair]!++;
    // a sender that asked without credit has gone on by itself
    if (this.seen.values[pair]! > this.granted.values[pair]!) this.granted.values[pair] = this.seen.values[pair]!;
    if (this.isWaiting.values[pair] === 1 || !this.wants(pair)) return;
    this.append(pair, port);
    if (this.isPacing[port] === 1) return;
    this.isPacing[port] = 1;
    this.pace.at(Math.max(this.parts.clock.nowPs, this.readyPs[port]!), port);
  }

  /** Transmissions that a receiver has granted: for tests. */
  grantedTo(pair: number): number {
    return this.granted.values[pair]!;
  }

  private wants(pair: number): boolean {
    const granted = this.granted.values[pair]!;
    return granted < this.foreseen.values[pair]! && granted - this.seen.values[pair]! < this.limit.values[pair]!;
  }

  /** A port's link has had the time of a packet: the next in turn gets a credit. */
  private due(port: number): void {
    const { pairs, clock, ports, fabric } = this.parts;
    for (;;) {
      const pair = this.take(port);
      if (pair < 0) {
        this.isPacing[port] = 0;
        return;
      }
      const isAlive = pairs.slotOf(pair) >= 0 && this.wants(pair);
      if (isAlive) {
        const total = ++this.granted.values[pair]!;
        this.sender.sendCredit(pair, total);
        if (this.wants(pair)) this.append(pair, port);
      }
      pairs.unreference(pair);
      if (isAlive) break;
    }
    const rateBps = ports.rateBps[fabric.portPeer[port]!]!;
    this.readyPs[port] = clock.nowPs + Math.ceil((this.linkBytes * 8e12) / rateBps);
    this.pace.at(this.readyPs[port]!, port);
  }

  private append(pair: number, port: number): void {
    this.parts.pairs.reference(pair);
    this.isWaiting.values[pair] = 1;
    this.next.values[pair] = none;
    const last = this.last[port]!;
    if (last < 0) this.first[port] = pair;
    else this.next.values[last] = pair;
    this.last[port] = pair;
  }

  /** The first of a ring, which no longer stands there; -1 if it is empty. */
  private take(port: number): number {
    const pair = this.first[port]!;
    if (pair < 0) return none;
    const next = this.next.values[pair]!;
    this.first[port] = next;
    if (next < 0) this.last[port] = none;
    this.isWaiting.values[pair] = 0;
    return pair;
  }
}
