// Which links each queue pair takes, and what follows from that: the rows of `hops`, collisions, loads of links, and
// the bounds of its flow's completion time.
// Invariants: what is recorded is what happened. Where the network's paths are fixed, a path is walked when a queue
// pair is admitted. Where they may become others it is walked when the queue pair starts, and again when routes change
// or it is moved: if it is another one its rows follow, and it collides there from then on. Where every packet chooses,
// the rows are the ports that data took, and are written when the queue pair ends.
// Not modelled: packets that are still on the old path after a change.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { type Fabric, interfaceIndex } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import { CollisionCounter } from '../measurement/collisions.js';
import type { LinkLoads } from '../measurement/link-loads.js';
import { LostTime } from '../measurement/lost-time.js';
import { PortsOfPackets } from '../measurement/ports-of-packets.js';
import { HopColumn, hopTable } from '../records/flow-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { leastCompletionPs, linkBytes, type PathDelay, pathDelay } from '../routing/base-delay.js';
import { PairMemory } from '../routing/pair-memory.js';
import { shortestWaysBranch } from '../routing/next-hop-choice.js';
import type { PathTracer } from '../routing/path.js';
import { destinationPort } from './admission.js';
import { FlowBounds } from './flow-bounds.js';
import { type Frontier, Stage } from './frontier.js';
import type { Network } from './network.js';
import { queuePairShare } from './queue-pair-shares.js';

export interface PathRecorderParts {
  /** the routes in force */
  readonly tracer: PathTracer;
  /** the routes of the fabric as built, if others may come into force */
  readonly intact: PathTracer | null;
  readonly frontier: Frontier;
  readonly paths: Network['paths'];
  /** whether queue pairs may be held back or moved */
  readonly hasDoor: boolean;
  /** whether queue pairs may be moved under way */
  readonly movesFlows: boolean;
  /** whether flows have one queue pair each: of several that are held back, each may start at another time */
  readonly hasOneQueuePair: boolean;
  readonly sink: RecordSink;
  readonly linkLoads: LinkLoads | null;
  readonly payloadBytes: number;
  readonly overheadBytes: number;
}

/** A flow of which queue pairs are held back: all of its slots, and the source ports that are known. */
interface WaitingFlow {
  readonly slots: readonly number[];
  readonly ports: number[];
}

export class PathRecorder {
  readonly collisions: CollisionCounter;
  readonly lostTime: LostTime;
  /** by slot of a flow's first queue pair: ideal and least completion time */
  idealPs = new Float64Array(256);
  leastPs = new Float64Array(256);

  private readonly fabric: Fabric;
  private readonly hops: TableWriter;
  private readonly bounds: FlowBounds;
  private readonly path: Int32Array;
  private readonly returnPath: Int32Array;
  private readonly delay: PathDelay = { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 };
  /**
   * ideal and least completion time of flows of one part over the only path there is, on a fabric that stays as it is
   */
  private readonly known = new PairMemory();
  private readonly waiting = new Map<number, WaitingFlow>();
  /** fixed paths that may become others: by slot, the one that was recorded */
  private readonly isKept: boolean;
  private readonly stride: number;
  private kept = new Int32Array(0);
  private keptLength = new Uint8Array(0);
  /** whether packets choose their ways */
  private readonly choose: boolean;
  /** paths of packets: what each queue pair has taken */
  private readonly taken: PortsOfPackets | null;

  constructor(private readonly parts: PathRecorderParts) {
    const { tracer, intact, paths, hasDoor, movesFlows, hasOneQueuePair, payloadBytes, overheadBytes } = parts;
    this.fabric = tracer.fabric;
    this.stride = tracer.maxLength;
    this.path = new Int32Array(tracer.maxLength);
    this.returnPath = new Int32Array(tracer.maxLength);
    this.bounds = new FlowBounds(this.fabric, payloadBytes, overheadBytes);
    this.hops = new TableWriter(hopTable, parts.sink);
    // where there is one way, packets have nothing to choose
    this.choose = paths === 'per-packet' && (intact !== null || shortestWaysBranch(this.fabric));
    this.taken = this.choose ? new PortsOfPackets(this.fabric) : null;
    this.isKept = !this.choose && (intact !== null || hasDoor);
    this.lostTime = new LostTime(this.fabric);
    const mayCollideLater = movesFlows || (hasDoor && !hasOneQueuePair);
    this.collisions = new CollisionCounter(this.fabric, this.choose || intact !== null || mayCollideLater);
  }

  /** The queue pairs of a flow are about to be admitted. @param first slot of the first one */
  flowBegins(first: number, sizeBytes: number): void {
    const { frontier } = this.parts;
    this.idealPs = grown(this.idealPs, frontier.id.length);
    this.leastPs = grown(this.leastPs, frontier.id.length);
    this.bounds.clear();
    this.leastPs[first] = this.pathsChange ? this.leastOfHostPs(frontier.source[first]!, sizeBytes) : 0;
  }

  /**
   * A queue pair has its source port, and all others of its flow have theirs: its part of the flow's bounds, and its
   * hops, if nothing can change them any more.
   * @param isOnly whether the flow has this one part
   * @returns the length of its path, for `started`; 0 if failed links leave none
   */
  admitted(slot: number, isOnly: boolean): number {
    const { frontier, intact } = this.parts;
    const length = this.bound(slot, frontier.sourcePort[slot]!, frontier.sizeBytes[slot]!, isOnly);
    const inForce = intact === null ? length : this.trace(slot);
    if (!this.isKept) this.record(slot, inForce);
    return inForce;
  }

  /** All queue pairs of a flow were admitted: its bounds are known. */
  flowAdmitted(first: number, isOne: boolean): void {
    if (!isOne) this.bounds.finish();
    this.idealPs[first] = this.bounds.idealPs;
    if (!this.pathsChange) this.leastPs[first] = this.bounds.leastPs;
  }

  /** Some queue pairs of a flow are held back: its bounds have to wait for the last one. @param slots of all of them */
  flowHeld(first: number, slots: readonly number[]): void {
    const { stage, sourcePort } = this.parts.frontier;
    this.waiting.set(first, {
      slots,
      ports: slots.map((slot) => (stage[slot] === Stage.held ? -1 : sourcePort[slot]!)),
    });
  }

  /** A queue pair of a flow with others that are or were held back has its source port. */
  admittedLater(slot: number): void {
    const { frontier } = this.parts;
    const first = frontier.first[slot]!;
    const flow = this.waiting.get(first);
    if (flow !== undefined) {
      flow.ports[flow.slots.indexOf(slot)] = frontier.sourcePort[slot]!;
      if (!flow.ports.includes(-1)) {
        this.waiting.delete(first);
        this.boundFlow(first, flow);
      }
    }
  }

  /**
   * A queue pair enters the network: from now on it can collide.
   * @param length of its path as `admitted` said just before; -1: it has to be walked again
   */
  started(slot: number, length: number, nowPs: number): void {
    const { frontier, linkLoads, payloadBytes, overheadBytes } = this.parts;
    const known = this.taken !== null ? 0 : length < 0 ? this.trace(slot) : length;
    if (this.isKept) this.record(slot, known);
    const { first, id, connection } = frontier;
    this.collisions.flowStarted(slot, this.path, known, first[slot]!, id[slot]!, connection[slot]!);
    const share = frontier.sizeBytes[slot]! / frontier.flowBytes[first[slot]!]!;
    this.lostTime.started(
      slot,
      first[slot]!,
      this.path,
      this.taken === null ? known : this.hostEnds(slot),
      share,
      nowPs,
    );
    if (linkLoads === null) return;
    const bytes = linkBytes(frontier.sizeBytes[slot]!, payloadBytes, overheadBytes);
    linkLoads.started(slot, this.path, known, bytes, nowPs);
  }

  /** Routes have changed: whoever has another path now takes it, all at once, so that nobody meets who has left. */
  routesChanged(nowPs: number): void {
    const { frontier } = this.parts;
    const isUnderWay = (slot: number): boolean =>
      frontier.isLive[slot] === 1 && frontier.stage[slot] === Stage.underWay;
    for (let slot = 0; this.isKept && slot < frontier.slotCount; slot++)
      if (isUnderWay(slot) && !this.isAsKept(slot, this.trace(slot))) this.collisions.flowFinished(slot);
    for (let slot = 0; slot < frontier.slotCount; slot++) if (isUnderWay(slot)) this.rerouted(slot, nowPs);
  }

  /** The path of a queue pair that is under way may be another one than before. */
  rerouted(slot: number, nowPs: number): void {
    if (!this.isKept) return;
    const { linkLoads } = this.parts;
    const length = this.trace(slot);
    if (this.isAsKept(slot, length)) return;
    this.record(slot, length);
    this.collisions.moved(slot, this.path, length);
    this.lostTime.moved(slot, this.parts.frontier.first[slot]!, this.path, length, nowPs);
    if (linkLoads !== null) linkLoads.moved(slot, this.path, length, nowPs);
  }

  /** Data of a queue pair takes a port for the first time. */
  took(slot: number, port: number, nowPs: number): void {
    if (this.parts.paths === 'fixed') fail('a network with fixed paths tells of ports that packets take');
    const { taken } = this;
    if (taken === null) return;
    taken.add(slot, port);
    this.collisions.took(slot, port);
    if (this.parts.linkLoads !== null) this.parts.linkLoads.took(slot, port, nowPs);
  }

  finished(slot: number, nowPs: number): void {
    this.collisions.flowFinished(slot);
    this.lostTime.finished(slot, this.parts.frontier.first[slot]!, nowPs);
    if (this.parts.linkLoads !== null) this.parts.linkLoads.finished(slot, nowPs);
    if (this.taken !== null) this.writeTaken(slot, this.taken);
  }

  /** The run has ended: the last rows go out. */
  close(): void {
    if (this.taken !== null) for (let slot = 0; slot < this.taken.slots; slot++) this.writeTaken(slot, this.taken);
    this.hops.flush();
  }

  /** Whether a path may become another one under way: then little can be said of how fast a flow can be. */
  private get pathsChange(): boolean {
    const { intact, movesFlows, hasDoor } = this.parts;
    return intact !== null || movesFlows || hasDoor || this.taken !== null;
  }

  /**
   * Adds a part to the flow's bounds, on the fabric as built. @returns the length of its path, which is in this.path
   */
  private bound(slot: number, sourcePort: number, sizeBytes: number, isOnly: boolean): number {
    const { frontier, tracer, intact, payloadBytes } = this.parts;
    const [source, destination] = [frontier.source[slot]!, frontier.destination[slot]!];
    const length = (intact ?? tracer).trace(source, destination, sourcePort, destinationPort, this.path);
    if (length === 0 && intact === null) fail(`node ${source} has no route to node ${destination}`);
    const mayKeep = isOnly && intact === null && tracer.isOnlyPath;
    if (mayKeep && this.known.finds(source, destination, sizeBytes)) {
      this.bounds.idealPs = this.known.first;
      this.bounds.leastPs = this.known.second;
      return length;
    }
    pathDelay(this.fabric, this.path, length, payloadBytes, this.delay);
    const backPs = this.returnLatencyPs(source, destination, sourcePort);
    const { bounds } = this;
    if (isOnly) bounds.only(this.delay, backPs, sizeBytes);
    else bounds.add(this.path, length, this.delay, backPs, sizeBytes);
    if (mayKeep && tracer.isOnlyPath) this.known.keep(source, destination, sizeBytes, bounds.idealPs, bounds.leastPs);
    return length;
  }

  /** The bounds of a flow whose last queue pair was let in. Its first slot lives; others may have finished. */
  private boundFlow(first: number, { slots, ports }: WaitingFlow): void {
    const { frontier, payloadBytes } = this.parts;
    const count = slots.length;
    this.bounds.clear();
    for (const [index, port] of ports.entries())
      this.bound(first, port, queuePairShare(frontier.flowBytes[first]!, payloadBytes, count, index), count === 1);
    this.flowAdmitted(first, count === 1);
  }

  /** The queue pair's path in force, into this.path. @returns its length; 0 if failed links leave none */
  private trace(slot: number): number {
    const { frontier, tracer, intact } = this.parts;
    const [source, destination] = [frontier.source[slot]!, frontier.destination[slot]!];
    const length = tracer.trace(source, destination, frontier.sourcePort[slot]!, destinationPort, this.path);
    if (length === 0 && intact === null) fail(`node ${source} has no route to node ${destination}`);
    return length;
  }

  /**
   * The first and the last port of a way, into this.path, where packets choose those between: of hosts with several links
   * they choose those as well. @returns how many are certain
   */
  private hostEnds(slot: number): number {
    const { portPeer } = this.fabric;
    const length = this.trace(slot);
    const last = this.path[length - 1]!;
    let ends = 0;
    if (length > 0 && this.isOnlyLink(this.path[0]!)) ends++;
    if (length > 1 && this.isOnlyLink(portPeer[last]!)) this.path[ends++] = last;
    return ends;
  }

  /** Whether its node has no other link to nodes of that kind. */
  private isOnlyLink(port: number): boolean {
    const { portOffset, portNode, portNeighbour, nodeKind } = this.fabric;
    const node = portNode[port]!;
    for (let other = portOffset[node]!; other < portOffset[node + 1]!; other++)
      if (other !== port && nodeKind[portNeighbour[other]!] === nodeKind[portNeighbour[port]!]) return false;
    return true;
  }

  /** Writes the path in this.path and keeps it for comparison, unless packets choose for themselves. */
  private record(slot: number, length: number): void {
    if (this.taken !== null) return;
    if (this.isKept) this.keep(slot, length);
    // the first port is the sender's own: no hop
    for (let i = 1; i < length; i++) this.writeHop(slot, i - 1, this.path[i]!);
  }

  private keep(slot: number, length: number): void {
    if (slot >= this.keptLength.length) {
      const capacity = Math.max(256, 2 * slot);
      this.kept = grown(this.kept, capacity * this.stride);
      this.keptLength = grown(this.keptLength, capacity);
    }
    this.keptLength[slot] = length;
    for (let i = 0; i < length; i++) this.kept[slot * this.stride + i] = this.path[i]!;
  }

  private isAsKept(slot: number, length: number): boolean {
    if (this.keptLength[slot] !== length) return false;
    for (let i = 0; i < length; i++) if (this.kept[slot * this.stride + i] !== this.path[i]) return false;
    return true;
  }

  /** The ports that a queue pair took: place by place, those of one place in the order in which they were taken. */
  private writeTaken(slot: number, taken: PortsOfPackets): void {
    taken.read(slot);
    const { count, ports, places, lastPlace } = taken;
    // the ports at place 0 are the sender's own: no hops
    for (let place = 1; place <= lastPlace; place++)
      for (let i = 0; i < count; i++) if (places[i] === place) this.writeHop(slot, place - 1, ports[i]!);
  }

  private writeHop(slot: number, hop: number, port: number): void {
    const { frontier } = this.parts;
    const { columns, rows } = this.hops;
    columns[HopColumn.flow]![rows] = frontier.id[slot]!;
    columns[HopColumn.source]![rows] = frontier.source[slot]!;
    columns[HopColumn.destination]![rows] = frontier.destination[slot]!;
    columns[HopColumn.sourcePort]![rows] = frontier.sourcePort[slot]!;
    columns[HopColumn.destinationPort]![rows] = destinationPort;
    columns[HopColumn.hop]![rows] = hop;
    columns[HopColumn.node]![rows] = this.fabric.portNode[port]!;
    columns[HopColumn.interface]![rows] = interfaceIndex(this.fabric, port);
    this.hops.commit();
  }

  /** What remains of the bound when any path may be taken: all bytes over all links of the host at once. */
  private leastOfHostPs(host: number, sizeBytes: number): number {
    const { portOffset, portLink, linkRateBps } = this.fabric;
    const { payloadBytes, overheadBytes } = this.parts;
    let bottleneckBps = 0;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      bottleneckBps += linkRateBps[portLink[port]!]!;
    const delay = { latencyPs: 0, roundTripPs: 0, bottleneckBps };
    return leastCompletionPs(delay, 0, sizeBytes, payloadBytes, overheadBytes);
  }

  /** Latency of the path that a queue pair's acknowledgements take: they hash on their own header. */
  private returnLatencyPs(source: number, destination: number, sourcePort: number): number {
    const { tracer } = this.parts;
    const length = tracer.trace(destination, source, destinationPort, sourcePort, this.returnPath);
    let latencyPs = 0;
    for (let i = 0; i < length; i++) latencyPs += portLatencyPs(this.fabric, this.returnPath[i]!);
    return latencyPs;
  }
}
