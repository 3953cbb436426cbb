// Long because starting, finishing and failing share the state of every flow.
// The one executor: takes transfers from a source as their time comes, admits them, starts them on a network and
// records their end.
// Invariants: a transfer starts at its own time in order of id; the network never runs past a transfer that is not yet
// known; what was started is finished, unfinished or still under way, and the counts say so.

import { grown } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { type Fabric, interfaceIndex } from '../fabric/fabric.js';
import { portLatencyPs } from '../fabric/forwarding-latency.js';
import type { TransferSink, WorkSource } from '../flows/work-source.js';
import type { CollisionCounter } from '../measurement/collisions.js';
import type { CompletionTimes } from '../measurement/completion.js';
import type { LinkLoads } from '../measurement/link-loads.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '../records/flow-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { leastCompletionPs, linkBytes, type PathDelay, pathDelay } from '../routing/base-delay.js';
import type { PathTracer } from '../routing/path.js';
import { type Admission, destinationPort } from './admission.js';
import { FlowBounds } from './flow-bounds.js';
import type { Frontier } from './frontier.js';
import type { FailureSchedule } from './failure-schedule.js';
import type { Driver, Network, RunState, Verdict } from './network.js';
import { queuePairCount, queuePairShare } from './queue-pair-shares.js';

export interface ExecutorParts {
  /** the routes in force, which failures may change */
  readonly tracer: PathTracer;
  /** left out: links and routes stay as they are */
  readonly failures?: FailureSchedule | null;
  readonly source: WorkSource;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly sink: RecordSink;
  readonly collisions: CollisionCounter;
  readonly completions: CompletionTimes;
  /** what links carry; left out: nobody asks */
  readonly linkLoads?: LinkLoads | null;
  /** software time between a transfer's start and its queue pair, in picoseconds */
  readonly sendLatencyPs: number;
  /** most queue pairs of a flow: each has its own source port, and so its own path */
  readonly queuePairsPerFlow: number;
  /**
   * payload of a data packet, and what a packet takes of a link besides (header and gap): for ideal and least
   * completion times
   */
  readonly payloadBytes: number;
  readonly overheadBytes: number;
}

/** wakes: 0 asks the source, 1 looks for progress, 2 lets links change, slot + 3 starts a flow */
const sourceToken = 0;
const progressToken = 1;
const failureToken = 2;
const firstSlotToken = 3;

/**
 * Simulated time between two looks for progress: if packets are sent and not one byte arrives in order for the first
 * time, the run is going in circles.
 */
const progressIntervalPs = 100e9;
/** … for this many packets at least: on slow or very long links a first byte takes its time */
const circlingPackets = 10_000;

export class Executor implements Driver, TransferSink {
  started = 0;
  finishedCount = 0;
  payloadStarted = 0;
  lastFinishPs = 0;

  private readonly fabric: Fabric;
  private readonly flows: TableWriter;
  private readonly hops: TableWriter;
  private readonly path: Int32Array;
  private readonly returnPath: Int32Array;
  private readonly delay: PathDelay = { roundTripPs: 0, latencyPs: 0, bottleneckBps: 0 };
  /** by slot of a flow's first queue pair: ideal and least completion time */
  private idealPs = new Float64Array(256);
  private leastPs = new Float64Array(256);
  private readonly bounds: FlowBounds;
  private impossible = 0;
  /**
   * packets sent at the last look, and at the last look that saw progress; bytes delivered and flows started then; is a
   * next look scheduled
   */
  private sentAtLook = -0;
  private sentBefore = -0;
  private deliveredBefore = -0;
  private startedBefore = 0;
  private isWatching = false;
  private isCircling = false;
  private starved = true;
  private sourceEnded = false;
  /** when the source is asked next; a wake at another time was overtaken by an earlier one */
  private sourceWakePs = NaN;
  /** the network is telling of a finished flow: nothing may start before that call has returned */
  private isReporting = false;

  constructor(private readonly parts: ExecutorParts) {
    this.fabric = parts.tracer.fabric;
    this.path = new Int32Array(parts.tracer.maxLength);
    this.returnPath = new Int32Array(parts.tracer.maxLength);
    this.bounds = new FlowBounds(this.fabric, parts.payloadBytes, parts.overheadBytes);
    this.flows = new TableWriter(flowTable, parts.sink);
    this.hops = new TableWriter(hopTable, parts.sink);
    parts.network.attach(this, parts.frontier);
    this.awaitFailure();
  }

  /** Runs the network for at most about maxEvents events. Refill the source when it says `starved`. */
  advance(maxEvents: number): RunState {
    const { network, frontier, source } = this.parts;
    if (this.starved) {
      if (Number.isNaN(source.nextStartPs())) return 'starved';
      // transfers of this very instant come before any other event, however the source was cut into pieces
      source.expand(network.nowPs, this);
      if (!this.askSource(network.nowPs)) return 'starved';
    }
    if (network.advance(maxEvents)) return this.isCircling ? 'blocked' : this.starved ? 'starved' : 'running';
    if (this.sourceEnded && frontier.live === 0) return 'finished';
    return 'blocked';
  }

  /** Hands the last records over; call it once when the run has ended. */
  close(): void {
    this.flows.flush();
    this.hops.flush();
    this.parts.network.close();
  }

  wake(token: number, nowPs: number): boolean {
    if (token === progressToken) return this.lookForProgress(nowPs);
    if (token === failureToken) {
      this.parts.failures!.due(nowPs);
      this.awaitFailure();
      return false;
    }
    if (token >= firstSlotToken) {
      const slot = token - firstSlotToken;
      this.begin(slot, this.trace(slot), nowPs);
      return false;
    }
    if (nowPs !== this.sourceWakePs) return false;
    this.sourceWakePs = NaN;
    this.parts.source.expand(nowPs, this);
    return !this.askSource(nowPs);
  }

  transfer(
    id: number,
    source: number,
    destination: number,
    sizeBytes: number,
    startPs: number,
    trafficClass = 0,
  ): void {
    const { network, frontier, admission, sendLatencyPs, payloadBytes, queuePairsPerFlow } = this.parts;
    const count = queuePairCount(sizeBytes, payloadBytes, queuePairsPerFlow);
    if (count > 1) this.bounds.clear();
    let first = -1;
    for (let index = 0; index < count; index++) {
      const slot = frontier.allocate();
      if (index === 0) {
        first = slot;
        frontier.flowBytes[slot] = sizeBytes;
        frontier.unfinished[slot] = count;
      }
      frontier.first[slot] = first;
      frontier.id[slot] = id;
      frontier.source[slot] = source;
      frontier.destination[slot] = destination;
      frontier.sizeBytes[slot] = queuePairShare(sizeBytes, payloadBytes, count, index);
      frontier.destinationPort[slot] = destinationPort;
      frontier.trafficClass[slot] = trafficClass;
      frontier.startPs[slot] = startPs + sendLatencyPs;
      frontier.sourcePort[slot] = admission.admit(slot, startPs);
      const length = this.recordPath(slot, count === 1);
      if (startPs + sendLatencyPs === network.nowPs && !this.isReporting) this.begin(slot, length, startPs);
      else network.wakeAt(startPs + sendLatencyPs, slot + firstSlotToken);
    }
    if (count > 1) this.bounds.finish();
    this.idealPs = grown(this.idealPs, frontier.id.length);
    this.leastPs = grown(this.leastPs, frontier.id.length);
    this.idealPs[first] = this.bounds.idealPs;
    this.leastPs[first] = this.parts.failures ? this.leastWithFailuresPs(source, sizeBytes) : this.bounds.leastPs;
    this.started++;
    this.payloadStarted += sizeBytes;
  }

  finished(slot: number, nowPs: number): void {
    const { frontier, admission, collisions, linkLoads } = this.parts;
    collisions.flowFinished(slot);
    if (linkLoads) linkLoads.finished(slot, nowPs);
    admission.release(slot, nowPs);
    const first = frontier.first[slot]!;
    if (slot !== first) frontier.release(slot);
    if (--frontier.unfinished[first]! === 0) this.flowFinished(first, nowPs);
  }

  /** The last queue pair of a flow has finished. @param slot of its first one */
  private flowFinished(slot: number, nowPs: number): void {
    const { frontier, completions, source } = this.parts;
    const completionPs = nowPs - frontier.startPs[slot]!;
    if (completionPs < this.leastPs[slot]!) this.impossible++;
    const { columns, rows } = this.flows;
    columns[FlowColumn.flow]![rows] = frontier.id[slot]!;
    columns[FlowColumn.source]![rows] = frontier.source[slot]!;
    columns[FlowColumn.destination]![rows] = frontier.destination[slot]!;
    columns[FlowColumn.sourcePort]![rows] = frontier.sourcePort[slot]!;
    columns[FlowColumn.destinationPort]![rows] = frontier.destinationPort[slot]!;
    columns[FlowColumn.size]![rows] = frontier.flowBytes[slot]!;
    columns[FlowColumn.start]![rows] = frontier.startPs[slot]!;
    columns[FlowColumn.finish]![rows] = nowPs;
    columns[FlowColumn.ideal]![rows] = this.idealPs[slot]!;
    this.flows.commit();
    completions.add(completionPs);
    const id = frontier.id[slot]!;
    frontier.release(slot);
    this.finishedCount++;
    this.lastFinishPs = nowPs;
    if (source.transferFinished !== undefined) {
      this.isReporting = true;
      source.transferFinished(id, nowPs, this);
      if (!this.askSource(nowPs)) fail('a source does not know its next transfer after one has finished');
      this.isReporting = false;
    }
    if (this.sourceEnded && frontier.live === 0) this.parts.network.drain();
  }

  /** Checks of the execution and of the network under it. */
  verdicts(state: RunState): Verdict[] {
    const { frontier, network } = this.parts;
    const complete = state === 'finished';
    const live = frontier.liveFlows;
    const waiting = (this.parts.source.unfinished ?? live) - live;
    const neverStarted = waiting > 0 ? `, ${waiting} more waited for others` : '';
    const all: Verdict = {
      name: 'all flows finished',
      ok: complete && this.finishedCount === this.started && waiting === 0,
      detail: `${this.finishedCount} of ${this.started} flows finished${neverStarted}${state === 'blocked' ? this.blockedDetail() : ''}`,
    };
    return [
      // whoever stops a run does not expect all flows to have finished
      ...(state === 'stopped' ? [] : [all]),
      {
        name: 'a record for every finished flow',
        ok: this.flows.total === this.finishedCount && this.started === this.finishedCount + live,
        detail: `${this.flows.total} records; ${this.started} started = ${this.finishedCount} finished + ${live} under way`,
      },
      {
        name: 'no completion faster than physics',
        ok: this.impossible === 0,
        detail: `${this.impossible} of ${this.finishedCount} completions below bytes / bottleneck + propagation`,
      },
      ...network.verdicts(state),
    ];
  }

  private awaitFailure(): void {
    const nextPs = this.parts.failures?.nextPs ?? Infinity;
    if (nextPs !== Infinity) this.parts.network.wakeAt(nextPs, failureToken);
  }

  /** Schedules the next transfer. @returns false if the source must be refilled first */
  private askSource(nowPs: number): boolean {
    const nextPs = this.parts.source.nextStartPs();
    this.starved = Number.isNaN(nextPs);
    if (this.starved) return false;
    this.sourceEnded = nextPs === Infinity;
    if (this.sourceEnded) {
      if (this.parts.frontier.live === 0) this.parts.network.drain();
    } else if (nextPs !== this.sourceWakePs) {
      if (nextPs < nowPs) fail(`transfer at ${nextPs} ps became known at ${nowPs} ps`);
      this.sourceWakePs = nextPs;
      this.parts.network.wakeAt(nextPs, sourceToken);
    }
    return true;
  }

  /**
   * A queue pair enters the network: from now on its flow can collide.
   * @param length of its path, which stands in this.path
   */
  private begin(slot: number, length: number, nowPs: number): void {
    const { network, collisions, linkLoads, frontier, payloadBytes, overheadBytes } = this.parts;
    collisions.flowStarted(slot, this.path, length, frontier.first[slot]!);
    if (linkLoads)
      linkLoads.started(
        slot,
        this.path,
        length,
        linkBytes(frontier.sizeBytes[slot]!, payloadBytes, overheadBytes),
        nowPs,
      );
    if (!this.isWatching) {
      this.isWatching = true;
      network.wakeAt(nowPs + progressIntervalPs, progressToken);
    }
    network.start(slot, nowPs);
  }

  /** Compares with the last look. @returns true to end the run: packets circulate and bring no flow forward */
  private lookForProgress(nowPs: number): boolean {
    const { dataPacketsSent, payloadBytesDelivered } = this.parts.network.counters;
    const isActive = dataPacketsSent !== this.sentAtLook;
    this.sentAtLook = dataPacketsSent;
    // while links change, a repair may yet come
    const isHopeful = this.parts.failures?.isPending === true;
    if (!isHopeful && payloadBytesDelivered === this.deliveredBefore && this.started === this.startedBefore)
      this.isCircling = isActive && dataPacketsSent - this.sentBefore > circlingPackets;
    else {
      this.sentBefore = dataPacketsSent;
      this.deliveredBefore = payloadBytesDelivered;
      this.startedBefore = this.started;
    }
    // nothing was sent: there is nothing to watch until the next flow begins
    this.isWatching = isActive;
    if (isActive && !this.isCircling) this.parts.network.wakeAt(nowPs + progressIntervalPs, progressToken);
    return this.isCircling;
  }

  private blockedDetail(): string {
    const { frontier } = this.parts;
    const ids: number[] = [];
    for (let slot = 0; slot < frontier.slotCount; slot++)
      if (frontier.isLive[slot] === 1 && frontier.first[slot] === slot) ids.push(frontier.id[slot]!);
    const first = ids
      .sort((a, b) => a - b)
      .slice(0, 10)
      .join(', ');
    const reason = this.parts.network.blockedReason();
    const why = this.isCircling
      ? `packets circulate, but none brought a flow forward for ${progressIntervalPs / 1e9} ms`
      : `nothing more can happen${reason === '' ? '' : ` (${reason})`}`;
    return `; ${why}; unfinished: ${first}${ids.length > 10 ? ', …' : ''}`;
  }

  /** The queue pair's path, into this.path. @returns its length; 0 if failed links leave none */
  private trace(slot: number, tracer = this.parts.tracer): number {
    const { frontier, failures } = this.parts;
    const length = tracer.trace(
      frontier.source[slot]!,
      frontier.destination[slot]!,
      frontier.sourcePort[slot]!,
      destinationPort,
      this.path,
    );
    if (length === 0 && !failures)
      fail(`node ${frontier.source[slot]!} has no route to node ${frontier.destination[slot]!}`);
    return length;
  }

  /**
   * Walks the queue pair's path once: its hops, its flow's bounds.
   * @param isOnly whether the flow has this one part
   * @returns the length of the path, which stands in this.path
   */
  private recordPath(slot: number, isOnly: boolean): number {
    const { frontier, failures, payloadBytes } = this.parts;
    const { fabric, path } = this;
    let length = this.trace(slot, failures?.intact);
    pathDelay(fabric, path, length, payloadBytes, this.delay);
    if (isOnly) this.bounds.only(this.delay, this.returnLatencyPs(slot), frontier.sizeBytes[slot]!);
    else this.bounds.add(path, length, this.delay, this.returnLatencyPs(slot), frontier.sizeBytes[slot]!);
    if (failures) length = this.trace(slot);
    // the first port is the sender's own: no hop
    for (let i = 1; i < length; i++) {
      const port = path[i]!;
      const node = fabric.portNode[port]!;
      const { columns, rows } = this.hops;
      columns[HopColumn.flow]![rows] = frontier.id[slot]!;
      columns[HopColumn.source]![rows] = frontier.source[slot]!;
      columns[HopColumn.destination]![rows] = frontier.destination[slot]!;
      columns[HopColumn.sourcePort]![rows] = frontier.sourcePort[slot]!;
      columns[HopColumn.destinationPort]![rows] = destinationPort;
      columns[HopColumn.hop]![rows] = i - 1;
      columns[HopColumn.node]![rows] = node;
      columns[HopColumn.interface]![rows] = interfaceIndex(fabric, port);
      this.hops.commit();
    }
    return length;
  }

  /** What remains of the bound when routes and rates change under way: all bytes over all links of the host at once. */
  private leastWithFailuresPs(host: number, sizeBytes: number): number {
    const { portOffset, portLink, linkRateBps } = this.fabric;
    const { payloadBytes, overheadBytes } = this.parts;
    let bottleneckBps = 0;
    for (let port = portOffset[host]!; port < portOffset[host + 1]!; port++)
      bottleneckBps += linkRateBps[portLink[port]!]!;
    return leastCompletionPs(
      { latencyPs: 0, roundTripPs: 0, bottleneckBps },
      0,
      sizeBytes,
      payloadBytes,
      overheadBytes,
    );
  }

  /** Latency of the path that the queue pair's acknowledgements take: they hash on their own header. */
  private returnLatencyPs(slot: number): number {
    const { frontier, tracer } = this.parts;
    const length = tracer.trace(
      frontier.destination[slot]!,
      frontier.source[slot]!,
      destinationPort,
      frontier.sourcePort[slot]!,
      this.returnPath,
    );
    let latencyPs = 0;
    for (let i = 0; i < length; i++) latencyPs += portLatencyPs(this.fabric, this.returnPath[i]!);
    return latencyPs;
  }
}
