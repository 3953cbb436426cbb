// A job under way: every rank carries out the program of its stage, operation by operation; collectives and messages
// join ranks together. A rank that computes ahead is not woken for every operation: its clock runs on until it meets
// something that others take part in.
// Invariants: a rank joins collectives in the order of its program; its clock never goes back, and computation, exposed
// communication and bubble add up to it; nothing is done inside a callback of a collective (what it finished is done
// when the call has returned).
// Not modelled: communication that computation slows down; streams of their own for kinds of collectives.

import { Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { TimeHeap } from '../base/time-heap.js';
import { firstConnection } from '../collectives/connection-names.js';
import { hasConnections } from '../collectives/selection.js';
import { serverOf } from '../fabric/fabric.js';
import { ClassedSink } from '../flows/classed-sink.js';
import type { TransferSink } from '../flows/work-source.js';
import { groupNames } from '../workload/policies.js';
import { Actors, State, type Waiting } from './actors.js';
import { buildProgram } from './build-program.js';
import { ClosedForms } from './closed-forms.js';
import type { FastForward } from './fast-forward/fast-forward.js';
import { fastForwardOf } from './fast-forward/fast-forward-of.js';
import type { Job } from './job.js';
import { communicationKindOf, communicatorNumber, JobGroups } from './job-groups.js';
import { JobLedger, pipelineKind } from './job-ledger.js';
import type { JobParts } from './job-parts.js';
import { Message, Messages } from './messages.js';
import type { OpenCollective } from './open-collective.js';
import { OpenCollectives } from './open-collectives.js';
import { Operation, type Program } from './program.js';
import { OverlapSlowdown } from './overlap-slowdown.js';
import { kindIndex } from './rank-accounts.js';
import { StartedCollectives } from './started-collectives.js';
import { Timer, Timers } from './timers.js';

const { compute: COMPUTE, collective: COLLECTIVE, start: START, finish: FINISH } = Operation;
const { send: SEND, receive: RECEIVE } = Operation;
/** computations that an actor runs ahead at once, so that a run can be stopped between two calls */
const mostAhead = 256;

export class JobRun {
  readonly groups: JobGroups;
  readonly actors: Actors;
  readonly ledger: JobLedger;
  executed = 0;
  /** by stage */
  readonly programs: readonly Program[];
  private readonly closedForms: ClosedForms | null;
  private readonly started: StartedCollectives;
  private readonly slowdown: OverlapSlowdown;
  readonly open: OpenCollectives;
  readonly messages: Messages;
  /** over which ranks of different servers send each other messages; -1: each message has queue pairs of its own */
  private readonly messageConnection: number;
  /** null: everything is sent */
  readonly fastForward: FastForward | null;
  private readonly heap = new TimeHeap();
  private readonly timers: Timers<OpenCollective | Message>;
  /** ranks that are done with a collective, for when the call under way has returned */
  private readonly ready: (OpenCollective | null)[] = [];
  private readonly readyPlace = new Int32List();
  private nowPs = 0;
  private sink!: TransferSink;
  private readonly classed: ClassedSink | null;
  private readonly due = (kind: number, subject: OpenCollective | Message, place: number): void => {
    if (subject instanceof Message) this.arrived(subject);
    else if (kind === Timer.join) this.enter(subject, place);
    else if (kind === Timer.goOn) this.open.goOn(subject, this.fastForward!.shareLeft(subject), this.nowPs, this.sink);
    else this.noteDone(subject, place);
  };

  constructor(
    readonly job: Job,
    readonly number: number,
    private readonly parts: JobParts,
  ) {
    const { costs, recorder } = parts;
    const { workload } = job;
    this.classed = job.trafficClass === undefined || job.trafficClass === 0 ? null : new ClassedSink(job.trafficClass);
    this.groups = new JobGroups({ job, fabric: parts.fabric, settings: parts.settings, streams: parts.streams });
    this.messageConnection = hasConnections(parts.settings.profile)
      ? firstConnection(communicatorNumber(number, null), 'direct')
      : -1;
    const stages = workload.groups.pipeline;
    const programs = Array.from({ length: stages }, (_, stage) => buildProgram(workload, stage, job.pipelineSchedule));
    this.programs = programs;
    const actors = (this.actors = new Actors(job, this.groups, costs !== null));
    this.messages = new Messages(number, programs[0]!.tagCount, parts.owners, (message, nowPs, sink) =>
      this.messageArrived(message, nowPs, sink),
    );
    this.closedForms = costs === null ? null : new ClosedForms(costs);
    this.started = new StartedCollectives(workload.layers.count);
    this.slowdown = new OverlapSlowdown(actors.count, job.overlapSlowdown ?? 0);
    this.open = new OpenCollectives({ job: number, iterations: job.iterations, programs, actors }, parts, {
      placeFinished: (collective, place) => {
        if (this.fastForward?.placeFinished(collective, place, this.nowPs) !== false) this.noteDone(collective, place);
      },
      transferSent: (collective, id, nowPs, sink) => {
        this.use(nowPs, sink);
        this.open.hasSent(collective, id, nowPs, this.sink);
        this.settle();
      },
      transferFinished: (collective, id, nowPs, sink) => this.transferFinished(collective, id, nowPs, sink),
    });
    const timeline = recorder?.recording.ranks ?? 'none';
    const isRecorded = new Uint8Array(actors.count);
    if (timeline === 'all') isRecorded.fill(1);
    else if (timeline === 'stages') for (const actor of actors.firstOfStage) isRecorded[actor] = 1;
    this.ledger = new JobLedger({ job: number, actors, isRecorded, layers: workload.layers.count }, recorder);
    this.timers = new Timers(this.heap, actors.count);
    this.fastForward = fastForwardOf(this, parts, {
      ends: (collective, place, endPs) => this.endAt(collective, place, endPs),
      abandon: (collective) => this.open.abandon(collective),
      goOn: (collective, atPs) => this.timers.add(Timer.goOn, collective, 0, atPs),
      nextPs: () => this.heap.firstPs,
    });
    for (let actor = 0; actor < actors.count; actor++) this.heap.set(actor, job.startPs);
  }

  /** When something happens next; Infinity if only transfers can go on. */
  get nextPs(): number {
    return this.heap.firstPs;
  }

  get isFinished(): boolean {
    return this.actors.areDone;
  }

  /** Operations of all actors together. */
  get operations(): number {
    const ofProgram = ({ length, iterationLength }: Program): number =>
      iterationLength * (this.job.iterations - 1) + length;
    return this.actors.stageOf.reduce((sum, stage) => sum + ofProgram(this.programs[stage]!), 0);
  }

  /** Transfers that have not finished, those that wait for others included, and messages that nobody has taken. */
  get unfinished(): number {
    return this.open.unfinished + this.messages.count;
  }

  /** Time, and where transfers go, of a call: in the job's class if it has one. */
  private use(nowPs: number, sink: TransferSink): void {
    this.nowPs = nowPs;
    this.sink = this.classed === null ? sink : this.classed.before(sink);
  }

  /** Does everything that is due. */
  advance(nowPs: number, sink: TransferSink): void {
    this.use(nowPs, sink);
    while (this.heap.firstPs <= nowPs) {
      const key = this.heap.pop();
      if (key < this.actors.count) this.proceed(key);
      else this.timers.take(key, this.due);
      this.settle();
    }
  }

  private transferFinished(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void {
    this.use(nowPs, sink);
    this.open.arrived(collective, id, nowPs, this.sink);
    this.fastForward?.arrived(collective, nowPs);
    this.settle();
  }

  private messageArrived(message: Message, nowPs: number, sink: TransferSink): void {
    this.use(nowPs, sink);
    this.arrived(message);
    this.settle();
  }

  /** Carries out an actor's operations until one has to wait, or lies in the future. */
  private proceed(actor: number): void {
    const { actors } = this;
    const program = this.programOf(actor);
    const before = this.executed;
    for (;;) {
      const at = actors.operation(actor);
      if (at === program.iterationLength && actors.iteration(actor) + 1 < this.job.iterations) {
        actors.nextIteration(actor);
        continue;
      }
      if (at === program.length) {
        actors.end(actor);
        return;
      }
      const kind = program.kind[at]!;
      if ((kind !== COMPUTE || this.executed - before >= mostAhead) && actors.clockPs(actor) > this.nowPs) {
        this.heap.set(actor, actors.clockPs(actor));
        return;
      }
      if (!this.carriedOut(actor, program, at, kind)) return;
      this.next(actor);
    }
  }

  /** @returns false if the actor has to wait */
  private carriedOut(actor: number, program: Program, at: number, kind: number): boolean {
    switch (kind) {
      case COMPUTE:
        this.busy(actor, program, at, false);
        return true;
      case COLLECTIVE:
      case START:
        return this.joined(actor, program, at);
      case FINISH:
        return this.finished(actor, program, at);
      case SEND:
        this.send(actor, program, at);
        return true;
      case RECEIVE:
        return this.received(actor, program, at);
      default:
        return fail(`operation ${kind}`);
    }
  }

  private next(actor: number): void {
    this.actors.next(actor);
    this.executed++;
  }

  private programOf(actor: number): Program {
    return this.programs[this.actors.stageOf[actor]!]!;
  }

  private wait(actor: number, state: Waiting): false {
    this.actors.wait(actor, state);
    return false;
  }

  private busy(actor: number, program: Program, at: number, isUpdate: boolean): void {
    const { actors } = this;
    const ownPs = actors.takesPs(actor, program.durationPs[at]!);
    if (ownPs === 0) return;
    const takesPs = ownPs + this.slowdown.takePs(actor);
    const startPs = actors.compute(actor, takesPs);
    this.ledger.computed(actor, program, at, actors.iteration(actor), startPs, startPs + takesPs, isUpdate);
  }

  /** Comes to a collective; a group of one rank has none. */
  private joined(actor: number, program: Program, at: number): boolean {
    const rank = this.actors.ranks[actor]!;
    const name = groupNames[program.group[at]!]!;
    const group = this.groups.group(name, rank);
    if (group.ranks.length === 1) return true;
    const collective = this.open.at(group, program, at, this.actors.iteration(actor));
    const place = this.groups.place(name, rank);
    this.ledger.accounts.began(actor, kindIndex(communicationKindOf[name]), this.nowPs);
    collective.join(place, this.nowPs);
    const waits = program.kind[at] === COLLECTIVE;
    if (waits) this.wait(actor, State.collective);
    else {
      this.started.add(actor, program.layer[at]!);
      this.slowdown.began(actor, this.nowPs, this.ledger.accounts.computePs[actor]!);
    }
    if (this.parts.costs !== null) {
      if (collective.isComplete) this.closedForm(collective);
      return !waits;
    }
    const { startDelayPs } = collective.plan;
    this.fastForward?.came(collective, this.nowPs);
    // others may come at this very instant, which decides whether it has to be sent
    if (startDelayPs > 0 || this.fastForward !== null)
      this.timers.add(Timer.join, collective, place, this.nowPs + startDelayPs);
    else this.enter(collective, place);
    return !waits;
  }

  /** A rank that has come to a collective sends, unless that is replayed. */
  private enter(collective: OpenCollective, place: number): void {
    if (this.fastForward?.sends(collective) !== false) this.open.enter(collective, place, this.nowPs, this.sink);
  }

  private closedForm(collective: OpenCollective): void {
    const endPs = this.closedForms!.endPs(collective, this.nowPs);
    for (let place = 0; place < collective.group.ranks.length; place++)
      if (collective.startPs(place) >= 0) this.timers.add(Timer.done, collective, place, endPs);
  }

  private endAt(collective: OpenCollective, place: number, endPs: number): void {
    if (endPs <= this.nowPs) this.noteDone(collective, place);
    else this.timers.add(Timer.done, collective, place, endPs);
  }

  private noteDone(collective: OpenCollective, place: number): void {
    this.ready[this.readyPlace.length] = collective;
    this.readyPlace.push(place);
  }

  /** Goes on with the ranks that are done with collectives, as long as there are any. */
  private settle(): void {
    const { ready, readyPlace } = this;
    for (let i = 0; i < readyPlace.length; i++) {
      const collective = ready[i]!;
      ready[i] = null;
      this.placeDone(collective, readyPlace.values[i]!);
    }
    readyPlace.length = 0;
  }

  private placeDone(collective: OpenCollective, place: number): void {
    const { actors } = this;
    const { group, cause } = collective;
    const actor = actors.ofRank(group.ranks[place]!);
    const kind = kindIndex(communicationKindOf[group.name]);
    this.ledger.collectiveDone(actor, collective, place, this.nowPs);
    this.fastForward?.done(collective, place, this.nowPs);
    if (this.open.leave(collective)) this.ledger.collectiveOver(collective, this.nowPs);
    const program = this.programOf(actor);
    const at = actors.operation(actor);
    if (
      program.kind[at] === COLLECTIVE &&
      actors.state(actor) === State.collective &&
      collective.key === this.open.keyOf(group, actors.iteration(actor), at)
    ) {
      this.waited(actor, program, at, kind, collective);
      this.next(actor);
      this.proceed(actor);
      return;
    }
    this.slowdown.ended(actor, this.nowPs, this.ledger.accounts.computePs[actor]!);
    if (
      this.started.over(actor, cause.layer) === 0 &&
      actors.state(actor) === State.layer &&
      program.layer[at] === cause.layer
    ) {
      this.waited(actor, program, at, kind, collective);
      this.busy(actor, program, at, true);
      this.next(actor);
      this.proceed(actor);
    }
  }

  /** An actor's wait for a collective is over: its clock is now. */
  private waited(actor: number, program: Program, at: number, kind: number, collective: OpenCollective): void {
    const { actors, nowPs } = this;
    const sincePs = actors.endWait(actor, nowPs);
    const skewPs = collective.skewPs(sincePs);
    this.ledger.waited(actor, program, at, actors.iteration(actor), kind, sincePs, nowPs, skewPs);
  }

  /** Waits for what a layer has started, then updates. */
  private finished(actor: number, program: Program, at: number): boolean {
    if (program.skipsFirst[at] === 1 && this.actors.iteration(actor) === 0) return true;
    if (this.started.has(actor, program.layer[at]!)) return this.wait(actor, State.layer);
    this.busy(actor, program, at, true);
    return true;
  }

  private send(actor: number, program: Program, at: number): void {
    const { actors, job, groups, parts, nowPs } = this;
    const { costs } = parts;
    const rank = actors.ranks[actor]!;
    const stage = program.stage[at]!;
    const partner = groups.partner(rank, stage);
    const receiver = costs === null ? actors.ofRank(partner) : actors.firstOfStage[stage]!;
    const message = new Message(actor, receiver, program.tag[at]!, nowPs);
    this.messages.add(message);
    this.ledger.accounts.began(actor, pipelineKind, nowPs);
    this.ledger.accounts.began(receiver, pipelineKind, nowPs);
    const sizeBytes = program.sizeBytes[at]!;
    const source = parts.fabric.hosts[job.ranks[rank]!]!;
    const destination = parts.fabric.hosts[job.ranks[partner]!]!;
    if (sizeBytes > 0 && costs === null) {
      this.sink.transfer(
        this.messages.transferOf(message, program.pass[at]!),
        source,
        destination,
        sizeBytes,
        nowPs,
        0,
        serverOf(parts.fabric, source) === serverOf(parts.fabric, destination) ? -1 : this.messageConnection,
      );
      return;
    }
    const takesPs = sizeBytes === 0 ? 0 : costs!.transferPs(source, destination, sizeBytes);
    this.timers.add(Timer.message, message, 0, nowPs + takesPs);
  }

  private arrived(message: Message): void {
    const { receiver, sender, tag } = message;
    const { actors, nowPs } = this;
    this.messages.arrived(message);
    this.ledger.accounts.ended(sender, pipelineKind, nowPs);
    this.ledger.accounts.ended(receiver, pipelineKind, nowPs);
    const program = this.programOf(receiver);
    const at = actors.operation(receiver);
    if (actors.state(receiver) !== State.message || program.tag[at] !== tag) return;
    const first = this.messages.take(receiver, tag);
    if (first === null) return;
    const sincePs = actors.endWait(receiver, nowPs);
    this.ledger.received(receiver, program, at, actors.iteration(receiver), sincePs, first.sentPs, nowPs);
    this.next(receiver);
    this.proceed(receiver);
  }

  private received(actor: number, program: Program, at: number): boolean {
    return this.messages.take(actor, program.tag[at]!) !== null || this.wait(actor, State.message);
  }
}
