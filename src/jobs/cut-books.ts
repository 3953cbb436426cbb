// The books of a job whose run ended before it did, stopped or blocked: waits that were not over are booked up to that
// time, and computation that ranks were busy with is booked no further.
// Invariant: afterwards computation, exposed communication and bubble of every rank that is not done add up to the time
// since the job's start. Decisions: a wait for ranks that have not come to a collective is skew; of a wait for all that
// a layer has started that is not told apart. Rows of the timeline that were written of computations before stay as
// they are.

import { groupNames } from '../workload/policies.js';
import { State } from './actors.js';
import { communicationKindOf } from './job-groups.js';
import type { JobRun } from './job-run.js';
import { Operation } from './program.js';
import { kindIndex } from './rank-accounts.js';

/** Books what the ranks of a job were doing. @param nowPs when the run ended */
export function cutBooks(run: JobRun, nowPs: number): void {
  const endPs = Math.max(nowPs, run.job.startPs);
  run.ledger.accounts.cutAt(endPs);
  const { actors } = run;
  for (let actor = 0; actor < actors.count; actor++) {
    const state = actors.state(actor);
    if (state === State.busy) cutComputation(run, actor, endPs);
    else if (state !== State.done) bookWait(run, actor, state, endPs);
    actors.cutAt(actor, endPs);
  }
}

/** An actor has computed ahead: the last of its operations were computations, and before them an update perhaps. */
function cutComputation(run: JobRun, actor: number, endPs: number): void {
  const { actors, ledger } = run;
  const program = run.programs[actors.stageOf[actor]!]!;
  let beyondPs = actors.clockPs(actor) - endPs;
  for (let at = actors.operation(actor) - 1; beyondPs > 0; at--) {
    // the iteration before ended where the next begins
    if (at < 0) at = program.iterationLength - 1;
    const cutPs = Math.min(beyondPs, actors.takesPs(actor, program.durationPs[at]!));
    if (cutPs > 0) ledger.cutShort(actor, program, at, cutPs, program.kind[at] === Operation.finish);
    beyondPs -= cutPs;
  }
}

function bookWait(run: JobRun, actor: number, state: number, endPs: number): void {
  const { actors, ledger, groups } = run;
  const program = run.programs[actors.stageOf[actor]!]!;
  const at = actors.operation(actor);
  const iteration = actors.iteration(actor);
  const sincePs = actors.waitSincePs(actor);
  if (state === State.message) {
    const message = run.messages.first(actor, program.tag[at]!);
    ledger.received(actor, program, at, iteration, sincePs, message?.sentPs ?? endPs, endPs);
  } else {
    const name = groupNames[program.group[at]!]!;
    const group = groups.group(name, actors.ranks[actor]!);
    const collective = state === State.collective ? run.open.known(group, iteration, at) : undefined;
    const skewPs = collective === undefined ? 0 : collective.isComplete ? collective.skewPs(sincePs) : endPs - sincePs;
    ledger.waited(actor, program, at, iteration, kindIndex(communicationKindOf[name]), sincePs, endPs, skewPs);
  }
}
