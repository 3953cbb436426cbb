// Counters of ports, as perfquery and ibqueryerrors print them -> columns by port of the fabric.
//   # Port extended counters: Lid 2 port 5 (CapMask: 0x1300 CapMask2: 0x0000000)
//   PortXmitData:....................987654382140
//      GUID 0x2c90000010000 port 5: [SymbolErrorCounter == 7] [PortXmitData == 1224 (4.781KB)]
// Invariants: data counters, which count words of 4 bytes, are bytes here; of several readings of one port the last one
// counts, the 64-bit counters (perfquery -x, ibqueryerrors --data) before the 32-bit ones. Counters stop at their
// largest value and do not begin anew: those are marked. Not read: sums over all ports (port 0, 255, ALL), and
// perfquery's other tables, by service level or virtual lane or of details (PortRcvErrorDetails), which count nothing
// that these do not. Source of the forms: infiniband-diags of rdma-core (perfquery.c, ibqueryerrors.c).

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { linesOf } from './lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** Counters of each port of the fabric; NaN where nothing was read. */
export interface PortCounterReadings {
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
  /** ports of which something was read */
  readonly portsRead: number;
}

const bytesPerWord = 4;
const largest32 = 4_294_967_295;
/** Where counters of errors stop (InfiniBand Architecture Specification, volume 1, PortCounterReadings). */
const errorCounters: Readonly<Record<string, number>> = {
  SymbolErrorCounter: 65_535,
  LinkErrorRecoveryCounter: 255,
  LinkDownedCounter: 255,
  PortRcvErrors: 65_535,
  PortRcvRemotePhysicalErrors: 65_535,
  PortRcvSwitchRelayErrors: 65_535,
  PortXmitDiscards: 65_535,
  PortXmitConstraintErrors: 255,
  PortRcvConstraintErrors: 255,
  LocalLinkIntegrityErrors: 15,
  ExcessiveBufferOverrunErrors: 15,
  VL15Dropped: 65_535,
};

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
  private readonly counters;
  /** what has its value from 64-bit counters: a bit each for bytes sent, bytes received, waits, errors */
  private readonly wide: Uint8Array;
  private readonly wasRead: Uint8Array;
  private readonly byLid = new Map<string, number>();
  private readonly byGuid = new Map<string, number>();
  private unknown = 0;
  /** the first of perfquery's tables that are not read: what it is called, and where */
  private foreign: { readonly name: string; readonly at: typeof wholeFile } | null = null;
  private unknownAt = wholeFile;
  /** the reading that goes on: its port, -1 for one that is passed over; its errors so far, NaN without */
  private port = -1;
  private errorSum = NaN;
  private errorIsFull = false;
  private isWide = false;
  private inBlock = false;

  constructor(file: string, { fabric, identity }: IdentifiedFabric, diagnostics: Diagnostics) {
    super(file, diagnostics);
    const column = (): Float64Array => new Float64Array(fabric.portCount).fill(NaN);
    this.counters = {
      transmitBytes: column(),
      receiveBytes: column(),
      transmitWaitTicks: column(),
      errors: column(),
      saturated: new Uint8Array(fabric.portCount),
    };
    this.wide = new Uint8Array(fabric.portCount);
    this.wasRead = new Uint8Array(fabric.portCount);
    for (let port = 0; port < fabric.portCount; port++) {
      const node = fabric.portNode[port]!;
      if (identity.lid[node] !== 0) this.byLid.set(`${identity.lid[node]} ${identity.portNumber[port]}`, port);
      this.byGuid.set(`${identity.nodeGuid[node]} ${identity.portNumber[port]}`, port);
    }
  }

  read(text: string): PortCounterReadings {
    for (const { line: number, text: line } of linesOf(text, this)) this.line(line, number);
    this.endReading();
    const portsRead = this.wasRead.reduce((sum, own) => sum + own, 0);
    if (portsRead === 0 && !this.failed)
      this.error(
        'no-counters',
        this.unknown > 0 ? wholeFile : (this.foreign?.at ?? wholeFile),
        this.unknown > 0
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
    const saturated = this.counters.saturated.reduce((count, own) => count + Math.min(own, 1), 0);
    if (saturated > 0)
      this.warning(
        'saturated-counter',
        wholeFile,
        `counters of ${saturated} ports stand at their largest value and may have stopped`,
        { hint: 'read the 64-bit ones (perfquery -x), reset the others (perfquery -R)' },
      );
    return { ...this.counters, portsRead };
  }

  private line(line: string, number: number): void {
    const at = { line: number, column: 1 };
    const heading = /^# Port (extended )?counters: Lid (\d{1,7}) port (\d{1,5})/.exec(line);
    const listed = heading === null ? /^\s{0,99}GUID 0x([0-9a-fA-F]{1,16}) port (\d{1,5}|ALL):(.*)$/.exec(line) : null;
    if (heading !== null) {
      const isSum = heading[3] === '0' || heading[3] === '255';
      this.begin(isSum ? null : this.byLid.get(`${heading[2]} ${heading[3]}`), heading[1] !== undefined, at);
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
      this.begin(isSum ? null : this.byGuid.get(`${BigInt(`0x${listed[1]!}`)} ${listed[2]}`), false, at);
      for (const [, name, digits] of items)
        this.take(name!, Number(digits), /^Port(Xmit|Rcv)Data$/.test(name!) && Number(digits) !== largest32);
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
      else this.take(match[1]!, Number(match[2]), this.isWide);
    }
  }

  /** @param port null for a sum over ports, undefined for a port that the fabric has not */
  private begin(port: number | null | undefined, isWide: boolean, at: typeof wholeFile): void {
    this.endReading();
    this.isWide = isWide;
    if (port === undefined && this.unknown++ === 0) this.unknownAt = at;
    this.port = port ?? -1;
    if (this.port !== -1) this.wasRead[this.port] = 1;
  }

  private take(name: string, value: number, isWide: boolean): void {
    const { port, counters } = this;
    if (port === -1) return;
    if (name === 'PortXmitData' || name === 'PortRcvData')
      this.keep(
        counters[name === 'PortXmitData' ? 'transmitBytes' : 'receiveBytes'],
        value * bytesPerWord,
        name === 'PortXmitData' ? 1 : 2,
        isWide,
        value === largest32,
      );
    else if (name === 'PortXmitWait') this.keep(counters.transmitWaitTicks, value, 4, isWide, value === largest32);
    else if (Object.hasOwn(errorCounters, name)) {
      this.errorSum = (Number.isNaN(this.errorSum) ? 0 : this.errorSum) + value;
      if (!isWide && value === errorCounters[name]) this.errorIsFull = true;
    }
  }

  private keep(column: Float64Array, value: number, kind: number, isWide: boolean, isFull: boolean): void {
    const { port, wide, counters } = this;
    if (!isWide && (wide[port]! & kind) !== 0) return;
    column[port] = value;
    if (isWide) wide[port] = wide[port]! | kind;
    counters.saturated[port] = (counters.saturated[port]! & ~kind) | (isFull && !isWide ? kind : 0);
  }

  private endReading(): void {
    const { port, errorSum } = this;
    if (port !== -1 && !Number.isNaN(errorSum))
      this.keep(this.counters.errors, errorSum, 8, this.isWide, this.errorIsFull);
    this.port = -1;
    this.errorSum = NaN;
    this.errorIsFull = false;
    this.inBlock = false;
  }
}
