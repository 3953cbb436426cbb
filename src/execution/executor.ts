// Long because what befalls a flow, from its start to its end, is told in one place.
// The one executor: takes transfers from a source as their time comes, admits them, starts them on a network and
// records their end.
// Invariants: a transfer starts at its own time in order of id; the network never runs past a transfer that is not yet
// known; what was started is finished, unfinished or still under way, and the counts say so.

import { fail } from '../base/fail.js';
import type { TransferSink, WorkSource } from '../flows/work-source.js';
import type { CollisionCounter } from '../measurement/collisions.js';
import type { LostTime } from '../measurement/lost-time.js';
import { checkedPort } from './admission-door.js';
import type { CompletionTimes } from '../measurement/completion.js';
import { Slowdowns } from '../measurement/slowdowns.js';
import type { LinkLoads } from '../measurement/link-loads.js';
import { FlowColumn, flowTable } from '../records/flow-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import type { Pin } from '../routing/pinned-paths.js';
import type { PathTracer } from '../routing/path.js';
import { type Admission, heldBack } from './admission.js';
import type { FrontDoor } from './admission-door.js';
import { OpenConnections } from './open-connections.js';
import { firstFlows } from './first-flows.js';
import { type Frontier, Stage } from './frontier.js';
import type { FailureSchedule } from './failure-schedule.js';
import { type Driver, type Network, type RunState, type Verdict, wasCut } from './network.js';
import { IdleWakes } from './idle-wakes.js';
import { PathRecorder } from './path-recorder.js';
import { progressIntervalPs, ProgressWatch } from './progress-watch.js';
import { QueuePairOpening } from './queue-pair-opening.js';
import { type ConnectionQueuePairs, QueuePairNumbers, type QueuePairsByEnds } from './queue-pair-shares.js';
import { type UnfinishedFlow, unfinishedFlows } from './unfinished-flows.js';
import { WakeTokens } from './wake-tokens.js';

/** What an executor is put together from; one object, because a plan is carried out once, with all its parts. */
export interface ExecutorParts {
  /** the routes in force, which failures may change */
  readonly tracer: PathTracer;
  /** left out: links and routes stay as they are */
  readonly failures?: FailureSchedule | null;
  readonly source: WorkSource;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly admission: Admission;
  /** the door that the admission policy was given; left out: it answers at once and moves nothing */
  readonly door?: FrontDoor | null;
  readonly sink: RecordSink;
  readonly completions: CompletionTimes;
  /** what links carry; left out: nobody asks */
  readonly linkLoads?: LinkLoads | null;
  /** software time between a transfer's start and its queue pair, in picoseconds */
  readonly sendLatencyPs: number;
  /** when the run ends, whatever is unfinished then, in picoseconds; left out: when its work is done */
  readonly stopPs?: number;
  /** most queue pairs of a flow: each has its own source port, and so its own path; or what says it by its ends */
  readonly queuePairsPerFlow: number | QueuePairsByEnds;
  /** of transfers over connections; left out: as of flows */
  readonly queuePairsPerConnection?: ConnectionQueuePairs | null;
  /** what traffic classes ask, by class - 1; left out: there are none */
  readonly pins?: readonly Pin[];
  /**
   * payload of a data packet, and what a packet takes of a link besides (header and gap): for ideal and least
   * completion times
   */
  readonly payloadBytes: number;
  readonly overheadBytes: number;
}

/**
 * wakes: 0 asks the source, 1 looks for progress, 2 lets links change, 3 ends the run; from 4 on, by turns, one that
 * admission asked for and one that starts a queue pair
 */
const sourceToken = 0;
const progressToken = 1;
const failureToken = 2;
const stopToken = 3;
const policyToken = 4;
const startToken = 5;

export class Executor implements Driver, TransferSink {
  started = 0;
  finishedCount = 0;
  payloadStarted = 0;
  lastFinishPs = 0;
  readonly slowdowns = new Slowdowns();

  /** given if the source wants to know what has left */
  readonly sent?: (slot: number, nowPs: number) => void;
  private readonly flows: TableWriter;
  private readonly paths: PathRecorder;
  private readonly policyWakes = new WakeTokens();
  private readonly opening: QueuePairOpening;
  private impossible = 0;
  private readonly watch = new ProgressWatch();
  private readonly idleWakes = new IdleWakes();
  private isWatching = false;
  private starved = true;
  private sourceEnded = false;
  /** when the source is asked next; a wake at another time was overtaken by an earlier one */
  private sourceWakePs = NaN;
  /** the time has come at which the run was to end */
  private isOver = false;
  /** the network is telling of a finished flow: nothing may start before that call has returned */
  private isReporting = false;
  /** routes have changed, and admission is being told: paths are recorded when it has moved whom it wants */
  private isRerouting = false;

  constructor(private readonly parts: ExecutorParts) {
    const { tracer, failures, network, frontier, admission, door = null, sink, linkLoads = null } = parts;
    const { payloadBytes, overheadBytes } = parts;
    this.paths = new PathRecorder({
      tracer,
      intact: failures?.intact ?? null,
      frontier,
      paths: network.paths,
      hasDoor: door !== null,
      movesFlows: admission.movesFlows === true,
      hasOneQueuePair: parts.queuePairsPerFlow === 1 && !parts.queuePairsPerConnection,
      sink,
      linkLoads,
      payloadBytes,
      overheadBytes,
    });
    this.flows = new TableWriter(flowTable, sink);
    const numbers = new QueuePairNumbers(parts.queuePairsPerFlow, payloadBytes, parts.queuePairsPerConnection);
    const connections = new OpenConnections(tracer.fabric.nodeCount, numbers.mostOfConnection);
    this.opening = new QueuePairOpening({ ...parts, connections, numbers, pins: parts.pins ?? [] });
    if (parts.source.transferSent !== undefined) this.sent = (slot, nowPs) => this.queuePairSent(slot, nowPs);
    network.attach(this, frontier);
    door?.open({
      get nowPs() {
        return network.nowPs;
      },
      entered: (slot) => this.entered(slot),
      moved: (slot) => this.moved(slot),
      wakePolicyAt: (timePs, token) => network.wakeAt(timePs, policyToken + 2 * this.policyWakes.keep(token)),
    });
    this.awaitFailure();
    const { stopPs = Infinity } = parts;
    if (stopPs < Infinity) network.wakeAt(stopPs, stopToken);
  }

  /** Flows that met on links. */
  get collisions(): CollisionCounter {
    return this.paths.collisions;
  }

  /** Where flows lost time. */
  get lostTime(): LostTime {
    return this.paths.lostTime;
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
    const isStuck = !network.advance(maxEvents) || this.isOver || this.watch.isCircling || this.idleWakes.isStuck;
    if (!isStuck) return this.starved ? 'starved' : 'running';
    if (this.sourceEnded && frontier.live === 0) return 'finished';
    // a run in which nothing could happen any more had been blocked before
    return this.isOver && !(this.sourceEnded && network.isIdle === true) ? 'ended' : 'blocked';
  }

  /** Hands the last records over; call it once when the run has ended. */
  close(): void {
    this.flows.flush();
    this.paths.close();
    this.parts.network.close();
  }

  wake(token: number, nowPs: number): boolean {
    if (token === progressToken) return this.lookForProgress(nowPs);
    if (token === failureToken) {
      this.letLinksChange(nowPs);
      return false;
    }
    if (token === stopToken) {
      // what is done only lets its last packets arrive
      this.isOver = !this.sourceEnded || this.parts.frontier.live > 0;
      return this.isOver;
    }
    if (token >= startToken && (token - startToken) % 2 === 0) {
      this.begin((token - startToken) / 2, -1, nowPs);
      return false;
    }
    if (token >= policyToken) {
      const asked = this.policyWakes.take((token - policyToken) / 2);
      const { admission } = this.parts;
      if (admission.due === undefined) fail('an admission policy asked to be called, and has no method `due`');
      admission.due(asked, nowPs);
      return this.idleWakes.woken(nowPs, !this.sourceEnded || this.parts.failures?.isPending === true);
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
    connection = -1,
  ): void {
    const count = this.opening.open(id, source, destination, sizeBytes, startPs, trafficClass, connection);
    this.started++;
    this.payloadStarted += sizeBytes;
    this.admit(count, startPs);
  }

  /** Asks for the source ports of the queue pairs that were opened last; those that have one may start. */
  private admit(count: number, startPs: number): void {
    const { frontier, admission, network, sendLatencyPs } = this.parts;
    const { paths } = this;
    const { slots } = this.opening;
    const first = slots[0]!;
    let isHeld = false;
    for (let index = 0; index < count; index++) {
      const slot = slots[index]!;
      const port = admission.admit(slot, startPs);
      this.idleWakes.asked(port === heldBack);
      if (port !== heldBack) {
        frontier.sourcePort[slot] = checkedPort(port);
        frontier.stage[slot] = Stage.answered;
      } else {
        if (!this.parts.door) fail('an admission policy holds a flow back, and has no door to let it in by');
        frontier.stage[slot] = Stage.held;
        isHeld = true;
      }
    }
    paths.flowBegins(first, frontier.flowBytes[first]!);
    if (isHeld) paths.flowHeld(first, Array.from(slots.subarray(0, count)));
    for (let index = 0; index < count; index++) {
      const slot = slots[index]!;
      if (frontier.stage[slot] !== Stage.answered) continue;
      frontier.stage[slot] = Stage.admitted;
      let length = -1;
      if (isHeld) paths.admittedLater(slot);
      else length = paths.admitted(slot, count === 1);
      if (startPs + sendLatencyPs === network.nowPs && !this.isReporting) this.begin(slot, length, startPs);
      else network.wakeAt(startPs + sendLatencyPs, startToken + 2 * slot);
    }
    if (!isHeld) paths.flowAdmitted(first, count === 1);
  }

  took(slot: number, port: number): void {
    this.paths.took(slot, port, this.parts.network.nowPs);
  }

  finished(slot: number, nowPs: number): void {
    const { frontier, admission } = this.parts;
    if (this.sent !== undefined) this.queuePairSent(slot, nowPs);
    this.paths.finished(slot, nowPs);
    frontier.stage[slot] = Stage.over;
    this.idleWakes.finished();
    admission.release(slot, nowPs);
    const first = frontier.first[slot]!;
    if (slot !== first) frontier.release(slot);
    if (--frontier.unfinished[first]! === 0) this.flowFinished(first, nowPs);
  }

  /** The last queue pair of a flow has finished. @param slot of its first one */
  private flowFinished(slot: number, nowPs: number): void {
    const { frontier, completions, source } = this.parts;
    const completionPs = nowPs - frontier.startPs[slot]!;
    if (completionPs < this.paths.leastPs[slot]!) this.impossible++;
    const { columns, rows } = this.flows;
    columns[FlowColumn.flow]![rows] = frontier.id[slot]!;
    columns[FlowColumn.source]![rows] = frontier.source[slot]!;
    columns[FlowColumn.destination]![rows] = frontier.destination[slot]!;
    columns[FlowColumn.sourcePort]![rows] = frontier.sourcePort[slot]!;
    columns[FlowColumn.destinationPort]![rows] = frontier.destinationPort[slot]!;
    columns[FlowColumn.size]![rows] = frontier.flowBytes[slot]!;
    columns[FlowColumn.start]![rows] = frontier.startPs[slot]!;
    columns[FlowColumn.finish]![rows] = nowPs;
    columns[FlowColumn.ideal]![rows] = this.paths.idealPs[slot]!;
    this.flows.commit();
    completions.add(completionPs);
    this.slowdowns.add(completionPs, this.paths.idealPs[slot]!);
    this.paths.lostTime.flowFinished(slot, completionPs, this.paths.idealPs[slot]!);
    const id = frontier.id[slot]!;
    frontier.release(slot);
    this.finishedCount++;
    this.lastFinishPs = nowPs;
    if (source.transferFinished !== undefined) {
      this.isReporting = true;
      source.transferFinished(id, nowPs, this);
      this.hasReported(nowPs);
    }
    if (this.sourceEnded && frontier.live === 0) this.parts.network.drain();
  }

  /** All bytes of a queue pair have left; after the last one of a flow its source learns of it. */
  private queuePairSent(slot: number, nowPs: number): void {
    const { frontier, source } = this.parts;
    if (frontier.hasSent[slot] === 1 || source.awaitsSent === false) return;
    frontier.hasSent[slot] = 1;
    const first = frontier.first[slot]!;
    if (--frontier.unsent[first]! > 0) return;
    this.isReporting = true;
    source.transferSent!(frontier.id[first]!, nowPs, this);
    this.hasReported(nowPs);
  }

  /** The source has been told of a transfer: it may have others, which start when this call has returned. */
  private hasReported(nowPs: number): void {
    if (!this.askSource(nowPs)) fail('a source does not know its next transfer after it was told of one');
    this.isReporting = false;
  }

  /** Checks of the execution and of the network under it. */
  verdicts(state: RunState): Verdict[] {
    const { frontier, network } = this.parts;
    const live = frontier.liveFlows;
    const waiting = (this.parts.source.unfinished ?? live) - live;
    const neverStarted = waiting > 0 ? `, ${waiting} more waited for others` : '';
    const cause = state === 'blocked' ? this.blockedCause() : '';
    const all: Verdict = {
      name: 'all flows finished',
      ok: state === 'finished' && this.finishedCount === this.started && waiting === 0,
      detail: `${this.finishedCount} of ${this.started} flows finished${neverStarted}${state === 'blocked' ? this.blockedDetail() : ''}`,
      ...(cause === '' ? {} : { cause }),
    };
    return [
      ...(wasCut(state) ? [] : [all]),
      {
        name: 'a record for every finished flow',
        ok: this.flows.total === this.finishedCount && this.started === this.finishedCount + live,
        detail: `${this.flows.total} records; ${this.started} started = ${this.finishedCount} finished + ${live} under way`,
      },
      {
        name: 'no completion faster than physics',
        ok: this.impossible === 0,
        detail: `${this.impossible} of ${this.finishedCount} flows finished faster than bytes / bottleneck rate + propagation allow`,
      },
      ...network.verdicts(state),
    ];
  }

  /**
   * The flows that have begun and not finished, in order of their numbers, with what they have brought to their ends.
   */
  unfinishedFlows(): UnfinishedFlow[] {
    return unfinishedFlows(this.parts.frontier, this.parts.network);
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

  /** Links change, routes with them, and admission learns of it. */
  private letLinksChange(nowPs: number): void {
    const { failures, admission } = this.parts;
    const { reroutes } = failures!;
    failures!.due(nowPs);
    this.awaitFailure();
    this.isRerouting = failures!.reroutes !== reroutes;
    admission.linksChanged?.(nowPs);
    if (this.isRerouting) this.paths.routesChanged(nowPs);
    this.isRerouting = false;
  }

  /** A queue pair that was held back has its source port. It may be that the network is telling of another's end. */
  private entered(slot: number): void {
    const { frontier, network } = this.parts;
    frontier.stage[slot] = Stage.admitted;
    this.idleWakes.entered();
    this.paths.admittedLater(slot);
    network.wakeAt(Math.max(network.nowPs, frontier.startPs[slot]!), startToken + 2 * slot);
  }

  /** A queue pair that was let in has another source port. */
  private moved(slot: number): void {
    const { frontier, network, admission } = this.parts;
    if (admission.movesFlows !== true) fail('an admission policy moves a flow, and has not said that it ever would');
    // one that has not started yet will take its way when it does
    if (frontier.stage[slot] !== Stage.underWay) return;
    network.reroute(slot);
    // of one that is moved because routes have changed, only the way that it ends up with is known
    if (!this.isRerouting) this.paths.rerouted(slot, network.nowPs);
  }

  /**
   * A queue pair enters the network.
   * @param length of its path if it was recorded just before; -1 if not
   */
  private begin(slot: number, length: number, nowPs: number): void {
    const { network, frontier } = this.parts;
    this.paths.started(slot, length, nowPs);
    frontier.stage[slot] = Stage.underWay;
    if (!this.isWatching) {
      this.isWatching = true;
      network.wakeAt(nowPs + progressIntervalPs, progressToken);
    }
    network.start(slot, nowPs);
  }

  /** @returns true to end the run: packets circulate and bring no flow forward */
  private lookForProgress(nowPs: number): boolean {
    const { network, failures } = this.parts;
    // nothing was sent: there is nothing to watch until the next flow begins; while links change, a repair may yet come
    this.isWatching = this.watch.look(network.counters, this.started, failures?.isPending === true);
    const { isCircling } = this.watch;
    if (this.isWatching && !isCircling) network.wakeAt(nowPs + progressIntervalPs, progressToken);
    return isCircling;
  }

  /** Why a run is blocked, in words for the first line: what failures cut off, or what the network knows. */
  private blockedCause(): string {
    const { frontier, failures, network } = this.parts;
    const pairs: [number, number][] = [];
    for (let slot = 0; slot < frontier.slotCount; slot++)
      if (frontier.isLive[slot] === 1) pairs.push([frontier.source[slot]!, frontier.destination[slot]!]);
    return failures?.cutOff(pairs) || network.blockedReason();
  }

  private blockedDetail(): string {
    const { admission, frontier, network } = this.parts;
    const reason = network.blockedReason();
    const held = firstFlows(frontier, true);
    const reasons = [...(held === '' ? [] : [`held back by admission: ${held}`]), ...(reason === '' ? [] : [reason])];
    const why = this.idleWakes.isStuck
      ? this.idleWakes.detail(admission.constructor.name, held)
      : this.watch.isCircling
        ? `packets circulate, but none brought a flow forward for ${progressIntervalPs / 1e9} ms`
        : `nothing more can happen${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`;
    return `; ${why}; unfinished: ${firstFlows(frontier, false)}`;
  }
}
