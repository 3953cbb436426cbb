// A round of readings of port counters: columns by port, as they fill while a file is read, and what readers get.
// Invariants: a port has one time in a round; NaN where nothing was read. Data counters count words of 4 bytes.

import {
  countsErrors,
  type LaneCounterName,
  lanesPerPort,
  type PortCounterName,
  portCounterNames,
} from './port-counter-kinds.js';

const bytesPerWord = 4;

/** Counters of each port of the fabric; NaN where nothing was read. */
export interface PortCounterReadings {
  /** as printed, by perfquery's names: those of which something was read. Data are words of 4 bytes */
  readonly counters: ReadonlyMap<PortCounterName, Float64Array>;
  /** the same of lanes, by port x 16 + lane; empty where no table of lanes was read */
  readonly laneCounters: ReadonlyMap<LaneCounterName, Float64Array>;
  /** when each port was read, in picoseconds since the zero of the file's times (`# Time 0.25 s`); NaN without one */
  readonly readAtPs: Float64Array;
  /** bytes sent, with headers; of ports of which lanes alone were read, the sum over these */
  readonly transmitBytes: Float64Array;
  readonly receiveBytes: Float64Array;
  /** ticks in which the port had packets and no credit */
  readonly transmitWaitTicks: Float64Array;
  /** sum of the counters of errors, discards and recoveries */
  readonly errors: Float64Array;
  /**
   * 0, or which of these counters stand at their largest value and may have stopped: a bit each for bytes sent,
   * received, waits, errors
   */
  readonly saturated: Uint8Array;
  /** 0, or which counters are those of 64 bits: the same bits, and one for packets */
  readonly wide: Uint8Array;
  /** 1 for ports of which something was read, and how many they are */
  readonly wasRead: Uint8Array;
  readonly portsRead: number;
}

export class CounterPoll {
  readonly columns = new Map<PortCounterName, Float64Array>();
  readonly lanes = new Map<LaneCounterName, Float64Array>();
  readonly saturated: Uint8Array;
  /** what has its value from 64-bit counters: a bit for each of bitOf */
  readonly wide: Uint8Array;
  readonly wasRead: Uint8Array;
  readonly readAtPs: Float64Array;

  constructor(private readonly portCount: number) {
    this.saturated = new Uint8Array(portCount);
    this.wide = new Uint8Array(portCount);
    this.wasRead = new Uint8Array(portCount);
    this.readAtPs = new Float64Array(portCount).fill(NaN);
  }

  get portsRead(): number {
    return this.wasRead.reduce((sum, own) => sum + own, 0);
  }

  /** Whether a port was not read yet, or at this time (NaN: nobody knows when). */
  takes(port: number, timePs: number): boolean {
    return this.wasRead[port] === 0 || Object.is(this.readAtPs[port], timePs);
  }

  /** The column of a counter. */
  column(name: PortCounterName): Float64Array {
    return columnOf(this.columns, name, this.portCount);
  }

  /** The column of a counter of lanes, by port x 16 + lane. */
  laneColumn(name: LaneCounterName): Float64Array {
    return columnOf(this.lanes, name, this.portCount * lanesPerPort);
  }

  /** What was read, for whoever uses it. */
  readings(): PortCounterReadings {
    const { columns, saturated, wide, wasRead, portsRead, readAtPs } = this;
    const none = new Float64Array(this.portCount).fill(NaN);
    const bytes = (name: PortCounterName): Float64Array =>
      columns.get(name)?.map((words) => words * bytesPerWord) ?? none;
    const errors = none.slice();
    for (const [name, column] of columns)
      if (countsErrors(name))
        column.forEach((value, port) => {
          if (!Number.isNaN(value)) errors[port] = (errors[port]! || 0) + value;
        });
    return {
      counters: new Map(portCounterNames.flatMap((name) => (columns.has(name) ? [[name, columns.get(name)!]] : []))),
      laneCounters: this.lanes,
      readAtPs,
      transmitBytes: this.withLaneSums(bytes('PortXmitData')),
      receiveBytes: bytes('PortRcvData'),
      transmitWaitTicks: columns.get('PortXmitWait') ?? none,
      errors,
      saturated,
      wide,
      wasRead,
      portsRead,
    };
  }

  /** Takes over what another round has of a port. */
  copy(from: CounterPoll, port: number): void {
    this.saturated[port] = from.saturated[port]!;
    this.wide[port] = from.wide[port]!;
    this.wasRead[port] = from.wasRead[port]!;
    this.readAtPs[port] = from.readAtPs[port]!;
    for (const [name, column] of from.columns) this.column(name)[port] = column[port]!;
    for (const [name, column] of from.lanes)
      this.laneColumn(name).set(column.subarray(port * lanesPerPort, (port + 1) * lanesPerPort), port * lanesPerPort);
  }

  private withLaneSums(transmitBytes: Float64Array): Float64Array {
    const lanes = this.lanes.get('PortVLXmitData');
    if (lanes === undefined) return transmitBytes;
    return transmitBytes.map((bytes, port) => {
      if (!Number.isNaN(bytes)) return bytes;
      const own = lanes
        .subarray(port * lanesPerPort, (port + 1) * lanesPerPort)
        .filter((words) => !Number.isNaN(words));
      return own.length === 0 ? NaN : own.reduce((sum, words) => sum + words, 0) * bytesPerWord;
    });
  }
}

/** The last reading of every port, as a round. */
export function lastPoll(polls: readonly CounterPoll[], portCount: number): CounterPoll {
  if (polls.length === 1) return polls[0]!;
  const last = new CounterPoll(portCount);
  for (const poll of polls)
    for (let port = 0; port < portCount; port++)
      if (poll.wasRead[port] === 1 && !(poll.readAtPs[port]! < last.readAtPs[port]!)) last.copy(poll, port);
  return last;
}

function columnOf<Name>(columns: Map<Name, Float64Array>, name: Name, length: number): Float64Array {
  let column = columns.get(name);
  if (column === undefined) columns.set(name, (column = new Float64Array(length).fill(NaN)));
  return column;
}
