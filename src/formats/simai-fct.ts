// SimAI's and HPCC's fct.txt: one line per finished flow, in the order of completion, fields separated by single
// spaces:
//   sip dip sport dport size_B start_ns fct_ns standalone_ns      (sip and dip as eight hexadecimal digits)
// Read, too: node numbers in place of the addresses, as ConWeave's simulator writes them.
// Source: the fct file of SimAI 1.6, HPCC and ConWeave. Picoseconds are rounded to whole nanoseconds, start and
// duration each on its own.
// Invariant: what is written is read back as the same rows. Not modelled: the order of the lines means nothing to the
// reader.

import { FileProblems, wholeFile, type Diagnostics } from '../base/diagnostics.js';
import { linesOf } from './lines.js';
import { addressHex, ipv4OfNode } from '../fabric/addresses.js';
import { FlowColumn } from '../records/flow-records.js';
import type { Batch } from '../records/schema.js';

/** One line of fct.txt. */
export interface FctRow {
  /** IPv4 address of the sender, an unsigned 32-bit integer */
  readonly sourceAddress: number;
  readonly destinationAddress: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly sizeBytes: number;
  readonly startNs: number;
  readonly completionNs: number;
  /** completion time alone on an idle fabric, as estimated by the simulator that wrote the file */
  readonly standaloneNs: number;
}

/** The rows of a batch of the `flows` table as lines, each with its newline. */
export function fctText(batch: Batch): string {
  const column = (index: number): ArrayLike<number> => batch.columns[index]!;
  const sources = column(FlowColumn.source);
  const destinations = column(FlowColumn.destination);
  const sourcePorts = column(FlowColumn.sourcePort);
  const destinationPorts = column(FlowColumn.destinationPort);
  const sizes = column(FlowColumn.size);
  const starts = column(FlowColumn.start);
  const finishes = column(FlowColumn.finish);
  const ideals = column(FlowColumn.ideal);
  let text = '';
  for (let row = 0; row < batch.rows; row++) {
    text += fctLine({
      sourceAddress: ipv4OfNode(sources[row]!),
      destinationAddress: ipv4OfNode(destinations[row]!),
      sourcePort: sourcePorts[row]!,
      destinationPort: destinationPorts[row]!,
      sizeBytes: sizes[row]!,
      startNs: Math.round(starts[row]! / 1000),
      completionNs: Math.round((finishes[row]! - starts[row]!) / 1000),
      standaloneNs: Math.round(ideals[row]! / 1000),
    });
  }
  return text;
}

/** One row as a line with its newline. */
export function fctLine(row: FctRow): string {
  return (
    `${addressHex(row.sourceAddress)} ${addressHex(row.destinationAddress)} ${row.sourcePort} ` +
    `${row.destinationPort} ${row.sizeBytes} ${row.startNs} ${row.completionNs} ${row.standaloneNs}\n`
  );
}

interface Field {
  readonly name: keyof FctRow;
  readonly wanted: string;
  readonly form: RegExp;
  readonly base: 10 | 16;
  readonly maximum: number;
}

function decimalField(name: keyof FctRow, unit: string, maximum: number): Field {
  return { name, wanted: `a whole number${unit} up to ${maximum}`, form: /^\d+$/, base: 10, maximum };
}

const addressForm = {
  wanted: 'an address as 8 hexadecimal digits, such as 0b000001, or the number of a node',
  form: /^(?:[0-9a-fA-F]{8}|\d{1,7})$/,
  base: 16,
  maximum: 0xffffffff,
} as const;

/** Digits of an address; a shorter word is the number of a node. */
const addressDigits = 8;

const fields: readonly Field[] = [
  { name: 'sourceAddress', ...addressForm },
  { name: 'destinationAddress', ...addressForm },
  decimalField('sourcePort', '', 65_535),
  decimalField('destinationPort', '', 65_535),
  decimalField('sizeBytes', ' of bytes', Number.MAX_SAFE_INTEGER),
  decimalField('startNs', ' of nanoseconds', Number.MAX_SAFE_INTEGER),
  decimalField('completionNs', ' of nanoseconds', Number.MAX_SAFE_INTEGER),
  decimalField('standaloneNs', ' of nanoseconds', Number.MAX_SAFE_INTEGER),
];

/**
 * Reads an fct.txt. Blank lines, more than one space between fields and CRLF are accepted.
 * @param file its name in messages
 * @param diagnostics collects what is wrong, with positions; lines with mistakes are left out
 * @returns the rows in the order of the file
 */
export function readFct(file: string, text: string, diagnostics: Diagnostics): FctRow[] {
  const problems = new FileProblems(file, diagnostics);
  const rows: FctRow[] = [];
  if (text.includes('\0')) {
    problems.error('not-text', wholeFile, 'this is not a text file', { wanted: 'an fct.txt' });
    return rows;
  }
  for (const { line, text: content } of linesOf(text, problems)) {
    const row = readFctLine(file, line, content, diagnostics);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/**
 * Reads one line of an fct.txt.
 * @param line its number, from 1, in messages about `file`
 * @returns null for a blank line and, with a diagnostic, for one that cannot be read
 */
export function readFctLine(file: string, line: number, content: string, diagnostics: Diagnostics): FctRow | null {
  const problems = new FileProblems(file, diagnostics);
  const words = [...content.matchAll(/[^ \t\r]+/g)];
  if (words.length === 0) return null;
  if (words.length !== fields.length) {
    const column = words.length > fields.length ? words[fields.length]!.index + 1 : content.trimEnd().length + 1;
    problems.error('fct-fields', { line, column }, 'wrong number of fields', {
      got: `${words.length} fields`,
      wanted: 'sip dip sport dport size_B start_ns fct_ns standalone_ns',
    });
    return null;
  }
  const row: Partial<Record<keyof FctRow, number>> = {};
  let good = true;
  for (const [i, field] of fields.entries()) {
    const word = words[i]!;
    const value = field.form.test(word[0]) ? valueOf(word[0], field) : NaN;
    if (value <= field.maximum) {
      row[field.name] = value;
      continue;
    }
    good = false;
    problems.error('fct-value', { line, column: word.index + 1 }, `${field.name} cannot be read`, {
      got: word[0],
      wanted: field.wanted,
    });
  }
  return good ? (row as FctRow) : null;
}

function valueOf(word: string, { base }: Field): number {
  return base === 16 && word.length < addressDigits ? ipv4OfNode(Number(word)) : Number.parseInt(word, base);
}
