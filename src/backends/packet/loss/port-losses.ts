// Losses at ports: packets that come in by a port are lost as a process says that each such port has for itself, beside
// what the error rates of links take (link-errors.ts).
// Invariants: every port has a random stream of its own, named by its node and interface, so that neither traffic nor
// losses elsewhere change what it draws; a packet that an error rate took, or that does not count (loss.packets), is
// not asked about and moves no process on.
// Source: losses as a switch sees them at its ingress, for data alone: the simulator of OmniDMA
// (docs/models/losses.md). Not modelled: losses inside of a switch, corrupted packets that use a link to its end.

import { RandomStream } from '../../../base/random.js';
import { LossCause, type LossModel } from '../../../engine/link-hazards.js';
import { type Fabric, NodeKind } from '../../../fabric/fabric.js';
import type { EventRecords } from '../../../engine/event-records.js';
import { HeadBits, Kind, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import type { PacketSettings } from '../settings.js';
import { LinkErrors } from './link-errors.js';

// constants of this module fold into the machine code, imported ones do not
const HEAD = PacketWord.head;
const DATA = Kind.data;
const { kindMask } = HeadBits;

/** Which of the packets that come in by one port are lost, one after the other. */
export interface LossProcess {
  /** A packet comes in that counts. @returns true if it is lost */
  strikes(packet: number): boolean;
  /** LossCause of the last packet that it lost (engine/link-hazards.ts) */
  readonly cause: number;
}

/** What a port's process is made from. */
export interface LossProcessParts {
  readonly random: RandomStream;
  /** share of the packets that are lost in the long run, above 0; of no meaning where a file names the losses */
  readonly rate: number;
  readonly settings: PacketSettings['loss'];
  /** the port's node */
  readonly node: number;
  readonly parts: PacketParts;
}

/** Makes the process of each port. */
export interface LossProcesses {
  /** a file names the losses, and no rate is needed; left out: none does */
  readonly isListed?: true;
  /**
   * such a file names no switches: ports are those of `loss.at` or `loss.places` all the same; left out: it names them
   */
  readonly usesPlaces?: true;
  /** @returns null: the port loses nothing */
  of(parts: LossProcessParts): LossProcess | null;
}

export class PortLosses implements LossModel {
  readonly always: boolean;
  cause: number = LossCause.linkError;
  private readonly errors: LinkErrors;
  private readonly records: EventRecords;
  private readonly isDataOnly: boolean;
  /** by port, packets that counted; null: nobody asks (probes.packetLosses) */
  private readonly seen: Float64Array | null;
  /** by port; empty if no port has one */
  private readonly processes: readonly (LossProcess | null)[];

  constructor(parts: PacketParts, made: LossProcesses) {
    const { fabric, links, records, seed, settings } = parts;
    this.errors = new LinkErrors(links, seed);
    this.records = records;
    this.isDataOnly = settings.loss.packets === 'data';
    this.seen = settings.probes.packetLosses ? new Float64Array(fabric.portCount) : null;
    const processes = Array.from({ length: fabric.portCount }, (_, port) => {
      const rate = rateAt(parts, port, made);
      const random = rate === 0 ? null : new RandomStream(seed, streamName(fabric, port));
      const node = fabric.portNode[port]!;
      return random === null ? null : made.of({ random, rate, settings: { ...settings.loss, rate }, node, parts });
    });
    this.always = processes.some((own) => own !== null);
    this.processes = this.always ? processes : [];
  }

  loses(packet: number, port: number): boolean {
    if (this.errors.loses(packet, port)) {
      this.cause = LossCause.linkError;
      return true;
    }
    if (!this.always) return false;
    const own = this.processes[port]!;
    if (own === null) return false;
    if (this.isDataOnly && (this.records.words[(packet << 3) + HEAD]! & kindMask) !== DATA) return false;
    if (this.seen !== null) this.seen[port]!++;
    if (!own.strikes(packet)) return false;
    this.cause = own.cause;
    return true;
  }

  seenAt(port: number): number {
    return this.seen === null ? 0 : this.seen[port]!;
  }
}

/** Share of the packets that come in by a port and are lost; 0: none may be. */
function rateAt({ fabric, settings: { loss, losses } }: PacketParts, port: number, made: LossProcesses): number {
  const ownRate = made.isListed === true ? 1 : loss.rate;
  if (made.isListed === true && made.usesPlaces !== true) return ownRate;
  if (losses.rates !== null) return losses.rates[port]!;
  return loss.at === 'links' || fabric.nodeKind[fabric.portNode[port]!] === NodeKind.switch ? ownRate : 0;
}

/** The same for a port whatever other nodes have. */
function streamName(fabric: Fabric, port: number): string {
  const node = fabric.portNode[port]!;
  return `loss ${node}:${port - fabric.portOffset[node]! + 1}`;
}
