// OpenSM's table files -> forwarding tables: opensm-lfts.dump, and what dump_lfts, dump_fts and ibroute print.
//   Unicast lids [0-44] of switch Lid 2 guid 0x0002c90000010000 ('leaf00'):
//   0x0004 005 # Channel Adapter portguid 0x0002c90000100101: 'node016 HCA-1'
//   44 lids dumped
// Invariants: what OpenSM's file engine would take silently is said: switches and end ports that the fabric has not,
// switches without a block, blocks that are cut off. As there, a block begins anew from nothing, an entry with a port
// GUID means the port with that GUID whatever LID stands before it, and other lines have no meaning. Format:
// docs/formats/infiniband.md.
// Not read: multicast tables, tables of other routing engines that are no text of this family.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { hostLidCount, lidCount } from '../fabric/identity.js';
import { ForwardingTables, noPort, ownPort } from '../routing/forwarding-tables.js';
import type { TablesByOffset } from '../routing/lid-offsets.js';
import { ByteLines, asciiOf } from './byte-lines.js';
import { EntryLines } from './lft-entry-lines.js';
import { KnownEnds, type EntriesOfSwitch } from './lft-known-ends.js';
import { checkOffsets } from './lft-offset-check.js';
import { Strangers } from './lft-strangers.js';
import { hexDigit, isNumberNext, portGuidIn } from './lft-words.js';
import type { IdentifiedFabric } from './subnet-records.js';

const newline = 10;
/** port number 255 in a table: no way */
const unreachableNumber = 255;
/** in the place of a node: an end port that is reached as its switch is, whose entries are passed over */
const attachedPort = -2;

/** Reads tables piece by piece, so that files of gigabytes need no more memory than the tables. */
export class LftReader extends FileProblems {
  /** tables of the switches whose blocks were read, by LID offset */
  readonly offsets: TablesByOffset;
  /** those of offset 0 */
  readonly tables: ForwardingTables;
  /** where the entries of `offsets` stood */
  readonly entryLines: EntryLines;
  private readonly lines = new ByteLines((line, length, number) => {
    this.readLine(line, length, number);
  });
  private lineNumber = 0;
  private line: Uint8Array = new Uint8Array(0);
  private readonly ends = new KnownEnds();
  /** where entries of the switch in hand go; null: it is no switch of the fabric */
  private known: EntriesOfSwitch | null = null;
  private readonly byGuid = new Map<bigint, number>();
  /** node by LID, `attachedPort` or -1; its LID offset is the distance to its base LID */
  private readonly byLid: Int32Array;
  /** entry by number of port: row of the switch x 256 + number */
  private readonly entryOf: Uint8Array;
  private readonly seen: Uint8Array;
  private node = -1;
  private inBlock = false;
  private headerAt: Position = wholeFile;
  /** the last LID that the head of the table in hand names as dump_fts and ibroute do; 0: it names none */
  private lastLid = 0;
  private rows = 0;
  /** entries of switches of the fabric */
  private places = 0;
  /** second entries of a switch for one LID: the first is told at once, how many there are at the end */
  private duplicates = 0;
  private closed = false;
  private anyClosed = false;
  private readonly strangers = new Strangers();
  /** by LID: 1 if it stands before a GUID that has another */
  private readonly isRenumbered = new Uint8Array(65536);

  constructor(
    private readonly source: IdentifiedFabric,
    file: string,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
    const { fabric, identity } = source;
    const lids = hostLidCount(fabric, identity);
    this.offsets = Array.from({ length: lids }, () => new ForwardingTables(fabric));
    this.tables = this.offsets[0]!;
    this.seen = new Uint8Array(this.tables.switches.length);
    this.byLid = new Int32Array(65536).fill(-1);
    for (const { portGuid, lid } of identity.attached ?? []) {
      this.byGuid.set(portGuid, attachedPort);
      if (lid !== 0) this.byLid.fill(attachedPort, lid, lid + lids);
    }
    for (let node = 0; node < fabric.nodeCount; node++) {
      this.byGuid.set(identity.portGuid[node]!, node);
      const base = identity.lid[node]!;
      if (base !== 0) this.byLid.fill(node, base, base + this.lidsThere(node));
    }
    // the GUID of a switch's node may be another than that of its port, and stands before its table
    for (const node of this.tables.switches)
      if (!this.byGuid.has(identity.nodeGuid[node]!)) this.byGuid.set(identity.nodeGuid[node]!, node);
    this.entryLines = new EntryLines(this.offsets, (lid) => this.placeOf(lid));
    this.entryOf = new Uint8Array(this.tables.switches.length * 256).fill(noPort);
    this.tables.switches.forEach((node, row) => {
      for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
        this.entryOf[row * 256 + identity.portNumber[port]!] = port - fabric.portOffset[node]!;
      this.entryOf[row * 256] = ownPort;
    });
  }

  /** Takes the next piece of the file. */
  push(piece: Uint8Array): void {
    this.ends.look(piece);
    for (let at = 0; at < piece.length;) {
      if (this.known !== null && this.inBlock && this.lines.atStart) at = this.knownEntries(at);
      const end = piece.indexOf(newline, at) + 1 || piece.length;
      this.lines.push(piece.subarray(at, end));
      at = end;
    }
  }

  /** Stores entries whose lines are known. @param from where a line begins @returns where the first other begins */
  private knownEntries(from: number): number {
    const { ends, lines, known } = this;
    const count = ends.store(from, lines.lineNumber, known!);
    this.rows += count;
    this.places += count;
    lines.lineNumber += count;
    return ends.next;
  }

  /** Ends the file. @returns the tables of offset 0, null if there were errors; `offsets` has all */
  end(): ForwardingTables | null {
    this.lines.end();
    this.endBlock();
    const { strangers } = this;
    const read = this.seen.reduce((sum, own) => sum + own, 0);
    if (read === 0 && !this.failed) {
      this.error(
        'no-tables',
        wholeFile,
        strangers.count('switch') > 0
          ? 'no switch of the file is a switch of the fabric'
          : 'there is no table in the file',
        {
          wanted: "blocks that begin like: Unicast lids [0-44] of switch Lid 2 guid 0x0002c90000010000 ('leaf00'):",
        },
      );
    }
    if (this.duplicates > 1)
      this.error('duplicate-entry', wholeFile, `there are ${this.duplicates} second entries in all`);
    if (this.places > 0 && strangers.count('port') === this.places)
      this.error('no-tables', strangers.first('port'), 'no entry of the file is for an end port of the fabric', {
        hint: 'are tables and fabric of one moment, and LIDs those of guid2lid?',
      });
    if (!this.failed) checkOffsets(this.source, this.offsets, this.entryLines, this.headerAt, this);
    if (this.failed) return null;
    const missing = this.seen.length - read;
    if (missing > 0)
      this.warning(
        'missing-switch',
        wholeFile,
        `${missing} switches of the fabric have no table: nothing passes them`,
        { got: this.source.identity.nodeName[this.tables.switches[this.seen.indexOf(0)]!]! },
      );
    strangers.tell(this);
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
    // behind the end stands what an earlier line left
    if (from === length) return;
    const first = line[from]!;
    if (first === 48 && from + 1 < length && line[from + 1] === 120) this.entry(from, length);
    else if (first === 85) this.header(asciiOf(line, from, length));
    else if (first >= 48 && first <= 57) this.footer(asciiOf(line, from, Math.min(length, from + 60)));
  }

  /** The first GUID counts, as in OpenSM: names stand behind it, and may hold anything. */
  private header(text: string): void {
    const match = /^Unicast lids\b.*? guid 0x([0-9a-fA-F]{1,16})(?=\s)/.exec(text);
    if (match === null) return;
    this.endBlock();
    this.inBlock = true;
    this.headerAt = this.at;
    this.lastLid = Number(/^Unicast lids \[0x[0-9a-f]{1,4}-(0x[0-9a-f]{1,4})\]/i.exec(text)?.[1] ?? 0);
    this.rows = 0;
    this.closed = false;
    const node = this.byGuid.get(BigInt(`0x${match[1]!}`)) ?? -1;
    this.node = node < 0 || this.tables.rowOf[node] === -1 ? -1 : node;
    this.known = null;
    if (this.node === -1) {
      this.strangers.add('switch', this.at);
      return;
    }
    const row = this.tables.rowOf[node]!;
    if (this.seen[row] === 1) {
      this.warning(
        'duplicate-switch',
        this.at,
        `a second table of ${this.source.identity.nodeName[node]}: it replaces the first, as in OpenSM`,
      );
      const [first, end] = [row * this.tables.columns, (row + 1) * this.tables.columns];
      for (const { entries } of this.offsets) {
        entries.fill(noPort, first, end);
        entries[first + node] = ownPort;
      }
    }
    this.seen[row] = 1;
    this.entryLines.begin(row, this.lineNumber);
    this.known = {
      node,
      first: row * this.tables.columns,
      entryOf: this.entryOf.subarray(row * 256, (row + 1) * 256),
      entries: this.offsets.map(({ entries }) => entries),
      columns: this.tables.columns,
      head: this.lineNumber,
      lines: this.entryLines,
    };
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
      this.error('wrong-count', this.at, `the table has more entries than it says`, {
        got: `${this.rows} entries`,
        wanted: `at most ${match[1]}`,
      });
  }

  private endBlock(): void {
    if (this.inBlock && !this.closed && this.anyClosed) {
      this.error(
        'truncated',
        this.headerAt,
        'the table that begins here is cut off: the line "... lids dumped" is missing at its end',
        { hint: 'copy the file again; OpenSM would take what is left' },
      );
    }
    if (this.inBlock && this.leavesOutLast()) this.strangers.add('last', this.headerAt);
    this.inBlock = false;
    this.entryLines.close();
  }

  /** dump_fts and ibroute print whole blocks of 64 LIDs, and forget that the last LID may begin one. */
  private leavesOutLast(): boolean {
    const destination = this.lastLid % 64 === 0 ? this.byLid[this.lastLid]! : -1;
    if (this.node === -1 || this.lastLid === 0 || destination < 0 || destination === this.node) return false;
    return this.entryLines.lineOf(this.placeOf(this.lastLid)) === 0;
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
    if (
      digits === 0 ||
      digits > 4 ||
      at === portAt ||
      gap === portAt ||
      (at < length && line[at]! > 32) ||
      isNumberNext(line, at, length)
    ) {
      this.error('bad-entry', { line: this.lineNumber, column: from + 1 }, 'the entry has not the usual form', {
        got: asciiOf(line, from, Math.min(length, from + 40)),
        wanted: '0x0004 005: LID in hexadecimal, port in decimal digits',
      });
      return;
    }
    if (!this.inBlock) {
      this.error(
        'entry-without-switch',
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
      this.error(
        'port-beyond-radix',
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
      this.strangers.add('port', this.at);
      return;
    }
    if (guid !== null && identity.lid[destination] !== 0 && this.byLid[lid] !== destination) this.renumbered(lid);
    if (number === unreachableNumber) return;
    if ((number === 0) !== (destination === node)) {
      this.error(
        'wrong-own-entry',
        { line: this.lineNumber, column: portAt + 1 },
        number === 0
          ? `port 0 of ${identity.nodeName[node]} is the switch itself, not ${identity.nodeName[destination]}`
          : `${identity.nodeName[node]} sends what is for itself elsewhere`,
        { got: String(number), wanted: number === 0 ? 'a port of the switch' : '0' },
      );
      return;
    }
    const entry = this.entryOf[tables.rowOf[node]! * 256 + number]!;
    if (entry === noPort) this.strangers.add('dead', this.at);
    const offset = this.offsetOf(destination, lid);
    if (offset >= lidCount(identity, destination)) {
      this.strangers.add('lid', this.at);
      return;
    }
    const { head, first } = this.known!;
    const place = offset * tables.columns + destination;
    const before = this.entryLines.lineOf(place);
    if (before !== 0) {
      if (this.duplicates++ === 0) this.duplicate(number, destination, head + before);
      return;
    }
    this.entryLines.put(lid, place, this.lineNumber - head, entry);
    this.offsets[offset]!.entries[first + destination] = entry;
    this.ends.keep(lid, this.line, length, place);
  }

  /** A LID stands before a GUID that has another: counted once, however many switches have it. */
  private renumbered(lid: number): void {
    if (this.isRenumbered[lid] === 1) return;
    this.isRenumbered[lid] = 1;
    this.strangers.add('renumbered', this.at);
  }

  private duplicate(number: number, destination: number, before: number): void {
    const { nodeName } = this.source.identity;
    const others =
      this.offsets.length === 1
        ? 'where hosts have several LIDs, fabric, guid2lid or --lmc has to say so'
        : 'are tables and fabric of one LMC?';
    this.error('duplicate-entry', this.at, `a second entry of ${nodeName[this.node]} for ${nodeName[destination]}`, {
      got: `port ${number}`,
      hint: `first on line ${before}; ${others}`,
    });
  }

  /** LID offset x columns + node that a LID stands for; -1: none. */
  private placeOf(lid: number): number {
    const destination = this.byLid[lid]!;
    return destination < 0 ? -1 : this.offsetOf(destination, lid) * this.tables.columns + destination;
  }

  /** Which of its LIDs a destination is meant by. LIDs of another time count by their last bits, as in OpenSM. */
  private offsetOf(destination: number, lid: number): number {
    const count = this.lidsThere(destination);
    if (count === 1) return 0;
    const own = lid - this.source.identity.lid[destination]!;
    return own >= 0 && own < count ? own : lid & (count - 1);
  }

  /** How many LIDs a node has, also such that routes are not for. */
  private lidsThere(node: number): number {
    const { identity } = this.source;
    return identity.wholeLmc === undefined ? lidCount(identity, node) : 1 << identity.wholeLmc[node]!;
  }
}
