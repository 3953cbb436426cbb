// weft trace generate: transfers over time as a CSV file that scenarios and SimAI read.

import { Stopped } from '../../base/host.js';
import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { tracePatterns, traceTransfers, type TraceRequest } from '../../flows/trace-patterns.js';
import { formatTraceRow, traceHeader } from '../../formats/trace-csv.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { commandGroup, declaredCommand, toggle, refuseInputs, text } from '../options/declared-command.js';
import { StageProgress } from '../stage-progress.js';
import { forceHelp, writeStreamedFile } from '../whole-file.js';
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
  run: async ({ argument: pattern, options: { out, force, json, quiet, ...asked }, command, context }) => {
    if (json && out === undefined)
      refuseInputs(command, '--json needs --out', 'without --out the trace itself is printed');
    return generate(await traceRequest(pattern, asked, context.host), { out, force, json, quiet }, context);
  },
});

/** The command `trace` with its subcommand. */
export const traceCommand = commandGroup('trace', 'traces of transfers: patterns, sizes, loads', [generateCommand]);

/** @returns the exit code @throws OutputError, InputError for a place that must stay */
async function generate(
  request: TraceRequest,
  { out, force, json, quiet }: { out: string | undefined; force: boolean; json: boolean; quiet: boolean },
  { host, stdout, stderr }: CommandContext,
): Promise<number> {
  const written = { transfers: 0, sizeBytes: 0, lastPs: 0 };
  const progress = quiet || out === undefined ? null : new StageProgress(stderr, () => host.wallMs());
  const interrupt = new Interrupt(announcer(stderr, () => null));
  async function* pieces(): AsyncGenerator<string> {
    let rows = [traceHeader];
    for (const { startPs, source, destination, sizeBytes } of traceTransfers(request)) {
      rows.push(formatTraceRow(startPs, source, destination, sizeBytes));
      written.transfers++;
      written.sizeBytes += sizeBytes;
      written.lastPs = startPs;
      if (rows.length < rowsPerPiece) continue;
      yield `${rows.join('\n')}\n`;
      rows = [];
      progress?.update(`${out}: ${grouped(written.transfers)} transfers, ${formatTimePs(written.lastPs)}`);
      await host.breathe();
      if (interrupt.requested) throw new Stopped();
    }
    if (rows.length > 0) yield `${rows.join('\n')}\n`;
  }
  try {
    if (out === undefined) {
      for await (const piece of pieces()) stdout.write(piece);
      return ExitCode.ok;
    }
    await writeStreamedFile(out, pieces(), force);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stderr.write(out === undefined ? 'stopped\n' : `stopped: ${out} is not written\n`);
    return interrupt.exitCode;
  } finally {
    progress?.stop();
    interrupt.close();
  }
  const { transfers, sizeBytes, lastPs } = written;
  stdout.write(
    json
      ? `${JSON.stringify({ file: out, pattern: request.pattern, transfers, sizeBytes, lastStartNs: lastPs / 1000, seed: request.seed })}\n`
      : `${out}: ${grouped(transfers)} transfers, ${formatSizeBytes(sizeBytes)}, the last at ${formatTimePs(lastPs)}\n`,
  );
  return ExitCode.ok;
}
