// SimAI's inputs in place of a scenario: a SimAI.conf, a topology file, and a trace or a workload. Settings of the
// conf, then of the environment, then of --set, checked like a scenario.
// Invariant: with a workload everything is as in SimAI's packet simulation unless somebody says otherwise: its
// collectives, its order of passes, all GPUs of the topology, no pipeline stages.

import { Section } from '../../form/section.js';
import { wholeFile, type Diagnostics } from '../../../base/diagnostics.js';
import { warningAt, writeSetting, type Place } from '../../form/located.js';
import { checkScenario, type Scenario } from '../../form/read-scenario.js';
import { defaultForm, type ScenarioForm } from '../../form/scenario-form.js';
import { readConfSettings } from './conf.js';
import type { UniformThreshold } from './conf-thresholds.js';
import { applyEnvironment, noteEnvironment, type ConfEnvironment, type ConfRun } from './environment.js';

/** What the paths of SimAI's inputs are relative to: a file in the user's folder. */
export const inputsBase = 'SimAI.conf';

/** What takes the place of a scenario. All paths are relative to where the user stands. */
export interface SimaiInputs {
  /** path of the SimAI.conf */
  readonly conf: string;
  readonly topology: string;
  /** what is sent: one of the two */
  readonly work: { readonly trace: string } | SimaiWorkload;
  /** asked for with -t; a run uses one */
  readonly threads?: number;
  /** of which some variables count, and others are explained */
  readonly environment: ConfEnvironment;
}

/** A workload, and the sizes of groups that a micro-benchmark does not say itself. */
interface SimaiWorkload {
  readonly workload: string;
  readonly tensor?: number;
  readonly data?: number;
  readonly expert?: number;
}

/** What SimAI does with a workload unless its environment says otherwise. */
const workloadSettings = [
  ['workload.asSimai', true],
  ['workload.pipelineSchedule', 'all-forward-all-backward'],
  ['collectives.profile', 'simai'],
  ['collectives.nvls', false],
  ['collectives.pxn', false],
] as const;

const groupOptions = {
  tensor: ['--tp', 'tensorParallel'],
  data: ['--dp', 'dataParallel'],
  expert: ['--ep', 'expertParallel'],
} as const;

/**
 * The inputs as a scenario.
 * @param text of the conf @param overrides `path=value` texts of --set, applied in order
 */
export function readSimaiInputs(
  text: string,
  { conf, topology, work, threads, environment }: SimaiInputs,
  overrides: readonly string[],
  diagnostics: Diagnostics,
  form: ScenarioForm = defaultForm(),
): { scenario: Scenario; uniform: UniformThreshold | null } {
  const { root, uniform } = readConfSettings(text, conf, diagnostics);
  const write = (path: string, value: string | number | boolean, place: Place): void =>
    writeSetting(root, path, value, place, place, String(value));
  write('fabric.file', topology, optionPlace('--topology'));
  if ('trace' in work) write('traffic.trace', work.trace, optionPlace('--trace'));
  else writeWorkload(work, conf, write);
  const run: ConfRun = { hasWorkload: 'workload' in work, profile: profileOf(overrides) };
  applyEnvironment(new Section(root, [], diagnostics), environment, run);
  const scenario = checkScenario(root, inputsBase, overrides, diagnostics, form);
  noteEnvironment(new Section(root, [], diagnostics), environment, run);
  if (threads !== undefined && threads > 1)
    warningAt(
      diagnostics,
      'threads',
      optionPlace('--threads'),
      `${threads} threads are asked for: a run uses one, and its results do not depend on it`,
    );
  return { scenario, uniform };
}

function writeWorkload(
  work: SimaiWorkload,
  conf: string,
  write: (path: string, value: string | number | boolean, place: Place) => void,
): void {
  write('workload.file', work.workload, optionPlace('--workload'));
  for (const [path, value] of workloadSettings) write(path, value, { file: conf, ...wholeFile });
  for (const [size, [name, setting]] of Object.entries(groupOptions)) {
    const value = work[size as keyof typeof groupOptions];
    if (value !== undefined) write(`workload.${setting}`, value, optionPlace(name));
  }
}

function optionPlace(name: string): Place {
  return { file: name, ...wholeFile };
}

/** The profile of collectives: --set alone can give another than SimAI's. */
function profileOf(overrides: readonly string[]): string {
  const given = overrides.flatMap((text) => /^collectives\.profile=\s*["']?([^"'\s]*)/.exec(text)?.[1] ?? []);
  return given[given.length - 1] ?? 'simai';
}
