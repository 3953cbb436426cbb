// Counters of ports, as perfquery and ibqueryerrors print them -> columns by port of the fabric.
//   # Time 0.000250000000 s
//   # Port extended counters: Lid 2 port 5 (CapMask: 0x1300 CapMask2: 0x0000000)
//   PortXmitData:....................987654382140
//      GUID 0x2c90000010000 port 5: [SymbolErrorCounter == 7] [PortXmitData == 1224 (4.781KB)]
// Invariants: data counters, which count words of 4 bytes, are bytes here; of several readings of one port the last one
// counts, the 64-bit counters (perfquery -x, ibqueryerrors --data) before the 32-bit ones. Counters stop at their
// largest value and do not begin anew: those are marked. Counters of unknown names are told. Lines `# Time` say when
// what follows was read: a port that is read again at another time begins another round (counter-poll.ts). Of tables by
// lane those of what is sent are read. Not read: sums over all ports (port 0, 255, ALL), and perfquery's other tables, by
// service level or of details (PortRcvErrorDetails), which count nothing that these do not.
// Source of the forms: infiniband-diags of rdma-core (perfquery.c, ibqueryerrors.c).

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { PortIndex } from '../fabric/port-identity.js';
import { CounterPoll, lastPoll, type PortCounterReadings } from './counter-poll.js';
import { linesOf } from './lines.js';
import {
  bitOf,
  counterOfName,
  countsErrors,
  isAtLargest,
  kindBit,
  laneTables,
  largest32,
  type LaneCounterName,
  lanesPerPort,
  passedOverNames,
  type PortCounterName,
} from './port-counter-kinds.js';
import type { IdentifiedFabric } from './subnet-records.js';

/**
 * What ends a reading of perfquery without beginning one that counts: its other tables (`# PortRcvErrorDetails
 * counters: Lid 2 port 5`), and the headings under which ibqueryerrors lists nodes, remarks and sums.
 */
const foreignHeading = /^(?:#|(?:Errors|Data Counters) for (?:0x[0-9a-fA-F]{1,16} )?"|\s+Link info:)/;

/** Seconds, with as many digits behind the point as there are: `date '+# Time %s.%N s'` prints them. */
const timeLine = /^# Time (\d{1,12})(?:\.(\d{1,12}))? s\s{0,9}$/;

const laneHeading = /^# (PortVL\w{1,40}) counters: Lid (\d{1,7}) port (\d{1,5})/;

/**
 * Reads what perfquery (with or without -x) or ibqueryerrors printed, any number of outputs one after the other: the
 * last reading of every port.
 */
export function readPortCounters(
  text: string,
  file: string,
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
): PortCounterReadings {
  return readCounterPolls(text, file, source, diagnostics).last;
}

/** Readings of a file that was written over time. */
export interface CounterPolls {
  /** round by round: a port that is read again at another time begins another one */
  readonly rounds: readonly PortCounterReadings[];
  /** the last reading of every port */
  readonly last: PortCounterReadings;
}

/** The same with its rounds, for files that say when they were read (`# Time 0.25 s`); without times there is one. */
export function readCounterPolls(
  text: string,
  file: string,
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
): CounterPolls {
  const polls = new CounterReader(file, source, diagnostics).read(text);
  return {
    rounds: polls.map((poll) => poll.readings()),
    last: lastPoll(polls, source.fabric.portCount).readings(),
  };
}

/** readings that may be of ports of no link before they are those of another fabric: so many, and a share of all */
const fewUnknown = 8;
const mostUnknown = 0.25;

class CounterReader extends FileProblems {
  private readonly polls: [CounterPoll, ...CounterPoll[]];
  /** the round of the reading that goes on, by its number */
  private round = 0;
  /** of the last line of time; NaN: there was none */
  private timePs = NaN;
  private readonly index: PortIndex;
  /** readings of ports that the fabric has not or that have no link: those with a count, and all of them */
  private unknown = 0;
  private passedOver = 0;
  /** counters that were read again with another value, and the first of them */
  private readAgain = 0;
  private againAt = wholeFile;
  /** names that no counter has, and where the first stands */
  private readonly unknownNames = new Set<string>();
  private unknownNameAt = wholeFile;
  /** the first of perfquery's tables that are not read: what it is called, and where */
  private foreign: { readonly name: string; readonly at: typeof wholeFile } | null = null;
  private unknownAt = wholeFile;
  /** the reading that goes on: its port, -1 for one that is passed over, where it begins, and what it has */
  private port = -1;
  private at = wholeFile;
  /** its port has no link: whether it belongs to a node of the fabric; null = it has one, or is passed over */
  private unlinked: { readonly isOwn: boolean } | null = null;
  private items: { readonly name: PortCounterName; readonly value: number; readonly isWide: boolean }[] = [];
  private isWide = false;
  private inBlock = false;
  /** what the table counts by lane; null: by port */
  private laneCounter: LaneCounterName | null = null;
  private laneItems: { readonly name: LaneCounterName; readonly lane: number; readonly value: number }[] = [];

  constructor(
    file: string,
    private readonly source: IdentifiedFabric,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
    this.polls = [new CounterPoll(source.fabric.portCount)];
    this.index = new PortIndex(source);
  }

  read(text: string): readonly CounterPoll[] {
    for (const { line: number, text: line } of linesOf(text, this)) this.line(line, number);
    this.endReading();
    if (this.polls[0].portsRead === 0 && !this.failed)
      this.error(
        'no-counters',
        this.passedOver > 0 ? wholeFile : (this.foreign?.at ?? wholeFile),
        this.passedOver > 0
          ? 'no port of the file is a linked port of the fabric'
          : this.foreign === null
            ? 'there is no counter in the file'
            : `the file has ${this.foreign.name} alone, which count no traffic`,
        { wanted: 'what perfquery -x or ibqueryerrors --data --counters prints' },
      );
    else if (this.unknown > Math.max(fewUnknown, mostUnknown * (this.polls[0].portsRead + this.unknown)))
      this.error(
        'other-fabric',
        this.unknownAt,
        `${this.unknown} of ${this.polls[0].portsRead + this.unknown} readings count at ports that the fabric has not or that have no link`,
        { wanted: 'counters of this fabric', hint: 'read counters and ibnetdiscover of one fabric, at about one time' },
      );
    else if (this.unknown > 0)
      this.warning(
        'unknown-port',
        this.unknownAt,
        `${this.unknown} readings are of ports that the fabric has not or that have no link`,
      );
    if (this.unknownNames.size > 0)
      this.warning(
        'unknown-counter',
        this.unknownNameAt,
        `${this.unknownNames.size} names of counters are not known: what they count is left out`,
        { got: [...this.unknownNames].slice(0, 3).join(', '), wanted: 'names as perfquery prints them' },
      );
    if (this.readAgain > 0)
      this.warning(
        'contradicting-counter',
        this.againAt,
        `${this.readAgain} counters were read already, with other values: the last ones count`,
        { hint: 'give readings of two times as two files, the earlier one with --before' },
      );
    const last = lastPoll(this.polls, this.source.fabric.portCount);
    const saturated = last.saturated.reduce((count, own) => count + Math.min(own, 1), 0);
    if (saturated > 0)
      this.warning(
        'saturated-counter',
        wholeFile,
        `counters of ${saturated} ports stand at their largest value and may have stopped`,
        { hint: 'read the 64-bit ones (perfquery -x), reset the others (perfquery -R)' },
      );
    return this.polls;
  }

  private line(line: string, number: number): void {
    const at = { line: number, column: 1 };
    const heading = /^# Port (extended )?counters: Lid (\d{1,7}) port (\d{1,5})/.exec(line);
    const time = heading === null ? timeLine.exec(line) : null;
    const lanes = heading === null ? laneHeading.exec(line) : null;
    const listed = heading === null ? /^\s{0,99}GUID 0x([0-9a-fA-F]{1,16}) port (\d{1,5}|ALL):(.*)$/.exec(line) : null;
    if (heading !== null) {
      const [lid, port] = [Number(heading[2]), Number(heading[3])];
      const isSum = port === 0 || port === 255;
      this.begin(isSum ? null : this.index.ofLid(lid, port), heading[1] !== undefined, at, this.index.hasLid(lid));
      this.inBlock = true;
    } else if (time !== null) {
      this.endReading();
      this.timePs = Number(time[1]) * 1e12 + Number((time[2] ?? '').padEnd(12, '0'));
    } else if (line.startsWith('# Time ')) {
      this.endReading();
      this.error('bad-time', at, 'this is no time of readings', {
        got: line.slice(0, 60),
        wanted: "# Time 1764259200.25 s, as date '+# Time %s.%N s' prints it",
      });
    } else if (lanes !== null && laneCounterOf(lanes[1]!) !== null) {
      const [lid, port] = [Number(lanes[2]), Number(lanes[3])];
      const isSum = port === 0 || port === 255;
      this.begin(isSum ? null : this.index.ofLid(lid, port), false, at, this.index.hasLid(lid));
      this.laneCounter = laneCounterOf(lanes[1]!);
      this.inBlock = true;
    } else if (listed !== null) {
      const items = [...listed[3]!.matchAll(/\[(\w{1,60}) == (\d{1,20})\b[^\]]{0,60}\]/g)];
      if (items.length === 0)
        this.error('bad-counter', at, 'the line has no counter', {
          got: line.trim().slice(0, 60),
          wanted: '[PortXmitData == 1224 (4.781KB)]',
        });
      const isSum = listed[2] === 'ALL' || listed[2] === '0';
      // it prints the 64-bit counters of data, with or without those of unicast and multicast packets, where a port has
      // them
      const guid = BigInt(`0x${listed[1]!}`);
      this.begin(isSum ? null : this.index.ofGuid(guid, Number(listed[2])), false, at, this.index.hasGuid(guid));
      for (const [, name, digits] of items)
        this.take(name!, Number(digits), /^Port(Xmit|Rcv)Data$/.test(name!) && Number(digits) !== largest32, at);
      this.endReading();
    } else if (foreignHeading.test(line)) {
      const name = /^# (\w{1,60}) counters:/.exec(line)?.[1];
      if (name !== undefined) this.foreign ??= { name, at };
      this.endReading();
    } else if (this.inBlock && line.trim() !== '') {
      const match = /^(\w{1,60}):\.{1,99}(0x[0-9a-fA-F]{1,16}|\d{1,20})\s{0,9}$/.exec(line);
      if (match === null)
        this.error('bad-counter', at, 'this is no counter', {
          got: line.slice(0, 60),
          wanted: 'PortXmitData:....................1224',
        });
      else if (this.laneCounter === null) this.take(match[1]!, Number(match[2]), this.isWide, at);
      else this.takeLane(this.laneCounter, match[1]!, Number(match[2]), at);
    } else {
      // details below a row of ibqueryerrors
      const name = /^\s{1,99}(\w{1,60}):\.{1,99}[0-9a-fA-Fx]{1,20}\s{0,9}$/.exec(line)?.[1];
      if (name !== undefined && !passedOverNames.has(name)) this.leaveOut(name, at);
    }
  }

  /**
   * @param port null for a sum over ports, undefined for a port without a link
   * @param isOwn whether the node is one of the fabric
   */
  private begin(port: number | null | undefined, isWide: boolean, at: typeof wholeFile, isOwn: boolean): void {
    this.endReading();
    this.isWide = isWide;
    this.at = at;
    this.unlinked = port === undefined ? { isOwn } : null;
    this.port = port ?? -1;
    if (this.port === -1) return;
    this.round = this.roundOf(this.port);
    this.poll.wasRead[this.port] = 1;
    this.poll.readAtPs[this.port] = this.timePs;
  }

  /** The round to which a reading of a port belongs at the time of now; in files one after the other times come again. */
  private roundOf(port: number): number {
    const { polls } = this;
    for (let i = 0; i < polls.length; i++) {
      const round = (this.round + i) % polls.length;
      if (polls[round]!.takes(port, this.timePs)) return round;
    }
    return polls.push(new CounterPoll(this.source.fabric.portCount)) - 1;
  }

  private get poll(): CounterPoll {
    return this.polls[this.round]!;
  }

  private takeLane(counter: LaneCounterName, name: string, value: number, at: typeof wholeFile): void {
    const lane = name.startsWith(counter) ? Number(name.slice(counter.length)) : NaN;
    if (Number.isInteger(lane) && name.length > counter.length && lane < lanesPerPort)
      this.laneItems.push({ name: counter, lane, value });
    else if (!passedOverNames.has(name)) this.leaveOut(name, at);
  }

  private take(name: string, value: number, isWide: boolean, at: typeof wholeFile): void {
    const counter = counterOfName(name);
    if (counter === null) {
      if (!passedOverNames.has(name)) this.leaveOut(name, at);
    } else if (this.port !== -1 || this.unlinked !== null) this.items.push({ name: counter, value, isWide });
  }

  private leaveOut(name: string, at: typeof wholeFile): void {
    if (this.unknownNames.size === 0) this.unknownNameAt = at;
    this.unknownNames.add(name);
  }

  /** Keeps what a reading has: its errors replace those of a former one, counters of 32 bits no wider ones. */
  private endReading(): void {
    const { port, items, unlinked, laneItems } = this;
    this.port = -1;
    this.unlinked = null;
    this.items = [];
    this.laneItems = [];
    this.laneCounter = null;
    this.inBlock = false;
    if (unlinked !== null) {
      this.passedOver++;
      // tools list ports without a cable as well: they have counted nothing
      const counts = items.some(({ value }) => value > 0) || laneItems.some(({ value }) => value > 0);
      if ((!unlinked.isOwn || counts) && this.unknown++ === 0) this.unknownAt = this.at;
    }
    if (port === -1) return;
    const { poll } = this;
    const { wide, saturated } = poll;
    for (const { name, lane, value } of laneItems) {
      const column = poll.laneColumn(name);
      const index = port * lanesPerPort + lane;
      if (!Number.isNaN(column[index]!) && column[index] !== value && this.readAgain++ === 0) this.againAt = this.at;
      column[index] = value;
      if (value === largest32) saturated[port]! |= name === 'PortVLXmitWait' ? bitOf.waits : bitOf.sent;
    }
    const before = wide[port]!;
    items.forEach(({ name, value, isWide }, i) => {
      const twin = items.findIndex((item) => item.name === name);
      const earlier = twin < i ? items[twin]!.value : (poll.columns.get(name)?.[port] ?? NaN);
      // of other widths both are right, and a counter that had stopped was reset
      const isOtherWidth = twin === i && ((before & kindBit(name)) !== 0) !== isWide;
      const isOther = isOtherWidth || isAtLargest(name, earlier, isWide);
      if (!Number.isNaN(earlier) && earlier !== value && !isOther && this.readAgain++ === 0) this.againAt = this.at;
    });
    const errors = items.filter(({ name }) => countsErrors(name));
    const keepsErrors = errors.length > 0 && ((before & bitOf.errors) === 0 || errors.some(({ isWide }) => isWide));
    if (keepsErrors) {
      saturated[port]! &= ~bitOf.errors;
      for (const [name, column] of poll.columns) if (countsErrors(name)) column[port] = NaN;
    }
    for (const { name, value, isWide } of items) {
      const bit = kindBit(name);
      if (bit === bitOf.errors ? !keepsErrors : !isWide && (before & bit) !== 0) continue;
      poll.column(name)[port] = value;
      if (isWide) wide[port]! |= bit;
      if (bit === bitOf.others) continue;
      if (bit !== bitOf.errors) saturated[port]! &= ~bit;
      if (isAtLargest(name, value, isWide)) saturated[port]! |= bit;
    }
  }
}

/** The counter of lanes that a table has; null: none that is read. */
function laneCounterOf(table: string): LaneCounterName | null {
  for (const [name, own] of Object.entries(laneTables)) if (own === table) return name as LaneCounterName;
  return null;
}
