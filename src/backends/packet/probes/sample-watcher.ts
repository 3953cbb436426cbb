// Reservoir sampling (src/sampling) among packets: what a host that sends, a switch that forwards and a host that
// receives tell the sampler. Only data packets carry samples.
// A port of a switch has no credits here: a packet waits if anything is ahead of it in its queue, or its queue is
// paused. A host's link counts as congested if other queue pairs wait for their turn, or if it was paused since its
// last packet.
// Invariant: a packet is told of once for each link that it takes.

import type { EventRecords } from '../../../engine/event-records.js';
import type { Clock } from '../../../engine/event-wheel.js';
import type { PacketSampler } from '../../../sampling/packet-sampler.js';
import type { Nic } from '../nic/nic.js';
import { bytesShift, PacketWord, queueShift } from '../packets.js';
import type { PacketWatcher } from '../plug-ins.js';
import type { Ports } from '../ports.js';
import type { QueuePairs } from '../queue-pairs.js';

export interface SampleWatcherParts {
  readonly sampler: PacketSampler;
  readonly records: EventRecords;
  readonly ports: Ports;
  readonly pairs: QueuePairs;
  readonly clock: Clock;
  readonly flowOf: (pair: number) => number;
}

export class SampleWatcher implements PacketWatcher {
  readonly sampler: PacketSampler;
  private readonly ports: Ports;
  private readonly pairs: QueuePairs;
  private readonly clock: Clock;
  private readonly records: EventRecords;
  private nic!: Nic;
  private readonly wasPaused: Uint8Array;

  constructor(private readonly parts: SampleWatcherParts) {
    this.sampler = parts.sampler;
    this.ports = parts.ports;
    this.pairs = parts.pairs;
    this.clock = parts.clock;
    this.records = parts.records;
    this.wasPaused = parts.ports.rememberPauses();
  }

  /** Who takes turns at hosts; called once. */
  use(nic: Nic): void {
    this.nic = nic;
  }

  departed(packet: number, port: number): void {
    const wasHeld = this.wasPaused[port] === 1 || this.nic.wantsTurn(port);
    this.wasPaused[port] = 0;
    this.sampler.departs(packet, port, wasHeld);
  }

  /** A data packet is to leave a switch by a port, before it is sent or waits. */
  forwarded(packet: number, port: number): void {
    const { ports, sampler } = this;
    if (!sampler.passes(packet, port)) return;
    const head = this.records.words[(packet << 3) + PacketWord.head]!;
    const queue = (head >> queueShift) & 7;
    const bytes = head >> bytesShift;
    const isPaused = (ports.pausedQueues(port) & (1 << queue)) !== 0;
    const waitingBytes = ports.queueBytes(port, queue) + bytes;
    sampler.congestion(packet, port, waitingBytes > sampler.limitBytes(isPaused ? 0 : bytes));
  }

  arrived(packet: number, pair: number): void {
    const { source, destination } = this.pairs;
    this.sampler.arrives(packet, pair, source[pair]!, destination[pair]!, this.parts.flowOf(pair), this.clock.nowPs);
  }
}

/** Two watchers as one; of none or one that one. */
export function bothWatchers(a: PacketWatcher | null, b: PacketWatcher | null): PacketWatcher | null {
  if (a === null || b === null) return a ?? b;
  return {
    departed: (packet, port) => {
      a.departed(packet, port);
      b.departed(packet, port);
    },
    arrived: (packet, pair) => {
      a.arrived(packet, pair);
      b.arrived(packet, pair);
    },
  };
}
