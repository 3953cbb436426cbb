// Files that say which packets are lost: by sequence number, by time, or as a pattern of single packets.
//   by sequence:  switch, source, flow, [a-b, c, c]     bytes of the flow; each mention is one more loss of that packet
//   by time:      switch, source, flow, seconds, count  the next packets of the flow from that time on
//   pattern:      digits 0 (arrives) and 1 (is lost), with spaces and line ends anywhere
// A first line that begins with a word is a heading; # begins a comment.
// Invariant: every mistake has file, line, column and a stable code; nothing is read beyond stated bounds.
// Source: the drop files of OmniDMA's simulator (config_drop_by_seqnum.txt, config_drop_by_timestep.txt). The pattern
// is ours. Form: docs/formats/loss-files.md.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { parseTimePs } from '../base/units.js';
import { asciiOf } from './byte-lines.js';
import { columnOf, contentLines } from './lines.js';

/** most lines, ranges of a line and digits of a pattern that are read */
const mostLines = 1_000_000;
const mostDigits = 100_000_000;

/** Bytes of a flow, both ends included. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

interface LossLine {
  readonly switch: number;
  /** sending host */
  readonly source: number;
  /** number of the transfer */
  readonly flow: number;
  readonly line: number;
}

/** Packets of a flow that are lost at a switch, by the bytes that they hold. */
export interface SequenceLoss extends LossLine {
  readonly ranges: readonly ByteRange[];
}

/** The next packets of a flow from a time on. */
export interface TimeLoss extends LossLine {
  readonly fromPs: number;
  readonly count: number;
}

/** Reads a file of losses by sequence number. */
export function readSequenceLosses(text: string, file: string, diagnostics: Diagnostics): SequenceLoss[] {
  const problems = new FileProblems(file, diagnostics);
  return readLines(text, problems, 'switch, source, flow, [a-b, c]', (rest, wrong) => {
    const match = /^\s*\[([^[\]]*)\]\s*$/.exec(rest);
    if (match === null) return wrong('sequence numbers in brackets, such as [50000-55000, 60000]');
    const ranges: ByteRange[] = [];
    for (const part of match[1]!.split(',')) {
      const range = /^\s*(\d{1,15})(?:\s*-\s*(\d{1,15}))?\s*$/.exec(part);
      const from = Number(range?.[1]);
      const to = Number(range?.[2] ?? range?.[1]);
      if (range === null || to < from) return wrong('sequence numbers in brackets, such as [50000-55000, 60000]');
      ranges.push({ from, to });
    }
    return { ranges };
  });
}

/** Reads a file of losses by time. */
export function readTimeLosses(text: string, file: string, diagnostics: Diagnostics): TimeLoss[] {
  const problems = new FileProblems(file, diagnostics);
  return readLines(text, problems, 'switch, source, flow, seconds, count', (rest, wrong) => {
    const match = /^\s*([\d.]{1,40}(?:[eE][+-]?\d{1,3})?)\s*,\s*(\d{1,9})\s*$/.exec(rest);
    const fromPs = match === null ? null : parseTimePs(`${match[1]!}s`);
    return match === null || fromPs === null
      ? wrong('a time in seconds and a number of packets, such as 2.000501, 10')
      : { fromPs, count: Number(match[2]) };
  });
}

/** Reads a pattern of losses: a byte for each packet, 1 if it is lost. Empty after an error. */
export function readLossPattern(bytes: Uint8Array, file: string, diagnostics: Diagnostics): Uint8Array {
  const problems = new FileProblems(file, diagnostics);
  const pattern = new Uint8Array(Math.min(bytes.length, mostDigits));
  let count = 0;
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === 10) {
      line++;
      lineStart = i + 1;
    } else if (byte === 35) {
      const end = bytes.indexOf(10, i);
      i = end < 0 ? bytes.length : end - 1;
    } else if (byte === 48 || byte === 49) {
      if (count === mostDigits) {
        problems.error('loss-file', { line, column: i - lineStart + 1 }, 'the pattern is too long', {
          wanted: `at most ${mostDigits} digits`,
        });
        return new Uint8Array(0);
      }
      pattern[count++] = byte - 48;
    } else if (byte !== 32 && byte !== 9 && byte !== 13) {
      problems.error('loss-file', { line, column: i - lineStart + 1 }, 'the pattern has something else', {
        got: asciiOf(bytes, i, Math.min(i + 20, bytes.length)).split('\n')[0]!,
        wanted: 'digits 0 (arrives) and 1 (is lost)',
      });
      return new Uint8Array(0);
    }
  }
  if (count === 0)
    problems.error('loss-file', { line: 1, column: 1 }, 'the pattern is empty', {
      wanted: 'digits 0 (arrives) and 1 (is lost)',
    });
  return pattern.slice(0, count);
}

function readLines<Own extends object>(
  text: string,
  problems: FileProblems,
  form: string,
  readRest: (rest: string, wrong: (wanted: string) => null) => Own | null,
): (Own & LossLine)[] {
  const found: (Own & LossLine)[] = [];
  let isFirst = true;
  for (const { line, text: row } of contentLines(text, problems)) {
    const heading = isFirst && /^\s*[A-Za-z]/.test(row);
    isFirst = false;
    if (heading) continue;
    const wrong = (wanted: string): null => {
      problems.error('loss-file', { line, column: columnOf(row) }, `the line is not of the form ${form}`, {
        got: row.trim().slice(0, 80),
        wanted,
      });
      return null;
    };
    const ends = /^\s*(\d{1,9})\s*,\s*(\d{1,9})\s*,\s*(\d{1,15})\s*,/.exec(row);
    const own =
      ends === null
        ? wrong('a switch, a host and a flow, as whole numbers')
        : readRest(row.slice(ends[0].length), wrong);
    if (own === null) continue;
    if (found.length === mostLines) {
      wrong(`at most ${mostLines} lines`);
      break;
    }
    found.push({ ...own, switch: Number(ends![1]), source: Number(ends![2]), flow: Number(ends![3]), line });
  }
  if (found.length === 0 && !problems.diagnostics.hasErrors)
    problems.error('loss-file', { line: 1, column: 1 }, 'the file names no losses', {
      wanted: `lines ${form}`,
    });
  return found;
}
