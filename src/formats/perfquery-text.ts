// Rows of polled counters -> what perfquery prints of them: its extended counters, those of 32 bits, and tables by lane,
// with a line of time before the readings of each time. Read back by port-counters.ts.
// Invariants: counters that are not modelled (errors, discards) have no line; a fabric without LIDs gives no readings.
// Source of the forms: perfquery of infiniband-diags 44.0, run.

import { LanePollColumn, PortPollColumn } from '../records/poll-records.js';
import type { Batch } from '../records/schema.js';
import { laneTables, type LaneCounterName } from './port-counter-kinds.js';

const bytesPerWord = 4;
/** columns of the names of counters, dots behind them included */
const nameColumns = 33;
/** what comes between the first columns and the values of all tables */
const capabilities = { wide: ' (CapMask: 0x1300 CapMask2: 0x0000002)', narrow: ' (CapMask: 0x1300)' } as const;

/** What stands in the place of readings that no LID names. */
const withoutLids = '# no readings: the fabric does not fit an InfiniBand subnet, so its ports have no LIDs\n';

/** Makes the text of port_polls, batch by batch. */
export class PerfqueryText {
  private readonly times = new TimeLines();

  push({ rows, columns }: Batch): string {
    let text = '';
    for (let row = 0; row < rows; row++) {
      const value = (column: number): number => columns[column]![row]!;
      const [lid, port] = [value(PortPollColumn.lid), value(PortPollColumn.port)];
      text += this.times.before(lid, value(PortPollColumn.time));
      if (lid === 0) continue;
      const isWide = value(PortPollColumn.isWide) === 1;
      text +=
        `# Port ${isWide ? 'extended ' : ''}counters: Lid ${lid} port ${port}` +
        `${isWide ? capabilities.wide : capabilities.narrow}\n${selected(port)}` +
        counterLine('PortXmitData', value(PortPollColumn.transmitBytes) / bytesPerWord) +
        counterLine('PortRcvData', value(PortPollColumn.receiveBytes) / bytesPerWord) +
        counterLine('PortXmitPkts', value(PortPollColumn.transmitPackets)) +
        counterLine('PortRcvPkts', value(PortPollColumn.receivePackets)) +
        counterLine('PortXmitWait', value(PortPollColumn.waitTicks));
    }
    return text;
  }
}

/** Makes the text of lane_polls, batch by batch: three tables for each reading of a port. */
export class LaneText {
  private readonly times = new TimeLines();
  /** the reading whose lanes are coming in */
  private lid = 0;
  private port = 0;
  private timePs = 0;
  private readonly lines: Record<LaneCounterName, string> = {
    PortVLXmitData: '',
    PortVLXmitPkts: '',
    PortVLXmitWait: '',
  };

  push({ rows, columns }: Batch): string {
    let text = '';
    for (let row = 0; row < rows; row++) {
      const value = (column: number): number => columns[column]![row]!;
      const lane = value(LanePollColumn.lane);
      if (lane === 0) {
        text += this.end();
        this.lid = value(LanePollColumn.lid);
        this.port = value(LanePollColumn.port);
        this.timePs = value(LanePollColumn.time);
      }
      this.lines.PortVLXmitData += counterLine(
        `PortVLXmitData${lane}`,
        value(LanePollColumn.transmitBytes) / bytesPerWord,
      );
      this.lines.PortVLXmitPkts += counterLine(`PortVLXmitPkts${lane}`, value(LanePollColumn.transmitPackets));
      this.lines.PortVLXmitWait += counterLine(`PortVLXmitWait${lane}`, value(LanePollColumn.waitTicks));
    }
    return text;
  }

  /** What is left of the last reading. */
  end(): string {
    if (this.lines.PortVLXmitData === '') return '';
    let text = this.times.before(this.lid, this.timePs);
    for (const [name, table] of Object.entries(laneTables)) {
      if (this.lid !== 0)
        text += `# ${table} counters: Lid ${this.lid} port ${this.port}\n${selected(this.port)}${this.lines[name as LaneCounterName]}`;
      this.lines[name as LaneCounterName] = '';
    }
    return text;
  }
}

/** The lines that say when what follows was read. */
class TimeLines {
  private lastPs = -1;
  private isSaid = false;

  /** The line before a reading, if it is another time than before. */
  before(lid: number, timePs: number): string {
    if (lid === 0) {
      if (this.isSaid) return '';
      this.isSaid = true;
      return withoutLids;
    }
    if (timePs === this.lastPs) return '';
    this.lastPs = timePs;
    return `# Time ${Math.floor(timePs / 1e12)}.${String(timePs % 1e12).padStart(12, '0')} s\n`;
  }
}

function selected(port: number): string {
  return `${counterLine('PortSelect', port)}${counterLine('CounterSelect', '0x0000')}`;
}

function counterLine(name: string, value: number | string): string {
  return `${`${name}:`.padEnd(nameColumns, '.')}${value}\n`;
}
