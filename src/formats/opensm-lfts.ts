// OpenSM's table files -> forwarding tables: opensm-lfts.dump, and what dump_lfts, dump_fts and ibroute print.
//   Unicast lids [0-44] of switch Lid 2 guid 0x0002c90000010000 ('leaf00'):
//   0x0004 005 # Channel Adapter portguid 0x0002c90000100101: 'node016 HCA-1'
//   44 lids dumped
// Invariants: what OpenSM's file engine would take silently is said: switches and end ports that the fabric has not,
// switches without a block, blocks that are cut off. As there, a block begins anew from nothing, an entry with a port
// GUID means the port with that GUID whatever LID stands before it, and other lines have no meaning. Format:
// docs/formats/infiniband.md.
// Not read: multicast tables, tables of other routing engines that are no text of this family.

import { wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { ForwardingTables, noPort, ownPort } from '../routing/forwarding-tables.js';
import { ByteLines, asciiOf } from './byte-lines.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** port number 255 in a table: no way */
const unreachableNumber = 255;
/** in the place of a node: an end port that is reached as its switch is, whose entries are passed over */
const attachedPort = -2;

/** Reads tables piece by piece, so that files of gigabytes need no more memory than the tables. */
export class LftReader {
  /** tables of the switches whose blocks were read */
  readonly tables: ForwardingTables;
  private readonly errorsBefore: number;
  /** line of each entry of `tables`, 0 without one */
  readonly entryLine: Int32Array;
  private readonly lines = new ByteLines((line, length, number) => {
    this.readLine(line, length, number);
  });
  private lineNumber = 0;
  private line: Uint8Array = new Uint8Array(0);
  private readonly byGuid = new Map<bigint, number>();
  private readonly byLid: Int32Array;
  /** entry by number of port: row of the switch x 256 + number */
  private readonly entryOf: Uint8Array;
  private readonly seen: Uint8Array;
  private node = -1;
  private inBlock = false;
  private headerAt: Position = wholeFile;
  private rows = 0;
  /** entries of switches of the fabric */
  private places = 0;
  private closed = false;
  private anyClosed = false;
  private readonly strangers = {
    switches: 0,
    ports: 0,
    dead: 0,
    firstSwitch: wholeFile,
    firstPort: wholeFile,
    firstDead: wholeFile,
  };

  constructor(
    private readonly source: IdentifiedFabric,
    private readonly file: string,
    private readonly diagnostics: Diagnostics,
  ) {
    const { fabric, identity } = source;
    this.errorsBefore = diagnostics.errorCount;
    this.tables = new ForwardingTables(fabric);
    this.entryLine = new Int32Array(this.tables.entries.length);
    this.seen = new Uint8Array(this.tables.switches.length);
    this.byLid = new Int32Array(65536).fill(-1);
    for (const { portGuid, lid } of identity.attached ?? []) {
      this.byGuid.set(portGuid, attachedPort);
      if (lid !== 0) this.byLid[lid] = attachedPort;
    }
    for (let node = 0; node < fabric.nodeCount; node++) {
      this.byGuid.set(identity.portGuid[node]!, node);
      if (identity.lid[node] !== 0) this.byLid[identity.lid[node]!] = node;
    }
    this.entryOf = new Uint8Array(this.tables.switches.length * 256).fill(noPort);
    this.tables.switches.forEach((node, row) => {
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
        this.entryOf[row * 256 + identity.portNumber[port]!] = port - fabric.portOffset[node]!;
      this.entryOf[row * 256] = ownPort;
    });
  }

  /** Takes the next piece of the file. */
  push(piece: Uint8Array): void {
    this.lines.push(piece);
  }

  /** Ends the file. @returns the tables, null if there were errors */
  end(): ForwardingTables | null {
    this.lines.end();
    this.endBlock();
    const { diagnostics, file, strangers } = this;
    const read = this.seen.reduce((sum, own) => sum + own, 0);
    if (read === 0 && diagnostics.errorCount === this.errorsBefore) {
      diagnostics.error(
        'no-tables',
        file,
        wholeFile,
        strangers.switches > 0 ? 'no switch of the file is a switch of the fabric' : 'there is no table in the file',
        {
          wanted: "blocks that begin like: Unicast lids [0-44] of switch Lid 2 guid 0x0002c90000010000 ('leaf00'):",
        },
      );
    }
    if (this.places > 0 && strangers.ports === this.places)
      diagnostics.error(
        'no-tables',
        file,
        strangers.firstPort,
        'no entry of the file is for an end port of the fabric',
        { hint: 'are tables and fabric of one moment, and LIDs those of guid2lid?' },
      );
    if (diagnostics.errorCount > this.errorsBefore) return null;
    const missing = this.seen.length - read;
    if (missing > 0)
      diagnostics.warning(
        'missing-switch',
        file,
        wholeFile,
        `${missing} switches of the fabric have no table: nothing passes them`,
        { got: this.source.identity.nodeName[this.tables.switches[this.seen.indexOf(0)]!]! },
      );
    if (strangers.switches > 0)
      diagnostics.warning(
        'unknown-switch',
        file,
        strangers.firstSwitch,
        `${strangers.switches} tables are of switches that the fabric has not`,
        { hint: 'OpenSM ignores them without a word' },
      );
    if (strangers.ports > 0)
      diagnostics.warning(
        'unknown-destination',
        file,
        strangers.firstPort,
        `${strangers.ports} entries are for LIDs or GUIDs that the fabric has not`,
      );
    if (strangers.dead > 0)
      diagnostics.warning(
        'unlinked-port',
        file,
        strangers.firstDead,
        `${strangers.dead} entries name ports without a link: nothing passes them`,
      );
    return this.tables;
  }

  private get at(): Position {
    return { line: this.lineNumber, column: 1 };
  }

  private readLine(line: Uint8Array, length: number, number: number): void {
    this.line = line;
    this.lineNumber = number;
    let from = 0;
    while (from < length && line[from]! <= 32) from++;
    const first = line[from];
    if (from < length && first === 48 && line[from + 1] === 120) this.entry(from, length);
    else if (first === 85) this.header(asciiOf(line, from, length));
    else if (first !== undefined && first >= 48 && first <= 57)
      this.footer(asciiOf(line, from, Math.min(length, from + 60)));
  }

  /** The first GUID counts, as in OpenSM: names stand behind it, and may hold anything. */
  private header(text: string): void {
    const match = /^Unicast lids\b.*? guid 0x([0-9a-fA-F]{1,16})(?=\s)/.exec(text);
    if (match === null) return;
    this.endBlock();
    this.inBlock = true;
    this.headerAt = this.at;
    this.rows = 0;
    this.closed = false;
    const node = this.byGuid.get(BigInt(`0x${match[1]!}`)) ?? -1;
    this.node = node < 0 || this.tables.rowOf[node] === -1 ? -1 : node;
    if (this.node === -1) {
      if (this.strangers.switches++ === 0) this.strangers.firstSwitch = this.at;
      return;
    }
    const row = this.tables.rowOf[node]!;
    if (this.seen[row] === 1) {
      this.diagnostics.warning(
        'duplicate-switch',
        this.file,
        this.at,
        `a second table of ${this.source.identity.nodeName[node]}: it replaces the first, as in OpenSM`,
      );
      this.tables.entries.fill(noPort, row * this.tables.columns, (row + 1) * this.tables.columns);
      this.entryLine.fill(0, row * this.tables.columns, (row + 1) * this.tables.columns);
      this.tables.entries[row * this.tables.columns + node] = ownPort;
    }
    this.seen[row] = 1;
  }

  /**
   * `44 lids dumped`: OpenSM counts what it wrote or the LIDs of its range; fewer rows than the smaller of the two are
   * a cut.
   */
  private footer(text: string): void {
    const match = /^(\d{1,9}) (?:valid )?lids dumped/.exec(text);
    if (match === null || !this.inBlock) return;
    this.closed = this.anyClosed = true;
    if (this.rows > Number(match[1]))
      this.diagnostics.error('wrong-count', this.file, this.at, `the table has more entries than it says`, {
        got: `${this.rows} entries`,
        wanted: `at most ${match[1]}`,
      });
  }

  private endBlock(): void {
    if (this.inBlock && !this.closed && this.anyClosed) {
      this.diagnostics.error(
        'truncated',
        this.file,
        this.headerAt,
        'the table that begins here is cut off: the line "... lids dumped" is missing at its end',
        { hint: 'copy the file again; OpenSM would take what is left' },
      );
    }
    this.inBlock = false;
  }

  private entry(from: number, length: number): void {
    const { line } = this;
    let at = from + 2;
    let lid = 0;
    let digits = 0;
    for (
      let digit = at < length ? hexDigit(line[at]!) : -1;
      digit !== -1 && digits <= 4;
      digit = at < length ? hexDigit(line[at]!) : -1
    ) {
      lid = lid * 16 + digit;
      digits++;
      at++;
    }
    const gap = at;
    while (at < length && (line[at] === 32 || line[at] === 9)) at++;
    const portAt = at;
    let number = 0;
    while (at < length && line[at]! >= 48 && line[at]! <= 57 && at - portAt <= 3)
      number = number * 10 + line[at++]! - 48;
    if (digits === 0 || digits > 4 || at === portAt || gap === portAt || (at < length && line[at]! > 32)) {
      this.diagnostics.error(
        'bad-entry',
        this.file,
        { line: this.lineNumber, column: from + 1 },
        'the entry has not the usual form',
        {
          got: asciiOf(line, from, Math.min(length, from + 40)),
          wanted: '0x0004 005: LID in hexadecimal, port in decimal digits',
        },
      );
      return;
    }
    if (!this.inBlock) {
      this.diagnostics.error(
        'entry-without-switch',
        this.file,
        { line: this.lineNumber, column: from + 1 },
        'an entry before the first switch',
        { wanted: 'a line that begins with Unicast lids' },
      );
      return;
    }
    this.rows++;
    if (this.node !== -1) this.store(lid, number, at, length, portAt);
  }

  private store(lid: number, number: number, from: number, length: number, portAt: number): void {
    const { identity } = this.source;
    const { node, tables } = this;
    const guid = portGuidIn(this.line, from, length);
    this.places++;
    const destination = guid === null ? this.byLid[lid]! : (this.byGuid.get(guid) ?? -1);
    if (number > identity.radix[node]! && number !== unreachableNumber) {
      this.diagnostics.error(
        'port-beyond-radix',
        this.file,
        { line: this.lineNumber, column: portAt + 1 },
        `${identity.nodeName[node]} has ${identity.radix[node]} ports`,
        {
          got: String(number),
          wanted: `0 to ${identity.radix[node]}`,
          hint: 'OpenSM would refuse the whole file and route by minhop',
        },
      );
      return;
    }
    if (destination === attachedPort) return;
    if (destination === -1) {
      if (this.strangers.ports++ === 0) this.strangers.firstPort = this.at;
      return;
    }
    if (number === unreachableNumber) return;
    if ((number === 0) !== (destination === node)) {
      this.diagnostics.error(
        'wrong-own-entry',
        this.file,
        { line: this.lineNumber, column: portAt + 1 },
        number === 0
          ? `port 0 of ${identity.nodeName[node]} is the switch itself, not ${identity.nodeName[destination]}`
          : `${identity.nodeName[node]} sends what is for itself elsewhere`,
        { got: String(number), wanted: number === 0 ? 'a port of the switch' : '0' },
      );
      return;
    }
    const entry = this.entryOf[tables.rowOf[node]! * 256 + number]!;
    if (entry === noPort && this.strangers.dead++ === 0) this.strangers.firstDead = this.at;
    const place = tables.rowOf[node]! * tables.columns + destination;
    if (this.entryLine[place] !== 0) {
      this.diagnostics.error(
        'duplicate-entry',
        this.file,
        this.at,
        `a second entry of ${identity.nodeName[node]} for ${identity.nodeName[destination]}`,
        {
          got: `port ${number}`,
          hint: `first on line ${this.entryLine[place]}; ports with several LIDs (LMC above 0) are not supported`,
        },
      );
      return;
    }
    tables.entries[place] = entry;
    this.entryLine[place] = this.lineNumber;
  }
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

const portguid = Array.from(' portguid 0x', (letter) => letter.charCodeAt(0));
const portguidInBrackets = [40, ...portguid.slice(1)];

/** The GUID behind " portguid 0x", which a blank or a colon ends; null without one. */
function portGuidIn(line: Uint8Array, from: number, length: number): bigint | null {
  for (let i = from; i + portguid.length < length; i++) {
    if (line[i] !== 32 && line[i] !== 40) continue;
    if (!matches(line, i, portguid) && !matches(line, i, portguidInBrackets)) continue;
    let high = 0;
    let low = 0;
    let digits = 0;
    for (let at = i + portguid.length; at < length; at++) {
      const digit = hexDigit(line[at]!);
      if (digit === -1) break;
      high = high * 16 + Math.floor(low / 0x10000000);
      low = (low % 0x10000000) * 16 + digit;
      digits++;
    }
    return digits === 0 || digits > 16 ? null : (BigInt(high) << 32n) | BigInt(low);
  }
  return null;
}

function matches(line: Uint8Array, at: number, word: readonly number[]): boolean {
  for (let i = 0; i < word.length; i++) if (line[at + i] !== word[i]) return false;
  return true;
}
