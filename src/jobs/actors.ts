// The actors of a job, the ranks that are carried out: where each stands in its program, how far its clock has come,
// and what it waits for. All of them, or the first rank of every stage of the pipeline in place of its stage.
// Invariants: these columns are written here alone; a clock never goes back but where a run is cut; an actor is done
// when its state says so, and its clock then stands at its end.
// Not modelled: what an operation is and when it may be carried out (job-run.ts).

import type { Job } from './job.js';
import type { JobGroups } from './job-groups.js';

/** What an actor is doing: `busy` until its time comes, waiting for one of three things, or at its end. */
export const State = { busy: 0, collective: 1, layer: 2, message: 3, done: 4 } as const;
/** What an actor may wait for. */
export type Waiting = typeof State.collective | typeof State.layer | typeof State.message;

export class Actors {
  readonly count: number;
  /** by actor: its rank of the job, and its stage */
  readonly ranks: Int32Array;
  readonly stageOf: Int32Array;
  /** by stage: its first actor */
  readonly firstOfStage: Int32Array;
  /** by rank of the job; -1: another rank stands for it */
  private readonly actorOf: Int32Array;
  private readonly speed: Float64Array;
  /** by actor: operation of its program, iteration, time reached, state, and since when it waits */
  private readonly operations: Int32Array;
  private readonly iterations: Int32Array;
  private readonly clocksPs: Float64Array;
  private readonly states: Uint8Array;
  private readonly sincePs: Float64Array;

  /** @param firstsAlone the first rank of a stage stands for all of its ranks */
  constructor(job: Job, { ofStage, stageOf }: Pick<JobGroups, 'ofStage' | 'stageOf'>, firstsAlone: boolean) {
    this.ranks = firstsAlone
      ? Int32Array.from(ofStage, (ranks) => ranks[0]!)
      : Int32Array.from(job.ranks, (_, rank) => rank);
    const count = (this.count = this.ranks.length);
    this.actorOf = new Int32Array(job.ranks.length).fill(-1);
    this.ranks.forEach((rank, actor) => (this.actorOf[rank] = actor));
    this.stageOf = Int32Array.from(this.ranks, (rank) => stageOf[rank]!);
    this.firstOfStage = Int32Array.from(ofStage, (ranks) => this.actorOf[ranks[0]!]!);
    const speedOf = (rank: number): number => job.computeSpeed?.[rank] ?? 1;
    // the slowest rank of a stage holds up those that it stands for
    this.speed = Float64Array.from(this.ranks, (rank, actor) =>
      firstsAlone
        ? ofStage[this.stageOf[actor]!]!.reduce((least, each) => Math.min(least, speedOf(each)), Infinity)
        : speedOf(rank),
    );
    this.operations = new Int32Array(count);
    this.iterations = new Int32Array(count);
    this.clocksPs = new Float64Array(count).fill(job.startPs);
    this.states = new Uint8Array(count);
    this.sincePs = new Float64Array(count);
  }

  /** The actor that is a rank of the job; -1: another rank stands for it. */
  ofRank(rank: number): number {
    return this.actorOf[rank]!;
  }

  /** How many of these ranks of the job are carried out. */
  among(ranks: Int32Array): number {
    let count = 0;
    for (const rank of ranks) if (this.actorOf[rank]! >= 0) count++;
    return count;
  }

  /** Whether all of them are done. */
  get areDone(): boolean {
    return this.states.every((state) => state === State.done);
  }

  /** When an actor was done with everything, in picoseconds; -1: not yet. */
  endPs(actor: number): number {
    return this.states[actor] === State.done ? this.clocksPs[actor]! : -1;
  }

  state(actor: number): number {
    return this.states[actor]!;
  }

  /** Place in its program of the operation that comes next, or is under way. */
  operation(actor: number): number {
    return this.operations[actor]!;
  }

  iteration(actor: number): number {
    return this.iterations[actor]!;
  }

  /** Time that an actor has reached: ahead of the job's while it is busy. */
  clockPs(actor: number): number {
    return this.clocksPs[actor]!;
  }

  /** Since when an actor waits, if it does. */
  waitSincePs(actor: number): number {
    return this.sincePs[actor]!;
  }

  /** What a computation takes an actor at its speed. @param durationPs at full speed */
  takesPs(actor: number, durationPs: number): number {
    return Math.round(durationPs / this.speed[actor]!);
  }

  /** An operation is done. */
  next(actor: number): void {
    this.operations[actor]!++;
  }

  nextIteration(actor: number): void {
    this.iterations[actor]!++;
    this.operations[actor] = 0;
  }

  /** An actor computes. @returns when it began */
  compute(actor: number, takesPs: number): number {
    const startPs = this.clocksPs[actor]!;
    this.clocksPs[actor] = startPs + takesPs;
    return startPs;
  }

  wait(actor: number, state: Waiting): void {
    this.states[actor] = state;
    this.sincePs[actor] = this.clocksPs[actor]!;
  }

  /** What an actor waited for is there. @returns since when it had waited */
  endWait(actor: number, nowPs: number): number {
    this.states[actor] = State.busy;
    this.clocksPs[actor] = nowPs;
    return this.sincePs[actor]!;
  }

  /** An actor is at the end of its program. */
  end(actor: number): void {
    this.states[actor] = State.done;
  }

  /** The run ended before the actor did: its clock goes no further, and what it waits for is booked until then. */
  cutAt(actor: number, nowPs: number): void {
    const state = this.states[actor]!;
    if (state === State.done) return;
    this.clocksPs[actor] = state === State.busy ? Math.min(this.clocksPs[actor]!, nowPs) : nowPs;
    this.sincePs[actor] = nowPs;
  }
}
