// A scenario file, or SimAI's inputs in its place -> the plan that runs: reads everything through the host, checks
// everything, and reports all mistakes together.
// Invariant: a plan is returned only if nothing was found wrong; nothing is written anywhere.

import { Diagnostics, InputError, wholeFile } from '../base/diagnostics.js';
import { fail } from '../base/fail.js';
import { HostFileError, type Host } from '../base/host.js';
import { assemblePlan, type PlanDraft } from './assemble-plan.js';
import { type Catalogues, defaultCatalogues } from './catalogues.js';
import { isHpccConfig, readHpccConfig } from './foreign/hpcc/config.js';
import { InputFiles } from './input-files.js';
import { partsMadeAnew, type PlanMemory, type PlanParts } from './plan-memory.js';
import type { Plan } from './plan.js';
import { readScenario } from './form/read-scenario.js';
import { formOf } from './form/scenario-form.js';
import { inputsBase, readSimaiInputs, type SimaiInputs } from './foreign/simai/inputs.js';

/** How a scenario is to be read. */
export interface PlanOptions {
  /** `path=value` texts of --set, applied in order */
  readonly overrides: readonly string[];
  /** instead of the scenario's seed: a whole number from 0 to 2^53 - 1 */
  readonly seed?: number | null | undefined;
  readonly host: Host;
  /** what may be chosen from; what comes with Weft if it is left out */
  readonly catalogues?: Catalogues;
  /** of the plans of this scenario that were made before; left out: everything is made anew */
  readonly memory?: PlanMemory;
}

/**
 * Reads a scenario with its topology and trace, and resolves every setting.
 * @param source path of the scenario file, the paths in which are relative to its folder; or SimAI's inputs
 * @throws InputError with everything that was found wrong
 */
export async function makePlan(source: string | SimaiInputs, options: PlanOptions): Promise<Plan> {
  const { memory, host } = options;
  const anew = (): Promise<Plan> => planWith(source, options, partsMadeAnew);
  if (memory === undefined) return anew();
  return memory.plan(host, (watched, parts) => planWith(source, { ...options, host: watched }, parts), anew);
}

async function planWith(source: string | SimaiInputs, options: PlanOptions, parts: PlanParts): Promise<Plan> {
  const diagnostics = new Diagnostics();
  const draft = await draftOf(source, options, parts, diagnostics);
  return planOrErrors(draft === null ? null : await assemblePlan(draft, diagnostics), diagnostics);
}

/** The plan, if it was made. @throws InputError with everything that was found wrong, if it was not */
export function planOrErrors(plan: Plan | null, diagnostics: Diagnostics): Plan {
  if (plan !== null) return plan;
  if (!diagnostics.hasErrors) fail('a part of the plan is missing, and nothing was found wrong');
  throw inputError(diagnostics);
}

/** Everything that was found wrong: file by file, in the order of each file's lines. */
function inputError(diagnostics: Diagnostics): InputError {
  const files = [...new Set(diagnostics.list.map(({ file }) => file))];
  const list = [...diagnostics.list];
  list.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column);
  return new InputError(list, diagnostics.errorCount);
}

/** What is read of a source before its parts are planned; null if it has no form at all. */
async function draftOf(
  source: string | SimaiInputs,
  { host, overrides, seed, catalogues = defaultCatalogues }: PlanOptions,
  parts: PlanParts,
  diagnostics: Diagnostics,
): Promise<PlanDraft | null> {
  const form = formOf(catalogues);
  const given = seed === undefined || seed === null ? {} : { seed };
  if (typeof source === 'string') {
    const files = new InputFiles(host, source);
    const text = await readFirst('scenario', source, files);
    if (isHpccConfig(text)) {
      const own = new InputFiles(host, inputsBase);
      await own.readFirst('conf', source);
      const { scenario, uniform } = await readHpccConfig(text, source, overrides, own, diagnostics, form);
      return { scenario, name: fileStem(source), files: own, ...given, ...(uniform === null ? {} : { uniform }) };
    }
    const from = [text, source, JSON.stringify(overrides), form];
    const scenario = parts.part('scenario', from, diagnostics, () =>
      readScenario(text, source, overrides, diagnostics, form),
    );
    return scenario === null ? null : { scenario, name: fileStem(source), files, parts, ...given };
  }
  const files = new InputFiles(host, inputsBase);
  const text = await readFirst('conf', source.conf, files);
  const { scenario, uniform } = readSimaiInputs(text, source, overrides, diagnostics, form);
  return { scenario, name: fileStem(source.conf), files, ...given, ...(uniform === null ? {} : { uniform }) };
}

const fileForms = {
  scenario: { wanted: 'a scenario file (YAML)', hint: 'name the file in it, such as controller.yaml' },
  conf: { wanted: 'a SimAI.conf', hint: 'name the file in it, such as SimAI.conf' },
} as const;

async function readFirst(role: keyof typeof fileForms, path: string, files: InputFiles): Promise<string> {
  try {
    return await files.readFirst(role, path);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    const { wanted, hint } = fileForms[role];
    const isRun = error.reason === 'directory' && (await files.holds(`${path}/manifest.json`));
    throw InputError.at(
      `file-${error.reason}`,
      path,
      wholeFile,
      `the ${role} cannot be read: ${error.message.replace(`${error.path}: `, '')}`,
      {
        wanted,
        ...(isRun
          ? { hint: `it is the folder of a run: weft report ${path} shows it; give the scenario itself to weft run` }
          : error.reason === 'directory'
            ? { hint }
            : {}),
      },
    );
  }
}

/** `examples/server-pair/controller.yaml` -> `controller` */
function fileStem(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = file.lastIndexOf('.');
  return dot > 0 ? file.slice(0, dot) : file;
}
