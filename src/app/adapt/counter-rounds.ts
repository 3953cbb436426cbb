// A sink that keeps what a run's monitor read and which flows ended, and nothing else.
// Invariant: a row of counters is port x lanes + lane, as in reconstruction/pair-rows.ts.

import { Float64List, Int32List } from '../../base/columns.js';
import type { Fabric } from '../../fabric/fabric.js';
import { FlowColumn, flowTable } from '../../records/flow-records.js';
import { LanePollColumn, lanePollTable, PortPollColumn, portPollTable } from '../../records/poll-records.js';
import type { Batch, RecordSink } from '../../records/schema.js';

/** What was read by row. */
export interface CounterReading {
  readonly bytes: Float64Array;
  readonly packets: Float64Array;
}

/** Flows that ended, in columns. */
export interface EndedFlows {
  readonly source: Int32List;
  readonly destination: Int32List;
  readonly sizeBytes: Float64List;
  readonly startPs: Float64List;
  readonly finishPs: Float64List;
}

export class CounterRounds implements RecordSink {
  readonly full = false;
  readonly flows: EndedFlows = {
    source: new Int32List(),
    destination: new Int32List(),
    sizeBytes: new Float64List(),
    startPs: new Float64List(),
    finishPs: new Float64List(),
  };
  /** by port: ticks in which it had packets and sent nothing, as it was read last */
  readonly waitTicks: Float64Array;
  private readonly rounds = new Map<number, CounterReading>();

  /** @param lanes of counters; 1: those of whole ports */
  constructor(
    private readonly fabric: Fabric,
    private readonly lanes: number,
  ) {
    this.waitTicks = new Float64Array(fabric.portCount);
  }

  put({ schema, rows, columns }: Batch): void {
    if (schema === flowTable) this.takeFlows(columns, rows);
    if (schema === portPollTable) this.takeWaits(columns, rows);
    if (this.lanes > 1 && schema === lanePollTable) this.takeReadings(columns, rows, LanePollColumn);
    else if (this.lanes === 1 && schema === portPollTable) this.takeReadings(columns, rows, PortPollColumn);
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  /** Readings by number of their round, ascending; rounds in which nothing happened are left out. */
  byRound(): { readonly round: number; readonly reading: CounterReading }[] {
    return [...this.rounds].map(([round, reading]) => ({ round, reading })).sort((a, b) => a.round - b.round);
  }

  private takeFlows(columns: Batch['columns'], rows: number): void {
    const { source, destination, sizeBytes, startPs, finishPs } = this.flows;
    for (let row = 0; row < rows; row++) {
      source.push(columns[FlowColumn.source]![row]!);
      destination.push(columns[FlowColumn.destination]![row]!);
      sizeBytes.push(columns[FlowColumn.size]![row]!);
      startPs.push(columns[FlowColumn.start]![row]!);
      finishPs.push(columns[FlowColumn.finish]![row]!);
    }
  }

  private takeWaits(columns: Batch['columns'], rows: number): void {
    const { portOffset } = this.fabric;
    const at = PortPollColumn;
    for (let row = 0; row < rows; row++)
      this.waitTicks[portOffset[columns[at.node]![row]!]! + columns[at.interface]![row]! - 1] =
        columns[at.waitTicks]![row]!;
  }

  private takeReadings(
    columns: Batch['columns'],
    rows: number,
    at: typeof PortPollColumn | typeof LanePollColumn,
  ): void {
    const { portOffset, portCount } = this.fabric;
    const lane = 'lane' in at ? columns[at.lane]! : null;
    for (let row = 0; row < rows; row++) {
      const round = columns[at.poll]![row]!;
      let reading = this.rounds.get(round);
      if (reading === undefined) {
        const size = portCount * this.lanes;
        reading = { bytes: new Float64Array(size), packets: new Float64Array(size) };
        this.rounds.set(round, reading);
      }
      const port = portOffset[columns[at.node]![row]!]! + columns[at.interface]![row]! - 1;
      const place = port * this.lanes + (lane === null ? 0 : lane[row]!);
      reading.bytes[place] = columns[at.transmitBytes]![row]!;
      reading.packets[place] = columns[at.transmitPackets]![row]!;
    }
  }
}
