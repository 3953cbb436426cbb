// weft trace generate: transfers over time as a CSV file that scenarios and SimAI read.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { tracePatterns, traceTransfers, type TraceRequest } from '../../flows/trace-patterns.js';
import { formatTraceRow, traceHeader } from '../../formats/trace-csv.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { commandGroup, declaredCommand, toggle, refuseInputs, text } from '../options/declared-command.js';
import { printResult } from '../terminal.js';
import { writeStoppable } from '../stoppable-file.js';
import { forceHelp } from '../whole-file.js';
import { traceOptions, traceRequest } from './trace-request.js';

/** rows that are written at once */
const rowsPerPiece = 4096;

const generateCommand = declaredCommand({
  name: 'generate',
  description: 'write transfers over time as CSV: timestamp_ns,src,dst,size_bytes',
  argument: ['[pattern]', tracePatterns.join(', ')],
  options: [
    ...traceOptions,
    text('--out <file>', 'the file; without it the trace is printed'),
    toggle('--force', forceHelp),
    toggle('--json', 'print what was written as one JSON object; needs --out'),
    toggle('--quiet', 'no progress'),
  ],
  after: `
Examples:
  weft trace generate server-pair --out pair.csv
  weft trace generate poisson --load 0.6 --bandwidth 100Gbps \\
    --sizes examples/web-search/web-search.txt --duration 5ms --out web.csv
  weft trace generate hotspot --hot-share 0.8 --kv-mb 10 --flows 200
  weft trace generate --arrival server_pair --src-server 0 --dst-server 1 \\
    --gpus-per-server 8 --kv-mb 10 --rounds 1 --out traces/my_trace.csv

What each pattern is: docs/models/traces.md. The form of the file:
docs/formats/trace-csv.md. A scenario reads it with traffic: { trace: FILE }.`,
  run: async ({ argument: pattern, options: { out, ...given }, command, context }) => {
    if (given.json && out === undefined)
      refuseInputs(command, '--json needs --out', 'without --out the trace itself is printed');
    const request = await traceRequest(pattern, given, context.host);
    return generate(request, out === undefined ? given : { ...given, out }, context);
  },
});

/** The command `trace` with its subcommand. */
export default commandGroup('trace', 'traces of transfers: patterns, sizes, loads', [generateCommand]);

/** @returns the exit code @throws OutputError, InputError for a place that must stay */
async function generate(
  request: TraceRequest,
  { out, json, ...options }: { out?: string; force: boolean; json: boolean; quiet: boolean },
  context: CommandContext,
): Promise<number> {
  const written = { transfers: 0, sizeBytes: 0, lastPs: 0 };
  function* pieces(): Generator<string> {
    let rows = [traceHeader];
    for (const { startPs, source, destination, sizeBytes } of traceTransfers(request)) {
      rows.push(formatTraceRow(startPs, source, destination, sizeBytes));
      written.transfers++;
      written.sizeBytes += sizeBytes;
      written.lastPs = startPs;
      if (rows.length < rowsPerPiece) continue;
      yield `${rows.join('\n')}\n`;
      rows = [];
    }
    if (rows.length > 0) yield `${rows.join('\n')}\n`;
  }
  const state = (): string => `${grouped(written.transfers)} transfers, ${formatTimePs(written.lastPs)}`;
  const stoppedWith = await writeStoppable(out, pieces(), state, options, context);
  if (stoppedWith !== null || out === undefined) return stoppedWith ?? ExitCode.ok;
  const { transfers, sizeBytes, lastPs } = written;
  const { pattern, seed } = request;
  printResult(
    context,
    json,
    { file: out, pattern, transfers, sizeBytes, lastStartNs: lastPs / 1000, seed },
    () =>
      `${out}: ${grouped(transfers)} transfers, ${formatSizeBytes(sizeBytes)}, the last at ${formatTimePs(lastPs)}\n`,
  );
  return ExitCode.ok;
}
