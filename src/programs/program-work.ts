// All programs of a run as work for the executor: their messages are transfers, and what arrives lets ranks go on.
// Invariant: transfers are numbered from firstId, in the order in which they are sent.

import type { TransferSink } from '../flows/work-source.js';
import { ActorsWork } from '../jobs/actors-work.js';
import type { RecordSink } from '../records/schema.js';
import { noGroup, type TransferLabel, untold } from '../records/transfer-label.js';
import { collectiveOfTag } from './collective-steps.js';
import { MessageRecorder } from './message-recorder.js';
import type { PlacedProgram } from './placed-program.js';
import type { ProgramReport } from './program-report.js';
import { ProgramRun } from './program-run.js';
import { programReport } from './report-program.js';
import { TransferNumbers } from './transfer-numbers.js';

export class ProgramWork extends ActorsWork<ProgramRun> {
  readonly runs: readonly ProgramRun[];
  /** operations of all ranks */
  readonly operations: number;
  private readonly numbers: TransferNumbers;
  private readonly recorder: MessageRecorder;

  /** @param firstId number of the first transfer */
  constructor(programs: readonly PlacedProgram[], sink: RecordSink, firstId = 0) {
    super();
    const numbers = (this.numbers = new TransferNumbers(firstId));
    this.recorder = new MessageRecorder(sink);
    this.runs = programs.map((program, number) => new ProgramRun(program, number, numbers, this.recorder));
    let operations = 0;
    for (const { program } of programs)
      for (let rank = 0; rank < program.ranks; rank++) operations += program.operations(rank);
    this.operations = operations;
  }

  transferFinished(id: number, nowPs: number, sink: TransferSink): void {
    const { numbers } = this;
    this.runs[numbers.programOf(id)]!.arrived(numbers.take(id), nowPs, sink);
  }

  /**
   * Says of which message a transfer under way is; its job is the number of the program.
   * @returns whether it is of a program
   */
  describe(id: number, into: TransferLabel): boolean {
    const program = this.numbers.find(id);
    if (program < 0) return false;
    const { slots, ranks } = this.runs[program]!;
    const slot = this.numbers.slotOf(id);
    const tag = slots.tag[slot]!;
    into.job = program;
    into.phase = slots.phase[slot]!;
    into.collective = collectiveOfTag(tag);
    into.group = noGroup;
    into.tag = Math.max(untold, tag);
    into.sourceRank = slots.source[slot]!;
    into.destinationRank = slots.destination[slot]!;
    into.ranks = ranks;
    return true;
  }

  /** What the programs came to; hands the last records over. Call it once, when the run has ended. */
  reports(nowPs: number): ProgramReport[] {
    this.recorder.close();
    return this.runs.map((run) => programReport(run, nowPs));
  }
}
