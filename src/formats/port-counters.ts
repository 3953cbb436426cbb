// Counters of ports, as perfquery and ibqueryerrors print them -> columns by port of the fabric.
//   # Port extended counters: Lid 2 port 5 (CapMask: 0x1300 CapMask2: 0x0000000)
//   PortXmitData:....................987654382140
//      GUID 0x2c90000010000 port 5: [SymbolErrorCounter == 7] [PortXmitData == 1224 (4.781KB)]
// Invariants: data counters, which count words of 4 bytes, are bytes here; of several readings of one port the last one
// counts, the 64-bit counters (perfquery -x, ibqueryerrors --data) before the 32-bit ones. Counters stop at their
// largest value and do not begin anew: those are marked. Counters of unknown names are told. Not read: sums over all
// ports (port 0, 255, ALL), and perfquery's other tables, by service level or virtual lane or of details
// (PortRcvErrorDetails), which count nothing that these do not. Source of the forms: infiniband-diags of rdma-core
// (perfquery.c, ibqueryerrors.c), and of the names: libibmad (fields.c), its first versions for the older ones.

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { PortIndex } from '../fabric/port-identity.js';
import { linesOf } from './lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** What a counter of a port counts. */
export interface PortCounterKind {
  /** where it stops if it has not 64 bits (InfiniBand Architecture Specification, volume 1, PortCounters) */
  readonly largest: number;
  /** what it says of the link, in a few words; left out: it counts traffic */
  readonly error?: string;
  /** whether the cable or the port is to be looked at */
  readonly isFault?: boolean;
}

const largest32 = 4_294_967_295;
/** 2^64 - 1, as it is read. */
const largest64 = 2 ** 64;
const traffic: PortCounterKind = { largest: largest32 };

/** The counters that are read, by the names that perfquery gives them. */
export const portCounterKinds = {
  SymbolErrorCounter: { largest: 65_535, error: 'bits that arrived wrong: the cable or its plugs', isFault: true },
  LinkErrorRecoveryCounter: { largest: 255, error: 'the link trained anew and went on: the cable', isFault: true },
  LinkDownedCounter: { largest: 255, error: 'the link went down: a restart, or the cable', isFault: true },
  PortRcvErrors: { largest: 65_535, error: 'packets that arrived damaged: the cable', isFault: true },
  PortRcvRemotePhysicalErrors: { largest: 65_535, error: 'packets damaged before: look at links further up' },
  PortRcvSwitchRelayErrors: { largest: 65_535, error: 'packets that led back or nowhere: multicast, mostly harmless' },
  PortXmitDiscards: {
    largest: 65_535,
    error: 'packets thrown away that waited too long: congestion, or a host that hangs',
  },
  PortXmitConstraintErrors: { largest: 255, error: 'packets of a partition that the port has not' },
  PortRcvConstraintErrors: { largest: 255, error: 'packets of a partition that the port has not' },
  LocalLinkIntegrityErrors: { largest: 15, error: 'too many errors in a row: the cable', isFault: true },
  ExcessiveBufferOverrunErrors: { largest: 15, error: 'credits went wrong: the port or its firmware', isFault: true },
  VL15Dropped: { largest: 65_535, error: 'management packets that found no room: mostly harmless' },
  QP1Dropped: { largest: 65_535, error: 'management packets that found no room: mostly harmless' },
  PortXmitData: traffic,
  PortRcvData: traffic,
  PortXmitPkts: traffic,
  PortRcvPkts: traffic,
  PortXmitWait: traffic,
  PortUnicastXmitPkts: traffic,
  PortUnicastRcvPkts: traffic,
  PortMulticastXmitPkts: traffic,
  PortMulticastRcvPkts: traffic,
} as const satisfies Readonly<Record<string, PortCounterKind>>;

/** A counter by perfquery's name. */
export type PortCounterName = keyof typeof portCounterKinds;

/** All of them, in the order of perfquery. */
const portCounterNames = Object.keys(portCounterKinds) as readonly PortCounterName[];

/** What older diagnostics called them. */
const olderNames: ReadonlyMap<string, PortCounterName> = new Map([
  ['SymbolErrors', 'SymbolErrorCounter'],
  ['LinkRecovers', 'LinkErrorRecoveryCounter'],
  ['LinkDowned', 'LinkDownedCounter'],
  ['RcvErrors', 'PortRcvErrors'],
  ['RcvRemotePhysErrors', 'PortRcvRemotePhysicalErrors'],
  ['RcvSwRelayErrors', 'PortRcvSwitchRelayErrors'],
  ['XmtDiscards', 'PortXmitDiscards'],
  ['XmtConstraintErrors', 'PortXmitConstraintErrors'],
  ['RcvConstraintErrors', 'PortRcvConstraintErrors'],
  ['LinkIntegrityErrors', 'LocalLinkIntegrityErrors'],
  ['ExcBufOverrunErrors', 'ExcessiveBufferOverrunErrors'],
  ['XmtData', 'PortXmitData'],
  ['RcvData', 'PortRcvData'],
  ['XmtPkts', 'PortXmitPkts'],
  ['RcvPkts', 'PortRcvPkts'],
  ['XmtWait', 'PortXmitWait'],
]);

/** What stands among the counters and is passed over: what was asked for, and details of PortRcvErrors and discards. */
const passedOverNames: ReadonlySet<string> = new Set([
  'PortSelect',
  'CounterSelect',
  'CounterSelect2',
  'PortInactiveDiscards',
  'PortNeighborMTUDiscards',
  'PortSwLifetimeLimitDiscards',
  'PortSwHOQLifetimeLimitDiscards',
  'PortLocalPhysicalErrors',
  'PortMalformedPktErrors',
  'PortBufferOverrunErrors',
  'PortDLIDMappingErrors',
  'PortVLMappingErrors',
  'PortLoopingErrors',
]);

/** The counter that has a name, of today or older; null = there is none. */
function counterOfName(name: string): PortCounterName | null {
  return Object.hasOwn(portCounterKinds, name) ? (name as PortCounterName) : (olderNames.get(name) ?? null);
}

/** Whether a counter stands where it stops: all bits 1. */
export function isAtLargest(name: PortCounterName, value: number, isWide = false): boolean {
  return value === largest64 || (!isWide && value === portCounterKinds[name].largest);
}

/** Whether a counter counts what went wrong. */
export function countsErrors(name: PortCounterName): boolean {
  return 'error' in portCounterKinds[name];
}

/** Counters of each port of the fabric; NaN where nothing was read. */
export interface PortCounterReadings {
  /** as printed, by perfquery's names: those of which something was read. Data are words of 4 bytes */
  readonly counters: ReadonlyMap<PortCounterName, Float64Array>;
  /** bytes sent, with headers */
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
  /** 1 for ports of which something was read, and how many they are */
  readonly wasRead: Uint8Array;
  readonly portsRead: number;
}

const bytesPerWord = 4;

/**
 * What ends a reading of perfquery without beginning one that counts: its other tables (`# PortRcvErrorDetails
 * counters: Lid 2 port 5`), and the headings under which ibqueryerrors lists nodes, remarks and sums.
 */
const foreignHeading = /^(?:#|(?:Errors|Data Counters) for (?:0x[0-9a-fA-F]{1,16} )?"|\s+Link info:)/;

/** Reads what perfquery (with or without -x) or ibqueryerrors printed, any number of outputs one after the other. */
export function readPortCounters(
  text: string,
  file: string,
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
): PortCounterReadings {
  return new CounterReader(file, source, diagnostics).read(text);
}

class CounterReader extends FileProblems {
  private readonly columns = new Map<PortCounterName, Float64Array>();
  private readonly saturated: Uint8Array;
  /** what has its value from 64-bit counters: a bit for each of saturatedBits, and one for all else */
  private readonly wide: Uint8Array;
  private readonly wasRead: Uint8Array;
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

  constructor(
    file: string,
    private readonly source: IdentifiedFabric,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
    const { portCount } = source.fabric;
    this.saturated = new Uint8Array(portCount);
    this.wide = new Uint8Array(portCount);
    this.wasRead = new Uint8Array(portCount);
    this.index = new PortIndex(source);
  }

  read(text: string): PortCounterReadings {
    for (const { line: number, text: line } of linesOf(text, this)) this.line(line, number);
    this.endReading();
    const portsRead = this.wasRead.reduce((sum, own) => sum + own, 0);
    if (portsRead === 0 && !this.failed)
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
    const saturated = this.saturated.reduce((count, own) => count + Math.min(own, 1), 0);
    if (saturated > 0)
      this.warning(
        'saturated-counter',
        wholeFile,
        `counters of ${saturated} ports stand at their largest value and may have stopped`,
        { hint: 'read the 64-bit ones (perfquery -x), reset the others (perfquery -R)' },
      );
    return { ...this.readings(), saturated: this.saturated, wasRead: this.wasRead, portsRead };
  }

  private readings(): Pick<
    PortCounterReadings,
    'counters' | 'transmitBytes' | 'receiveBytes' | 'transmitWaitTicks' | 'errors'
  > {
    const { columns } = this;
    const none = new Float64Array(this.source.fabric.portCount).fill(NaN);
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
      transmitBytes: bytes('PortXmitData'),
      receiveBytes: bytes('PortRcvData'),
      transmitWaitTicks: columns.get('PortXmitWait') ?? none,
      errors,
    };
  }

  private line(line: string, number: number): void {
    const at = { line: number, column: 1 };
    const heading = /^# Port (extended )?counters: Lid (\d{1,7}) port (\d{1,5})/.exec(line);
    const listed = heading === null ? /^\s{0,99}GUID 0x([0-9a-fA-F]{1,16}) port (\d{1,5}|ALL):(.*)$/.exec(line) : null;
    if (heading !== null) {
      const [lid, port] = [Number(heading[2]), Number(heading[3])];
      const isSum = port === 0 || port === 255;
      this.begin(isSum ? null : this.index.ofLid(lid, port), heading[1] !== undefined, at, this.index.hasLid(lid));
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
      else this.take(match[1]!, Number(match[2]), this.isWide, at);
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
    if (this.port !== -1) this.wasRead[this.port] = 1;
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
    const { port, items, wide, saturated, unlinked } = this;
    this.port = -1;
    this.unlinked = null;
    this.items = [];
    this.inBlock = false;
    if (unlinked !== null) {
      this.passedOver++;
      // tools list ports without a cable as well: they have counted nothing
      if ((!unlinked.isOwn || items.some(({ value }) => value > 0)) && this.unknown++ === 0) this.unknownAt = this.at;
    }
    if (port === -1) return;
    const before = wide[port]!;
    items.forEach(({ name, value, isWide }, i) => {
      const twin = items.findIndex((item) => item.name === name);
      const earlier = twin < i ? items[twin]!.value : (this.columns.get(name)?.[port] ?? NaN);
      // of other widths both are right, and a counter that had stopped was reset
      const isOtherWidth = twin === i && ((before & kindBit(name)) !== 0) !== isWide;
      const isOther = isOtherWidth || isAtLargest(name, earlier, isWide);
      if (!Number.isNaN(earlier) && earlier !== value && !isOther && this.readAgain++ === 0) this.againAt = this.at;
    });
    const errors = items.filter(({ name }) => countsErrors(name));
    const keepsErrors = errors.length > 0 && ((before & bitOf.errors) === 0 || errors.some(({ isWide }) => isWide));
    if (keepsErrors) {
      saturated[port]! &= ~bitOf.errors;
      for (const [name, column] of this.columns) if (countsErrors(name)) column[port] = NaN;
    }
    for (const { name, value, isWide } of items) {
      const bit = kindBit(name);
      if (bit === bitOf.errors ? !keepsErrors : !isWide && (before & bit) !== 0) continue;
      this.column(name)[port] = value;
      if (isWide) wide[port]! |= bit;
      if (bit === bitOf.others) continue;
      if (bit !== bitOf.errors) saturated[port]! &= ~bit;
      if (isAtLargest(name, value, isWide)) saturated[port]! |= bit;
    }
  }

  private column(name: PortCounterName): Float64Array {
    let column = this.columns.get(name);
    if (column === undefined)
      this.columns.set(name, (column = new Float64Array(this.source.fabric.portCount).fill(NaN)));
    return column;
  }
}

/** Bits of what may have come to its largest value, and of all else. */
const bitOf = { sent: 1, received: 2, waits: 4, errors: 8, others: 16 } as const;

function kindBit(name: PortCounterName): number {
  if (countsErrors(name)) return bitOf.errors;
  if (name === 'PortXmitData') return bitOf.sent;
  if (name === 'PortRcvData') return bitOf.received;
  return name === 'PortXmitWait' ? bitOf.waits : bitOf.others;
}
