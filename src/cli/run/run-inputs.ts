// What `weft run` is given to run: a scenario, or SimAI's files in its place, also by the letters of SimAI's own
// command line.
// Invariant: exactly one of the two; of SimAI's files all that are needed and no two that exclude each other.
// Everything else is refused with what to do.

import type { Command } from 'commander';
import type { SimaiInputs } from '../../scenario/foreign/simai/inputs.js';
import type { CommandContext } from '../context.js';
import { type OptionValues, refuseInputs, text, value } from '../options/declared-command.js';
import { wholeNumberFrom } from '../options/option-values.js';

const count = wholeNumberFrom(1, 9_999_999, 'a whole number, at least 1.');

/** The options that name inputs. */
export const inputOptions = [
  text(
    '-c, --simai-conf <file>',
    'instead of a scenario: a SimAI.conf, with --topology and either --trace or --workload',
  ),
  text('-n, --topology <file>', 'topology file, with --simai-conf'),
  text('--trace <file>', 'trace file, with --simai-conf'),
  text('-w, --workload <file>', 'workload file or micro-benchmark, with --simai-conf'),
  value('--tp <number>', 'ranks of a tensor-parallel group, with a micro-benchmark', count),
  value('--dp <number>', 'ranks of a data-parallel group, with a micro-benchmark', count),
  value('--ep <number>', 'ranks of an expert-parallel group, with a micro-benchmark', count),
  value('-t, --threads <number>', 'as SimAI takes it; a run uses one thread', count),
] as const;
type InputOptions = OptionValues<typeof inputOptions>;

/** What is run, and the file that its paths go to besides (CC_LOG_FILE). */
export interface RunInputs {
  readonly scenario: string | SimaiInputs;
  readonly pathLog?: string;
}

/** The scenario, or the files that stand for one with what SimAI's variables say of files. @throws CommanderError */
export function inputsFrom(
  path: string | undefined,
  options: InputOptions,
  command: Command,
  { environment, stderr }: CommandContext,
): RunInputs {
  if (path !== undefined) return { scenario: scenarioOr(path, options, command, environment) };
  const { CC_LOG_FILE: log, TRACE_INJECT_FILE: injected, ...others } = environment;
  const isInjected = injected !== undefined && injected.trim() !== '' && options.trace === undefined;
  const { workload, ...withoutWorkload } = options;
  if (isInjected && workload !== undefined)
    stderr.write('warning: the trace of TRACE_INJECT_FILE takes the place of the workload, which is not run\n');
  const given = isInjected ? { ...withoutWorkload, trace: injected } : options;
  const left = isInjected || injected === undefined ? others : { ...others, TRACE_INJECT_FILE: injected };
  const scenario = scenarioOr(path, given, command, left);
  return (log?.trim() ?? '') === '' ? { scenario } : { scenario, pathLog: log! };
}

function scenarioOr(
  path: string | undefined,
  options: InputOptions,
  command: Command,
  environment: CommandContext['environment'],
): string | SimaiInputs {
  const { simaiConf: conf, topology, trace, workload, tp: tensor, dp: data, ep: expert, threads } = options;
  const given = inputOptions.filter((own) => options[own.attributeName() as keyof InputOptions] !== undefined);
  const named = given.map((own) => own.long!);
  const refuse = (message: string, hint: string): never => refuseInputs(command, message, hint);
  if (path !== undefined && named.length > 0)
    refuse(
      `${named[0]} and a scenario are both given`,
      conf === undefined
        ? 'a scenario names its own files: --set fabric.file=FILE, --set traffic.trace=FILE, --set workload.file=FILE'
        : 'give either the scenario, or --simai-conf, --topology and --trace or --workload',
    );
  if (path !== undefined) return path;
  if (named.length === 0)
    refuse(
      "missing required argument 'scenario'",
      'give a scenario file, or --simai-conf, --topology and --trace or --workload',
    );
  const missing = [
    ...(conf === undefined ? ['--simai-conf'] : []),
    ...(topology === undefined ? ['--topology'] : []),
    ...(trace === undefined && workload === undefined ? ['--trace or --workload'] : []),
  ];
  if (conf === undefined || topology === undefined || missing.length > 0) {
    return refuse(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing beside ${named.join(' and ')}`,
      '--simai-conf SimAI.conf --topology FILE and --trace FILE or --workload FILE stand for a scenario together',
    );
  }
  const common = { conf, topology, environment, ...(threads === undefined ? {} : { threads }) };
  if (trace !== undefined && workload !== undefined)
    refuse(
      '--trace and --workload are both given',
      'give one of them; a scenario may have both: traffic: { trace: FILE } and workload: { file: FILE }',
    );
  if (trace === undefined)
    return {
      ...common,
      work: {
        workload: workload!,
        ...Object.fromEntries(Object.entries({ tensor, data, expert }).filter(([, size]) => size !== undefined)),
      },
    };
  const sizes = named.filter((option) => ['--tp', '--dp', '--ep'].includes(option));
  if (sizes.length > 0)
    refuse(
      `${sizes.join(' and ')} ${sizes.length === 1 ? 'is' : 'are'} given beside a trace`,
      'a trace has single transfers, and no groups of ranks: leave them out',
    );
  return { ...common, work: { trace } };
}
