// Books what the actors of a job do: into the accounts of ranks, the sums of layers for the first rank of each stage,
// and the records of those whose time is recorded. Actors are ranks that are carried out; the ledger only listens.

import type { Actors } from './actors.js';
import type { JobRecorder } from './job-recorder.js';
import { communicationKindOf } from './job-groups.js';
import type { OpenCollective } from './open-collective.js';
import type { Program } from './program.js';
import { kindIndex, layerSums, RankAccounts, type LayerSums } from './rank-accounts.js';

const updatePass = 3;
export const pipelineKind = kindIndex('PP');

/** Which actors the ledger is to know more about. */
export interface LedgerScope {
  readonly job: number;
  readonly actors: Actors;
  /** by actor: 1 if its time is recorded */
  readonly isRecorded: Uint8Array;
  readonly layers: number;
}

export class JobLedger {
  readonly accounts: RankAccounts;
  /** by stage, of its first actor */
  readonly sums: readonly LayerSums[];
  private readonly stageOfFirst: Int32Array;

  constructor(
    private readonly scope: LedgerScope,
    private readonly recorder: JobRecorder | null,
  ) {
    const { actors, layers } = scope;
    this.accounts = new RankAccounts(actors.count);
    this.sums = Array.from(actors.firstOfStage, () => layerSums(layers));
    this.stageOfFirst = new Int32Array(actors.count).fill(-1);
    actors.firstOfStage.forEach((actor, stage) => (this.stageOfFirst[actor] = stage));
  }

  /** An operation kept an actor busy: a computation, or an update after waiting. */
  computed(
    actor: number,
    program: Program,
    at: number,
    iteration: number,
    startPs: number,
    finishPs: number,
    isUpdate: boolean,
  ): void {
    const { scope, recorder } = this;
    this.accounts.addCompute(actor, finishPs - startPs);
    const layer = program.layer[at]!;
    const pass = isUpdate ? updatePass : program.pass[at]!;
    if (scope.isRecorded[actor] === 1)
      recorder?.computed(
        scope.job,
        scope.actors.ranks[actor]!,
        layer,
        pass,
        program.microBatch[at]!,
        iteration,
        startPs,
        finishPs,
      );
    const sums = this.sums[this.stageOfFirst[actor]!];
    if (sums === undefined) return;
    if (!isUpdate) sums.computePs[3 * layer + pass]! += finishPs - startPs;
    sums.finishedPs[layer] = finishPs;
  }

  /** Takes back what was booked of a computation or update beyond the time at which the run ended. */
  cutShort(actor: number, program: Program, at: number, beyondPs: number, isUpdate: boolean): void {
    this.accounts.addCompute(actor, -beyondPs);
    const sums = this.sums[this.stageOfFirst[actor]!];
    if (sums === undefined) return;
    const layer = program.layer[at]!;
    if (!isUpdate) sums.computePs[3 * layer + program.pass[at]!]! -= beyondPs;
    sums.finishedPs[layer] = Math.max(0, sums.finishedPs[layer]! - beyondPs);
  }

  /** An actor has waited for a collective, for some of that time because other ranks came late. */
  waited(
    actor: number,
    program: Program,
    at: number,
    iteration: number,
    kind: number,
    sincePs: number,
    nowPs: number,
    skewPs: number,
  ): void {
    const { scope, recorder } = this;
    this.accounts.addExposed(actor, kind, nowPs - sincePs);
    this.accounts.addSkew(actor, skewPs);
    const layer = program.layer[at]!;
    const pass = program.pass[at]!;
    if (scope.isRecorded[actor] === 1)
      recorder?.waited(
        scope.job,
        scope.actors.ranks[actor]!,
        kind,
        layer,
        pass,
        program.microBatch[at]!,
        iteration,
        sincePs,
        nowPs,
      );
    const sums = this.sums[this.stageOfFirst[actor]!];
    if (sums === undefined) return;
    if (pass < updatePass) sums.exposedPs[3 * layer + pass]! += nowPs - sincePs;
    sums.finishedPs[layer] = nowPs;
  }

  /** An actor has waited for another stage: until that had sent it was bubble, then communication. */
  received(
    actor: number,
    program: Program,
    at: number,
    iteration: number,
    sincePs: number,
    sentPs: number,
    nowPs: number,
  ): void {
    const { scope, recorder } = this;
    const exposedFromPs = Math.max(sincePs, sentPs);
    this.accounts.addBubble(actor, exposedFromPs - sincePs);
    this.accounts.addExposed(actor, pipelineKind, nowPs - exposedFromPs);
    if (scope.isRecorded[actor] === 1)
      recorder?.waited(
        scope.job,
        scope.actors.ranks[actor]!,
        pipelineKind,
        -1,
        0,
        program.microBatch[at]!,
        iteration,
        sincePs,
        nowPs,
      );
  }

  /** An actor is done with a collective, waited for or not. */
  collectiveDone(actor: number, collective: OpenCollective, place: number, nowPs: number): void {
    const { group, cause } = collective;
    this.accounts.ended(actor, kindIndex(communicationKindOf[group.name]), nowPs);
    const sums = this.sums[this.stageOfFirst[actor]!];
    if (sums === undefined) return;
    sums.communicationPs[3 * cause.layer + cause.pass]! += nowPs - collective.startPs(place);
    sums.times[3 * cause.layer + cause.pass]!++;
  }

  /** All actors are done with a collective. */
  collectiveOver(collective: OpenCollective, nowPs: number): void {
    const { scope, recorder } = this;
    if (recorder !== null && collective.group.ranks.some((rank) => scope.isRecorded[scope.actors.ofRank(rank)] === 1))
      recorder.ended(scope.job, collective, nowPs);
  }
}
