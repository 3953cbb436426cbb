// Interface counters as CSV, in the form in which exporters give them (interface-columns.ts) -> what each port of a
// fabric counted between its first reading and its last.
//   timestamp,instance,device,node_network_transmit_bytes_total,node_network_receive_bytes_total
//   1764280800,leaf[0]:9100,swp1,1000,52000
// Invariants: every reading has its place; rows may stand in any order; a counter of 32 bits that is less than before
// went on from 0 (IF-MIB), one of 64 bits was reset, unless it stood in its upper half; both are told. Where a link
// could fill 32 bits several times between two readings nobody knows how often it did: such counters are left out.
// Not read: errors, drops, states; rates per second, which are no counters.

import { FileProblems, wholeFile, type Diagnostics, type Position } from '../base/diagnostics.js';
import { Float64List, Int32List } from '../base/columns.js';
import { CounterPoll, type PortCounterReadings } from './counter-poll.js';
import { csvFields } from './csv-fields.js';
import { InterfaceDeltas, type ReadSeries } from './interface-deltas.js';
import { interfaceColumns, interfaceCounterOf, type InterfaceColumns } from './interface-columns.js';
import { interfaceKey, InterfacePorts, type ListedInterfaces, type SeenInterface } from './interface-ports.js';
import { linesOf, type Field } from './lines.js';
import { printedNumber } from './number-words.js';
import { printedTimePs } from './printed-time.js';
import type { IdentifiedFabric } from './subnet-records.js';

/** Longer lines are none of counters; neither is a name. */
const longestLine = 65_536;
const longestName = 200;
const wantedHeader =
  'a header such as timestamp,instance,device,node_network_transmit_bytes_total,node_network_receive_bytes_total';

/** A text of interface counters. */
interface InterfaceCounterText {
  readonly text: string;
  readonly name: string;
}

/** Whether a text is a table of columns in CSV, and not what perfquery prints. */
export function looksLikeInterfaceCounters(text: string): boolean {
  for (const { line, text: own } of linesOf(text)) {
    if (line > 50) return false;
    if (own.trim() === '' || own.startsWith('#')) continue;
    return (csvFields(own.slice(0, longestLine))?.length ?? 0) >= 3;
  }
  return false;
}

/**
 * Reads interface counters.
 * @param texts the readings, an earlier text first; what is counted is between the first reading of each port and its
 * last, or since 0 where there is one alone
 * @param listed ports of interfaces whose names do not say them
 */
export function readInterfaceCounters(
  texts: readonly InterfaceCounterText[],
  source: IdentifiedFabric,
  diagnostics: Diagnostics,
  listed?: ListedInterfaces,
): PortCounterReadings {
  const poll = new CounterPoll(source.fabric.portCount);
  const rows = new InterfaceRows();
  texts.forEach(({ text, name }, i) => {
    new InterfaceCounterReader(name, i, rows, diagnostics).read(text);
  });
  if (diagnostics.hasErrors) return poll.readings();
  const problems = texts.map(({ name }) => new FileProblems(name, diagnostics));
  const ports = portsOf(rows, source, problems, listed);
  if (diagnostics.hasErrors) return poll.readings();
  const deltas = new InterfaceDeltas(source.fabric, rows, problems, texts.length > 1);
  for (const series of seriesOf(rows, ports)) {
    const counted = deltas.counted(series);
    if (Number.isNaN(counted)) continue;
    const name = (['PortXmitData', 'PortRcvData', 'PortXmitPkts', 'PortRcvPkts'] as const)[series.counter]!;
    poll.column(name)[series.port] = series.counter < 2 ? counted / 4 : counted;
    poll.wasRead[series.port] = 1;
  }
  deltas.tell();
  return poll.readings();
}

/** Readings as columns: which interface and counter, when, its value and where it stands. */
class InterfaceRows {
  readonly interfaces: (SeenInterface & { readonly text: number })[] = [];
  readonly placeOf = new Map<string, number>();
  /** interface x 8 + counter x 2, + 1 with 32 bits */
  readonly what = new Int32List();
  readonly timePs = new Float64List();
  readonly value = new Float64List();
  readonly line = new Int32List();
  readonly text = new Int32List();
  /** whether texts say when readings were; else they are in the order of their lines */
  isTimed: boolean | null = null;
}

function shown({ device, name }: SeenInterface): string {
  return `${device} ${name}`;
}

/** Ports of the interfaces that were read of. */
function portsOf(
  rows: InterfaceRows,
  source: IdentifiedFabric,
  problems: readonly FileProblems[],
  listed?: ListedInterfaces,
): Int32Array {
  const { ports, strangers, unknown, doubled } = new InterfacePorts(source, listed).find(rows.interfaces);
  const place = (one: SeenInterface): FileProblems =>
    problems[(one as (typeof rows.interfaces)[number]).text] ?? problems[0]!;
  for (const [other, one] of doubled.slice(0, 5))
    place(one).error('same-port', one, 'two interfaces would be one port of the fabric', {
      got: `${shown(other)} (line ${other.line}) and ${shown(one)}`,
      wanted: 'one name for each interface, or a list of them: --interfaces FILE',
    });
  const hint = 'name ports by a list (device,interface,node,port): --interfaces FILE';
  if (ports.every((port) => port === -1)) {
    const one = strangers[0] ?? unknown[0];
    (one === undefined ? problems[0]! : place(one)).error(
      'no-counters',
      one ?? wholeFile,
      one === undefined ? 'there is no counter in the file' : 'no interface of the file is a linked port of the fabric',
      { ...(one === undefined ? {} : { got: shown(one) }), wanted: 'devices and interfaces of this fabric', hint },
    );
    return ports;
  }
  if (strangers.length > 0)
    place(strangers[0]!).warning(
      'unknown-device',
      strangers[0]!,
      `${strangers.length} interfaces are of devices that the fabric has not: left out`,
      { got: shown(strangers[0]!), hint },
    );
  if (unknown.length > 0)
    place(unknown[0]!).warning(
      'unknown-port',
      unknown[0]!,
      `${unknown.length} interfaces are no linked port of their device: left out`,
      { got: shown(unknown[0]!), hint },
    );
  return ports;
}

/** The readings of each counter of each port. */
function* seriesOf(rows: InterfaceRows, ports: Int32Array): Generator<ReadSeries> {
  const { what, timePs } = rows;
  const own = Array.from({ length: what.length }, (_, i) => i).filter((i) => ports[what.values[i]! >> 3] !== -1);
  const key = (i: number): number => what.values[i]!;
  own.sort((a, b) => key(a) - key(b) || timePs.values[a]! - timePs.values[b]! || a - b);
  for (let from = 0; from < own.length;) {
    let until = from + 1;
    while (until < own.length && key(own[until]!) === key(own[from]!)) until++;
    const code = key(own[from]!);
    // a counter of 32 bits beside that of 64: the wider one counts
    const isDouble = (code & 1) === 1 && from > 0 && key(own[from - 1]!) === code - 1;
    if (!isDouble)
      yield {
        port: ports[code >> 3]!,
        counter: (code >> 1) & 3,
        bits: (code & 1) === 1 ? 32 : 64,
        readings: own.slice(from, until),
      };
    from = until;
  }
}

class InterfaceCounterReader extends FileProblems {
  private columns: InterfaceColumns | null = null;
  private count = 0;

  constructor(
    file: string,
    private readonly text: number,
    private readonly rows: InterfaceRows,
    diagnostics: Diagnostics,
  ) {
    super(file, diagnostics);
  }

  read(text: string): void {
    for (const { line, text: own } of linesOf(text, this)) {
      if (own.trim() === '' || own.startsWith('#')) continue;
      const fields = own.length > longestLine ? null : csvFields(own.replace(/\r$/, ''));
      if (fields === null) {
        this.error('bad-row', { line, column: 1 }, 'the line is no row of CSV', {
          got: own.slice(0, 60),
          wanted: 'fields between commas, quotes closed, at most 512 fields and 65,536 characters',
        });
        continue;
      }
      if (this.columns === null) {
        if (!this.header(fields, line)) return;
      } else if (fields.length === this.count) this.row(this.columns, fields, line);
      else if (!fields.every((field, i) => i === 0 || field.text === ''))
        this.error('bad-row', { line, column: 1 }, `the line has ${fields.length} fields, the header ${this.count}`, {
          got: own.slice(0, 60),
          wanted: 'a field for each column',
        });
    }
    if (this.columns === null && !this.failed)
      this.error('no-counters', wholeFile, 'there is no counter in the file', { wanted: wantedHeader });
  }

  private header(fields: readonly Field[], line: number): boolean {
    const columns = interfaceColumns(fields.map(({ text }) => text));
    if (columns.missing !== '') {
      this.error('bad-header', { line, column: 1 }, `no column says: ${columns.missing}`, {
        got: fields
          .map(({ text }) => text)
          .join(',')
          .slice(0, 80),
        wanted: wantedHeader,
      });
      return false;
    }
    const isTimed = columns.time !== -1;
    if (this.rows.isTimed !== null && this.rows.isTimed !== isTimed) {
      this.error('bad-header', { line, column: 1 }, 'one file says when readings were, the other does not', {
        wanted: 'a column timestamp in both',
      });
      return false;
    }
    this.rows.isTimed = isTimed;
    this.columns = columns;
    this.count = fields.length;
    return true;
  }

  private row(columns: InterfaceColumns, fields: readonly Field[], line: number): void {
    const { time, device, interface: own, metric, value, counters } = columns;
    const isTaken = metric === -1 ? null : interfaceCounterOf(fields[metric]!.text);
    if (isTaken === undefined) return;
    const at = { line, column: fields[own]!.column };
    const place = this.placeOf(fields[device]!, fields[own]!, at);
    const timePs = time === -1 ? this.text * 2 ** 31 + line : this.time(columns, fields[time]!, line);
    if (place === -1 || timePs === null) return;
    const taken = isTaken === null ? counters : [{ column: value, named: isTaken }];
    for (const { column, named } of taken) {
      const { text, column: start } = fields[column]!;
      // nothing was read
      if (text === '' || /^(?:nan|null|none|-)$/i.test(text)) continue;
      const counted = printedNumber(text);
      if (!(counted >= 0 && counted <= (named.bits === 32 ? 2 ** 32 : 2 ** 64))) {
        this.error('bad-counter', { line, column: start }, 'this is no counter', {
          got: text.slice(0, 60),
          wanted: `a number from 0 to 2^${named.bits} - 1`,
        });
        continue;
      }
      const { rows } = this;
      rows.what.push(place * 8 + named.counter * 2 + (named.bits === 32 ? 1 : 0));
      rows.timePs.push(timePs);
      rows.value.push(counted);
      rows.line.push(line);
      rows.text.push(this.text);
    }
  }

  private time({ isTimePs }: InterfaceColumns, { text, column }: Field, line: number): number | null {
    const timePs = isTimePs && /^\d{1,20}(?:\.0)?$/.test(text) ? Number(text) : printedTimePs(text);
    if (timePs === null)
      this.error('bad-time', { line, column }, 'this is no time of readings', {
        got: text.slice(0, 60),
        wanted: 'seconds since 1970 (1764259200.25), milliseconds, or 2025-11-27T16:00:00Z',
      });
    return timePs;
  }

  private placeOf(device: Field, name: Field, at: Position): number {
    if (device.text === '' || name.text === '' || device.text.length > longestName || name.text.length > longestName) {
      this.error('bad-row', at, 'the row names no interface of a device', {
        got: `${device.text.slice(0, 40)} ${name.text.slice(0, 40)}`,
        wanted: `names of 1 to ${longestName} characters`,
      });
      return -1;
    }
    const { interfaces, placeOf } = this.rows;
    const key = interfaceKey(device.text, name.text);
    let place = placeOf.get(key);
    if (place === undefined) {
      place = interfaces.push({ device: device.text, name: name.text, ...at, text: this.text }) - 1;
      placeOf.set(key, place);
    }
    return place;
  }
}
