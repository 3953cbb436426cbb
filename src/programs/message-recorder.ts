// Writes which message of which rank a transfer carries.

import { MessageColumn, MessagePart, messageTable } from '../records/message-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { type MessageSlots, MessageStage } from './message-slots.js';

export class MessageRecorder {
  private readonly rows: TableWriter;

  constructor(sink: RecordSink) {
    this.rows = new TableWriter(messageTable, sink);
  }

  /** A transfer begins. @param stage of its message, which stands in a slot */
  sent(id: number, program: number, stage: number, slot: number, slots: MessageSlots): void {
    const { columns, rows } = this.rows;
    columns[MessageColumn.flow]![rows] = id;
    columns[MessageColumn.job]![rows] = program;
    columns[MessageColumn.phase]![rows] = slots.phase[slot]!;
    columns[MessageColumn.part]![rows] =
      stage === MessageStage.request
        ? MessagePart.request
        : stage === MessageStage.answer
          ? MessagePart.answer
          : MessagePart.data;
    columns[MessageColumn.tag]![rows] = slots.tag[slot]!;
    columns[MessageColumn.sourceRank]![rows] = slots.source[slot]!;
    columns[MessageColumn.destinationRank]![rows] = slots.destination[slot]!;
    columns[MessageColumn.waits]![rows] = slots.waits[slot]!;
    this.rows.commit();
  }

  /** The last rows go out. */
  close(): void {
    this.rows.flush();
  }
}
