// What `weft collective` is asked for: its options read and checked, the plan, and every size with its choice.
// Invariant: what comes out can run; every mistake in the options is an InputError that names the option.

import type { Command } from 'commander';
import {
  type CollectiveSetup,
  planCollective,
  type PlannedCollective,
  unconnectedRanks,
} from '../../app/simulate-collective.js';
import { InputError, wholeFile } from '../../base/diagnostics.js';
import { algorithmsFor } from '../../collectives/build-schedule.js';
import { maxCollectiveBytes } from '../../collectives/collective-run.js';
import { Communicator } from '../../collectives/communicator.js';
import type { GroupKind } from '../../collectives/parallel-groups.js';
import type { Protocol } from '../../collectives/protocols.js';
import { type AlgorithmName, type CollectiveKind, collectiveKinds } from '../../collectives/schedule.js';
import { hasRoot } from '../../report/collective-table.js';
import type { Plan } from '../../scenario/plan.js';
import { type OptionSetting, planOnFabric } from '../../scenario/plan-on-fabric.js';
import { nearest } from '../../scenario/suggest.js';
import type { CollectivesOnFabric } from './collective-task.js';
import { ncclOption } from './nccl-option.js';
import { parseRanks } from '../options/rank-list.js';
import { parseFactor, parseSizes } from './collective-lists.js';
import type { CommandContext } from '../context.js';
import { checkFlowGraphPath } from '../flow-graph-file.js';
import { profileFromOption } from '../options/profile-option.js';
import { fabricFromOption } from '../options/fabric-option.js';
import { checkFigurePath } from '../options/figure-path.js';
import { checkOutputs } from '../whole-file.js';
import { type MeasuredFile, measuredFile } from './measured-tables.js';

/** What is measured if --sizes is left out, and explained. */
export const defaultSizes = '1KiB..64MiB';
export const defaultExplainedSize = '16MiB';

/** The options as commander reads them. */
export interface CollectiveOptions {
  readonly fabric?: string;
  readonly ranks?: string;
  readonly sizes?: string;
  readonly factor: string;
  readonly root: string;
  readonly groupKind: GroupKind;
  readonly profile: string;
  readonly algorithm: AlgorithmName | 'auto';
  readonly protocol: Protocol | 'auto';
  readonly channels: string;
  readonly nvls: boolean;
  readonly pxn?: boolean;
  readonly collnet?: boolean;
  readonly env?: string[];
  readonly backend: string;
  readonly sendLatency?: string;
  readonly seed?: string;
  readonly workers?: number;
  readonly set?: string[];
  readonly explain?: boolean;
  readonly compare?: string;
  readonly figure?: string;
  readonly flowGraph?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** What runs: checked, every size with its choice. */
export interface Measurement {
  readonly kind: CollectiveKind;
  readonly fabricName: string;
  readonly setup: CollectiveSetup;
  readonly plan: Plan;
  /** what the plan is made of */
  readonly onFabric: CollectivesOnFabric;
  readonly collectives: readonly PlannedCollective[];
  /** what --compare names */
  readonly measured: MeasuredFile | null;
}

/**
 * Reads and checks everything.
 * @param words what stands beside the options: the kind, and parameters of the family of fabrics
 * @throws InputError, CommanderError
 */
export async function preparedMeasurement(
  words: readonly string[],
  options: CollectiveOptions,
  command: Command,
  { host }: CommandContext,
): Promise<Measurement> {
  const at = Math.max(
    0,
    words.findIndex((word) => (collectiveKinds as readonly string[]).includes(word)),
  );
  const kind = kindOf(words[at]);
  const {
    name: fabricName,
    fabric,
    warnings,
  } = await fabricFromOption(
    options.fabric,
    words.filter((_, i) => i !== at),
    command,
    host,
  );
  const profile = await profileFromOption(options.profile, host);
  const ranks = parseRanks(options.ranks ?? `0-${fabric.hosts.length - 1}`, fabric.hosts.length);
  await checkComparison(options);
  const measured =
    options.compare === undefined
      ? null
      : await measuredFile(options.compare, kind, ranks.length, maxCollectiveBytes, host);
  const sizes = measured?.sizes ?? wishedSizes(options);
  if (options.root !== '0' && !hasRoot(kind))
    throw mistake('--root', `${kind} has no root`, options.root, 'broadcast or reduce, or no --root');
  const root = countOf('--root', options.root, ranks.length - 1);
  const channels = countOf('--channels', options.channels, 1024);
  const planOptions = { name: kind, settings: settingsOf(options), overrides: options.set ?? [] };
  const planned = await planOnFabric(fabric, { ...planOptions, host });
  // hosts that reach no other matter for the ranks alone: checkConnected
  const ofFabric = warnings.filter(({ code }) => code === 'scenario-only-fabric' || code === 'data-sheet-rate');
  const plan: Plan = { ...planned, warnings: [...ofFabric, ...planned.warnings] };
  const { groupKind, nvls, algorithm, protocol } = options;
  const environment = ncclOption(options.env ?? [], profile);
  const setup: CollectiveSetup = {
    communicator: new Communicator(plan.fabric, ranks),
    groupKind,
    profile,
    wish: { algorithm, protocol },
    nvls,
    pxn: options.pxn ?? false,
    collnet: options.collnet ?? false,
    channels,
    ...(environment === null ? {} : { environment }),
  };
  const collectives = sizes.map((sizeBytes) => {
    const planned = planCollective(setup, { kind, sizeBytes, root });
    if (typeof planned === 'string')
      throw mistake(
        algorithm === 'auto' ? '--protocol' : '--algorithm',
        planned,
        algorithm === 'auto' ? protocol : algorithm,
        algorithm === 'auto' ? 'auto, or a protocol of the algorithm' : `auto, ${algorithmsFor(kind).join(', ')}`,
      );
    return planned;
  });
  checkConnected(setup.communicator, collectives);
  return { kind, fabricName, setup, plan, onFabric: { fabric, options: planOptions }, collectives, measured };
}

/** @throws InputError */
function wishedSizes({ explain, flowGraph, sizes: text, factor }: CollectiveOptions): readonly number[] {
  const isOne = explain === true || flowGraph !== undefined;
  const sizes = parseSizes(text ?? (isOne ? defaultExplainedSize : defaultSizes), parseFactor(factor));
  if (isOne && sizes.length > 1)
    throw mistake(
      '--sizes',
      explain === true ? 'one collective is explained at a time' : 'a graph is of one collective',
      `${sizes.length} sizes`,
      'one size, such as 16MiB',
    );
  return sizes;
}

/** What options say that a scenario could say. @throws InputError */
function settingsOf(options: CollectiveOptions): readonly OptionSetting[] {
  return [
    { path: 'backend', value: options.backend, option: '--backend' },
    ...(options.sendLatency === undefined
      ? []
      : [{ path: 'sendLatency', value: options.sendLatency, option: '--send-latency' }]),
    ...(options.seed === undefined
      ? []
      : [{ path: 'seed', value: countOf('--seed', options.seed, Number.MAX_SAFE_INTEGER), option: '--seed' }]),
  ];
}

/** Options that do not go together, and a figure that could not be written. @throws InputError */
async function checkComparison({
  compare: file,
  sizes,
  explain: isExplained,
  figure,
  flowGraph,
  force,
}: CollectiveOptions): Promise<void> {
  if (flowGraph !== undefined && (file !== undefined || isExplained === true))
    throw mistake(
      '--flow-graph',
      'a graph is written instead of being timed',
      file === undefined ? '--explain' : '--compare',
      '--flow-graph without --explain and --compare',
    );
  if (flowGraph !== undefined) await checkFlowGraphPath('--flow-graph', flowGraph, force === true);
  if (file !== undefined && sizes !== undefined)
    throw mistake('--sizes', 'the sizes are those that were measured', sizes, '--compare without --sizes');
  if (file !== undefined && isExplained === true)
    throw mistake('--explain', 'one collective is explained at a time', file, '--explain without --compare');
  if (file === undefined && figure !== undefined)
    throw mistake('--figure', 'only a comparison is drawn', figure, '--compare FILE beside it');
  checkFigurePath('--figure', figure);
  if (figure !== undefined) await checkOutputs([figure], force === true, true);
}

function kindOf(word: string | undefined): CollectiveKind {
  if ((collectiveKinds as readonly (string | undefined)[]).includes(word)) return word as CollectiveKind;
  const near = word === undefined ? null : nearest(word, collectiveKinds);
  throw InputError.at(
    'collective-kind',
    'weft collective',
    wholeFile,
    word === undefined || word.startsWith('-') ? 'which collective?' : 'there is no such collective',
    {
      ...(word === undefined ? {} : { got: word }),
      wanted: collectiveKinds.join(', '),
      hint:
        near === null ? 'such as: weft collective allreduce --fabric spectrum-x --gpus 16' : `did you mean ${near}?`,
    },
  );
}

function countOf(option: string, text: string, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > maximum)
    throw mistake(option, 'not a whole number in its range', text, `a whole number from 0 to ${maximum}`);
  return value;
}

function mistake(option: string, message: string, got: string, wanted: string): InputError {
  return InputError.at(`collective-${option.replace(/^-+/, '')}`, option, wholeFile, message, { got, wanted });
}

/**
 * On a fabric of which not every host reaches every other, whoever sends must reach whom it sends to.
 * @throws InputError
 */
function checkConnected(communicator: Communicator, collectives: readonly PlannedCollective[]): void {
  const found = unconnectedRanks(communicator, collectives);
  if (found === null) return;
  const { source, destination, withoutNic } = found;
  throw InputError.at(
    'collective-unconnected',
    '--fabric',
    wholeFile,
    `no path leads from rank ${source} to rank ${destination}${withoutNic === null ? '' : `: rank ${withoutNic} has no NIC`}`,
    {
      wanted: 'ranks that reach each other through switches',
      ...(withoutNic === null
        ? {}
        : { hint: '--pxn sends over the NICs of other GPUs of the server (rings, alltoall)' }),
    },
  );
}
