// Long because every operation of a rank is a case of one step.
// A job under way: every rank carries out the program of its stage, operation by operation; collectives and messages
// join ranks together. A rank that computes ahead is not woken for every operation: its clock runs on until it meets
// something that others take part in.
// Invariants: a rank joins collectives in the order of its program; its clock never goes back, and computation, exposed
// communication and bubble add up to it; nothing is done inside a callback of a collective (what it finished is done
// when the call has returned).
// Not modelled: computation that communication slows down, and the reverse; streams of their own for kinds of
// collectives.

import { Int32List } from '../base/columns.js';
import { fail } from '../base/fail.js';
import { TimeHeap } from '../base/time-heap.js';
import { ClassedSink } from '../flows/classed-sink.js';
import type { TransferSink } from '../flows/work-source.js';
import { groupNames } from '../workload/policies.js';
import { buildProgram } from './build-program.js';
import { ClosedForms } from './closed-forms.js';
import type { Job } from './job.js';
import { communicationKindOf, JobGroups } from './job-groups.js';
import { JobLedger, pipelineKind } from './job-ledger.js';
import type { JobParts } from './job-parts.js';
import { Message, Messages } from './messages.js';
import type { OpenCollective } from './open-collective.js';
import { OpenCollectives } from './open-collectives.js';
import { Operation, type Program } from './program.js';
import { kindIndex } from './rank-accounts.js';
import { StartedCollectives } from './started-collectives.js';
import { Timer, Timers } from './timers.js';

/** What an actor is doing: `busy` until its time comes, waiting for one of three things, or at its end. */
export const State = { busy: 0, collective: 1, layer: 2, message: 3, done: 4 } as const;

const {
  compute: COMPUTE,
  collective: COLLECTIVE,
  start: START,
  finish: FINISH,
  send: SEND,
  receive: RECEIVE,
} = Operation;
/** computations that an actor runs ahead at once, so that a run can be stopped between two calls */
const mostAhead = 256;

export class JobRun {
  readonly groups: JobGroups;
  readonly ledger: JobLedger;
  /** actor -> rank of the job, and back (-1: another rank stands for it) */
  readonly ranks: Int32Array;
  readonly actorOf: Int32Array;
  /** by stage: its first actor */
  readonly firstActors: Int32Array;
  doneActors = 0;
  executed = 0;
  private readonly closedForms: ClosedForms | null;
  readonly programs: readonly Program[];
  readonly stageOf: Int32Array;
  readonly pc: Int32Array;
  readonly iteration: Int32Array;
  readonly clockPs: Float64Array;
  readonly state: Uint8Array;
  readonly waitSincePs: Float64Array;
  readonly speed: Float64Array;
  private readonly started: StartedCollectives;
  readonly open: OpenCollectives;
  readonly messages: Messages;
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
    else this.noteDone(subject, place);
  };

  constructor(
    readonly job: Job,
    readonly number: number,
    private readonly parts: JobParts,
  ) {
    const { fabric, settings, costs, recorder } = parts;
    const timeline = recorder?.recording.ranks ?? 'none';
    const { workload } = job;
    this.classed = job.trafficClass === undefined || job.trafficClass === 0 ? null : new ClassedSink(job.trafficClass);
    this.groups = new JobGroups(job, fabric, settings, parts.streams);
    const stages = workload.groups.pipeline;
    this.programs = Array.from({ length: stages }, (_, stage) => buildProgram(workload, stage, job.pipelineSchedule));
    this.messages = new Messages(this.programs[0]!.tagCount);
    const { ofStage, stageOf } = this.groups;
    this.ranks =
      costs === null ? Int32Array.from(job.ranks, (_, rank) => rank) : Int32Array.from(ofStage, (ranks) => ranks[0]!);
    this.actorOf = new Int32Array(job.ranks.length).fill(-1);
    this.ranks.forEach((rank, actor) => (this.actorOf[rank] = actor));
    this.closedForms = costs === null ? null : new ClosedForms(costs, this.actorOf);
    this.started = new StartedCollectives(workload.layers.count);
    this.open = new OpenCollectives(job.iterations, number, parts, this.programs, {
      expectedOf: (group) => this.closedForms?.expectedOf(group) ?? group.ranks.length,
      placeFinished: (collective, place) => this.noteDone(collective, place),
      transferFinished: (collective, id, nowPs, sink) => this.transferFinished(collective, id, nowPs, sink),
    });
    const count = this.ranks.length;
    this.stageOf = Int32Array.from(this.ranks, (rank) => stageOf[rank]!);
    this.firstActors = Int32Array.from(ofStage, (ranks) => this.actorOf[ranks[0]!]!);
    const isRecorded = new Uint8Array(count);
    if (timeline === 'all') isRecorded.fill(1);
    else if (timeline === 'stages') for (const actor of this.firstActors) isRecorded[actor] = 1;
    this.ledger = new JobLedger(
      { job: number, ranks: this.ranks, firstActors: this.firstActors, isRecorded, layers: workload.layers.count },
      recorder,
    );
    this.timers = new Timers(this.heap, count);
    const speedOf = (rank: number): number => job.computeSpeed?.[rank] ?? 1;
    // the slowest rank of a stage holds up those that it stands for
    this.speed = Float64Array.from(this.ranks, (rank, actor) =>
      costs === null
        ? speedOf(rank)
        : ofStage[this.stageOf[actor]!]!.reduce((least, each) => Math.min(least, speedOf(each)), Infinity),
    );
    this.pc = new Int32Array(count);
    this.iteration = new Int32Array(count);
    this.clockPs = new Float64Array(count).fill(job.startPs);
    this.waitSincePs = new Float64Array(count);
    this.state = new Uint8Array(count);
    for (let actor = 0; actor < count; actor++) this.heap.set(actor, job.startPs);
  }

  /** When something happens next; Infinity if only transfers can go on. */
  get nextPs(): number {
    return this.heap.firstPs;
  }

  get isFinished(): boolean {
    return this.doneActors === this.ranks.length;
  }

  /** Operations of all actors together. */
  get operations(): number {
    const ofProgram = ({ length, iterationLength }: Program): number =>
      iterationLength * (this.job.iterations - 1) + length;
    return this.stageOf.reduce((sum, stage) => sum + ofProgram(this.programs[stage]!), 0);
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
      if (key < this.ranks.length) this.proceed(key);
      else this.timers.take(key, this.due);
      this.settle();
    }
  }

  transferFinished(collective: OpenCollective, id: number, nowPs: number, sink: TransferSink): void {
    this.use(nowPs, sink);
    collective.run!.finished(id, nowPs, this.sink);
    this.closeIfOver(collective);
    this.settle();
  }

  messageArrived(message: Message, nowPs: number, sink: TransferSink): void {
    this.use(nowPs, sink);
    this.arrived(message);
    this.settle();
  }

  /** Carries out an actor's operations until one has to wait, or lies in the future. */
  private proceed(actor: number): void {
    const program = this.programs[this.stageOf[actor]!]!;
    const before = this.executed;
    this.state[actor] = State.busy;
    for (;;) {
      const at = this.pc[actor]!;
      if (at === program.iterationLength && this.iteration[actor]! + 1 < this.job.iterations) {
        this.iteration[actor]!++;
        this.pc[actor] = 0;
        continue;
      }
      if (at === program.length) {
        this.state[actor] = State.done;
        this.doneActors++;
        this.ledger.accounts.endPs[actor] = this.clockPs[actor]!;
        return;
      }
      const kind = program.kind[at]!;
      if ((kind !== COMPUTE || this.executed - before >= mostAhead) && this.clockPs[actor]! > this.nowPs) {
        this.heap.set(actor, this.clockPs[actor]!);
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
    this.pc[actor]!++;
    this.executed++;
  }

  private wait(actor: number, state: number): false {
    this.state[actor] = state;
    this.waitSincePs[actor] = this.clockPs[actor]!;
    return false;
  }

  private busy(actor: number, program: Program, at: number, isUpdate: boolean): void {
    const takesPs = Math.round(program.durationPs[at]! / this.speed[actor]!);
    if (takesPs === 0) return;
    const startPs = this.clockPs[actor]!;
    this.clockPs[actor] = startPs + takesPs;
    this.ledger.computed(actor, program, at, this.iteration[actor]!, startPs, startPs + takesPs, isUpdate);
  }

  /** Comes to a collective; a group of one rank has none. */
  private joined(actor: number, program: Program, at: number): boolean {
    const rank = this.ranks[actor]!;
    const name = groupNames[program.group[at]!]!;
    const group = this.groups.group(name, rank);
    if (group.ranks.length === 1) return true;
    const collective = this.open.at(group, program, at, this.iteration[actor]!);
    const place = this.groups.place(name, rank);
    this.ledger.accounts.began(actor, kindIndex(communicationKindOf[name]), this.nowPs);
    collective.join(place, this.nowPs);
    const waits = program.kind[at] === COLLECTIVE;
    if (waits) this.wait(actor, State.collective);
    else this.started.add(actor, program.layer[at]!);
    if (this.parts.costs !== null) {
      if (collective.joined === collective.expected) this.closedForm(collective);
    } else if (collective.plan.startDelayPs > 0)
      this.timers.add(Timer.join, collective, place, this.nowPs + collective.plan.startDelayPs);
    else this.enter(collective, place);
    return !waits;
  }

  private enter(collective: OpenCollective, place: number): void {
    collective.run!.join(place, this.nowPs, this.sink);
    this.closeIfOver(collective);
  }

  private closedForm(collective: OpenCollective): void {
    const endPs = this.closedForms!.endPs(collective, this.nowPs);
    for (let place = 0; place < collective.startPs.length; place++)
      if (collective.startPs[place]! >= 0) this.timers.add(Timer.done, collective, place, endPs);
  }

  private noteDone(collective: OpenCollective, place: number): void {
    this.ready[this.readyPlace.length] = collective;
    this.readyPlace.push(place);
  }

  /** Once all its transfers have arrived, no number of its range comes again. */
  private closeIfOver(collective: OpenCollective): void {
    const { run, firstId } = collective;
    if (collective.isSent || run!.remaining > 0 || firstId < 0) return;
    collective.isSent = true;
    this.parts.owners.remove(firstId);
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
    const { group, cause } = collective;
    const actor = this.actorOf[group.ranks[place]!]!;
    const kind = kindIndex(communicationKindOf[group.name]);
    this.ledger.collectiveDone(actor, collective, place, this.nowPs);
    if (++collective.done === collective.expected) {
      this.open.remove(collective);
      this.ledger.collectiveOver(collective, this.actorOf, this.nowPs);
    }
    const program = this.programs[this.stageOf[actor]!]!;
    const at = this.pc[actor]!;
    if (
      program.kind[at] === COLLECTIVE &&
      this.state[actor] === State.collective &&
      collective.key === this.open.keyOf(group, this.iteration[actor]!, at)
    ) {
      this.waited(actor, program, at, kind, collective);
      this.next(actor);
      this.proceed(actor);
      return;
    }
    if (
      this.started.over(actor, cause.layer) === 0 &&
      this.state[actor] === State.layer &&
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
    const sincePs = this.waitSincePs[actor]!;
    this.clockPs[actor] = this.nowPs;
    this.ledger.waited(
      actor,
      program,
      at,
      this.iteration[actor]!,
      kind,
      sincePs,
      this.nowPs,
      collective.skewPs(sincePs),
    );
  }

  /** Waits for what a layer has started, then updates. */
  private finished(actor: number, program: Program, at: number): boolean {
    if (program.skipsFirst[at] === 1 && this.iteration[actor] === 0) return true;
    if (this.started.has(actor, program.layer[at]!)) return this.wait(actor, State.layer);
    this.busy(actor, program, at, true);
    return true;
  }

  private send(actor: number, program: Program, at: number): void {
    const { job, groups, parts } = this;
    const partner =
      this.parts.costs === null
        ? groups.partner(this.ranks[actor]!, program.stage[at]!)
        : groups.ofStage[program.stage[at]!]![0]!;
    const message = new Message(actor, this.actorOf[partner]!, program.tag[at]!, this.nowPs);
    this.messages.add(message);
    this.ledger.accounts.began(actor, pipelineKind, this.nowPs);
    this.ledger.accounts.began(message.receiver, pipelineKind, this.nowPs);
    const sizeBytes = program.sizeBytes[at]!;
    const node = (rank: number): number => parts.fabric.hosts[job.ranks[rank]!]!;
    if (sizeBytes === 0) this.timers.add(Timer.message, message, 0, this.nowPs);
    else if (parts.costs !== null)
      this.timers.add(
        Timer.message,
        message,
        0,
        this.nowPs +
          parts.costs.transferPs(
            node(this.ranks[actor]!),
            node(groups.partner(this.ranks[actor]!, program.stage[at]!)),
            sizeBytes,
          ),
      );
    else {
      const id = parts.owners.add(
        {
          finished: (number, nowPs, sink) => {
            parts.owners.remove(number);
            this.messageArrived(message, nowPs, sink);
          },
        },
        1,
      );
      this.sink.transfer(id, node(this.ranks[actor]!), node(partner), sizeBytes, this.nowPs);
    }
  }

  private arrived(message: Message): void {
    const { receiver, sender, tag } = message;
    message.arrivedPs = this.nowPs;
    this.ledger.accounts.ended(sender, pipelineKind, this.nowPs);
    this.ledger.accounts.ended(receiver, pipelineKind, this.nowPs);
    const program = this.programs[this.stageOf[receiver]!]!;
    const at = this.pc[receiver]!;
    if (this.state[receiver] !== State.message || program.tag[at] !== tag) return;
    const first = this.messages.take(receiver, tag);
    if (first === null) return;
    this.clockPs[receiver] = this.nowPs;
    this.ledger.received(
      receiver,
      program,
      at,
      this.iteration[receiver]!,
      this.waitSincePs[receiver]!,
      first.sentPs,
      this.nowPs,
    );
    this.next(receiver);
    this.proceed(receiver);
  }

  private received(actor: number, program: Program, at: number): boolean {
    return this.messages.take(actor, program.tag[at]!) !== null || this.wait(actor, State.message);
  }
}
