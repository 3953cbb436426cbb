// A transport under watch: what it delivers is kept as sets of packet numbers, which share nothing with its own
// book-keeping. Says if a packet is delivered twice, with other bytes than its own, out of order where order is
// promised, or if a flow ends before all of it is there. It may also be given packets twice, as a network might.
// Invariant: without duplicates the transport does what it would do unwatched.

import type { Mechanism } from '#weft/backends/packet/mechanism.js';
import { Kind, kindMask, PacketWord } from '#weft/backends/packet/packets.js';
import type { TransportParts } from '#weft/backends/packet/parts.js';
import type { Transport } from '#weft/backends/packet/plug-ins.js';
import { PairWord } from '#weft/backends/packet/queue-pairs.js';
import type { SideColumns } from '#weft/backends/packet/side-columns.js';

/** Transports that give packets to the application in the order in which they were sent. */
export const deliversInOrder: readonly string[] = ['go-back-n'];

export interface Watch {
  /** what went wrong, in words; grows while the run goes on */
  readonly problems: string[];
  /** packets come in order, each after the one before it */
  readonly inOrder: boolean;
  /** whether a packet that arrives is there twice: asked for data and for answers */
  readonly isDoubled?: () => boolean;
}

/** The same transport, watched. */
export function watched(
  transport: Mechanism<TransportParts, Transport>,
  watch: Watch,
): Mechanism<TransportParts, Transport> {
  return { ...transport, make: (parts) => new WatchedTransport(transport, parts, watch) };
}

type ByPacket = ReturnType<SideColumns['byPacket']>;

class WatchedTransport implements Transport {
  readonly counters;
  private readonly inner: Transport;
  /** by queue pair: numbers of packets whose bytes were delivered */
  private readonly delivered: Set<number>[] = [];
  /** what the transport keeps by packet, for copies */
  private readonly columns: ByPacket[] = [];

  constructor(
    transport: Mechanism<TransportParts, Transport>,
    private readonly parts: TransportParts,
    private readonly watch: Watch,
  ) {
    parts.pairs.onAllocate((pair) => {
      this.delivered[pair] = new Set();
    });
    this.inner = transport.make({ ...parts, nic: this.watchedNic(), columns: this.watchedColumns() });
    this.counters = this.inner.counters;
  }

  get gaveUp(): number {
    return this.inner.gaveUp;
  }

  canSend(pair: number): boolean {
    return this.inner.canSend(pair);
  }

  fill(pair: number, packet: number): void {
    this.inner.fill(pair, packet);
  }

  receiveData(packet: number, pair: number): void {
    const copy = this.copyOf(packet, pair);
    this.receiveOne(packet, pair);
    if (copy >= 0) this.receiveOne(copy, pair);
  }

  receiveAcknowledgement(packet: number, pair: number): void {
    const copy = this.copyOf(packet, pair);
    this.inner.receiveAcknowledgement(packet, pair);
    if (copy >= 0) this.inner.receiveAcknowledgement(copy, pair);
  }

  private receiveOne(packet: number, pair: number): void {
    const sequence = this.parts.records.words[(packet << 3) + PacketWord.sequence]!;
    const before = this.counters.payloadBytesDelivered;
    this.inner.receiveData(packet, pair);
    const bytes = this.counters.payloadBytesDelivered - before;
    if (bytes === 0) return;
    const own = this.delivered[pair]!;
    if (own.has(sequence)) this.complain(`packet ${sequence} of queue pair ${pair} is delivered twice`);
    if (bytes !== this.payloadOf(pair, sequence))
      this.complain(`packet ${sequence} of queue pair ${pair} delivers ${bytes} B`);
    if (this.watch.inOrder && sequence !== own.size)
      this.complain(`packet ${sequence} of queue pair ${pair} is delivered as number ${own.size}`);
    own.add(sequence);
  }

  private payloadOf(pair: number, sequence: number): number {
    const { pairs, settings } = this.parts;
    const at = pair << 4;
    return sequence + 1 === pairs.words[at + PairWord.packetCount]
      ? pairs.words[at + PairWord.lastBytes]! - settings.packet.header
      : settings.packet.payload;
  }

  /** The NIC, which is told of finished flows by way of here. */
  private watchedNic(): TransportParts['nic'] {
    const { nic, pairs } = this.parts;
    return Object.assign(Object.create(nic) as TransportParts['nic'], {
      finished: (pair: number) => {
        const count = pairs.words[(pair << 4) + PairWord.packetCount]!;
        const came = this.delivered[pair]!.size;
        if (came !== count) this.complain(`queue pair ${pair} ends with ${came} of ${count} packets`);
        nic.finished(pair);
      },
    });
  }

  private watchedColumns(): SideColumns {
    const { columns } = this.parts;
    return Object.assign(Object.create(columns) as SideColumns, {
      byPacket: (kind: Parameters<SideColumns['byPacket']>[0]) => {
        const column = columns.byPacket(kind);
        this.columns.push(column);
        return column;
      },
    });
  }

  /** A second record of a packet, all that the transport keeps of it included; -1 if there is only one. */
  private copyOf(packet: number, pair: number): number {
    if (this.watch.isDoubled?.() !== true) return -1;
    const { packets, records, pairs } = this.parts;
    const copy = packets.allocate();
    const { words } = records;
    for (const word of Object.values(PacketWord)) words[(copy << 3) + word] = words[(packet << 3) + word]!;
    for (const { values } of this.columns) values[copy] = values[packet]!;
    pairs.reference(pair);
    if ((words[(packet << 3) + PacketWord.head]! & kindMask) === Kind.data) this.counters.dataPacketsSent++;
    else this.counters.acknowledgementsSent++;
    return copy;
  }

  private complain(problem: string): void {
    if (this.watch.problems.length < 20) this.watch.problems.push(problem);
  }
}
