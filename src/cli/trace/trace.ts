// weft trace generate: transfers over time as a CSV file that scenarios and SimAI read.

import { Argument, Command } from 'commander';
import { Stopped } from '../../base/host.js';
import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import { tracePatterns, traceTransfers, type TraceRequest } from '../../flows/trace-patterns.js';
import { formatTraceRow, traceHeader } from '../../formats/trace-csv.js';
import { grouped } from '../../report/text-style.js';
import type { CommandContext } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { announcer, Interrupt } from '../interrupt.js';
import { refuseRepeats } from '../options/repeated-options.js';
import { StageProgress } from '../stage-progress.js';
import { forceHelp, writeStreamedFile } from '../whole-file.js';
import { type TraceOptions, traceRequest } from './trace-request.js';

interface OutputOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** rows that are written at once */
const rowsPerPiece = 4096;

/** The command `trace` with its subcommand. */
export function traceCommand(context: CommandContext): Command {
  const trace = new Command('trace').description('traces of transfers: patterns, sizes, loads');
  trace.addCommand(
    refuseRepeats(
      new Command('generate')
        .description('write transfers over time as CSV: timestamp_ns,src,dst,size_bytes')
        .addArgument(new Argument('[pattern]', tracePatterns.join(', ')))
        .option('--arrival <pattern>', 'the pattern, in the words of gen_kv_trace.py')
        .option('--gpus <count>', 'hosts, numbered from 0', '128')
        .option('--gpus-per-server <count>', 'of each server', '8')
        .option('--flows <count>', 'ends the trace (default 1000, without --duration)')
        .option('--duration <time>', 'ends the trace: no transfer starts later')
        .option('--rounds <count>', 'of a server pair: each GPU sends so often (default 1)')
        .option(
          '--interval <time>',
          'between two transfers, on average (default 100us);\nbetween two rounds of a server pair',
        )
        .option('--interval-ns <number>', 'the same in nanoseconds')
        .option('--rate <number>', 'transfers per second, in place of the interval')
        .option('--load <share>', 'of the bandwidth of all senders, in place of the\ninterval; needs --bandwidth')
        .option('--bandwidth <rate>', 'of a sender, for --load: such as 100Gbps')
        .option('--size <size>', 'of every transfer (default 10MiB)')
        .option('--kv-mb <number>', 'the same in MiB')
        .option('--sizes <file>', 'a distribution of sizes: lines of bytes and\npercent, as those of HPCC and ConWeave')
        .option('--sources <list>', 'GPUs that send: 0-63, 0,8,16 or 0-127:8 (default all)')
        .option('--destinations <list>', 'GPUs that receive (default all)')
        .option('--src-server <number>', 'of a server pair and of a hotspot (default 0)')
        .option('--dst-server <number>', 'of a server pair and of a hotspot (default 1)')
        .option('--hot-share <share>', 'of transfers between the two servers of a hotspot\n(default 0.5)')
        .option('--burst-size <count>', 'transfers that start together (default those of a\nserver)')
        .option('--src <gpu>', 'of one-to-one (default 0)')
        .option('--dst <gpu>', 'of one-to-one (default the same GPU of the next server)')
        .option('--seed <number>', 'of pairs, arrivals and sizes (default 1)')
        .option('--out <file>', 'the file; without it the trace is printed')
        .option('--force', forceHelp)
        .option('--json', 'print what was written as one JSON object; needs --out')
        .option('--quiet', 'no progress')
        .addHelpText(
          'after',
          `
Examples:
  weft trace generate server-pair --out pair.csv
  weft trace generate poisson --load 0.6 --bandwidth 100Gbps \\
    --sizes examples/web-search/web-search.txt --duration 5ms --out web.csv
  weft trace generate hotspot --hot-share 0.8 --kv-mb 10 --flows 200
  weft trace generate --arrival server_pair --src-server 0 --dst-server 1 \\
    --gpus-per-server 8 --kv-mb 10 --rounds 1 --out traces/my_trace.csv

What each pattern is: docs/models/traces.md. The form of the file:
docs/formats/trace-csv.md. A scenario reads it with traffic: { trace: FILE }.`,
        )
        .action(async (pattern: string | undefined, options: TraceOptions & OutputOptions, command: Command) => {
          if (options.json === true && options.out === undefined)
            command.error('error: --json needs --out\n  hint:   without --out the trace itself is printed', {
              code: 'weft.inputs',
              exitCode: 2,
            });
          context.endWith(await generate(await traceRequest(pattern, options, context.host), options, context));
        }),
    ),
  );
  return trace;
}

/** @returns the exit code @throws OutputError, InputError for a place that must stay */
async function generate(
  request: TraceRequest,
  { out, force = false, json = false, quiet = false }: OutputOptions,
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
