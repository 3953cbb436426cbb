// What balancers that choose packet by packet have in common: data takes, at every switch, one of the equal-cost next
// hops that are in force when it arrives there; which one is the balancer's own choice. ACKs, NACKs and CNPs stay on
// the path that ECMP gives their connection, so that they are in order among themselves.
// Invariant: a packet only ever gets closer to its destination, whatever the choice, also when routes change under way.
// Source: control packets by flow-ECMP as in the simulator of ConWeave (docs/models/load-balancing.md). Not modelled:
// switches that learn of a change at different times.

import type { EventRecords } from '../../../engine/event-records.js';
import type { Fabric } from '../../../fabric/fabric.js';
import type { PathTracer } from '../../../routing/path.js';
import { HeadBits, Kind, PacketWord } from '../packets.js';
import type { PacketParts } from '../parts.js';
import { arrivedHere, type Balancing, noRoute } from '../plug-ins.js';
import type { Ports } from '../ports.js';
import { PairWord, type QueuePairs } from '../queue-pairs.js';
import { flowEcmp } from './flow-ecmp.js';

// constants of this module fold into the machine code, imported ones do not
const { head: HEAD, pair: PAIR, port: PORT } = PacketWord;
const { nicPort: NIC_PORT } = PairWord;
const DATA = Kind.data;
const { kindMask } = HeadBits;
const NO_ROUTE = noRoute;
const ARRIVED_HERE = arrivedHere;

/** What a balancer of data is made from. */
export type DataBalancingParts = Pick<
  PacketParts,
  'fabric' | 'tracer' | 'pairs' | 'records' | 'pathsMayChange' | 'settings' | 'seed'
>;

/** What a balancer that looks at queues is made from. */
export interface QueueBalancingParts extends DataBalancingParts {
  readonly ports: Pick<Ports, 'backlogBytes'>;
}

export abstract class DataBalancing implements Balancing {
  readonly paths = 'per-packet';
  protected readonly fabric: Fabric;
  protected readonly tracer: PathTracer;
  protected readonly pairs: QueuePairs;
  protected readonly records: EventRecords;
  private readonly replies: Balancing;

  constructor(parts: DataBalancingParts) {
    this.fabric = parts.fabric;
    this.tracer = parts.tracer;
    this.pairs = parts.pairs;
    this.records = parts.records;
    this.replies = flowEcmp(parts);
  }

  connect(pair: number): number {
    return this.replies.connect(pair);
  }

  depart(packet: number, pair: number, isReply: boolean): number {
    return isReply ? this.replies.depart(packet, pair, true) : this.pairs.words[(pair << 4) + NIC_PORT]!;
  }

  next(packet: number): number {
    const { words } = this.records;
    const at = packet << 3;
    if ((words[at + HEAD]! & kindMask) !== DATA) return this.replies.next(packet);
    const { portNode, portPeer } = this.fabric;
    const node = portNode[portPeer[words[at + PORT]!]!]!;
    const destination = this.pairs.destination[words[at + PAIR]!]!;
    return node === destination ? ARRIVED_HERE : this.nextOfData(packet, node, destination);
  }

  /** The output port of a data packet at a switch that is not its end, or noRoute. */
  protected nextOfData(packet: number, node: number, destination: number): number {
    const { routes } = this.tracer;
    const set = routes.nextHopSet(node, destination);
    if (set < 0) return NO_ROUTE;
    const first = routes.setOffset[set]!;
    const count = routes.setOffset[set + 1]! - first;
    return count === 1 ? routes.setPorts[first]! : this.choose(packet, set, first, count);
  }

  /**
   * One of several next hops of a data packet.
   * @param set their number among the sets of the routes in force; a set belongs to one switch
   * @param first where they begin in the routes' setPorts, `count` of them
   */
  protected abstract choose(packet: number, set: number, first: number, count: number): number;
}
