// Inference requests as CSV: arrival_ns,prompt_tokens,output_tokens, one per line in order of arrival; a header line,
// blank lines and what follows # are passed over. What is wrong is reported at its line and column; nothing is guessed.

import { FileProblems, type Diagnostics } from '../base/diagnostics.js';
import { contentLines } from './lines.js';

const requestsHeader = 'arrival_ns,prompt_tokens,output_tokens';
const columns = requestsHeader.split(',');

/** Most tokens of a prompt or an answer. */
export const maxTokens = 10_000_000;
/** Most requests of a run: they are kept in memory, about 100 bytes each. */
export const maxRequests = 1_000_000;
const maxArrivalNs = Math.floor(Number.MAX_SAFE_INTEGER / 1000);

export interface RequestRows {
  readonly arrivalPs: Float64Array;
  readonly promptTokens: Float64Array;
  readonly outputTokens: Float64Array;
}

/** Reads a file of requests. @returns null after at least one error */
export function readRequests(text: string, file: string, diagnostics: Diagnostics): RequestRows | null {
  const problems = new FileProblems(file, diagnostics);
  const rows: [number, number, number][] = [];
  let isFirst = true;
  for (const { line, text: content } of contentLines(text, problems)) {
    const fields = content.split(',');
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst && fields.map((field) => field.trim().toLowerCase()).join() === requestsHeader) continue;
    const row = readRow(fields, line, problems);
    if (row === null) continue;
    const at = { line, column: 1 };
    if (rows.length > 0 && row[0] < rows[rows.length - 1]![0])
      problems.error('requests-order', at, 'a request arrives before the one above it', {
        got: fields[0]!.trim(),
        wanted: 'requests in order of arrival',
      });
    if (rows.push(row) <= maxRequests) continue;
    problems.error('requests-too-many', at, `there are more than ${maxRequests} requests`, {
      wanted: `at most ${maxRequests}`,
    });
    break;
  }
  if (rows.length === 0 && !problems.failed)
    problems.error('requests-empty', { line: 1, column: 1 }, 'the file has no request', {
      wanted: `at least one row: ${requestsHeader}`,
    });
  if (problems.failed) return null;
  const column = (index: 0 | 1 | 2, factor = 1): Float64Array => Float64Array.from(rows, (row) => row[index] * factor);
  return { arrivalPs: column(0, 1000), promptTokens: column(1), outputTokens: column(2) };
}

function readRow(fields: readonly string[], line: number, problems: FileProblems): [number, number, number] | null {
  if (fields.length !== columns.length) {
    problems.error(
      'requests-field-count',
      { line, column: 1 },
      `a row has ${fields.length} field${fields.length === 1 ? '' : 's'}`,
      { got: fields.join(',').trim().slice(0, 80), wanted: `${columns.length} fields: ${requestsHeader}` },
    );
    return null;
  }
  const row: [number, number, number] = [0, 0, 0];
  let start = 0;
  let isGood = true;
  for (const [index, field] of fields.entries()) {
    const most = index === 0 ? maxArrivalNs : maxTokens;
    const least = index === 0 ? 0 : 1;
    const value = /^\s*\d{1,16}\s*$/.test(field) ? Number(field) : NaN;
    if (value >= least && value <= most) {
      row[index as 0 | 1 | 2] = value;
    } else {
      problems.error(
        'requests-value',
        { line, column: start + (field.length - field.trimStart().length) + 1 },
        `${columns[index]!} is not a number that can be`,
        { got: field.trim().slice(0, 80), wanted: `a whole number from ${least} to ${most}` },
      );
      isGood = false;
    }
    start += field.length + 1;
  }
  return isGood ? row : null;
}
