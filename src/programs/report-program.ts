// A program's run -> what it came to.

import { MessageStage } from './message-slots.js';
import type { ProgramReport, RankSpread } from './program-report.js';
import { type ProgramRun, RankState } from './program-run.js';

/** Waits that are told at most. */
const mostTold = 4;

/** What a program came to. @param nowPs time that the run has reached */
export function programReport(run: ProgramRun, nowPs: number): ProgramReport {
  const { plan, isFinished, slots } = run;
  const { startPs } = plan;
  return {
    name: plan.name,
    program: plan.kind,
    isFinished,
    ranks: run.ranks,
    nodes: new Set(plan.hosts).size,
    startPs,
    totalPs: Math.max(0, (isFinished ? run.endPs : nowPs) - startPs),
    computePs: spread(run.computePs),
    overheadPs: spread(run.overheadPs),
    waitPs: spread(isFinished ? run.waitPs : waitsUpTo(run, nowPs)),
    messages: run.messagesSent,
    payloadBytes: run.payloadBytes,
    handshakes: run.handshakes,
    messagesInNodes: run.messagesInNodes,
    bytesInNodes: run.bytesInNodes,
    phases: plan.program.phases,
    grid: plan.program.grid ?? null,
    isConserved: isFinished
      ? run.messagesReceived === run.messagesSent + run.messagesInNodes && slots.inUse === 0
      : null,
    waiting: isFinished ? '' : waiting(run),
  };
}

function spread(values: Float64Array): RankSpread {
  let [minimum, maximum, sum] = [Infinity, 0, 0];
  for (const value of values) {
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
    sum += value;
  }
  return { minimum, mean: sum / values.length, maximum };
}

/** By rank: its waits, with those that go on. */
function waitsUpTo({ waitPs, clockPs, state }: ProgramRun, nowPs: number): Float64Array {
  return waitPs.map((ownPs, rank) =>
    state[rank] === RankState.awaits || state[rank] === RankState.awaitsAll
      ? ownPs + Math.max(0, nowPs - clockPs[rank]!)
      : ownPs,
  );
}

function waiting({ slots, ranks, overCount }: ProgramRun): string {
  const told = slots.waitingSlots(mostTold).map((slot) => {
    const [source, destination, tag] = [slots.source[slot]!, slots.destination[slot]!, slots.tag[slot]!];
    return slots.stage[slot] === MessageStage.receive
      ? `rank ${destination} waits for a message of rank ${source} (tag ${tag})`
      : `a message of rank ${source} (tag ${tag}) waits for a receive of rank ${destination}`;
  });
  return `${ranks - overCount} of ${ranks} ranks are not through${told.length === 0 ? '' : `: ${told.join('; ')}`}`;
}
