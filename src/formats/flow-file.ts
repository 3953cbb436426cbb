// The flow files of HPCC, ConWeave and OmniDMA: the number of flows, then a flow a line,
//   src dst priority bytes start_s            (ConWeave, OmniDMA)
//   src dst priority port bytes start_s       (HPCC)
//   src dst priority packets start_s end_s    (ns3-rdma, whose packets carry packet.payload)
// read in pieces, so that memory does not grow with the file.
// Invariants: every row handed to a sink is valid (two different hosts of the fabric, or a host and an NVSwitch linked
// to it, at least one byte, a time below 2^53 ps); rows behind the announced number are not read, as their own readers
// do not, and a warning says so. A file that begins as one of htsim's is read as such (connection-matrix.ts).
// Source: HPCC's README ("flow file"), the files of ConWeave and OmniDMA, and the flow.txt of ns3-rdma. Form:
// docs/formats/flow-file.md. Not kept: the priority of a flow, its port and its end; all have queuePair.priority.

import { FileProblems, type Diagnostics, type DiagnosticDetail } from '../base/diagnostics.js';
import { parseTimePs } from '../base/units.js';
import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { nvswitchEndProblem } from '../fabric/nvswitch-ends.js';
import { TransferSizes } from '../flows/transfer-sizes.js';
import { asciiOf, ByteLines, longestLine } from './byte-lines.js';
import { beginsConnectionMatrix, ConnectionMatrixRows } from './connection-matrix.js';
import type { RowForm, RowParser, TransferRowSink } from './row-form.js';
import { hostsText } from './trace-csv.js';
import { fieldsOf, type Field } from './lines.js';
import { digitsOnly, isNumber } from './number-words.js';

/** A row, for messages. */
const rowText = 'src dst priority bytes start_s';

/** most flows that a file may announce */
const mostFlows = 2 ** 31 - 1;

/** What the rows of a flow file hold beside transfers, gathered while they are read. */
export interface FlowFileFacts {
  /** priorities that stand in it, and the line of the first of each */
  readonly priorities: Map<number, number>;
  /** line of the first row with a port; 0: there is none */
  portLine: number;
  /** the earliest end that a row gives its flow, and its line */
  readonly firstEnd: { timePs: number; line: number };
}

/** What rows of flow files are measured by. */
export interface FlowFileRules {
  /** left out: at most maxTransferBytes */
  readonly sizes?: TransferSizes;
  /** payload of a packet, in bytes, where rows count packets; left out: that of ns3-rdma */
  readonly payloadBytes?: number;
}

/** PACKET_PAYLOAD_SIZE of ns3-rdma where its config does not say it. */
const ns3RdmaPayloadBytes = 1000;

/** What the fields of rows are. */
const layouts = {
  bytes: { names: rowText, size: 3, start: 4 },
  port: { names: 'src dst priority port bytes start_s', size: 4, start: 5 },
  packets: { names: 'src dst priority packets start_s end_s', size: 3, start: 4 },
} as const;

/** Flow files, with what is gathered of them. */
export function flowFileForm(facts: FlowFileFacts, rules: FlowFileRules = {}): RowForm {
  return {
    code: 'flow-file',
    noun: 'flow file',
    rowText,
    sortHint: () => undefined,
    parser: (file, fabric, diagnostics, sink) =>
      new FlowFileParser(file, fabric, diagnostics, sink, { ...rules, facts }),
  };
}

/** No row read yet. */
export function noFlowFileFacts(): FlowFileFacts {
  return { priorities: new Map(), portLine: 0, firstEnd: { timePs: Infinity, line: 0 } };
}

class FlowFileParser extends FileProblems implements RowParser {
  stopped = false;
  lastLine = 0;
  private announced = -1;
  private rows = 0;
  /** what the fields of the first row are, which all others have, too */
  private layout: (typeof layouts)[keyof typeof layouts] | null = null;
  private width = 0;
  private readonly sizes: TransferSizes;
  private isEnded = false;
  /** the file is one of htsim's; null: it is none, as far as is known */
  private matrix: ConnectionMatrixRows | null = null;
  private readonly lines = new ByteLines((line, length, number) => this.line(line, length, number));

  constructor(
    file: string,
    private readonly fabric: Fabric,
    diagnostics: Diagnostics,
    private readonly sink: TransferRowSink,
    private readonly rules: FlowFileRules & { readonly facts: FlowFileFacts },
  ) {
    super(file, diagnostics);
    this.sizes = rules.sizes ?? new TransferSizes(fabric, Infinity);
  }

  push(bytes: Uint8Array): void {
    if (!this.stopped) this.lines.push(bytes);
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.stopped) return;
    this.lines.end();
    if (this.matrix !== null) this.matrix.end();
    if (this.stopped || this.announced < 0 || this.rows >= this.announced) return;
    if (this.failed) return;
    this.refuse('missing', 1, 1, `the file announces ${this.announced} flows and has ${this.rows}`, {
      wanted: `${this.announced} rows: ${rowText}`,
      hint: `add the missing rows, or change the number in the first line to ${this.rows}`,
    });
  }

  private line(bytes: Uint8Array, length: number, number: number): void {
    if (this.stopped) return;
    this.lastLine = number;
    if (length >= longestLine) {
      this.refuse('line-too-long', number, 1, `a line is longer than ${longestLine - 1} bytes`, {
        wanted: `lines of the form ${rowText}`,
        hint: 'is this a text file with one flow per line?',
      });
      this.stopped = true;
      return;
    }
    const fields = fieldsOf(asciiOf(bytes, 0, length));
    if (fields.length === 0) return;
    if (this.announced < 0 && this.matrix === null && beginsConnectionMatrix(fields))
      this.matrix = new ConnectionMatrixRows(this.file, this.fabric, this.diagnostics, this.sink, this.sizes);
    if (this.matrix !== null) this.matrix.line(fields, number);
    else if (this.announced < 0) this.readCount(fields, number);
    else if (this.rows === this.announced) this.warnOfRest(fields, number);
    else this.readRow(fields, number);
    if (this.full) this.stopped = true;
  }

  private readCount(fields: readonly Field[], line: number): void {
    const [first, second] = fields as [Field, Field?];
    const count = digitsOnly(first.text);
    if (second === undefined && count !== null && count <= mostFlows) {
      this.announced = count;
      return;
    }
    this.refuse('count', line, first.column, 'the first line is not the number of flows', {
      got: fields.map(({ text }) => text).join(' '),
      wanted: `a whole number from 0 to ${mostFlows}, and then the rows: ${rowText}`,
      ...(fields.length === 4 || fields[0]!.text.includes(',')
        ? { hint: 'a trace (timestamp_ns,src,dst,size_bytes) is traffic.trace' }
        : {}),
    });
    this.stopped = true;
  }

  /** The readers of the peers stop at the announced number, too. */
  private warnOfRest(fields: readonly Field[], line: number): void {
    this.warning(
      'flow-file-rest',
      { line, column: fields[0]!.column },
      `the file announces ${this.announced} flows and goes on after them; what follows is not read`,
      { got: fields.map(({ text }) => text).join(' '), hint: 'the number of flows stands in the first line' },
    );
    this.stopped = true;
  }

  private readRow(fields: readonly Field[], line: number): void {
    const { width } = this;
    const wanted =
      width === 0
        ? `5 fields, ${rowText}, or 6: ${layouts.port.names}, or ${layouts.packets.names}`
        : `${width} fields`;
    if (width === 0 ? fields.length !== 5 && fields.length !== 6 : fields.length !== width) {
      const at = fields[Math.min(fields.length, width === 0 ? 6 : width) - 1]!;
      this.refuse('field-count', line, at.column, `a row has ${fields.length} field${fields.length === 1 ? '' : 's'}`, {
        got: fields.map(({ text }) => text).join(' '),
        wanted,
      });
      return;
    }
    this.width = fields.length;
    this.layout ??= layouts[layoutOf(fields)];
    const { layout } = this;
    const errorsBefore = this.diagnostics.errorCount;
    const source = this.readEnd(fields[0]!, line, 'src');
    const destination = this.readEnd(fields[1]!, line, 'dst');
    this.readPriority(fields[2]!, line);
    if (layout === layouts.port) this.readPort(fields[3]!, line);
    const startPs = this.readTime(fields[layout.start]!, line, 'start');
    if (layout === layouts.packets) this.readEndTime(fields[5]!, line);
    const sizeBytes = this.readSize(fields[layout.size]!, line, source, startPs);
    if (source >= 0 && destination >= 0) this.checkEnds(source, destination, fields, line);
    this.rows++;
    if (this.diagnostics.errorCount === errorsBefore) this.sink.row(startPs, source, destination, sizeBytes, line);
  }

  private checkEnds(source: number, destination: number, fields: readonly Field[], line: number): void {
    if (source === destination) {
      this.wrong('self', fields[1]!, line, 'the flow goes from a host to itself', { wanted: 'two different hosts' });
      return;
    }
    const problem = nvswitchEndProblem(this.fabric, source, destination);
    if (problem !== null)
      this.wrong('nvswitch-end', fields[problem.end === 'source' ? 0 : 1]!, line, problem.message, {
        wanted: problem.wanted,
      });
  }

  /** @returns the node id, or -1 after an error */
  private readEnd(field: Field, line: number, name: string): number {
    const { nodeCount, nodeKind, hosts } = this.fabric;
    const node = digitsOnly(field.text);
    if (node === null)
      this.wrong('not-a-number', field, line, `${name} is not a number`, {
        wanted: 'the id of a host, a whole number',
        ...(field.text.includes(',') ? { hint: 'fields are separated by spaces' } : {}),
      });
    else if (node >= nodeCount)
      this.wrong('unknown-host', field, line, `${name} is not in the fabric`, { wanted: hostsText(hosts) });
    else if (nodeKind[node] === NodeKind.switch)
      this.wrong('not-a-host', field, line, `${name} is a switch, not a host`, { wanted: hostsText(hosts) });
    else return node;
    return -1;
  }

  private readPriority(field: Field, line: number): void {
    const priority = digitsOnly(field.text);
    if (priority === null || priority > 7)
      this.wrong('priority', field, line, 'the priority is not one of eight', { wanted: 'a whole number from 0 to 7' });
    else if (!this.rules.facts.priorities.has(priority)) this.rules.facts.priorities.set(priority, line);
  }

  private readPort(field: Field, line: number): void {
    const port = digitsOnly(field.text);
    if (port === null || port > 65_535)
      this.wrong('port', field, line, 'the port is not a port number', { wanted: 'a whole number from 0 to 65535' });
    else if (this.rules.facts.portLine === 0) this.rules.facts.portLine = line;
  }

  private readSize(field: Field, line: number, source: number, startPs: number): number {
    const count = digitsOnly(field.text);
    const { payloadBytes = ns3RdmaPayloadBytes } = this.rules;
    const size = count === null || this.layout !== layouts.packets ? count : count * payloadBytes;
    const sent = size === null || size === 0 ? null : this.sizes.sentBytes(size, source, startPs);
    if (sent !== null) return sent;
    this.wrong(
      size === null ? 'not-a-number' : size === 0 ? 'size-zero' : 'size-too-large',
      field,
      line,
      size === null
        ? 'the size is not a whole number of bytes'
        : size === 0
          ? 'a flow of 0 bytes'
          : 'a flow beyond 256 GiB',
      { wanted: `bytes, ${this.sizes.wanted}` },
    );
    return 0;
  }

  /** Flows of ns3-rdma have an end: the earliest is kept, for a warning. */
  private readEndTime(field: Field, line: number): void {
    const timePs = this.readTime(field, line, 'end');
    const { firstEnd } = this.rules.facts;
    if (timePs < firstEnd.timePs) Object.assign(firstEnd, { timePs, line });
  }

  private readTime(field: Field, line: number, name: 'start' | 'end'): number {
    const startPs = isNumber(field.text, 40) ? parseTimePs(`${field.text}s`) : null;
    if (startPs !== null) return startPs;
    this.wrong(name, field, line, `the ${name} is not a time that can be simulated`, {
      wanted: 'seconds, such as 2.000000027, up to 9007',
    });
    return 0;
  }

  private wrong(code: string, field: Field, line: number, message: string, detail: DiagnosticDetail): void {
    this.refuse(code, line, field.column, message, { got: field.text.slice(0, 80), ...detail });
  }

  private refuse(code: string, line: number, column: number, message: string, detail: DiagnosticDetail): void {
    this.error(`flow-file-${code}`, { line, column }, message, detail);
  }
}

/** What the fields of a first row are: ns3-rdma's have a time where HPCC's have whole bytes, and no port. */
function layoutOf(fields: readonly Field[]): keyof typeof layouts {
  if (fields.length === 5) return 'bytes';
  const [fourth, fifth] = [digitsOnly(fields[3]!.text), digitsOnly(fields[4]!.text)];
  const isSpan = fourth !== null && fourth > 65_535 && Number(fields[5]!.text) >= fifth!;
  return fifth === null || isSpan ? 'packets' : 'port';
}
