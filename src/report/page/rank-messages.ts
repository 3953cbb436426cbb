// The messages of a run's programs: which host each rank is on, and who sends how much to whom in which phase.
// Invariant: a rank that sent and received nothing over the network has no host here (-1).
// Memory: 28 bytes per message.

import { Float64List, Int32List } from '../../base/columns.js';
import { MessageColumn, MessagePart } from '../../records/message-records.js';
import type { Batch } from '../../records/schema.js';
import type { FlowColumns } from './flow-columns.js';

/** Finished messages of a program, handshakes left out. */
export class ProgramMessages {
  readonly source = new Int32List();
  readonly destination = new Int32List();
  readonly phase = new Int32List();
  readonly sizeBytes = new Float64List();
  private readonly hosts = new Map<number, number>();

  /** The host of a rank (node id); -1: it is not known. */
  hostOf(rank: number): number {
    return this.hosts.get(rank) ?? -1;
  }

  /** Says where a rank is. */
  place(rank: number, host: number): void {
    this.hosts.set(rank, host);
  }
}

/** Collects the rows of the table `messages`. */
export class RankMessages {
  /** by number among the programs of the run */
  private readonly programs = new Map<number, ProgramMessages>();

  /** @param flows which have all been put */
  constructor(private readonly flows: FlowColumns) {}

  put({ columns, rows }: Batch): void {
    const at = MessageColumn;
    for (let row = 0; row < rows; row++) {
      const flow = this.flows.find(columns[at.flow]![row]!);
      if (flow < 0 || columns[at.part]![row] !== MessagePart.data) continue;
      const program = columns[at.job]![row]!;
      let own = this.programs.get(program);
      if (own === undefined) this.programs.set(program, (own = new ProgramMessages()));
      const [source, destination] = [columns[at.sourceRank]![row]!, columns[at.destinationRank]![row]!];
      own.source.push(source);
      own.destination.push(destination);
      own.phase.push(columns[at.phase]![row]!);
      own.sizeBytes.push(this.flows.sizeBytes.values[flow]!);
      own.place(source, this.flows.source.values[flow]!);
      own.place(destination, this.flows.destination.values[flow]!);
    }
  }

  /** Those of a program; undefined: none has finished. */
  of(program: number): ProgramMessages | undefined {
    return this.programs.get(program);
  }
}
