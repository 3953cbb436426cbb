// The command line of SimAI's analytical program as a form of `weft run`: its options, how they become a request, and
// why they go with nothing else.
// Invariant: an option of this form given beside a scenario, a conf or a trace is an error, and so is the reverse;
// whatever the program takes and Weft has no use for is refused with the reason.
// Source: SimAI 1.6, AstraParamParse (docs/models/simai.md#analytical-backend).

import type { Command } from 'commander';
import { basename, join } from 'node:path';
import type { AnalyticalRequest } from '../../app/simai-analytical.js';
import { type Diagnostic, Diagnostics, wholeFile } from '../../base/diagnostics.js';
import { nicGBpsOfType, nvlinkGBpsOfGpu } from '../../collectives/simai-busbw.js';
import { isGiven, type OptionValues, refuseInputs, text, value } from '../options/declared-command.js';
import { readBy, wholeNumberFrom } from '../options/option-values.js';

const count = wholeNumberFrom(1, 9_999_999, 'a whole number, at least 1.');
const bandwidth = readBy(
  (given) => (/^\d{1,7}(\.\d{1,9})?$/.test(given) ? Number(given) || null : null),
  'GB/s, a number above 0.',
);
const share = readBy(
  (given) => (/^\d(\.\d{1,9})?$/.test(given) && Number(given) <= 1 ? Number(given) : null),
  'a number from 0 to 1.',
);

/** The options of the form: a section of the command's help. */
export const analyticalOptions = [
  value('-g, --gpus <number>', 'GPUs in all', count),
  value('--gpus-per-server <number>', '(-g_p_s) GPUs of a server', count),
  value('--nvlink <GB/s>', '(-nv) bus bandwidth of a GPU over NVLink', bandwidth),
  text('--gpu-type <name>', `(-g_type) instead: ${Object.keys(nvlinkGBpsOfGpu).join(', ')}`),
  value('--nic <GB/s>', '(-nic) bandwidth of a NIC', bandwidth),
  text('--nic-type <name>', `(-nic_t) instead: ${Object.keys(nicGBpsOfType).join(', ')} (default: cx7)`),
  value('--nics-per-server <number>', '(-n_p_s) NICs of a server', count),
  text('--bus-bandwidth <file>', '(-busbw) instead of NVLink and NICs: a busbw.yaml'),
  value('--dp-overlap <share>', '(-dp_o) share of DP communication that is hidden', share),
  value('--tp-overlap <share>', '(-tp_o) share of TP communication that is hidden', share),
  value('--ep-overlap <share>', '(-ep_o) share of EP communication that is hidden', share),
  value('--pp-overlap <share>', '(-pp_o) the same of messages between stages (default: 1)', share),
  text('-r, --result <prefix>', 'write PREFIXEndToEnd.csv, in results/ unless PREFIX has a folder'),
  text('--result-folder <dir>', '(-r_f) the folder, instead of results/'),
  text('--visual [value]', ''),
  text('--language <code>', ''),
] as const;
for (const option of analyticalOptions)
  if (option.description === '') option.hideHelp();
  else option.helpGroup("SimAI's analytical form, with --workload alone:");
const ownNames: ReadonlySet<string> = new Set(analyticalOptions.map((option) => option.attributeName()));
type AnalyticalOptions = OptionValues<typeof analyticalOptions>;

/** SimAI's letters and other words, and the options that they are. Commander takes letters one at a time only. */
const spellings: Readonly<Record<string, string>> = {
  '-g_p_s': '--gpus-per-server',
  '-r_f': '--result-folder',
  '--result_folder': '--result-folder',
  '-nv': '--nvlink',
  '-nic': '--nic',
  '--nic_busbw': '--nic',
  '-n_p_s': '--nics-per-server',
  '--nic_per_server': '--nics-per-server',
  '-nic_t': '--nic-type',
  '--nic_type': '--nic-type',
  '-g_type': '--gpu-type',
  '--gpu_type': '--gpu-type',
  '-busbw': '--bus-bandwidth',
  ...Object.fromEntries(
    ['dp', 'tp', 'ep', 'pp'].flatMap((group) =>
      [`-${group}_o`, `--${group}_overlap`, `--${group}-overlap-ratio`].map((word) => [word, `--${group}-overlap`]),
    ),
  ),
};

/** Letters that are SimAI's only beside a number of GPUs: `weft -v` prints the version. */
const lettersBesideGpus: Readonly<Record<string, string>> = { '-v': '--visual', '-l': '--language' };

/** The words of a command line with SimAI's letters spelt out. */
export function spelledOut(commandLine: readonly string[]): string[] {
  const isAnalytical = commandLine.some((word) => ['-g', '--gpus', '-g_p_s', '--gpus-per-server'].includes(word));
  return commandLine.map((word) => {
    if (Object.hasOwn(spellings, word)) return spellings[word]!;
    return isAnalytical && Object.hasOwn(lettersBesideGpus, word) ? lettersBesideGpus[word]! : word;
  });
}

/** What the form is to do. */
export interface AnalyticalRun {
  readonly request: AnalyticalRequest;
  /** path of the file; null: none is asked for */
  readonly file: string | null;
  /** options that count for nothing beside others */
  readonly passedOver: readonly Diagnostic[];
}

/**
 * The form that a command line has.
 * @param options all of the command's @returns null if none of the form's options is given @throws CommanderError
 */
export function analyticalFrom(
  scenario: string | undefined,
  options: AnalyticalOptions & Readonly<Record<string, unknown>> & { readonly workload?: string },
  command: Command,
): AnalyticalRun | null {
  const isPreset = (name: string): boolean => command.getOptionValueSource(name) === 'default';
  const given = Object.keys(options).filter((name) => isGiven(options[name]) && !isPreset(name));
  const ours = given.filter((name) => ownNames.has(name));
  if (ours.length === 0) return null;
  const flagOf = (name: string): string =>
    command.options.find((option) => option.attributeName() === name)?.long ?? name;
  const refuse = (message: string, hint: string): never => refuseInputs(command, message, hint);
  const others = given
    .filter((name) => !ownNames.has(name) && !['workload', 'json', 'quiet'].includes(name))
    .map(flagOf);
  if (scenario !== undefined || others.length > 0)
    refuse(
      `${ours.map(flagOf).join(', ')} and ${[...(scenario === undefined ? [] : ['a scenario']), ...others].join(', ')} are both given`,
      "SimAI's analytical form has no topology, no conf and no simulation: only --workload, --json and --quiet go with it",
    );
  if (options.visual !== undefined)
    refuse('--visual is given: there is no chart', 'leave it out; the CSV and --json have all figures');
  if (options.language !== undefined && options.language !== 'en')
    refuse(`--language is ${options.language}: messages are English`, 'leave it out');
  const missing = Object.entries({
    '--workload': options.workload,
    '--gpus': options.gpus,
    '--gpus-per-server (-g_p_s)': options.gpusPerServer,
    '--nvlink (-nv) or --gpu-type (-g_type)': options.busBandwidth ?? options.nvlink ?? options.gpuType,
    '--nics-per-server (-n_p_s)': options.busBandwidth ?? options.nicsPerServer,
  }).flatMap(([option, own]) => (own === undefined ? [option] : []));
  const { workload, gpus, gpusPerServer } = options;
  if (workload === undefined || gpus === undefined || gpusPerServer === undefined || missing.length > 0)
    return refuse(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      'weft run -w workload.txt -g 9216 -g_p_s 8 -nv 360 -nic 48.5 -n_p_s 8 -r example-',
    );
  return {
    request: {
      workload,
      gpus,
      bandwidths: bandwidthsOf(options, gpusPerServer, refuse),
      overlaps: overlapsOf(options, refuse),
      name: basename(options.result ?? '') || 'analytical',
    },
    file: fileOf(options),
    passedOver: passedOverOf(options),
  };
}

type Refuse = (message: string, hint: string) => never;

function bandwidthsOf(
  options: AnalyticalOptions,
  gpusPerServer: number,
  refuse: Refuse,
): AnalyticalRequest['bandwidths'] {
  const { busBandwidth, nvlink, nic, nicsPerServer, gpuType, nicType } = options;
  if (busBandwidth !== undefined) {
    if ([nvlink, nic, nicsPerServer, gpuType, nicType].some((own) => own !== undefined))
      refuse('--bus-bandwidth and bandwidths of servers are both given', 'give either the file, or NVLink and NICs');
    return { file: busBandwidth };
  }
  const named = (table: Readonly<Record<string, number>>, name: string, flag: string): number => {
    const key = Object.keys(table).find((known) => known.toLowerCase() === name.toLowerCase());
    return key === undefined
      ? refuse(`${flag} ${JSON.stringify(name)} is not known`, `one of ${Object.keys(table).join(', ')}`)
      : table[key]!;
  };
  // a number counts, but a name beside it has to be one
  const ofGpu = gpuType === undefined ? 0 : named(nvlinkGBpsOfGpu, gpuType, '--gpu-type');
  const ofNic = named(nicGBpsOfType, nicType ?? 'cx7', '--nic-type');
  return {
    server: { gpusPerServer, nicsPerServer: nicsPerServer!, nvlinkGBps: nvlink ?? ofGpu, nicGBps: nic ?? ofNic },
  };
}

function overlapsOf(options: AnalyticalOptions, refuse: Refuse): AnalyticalRequest['overlaps'] {
  const { dpOverlap: data = 0, tpOverlap: tensor = 0, epOverlap: expert = 0, ppOverlap: pipeline = 1 } = options;
  if (pipeline === 0 && options.busBandwidth === undefined)
    refuse(
      '--pp-overlap is 0: SimAI divides by it, and the time between stages has no end',
      'give a share above 0, or --bus-bandwidth with a section PP:',
    );
  return { data, tensor, expert, pipeline };
}

/** A number of GB/s goes before the name of a GPU or a NIC. */
function passedOverOf({ nvlink, gpuType, nic, nicType }: AnalyticalOptions): Diagnostic[] {
  const diagnostics = new Diagnostics();
  const note = (name: string, by: string): void =>
    diagnostics.warning('analytical-passed-over', name, wholeFile, `passed over, as ${by} gives the bandwidth`);
  if (nvlink !== undefined && gpuType !== undefined) note('--gpu-type', '--nvlink');
  if (nic !== undefined && nicType !== undefined) note('--nic-type', '--nic');
  return diagnostics.warnings;
}

/** SimAI puts `results/` before a prefix, or the folder of -r_f. */
function fileOf({ result, resultFolder }: AnalyticalOptions): string | null {
  if (result === undefined && resultFolder === undefined) return null;
  const name = `${result ?? ''}EndToEnd.csv`;
  if (resultFolder !== undefined) return join(resultFolder, name);
  return result!.includes('/') ? name : join('results', name);
}
