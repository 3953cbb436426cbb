// htsim's connection matrices (.cm): `Nodes N`, `Connections n`, then a connection a line,
//   source->destination [id n] start picoseconds size bytes [prio n]
// Invariant: every row handed to a sink is valid; hosts are counted from 0 in the order of their ids in the fabric.
// Source: htsim's own reader and the files that it ships (github.com/Broadcom/csg-htsim, sim/datacenter). Form:
// docs/formats/htsim.md. Not read, and refused: triggers (connections that wait for others) and failures.

import { FileProblems, type Diagnostics, type DiagnosticDetail } from '../base/diagnostics.js';
import { maxTimePs } from '../base/units.js';
import type { Fabric } from '../fabric/fabric.js';
import type { TransferSizes } from '../flows/transfer-sizes.js';
import type { TransferRowSink } from './row-form.js';
import { type Field } from './lines.js';
import { digitsOnly } from './number-words.js';

/** A row, for messages. */
const rowText = 'source->destination start picoseconds size bytes';

/** Words of a row that make it wait for others. */
const waiting = new Set(['trigger', 'send_done_trigger', 'recv_done_trigger', 'addon']);

/** True if a line may begin such a file. */
export function beginsConnectionMatrix(fields: readonly Field[]): boolean {
  return ['Nodes', 'Connections', 'Triggers', 'Failures'].includes(fields[0]!.text);
}

export class ConnectionMatrixRows extends FileProblems {
  private connections = -1;
  private rows = 0;
  private isToldOfPriority = false;

  constructor(
    file: string,
    private readonly fabric: Fabric,
    diagnostics: Diagnostics,
    private readonly sink: TransferRowSink,
    private readonly sizes: TransferSizes,
  ) {
    super(file, diagnostics);
  }

  /** Reads a line that is neither blank nor a comment. */
  line(fields: readonly Field[], line: number): void {
    const [first, second] = fields as [Field, Field?];
    if (beginsConnectionMatrix(fields)) this.readHeader(first, second, line);
    else if (first.text.includes('->')) this.readRow(fields, line);
    else
      this.refuse(first.text === 'trigger' ? 'trigger' : first.text === 'failure' ? 'failure' : 'row', line, first, {
        message:
          first.text === 'trigger'
            ? 'connections that wait for others are not read'
            : first.text === 'failure'
              ? 'failures are not read (failures.events has them)'
              : 'the line is no connection',
        wanted: rowText,
      });
  }

  /** The file ends here. */
  end(): void {
    if (this.failed || this.connections === this.rows) return;
    const at = { text: '', column: 1 };
    this.refuse('count', 1, at, {
      message:
        this.connections < 0
          ? 'no line says how many connections there are'
          : `the file announces ${this.connections} connections and has ${this.rows}`,
      wanted: `Connections ${this.rows}`,
    });
  }

  private readHeader(name: Field, value: Field | undefined, line: number): void {
    const count = digitsOnly(value?.text ?? '');
    if (count === null) {
      this.refuse('count', line, value ?? name, { message: `${name.text} is no number`, wanted: 'a whole number' });
      return;
    }
    if (name.text === 'Connections') this.connections = count;
    else if (name.text === 'Nodes' && count > this.fabric.hosts.length)
      this.refuse('nodes', line, value!, {
        message: `the file is for ${count} hosts, and the fabric has ${this.fabric.hosts.length}`,
        wanted: 'a fabric of as many hosts, or more',
      });
    else if (name.text !== 'Nodes' && count > 0)
      this.refuse(name.text === 'Triggers' ? 'trigger' : 'failure', line, value!, {
        message:
          name.text === 'Triggers'
            ? 'connections that wait for others are not read'
            : 'failures are not read (failures.events has them)',
        wanted: `${name.text} 0`,
      });
  }

  private readRow(fields: readonly Field[], line: number): void {
    const [ends] = fields as [Field];
    const match = /^(\d{1,9})->(\d{1,9})$/.exec(ends.text);
    const { hosts } = this.fabric;
    const source = match === null ? hosts.length : Number(match[1]);
    const destination = match === null ? hosts.length : Number(match[2]);
    this.rows++;
    if (source >= hosts.length || destination >= hosts.length || source === destination) {
      this.refuse('ends', line, ends, {
        message:
          source === destination && match !== null
            ? 'the connection goes from a host to itself'
            : 'the ends are no hosts',
        wanted: `two different hosts from 0 to ${hosts.length - 1}, such as 0->1`,
      });
      return;
    }
    let startPs = -1;
    let sizeBytes = -1;
    for (let i = 1; i < fields.length; i += 2) {
      const name = fields[i]!;
      const value = fields[i + 1];
      const number = /^(\d{1,16}(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$/.test(value?.text ?? '')
        ? Number(value!.text)
        : NaN;
      if (waiting.has(name.text)) {
        this.refuse('trigger', line, name, {
          message: 'connections that wait for others are not read',
          wanted: rowText,
        });
        return;
      }
      if (!['start', 'size', 'id', 'prio'].includes(name.text)) {
        this.refuse('row', line, name, { message: 'the row has something else', wanted: rowText });
        return;
      }
      if (Number.isNaN(number)) {
        this.refuse('row', line, value ?? name, {
          message: `${name.text} has ${value === undefined ? 'no number' : 'a number that cannot be read'}`,
          wanted: rowText,
        });
        return;
      }
      if (name.text === 'start') startPs = Math.round(number);
      else if (name.text === 'size') sizeBytes = number;
      else if (name.text === 'prio' && !this.isToldOfPriority) {
        this.isToldOfPriority = true;
        this.warning(
          'connection-matrix-priority',
          { line, column: name.column },
          'priorities of connections are not kept: all flows of a run have queuePair.priority',
        );
      }
    }
    const from = hosts[source]!;
    // a size of 0 is one without end
    const isWhole = Number.isInteger(sizeBytes) && sizeBytes >= 0;
    const sentBytes = isWhole ? this.sizes.sentBytes(sizeBytes === 0 ? Infinity : sizeBytes, from, startPs) : null;
    if (startPs < 0 || startPs > maxTimePs)
      this.refuse('start', line, ends, { message: 'the row has no start that can be simulated', wanted: rowText });
    else if (sentBytes === null)
      this.refuse('size', line, ends, {
        message:
          sizeBytes === 0
            ? 'the connection has a size of 0: in htsim it sends without end'
            : 'the row has no size that can be sent',
        wanted: `size, in bytes, ${this.sizes.wanted}`,
      });
    else this.sink.row(startPs, from, hosts[destination]!, sentBytes, line);
  }

  private refuse(
    code: string,
    line: number,
    { text, column }: Field,
    { message, ...detail }: DiagnosticDetail & { readonly message: string },
  ): void {
    this.error(`connection-matrix-${code}`, { line, column }, message, {
      ...(text === '' ? {} : { got: text.slice(0, 80) }),
      ...detail,
    });
  }
}
