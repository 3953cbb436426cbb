// What a receiver would have to hold back to hand packets on in order: payload of packets that have come behind one that
// is missing, by host, the most at any time. It stands around a transport and asks it nothing but what it counts.
// Invariant: it changes nothing of what the transport does. Not measured: ConWeave's queues in switches, which its
// counters tell.

import type { Mechanism } from '#weft/backends/packet/mechanism.js';
import type { Mechanisms } from '#weft/backends/packet/mechanisms.js';
import type { TransportParts } from '#weft/backends/packet/parts.js';
import type { Transport } from '#weft/backends/packet/plug-ins.js';
import { PairWord } from '#weft/backends/packet/queue-pairs.js';

/** The most bytes that a host held back. */
export interface HeldBack {
  peakBytes: number;
}

/** The transports of a catalogue, each measured into `held`. */
export function measuredTransports(catalogue: Mechanisms, held: HeldBack): Mechanisms['transports'] {
  return Object.fromEntries(
    Object.entries(catalogue.transports).map(([name, mechanism]): [string, Mechanism<TransportParts, Transport>] => [
      name,
      { ...mechanism, make: (parts) => measured(parts, mechanism.make(parts), held) },
    ]),
  );
}

function measured(parts: TransportParts, inner: Transport, held: HeldBack): Transport {
  const { pairs, columns, fabric, settings } = parts;
  /** by queue pair: packets that came for the first time; by host: bytes that it holds */
  const came = columns.byPair('int32');
  const byHost = new Float64Array(fabric.nodeCount);
  return {
    counters: inner.counters,
    get gaveUp() {
      return inner.gaveUp;
    },
    readsTrimmed: inner.readsTrimmed === true,
    canSend: (pair) => inner.canSend(pair),
    fill: (pair, packet) => inner.fill(pair, packet),
    receiveData: (packet, pair) => {
      const at = (pair << 4) + PairWord.expectedPacket;
      const host = pairs.destination[pair]!;
      const before = inner.counters.payloadBytesDelivered;
      const expected = pairs.words[at]!;
      const behind = came.values[pair]! - expected;
      inner.receiveData(packet, pair);
      if (inner.counters.payloadBytesDelivered > before) came.values[pair]!++;
      byHost[host]! += (came.values[pair]! - pairs.words[at]! - behind) * settings.packet.payload;
      if (byHost[host]! > held.peakBytes) held.peakBytes = byHost[host]!;
    },
    receiveAcknowledgement: (packet, pair) => inner.receiveAcknowledgement(packet, pair),
  };
}
