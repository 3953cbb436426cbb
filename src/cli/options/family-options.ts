// The parameters of a family of fabrics as options of a command: what `weft topology generate` and `--fabric FAMILY`
// share.

import type { Command } from 'commander';
import { distance } from 'fastest-levenshtein';
import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Fabric } from '../../fabric/fabric.js';
import {
  fabricFamilies,
  findFamily,
  type FabricFamily,
  type ParameterProblem,
  type ParameterValues,
  resolveParameters,
} from '../../fabric/generators/catalogue.js';
import { parameterHint } from '../../scenario/form/parameter-hint.js';
import { DeclaredOption } from './declared-command.js';

/** What commander collects for a family. */
export type RawOptions = Readonly<Record<string, string | boolean | undefined>>;

/** `gpusPerServer` -> `gpus-per-server` */
export function kebabCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The parameters of a family as options, under their long names and, hidden, under SimAI's short ones. */
export function familyOptions(family: FabricFamily, implied: Readonly<Record<string, unknown>>): DeclaredOption[] {
  const parameters = Object.entries(family.settings).map(([key, setting]) => {
    const name = `--${kebabCase(key)}`;
    if (setting.kind === 'flag') return new DeclaredOption(name, setting.description);
    const preset = ` (default ${String(family.impliedDefaults(implied)[key] ?? setting.default)})`;
    const form = setting.kind === 'choice' ? 'word' : setting.kind;
    return new DeclaredOption(`${name} <${form}>`, `${setting.description}${preset}`);
  });
  const aliases = Object.entries(family.aliases).map(([short, key]) =>
    new DeclaredOption(family.settings[key]!.kind === 'flag' ? `--${short}` : `--${short} <value>`, '').hideHelp(),
  ) as DeclaredOption[];
  return [...parameters, ...aliases];
}

/** Gives a command the parameters of a family. */
export function addFamilyOptions(
  command: Command,
  family: FabricFamily,
  implied: Readonly<Record<string, unknown>>,
): Command {
  for (const option of familyOptions(family, implied)) command.addOption(option);
  return command;
}

/** The parameters that were given, under their keys, whether by their long or their short names. @throws InputError */
export function givenParameters(family: FabricFamily, options: RawOptions): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const key of Object.keys(family.settings)) if (options[key] !== undefined) given[key] = options[key];
  for (const [short, key] of Object.entries(family.aliases)) {
    const value = options[short];
    if (value === undefined) continue;
    if (given[key] !== undefined && given[key] !== value) {
      throw InputError.about(
        'conflicting-parameters',
        `--${short}`,
        `--${short} is short for --${kebabCase(key)}, and both were given`,
        { got: `${String(value)} and ${String(given[key])}`, wanted: 'one of the two' },
      );
    }
    given[key] = value;
  }
  return given;
}

/** A problem with a parameter, in the words of the command line. */
export function parameterDiagnostic(
  family: FabricFamily,
  problem: ParameterProblem,
  given: Readonly<Record<string, unknown>>,
  severity: Diagnostic['severity'] = 'error',
): Diagnostic {
  const { parameter, ...rest } = problem;
  const hint = parameterHint(family, problem, given, (key) => `--${kebabCase(key)}`);
  return {
    severity,
    file: parameter === null ? family.name : `--${kebabCase(parameter)}`,
    ...wholeFile,
    ...rest,
    hint,
  };
}

/** The fabric that options ask for, with its parameters. @throws InputError if the parameters do not fit */
export function fabricFromOptions(
  family: FabricFamily,
  implied: Readonly<Record<string, unknown>>,
  options: RawOptions,
): { readonly fabric: Fabric; readonly values: ParameterValues; readonly warnings: readonly Diagnostic[] } {
  const given = { ...implied, ...givenParameters(family, options) };
  const { values, problems, remarks } = resolveParameters(family, given);
  if (values === null) throw new InputError(problems.map((problem) => parameterDiagnostic(family, problem, given)));
  const warnings = remarks.map((remark) => parameterDiagnostic(family, remark, given, 'warning'));
  return { fabric: family.generate(values), values, warnings };
}

/** The family of a name, in any spelling. @param place who asks @throws InputError */
export function namedFamily(
  name: string,
  place = 'weft topology',
): { family: FabricFamily; implied: Readonly<Record<string, unknown>> } {
  const found = findFamily(name);
  if (found !== null) return found;
  throw InputError.about('unknown-family', place, 'there is no such family of fabrics', {
    got: name,
    wanted: familyNames(),
    hint: familyHint(name) ?? 'see: weft topology list',
  });
}

/** The family whose name, or another name of which, is near a mistyped one; null if none is. */
function nearestFamily(name: string): string | null {
  const wanted = name.slice(0, 80).toLowerCase();
  let nearest: string | null = null;
  let nearestDistance = Math.max(2, Math.ceil(wanted.length / 3)) + 1;
  for (const family of fabricFamilies) {
    for (const candidate of [family.name, ...Object.keys(family.otherNames)]) {
      const steps = distance(wanted, candidate);
      if (steps < nearestDistance) [nearest, nearestDistance] = [family.name, steps];
    }
  }
  return nearest;
}

/** The family that was probably meant, as a hint. */
export function familyHint(name: string): string | undefined {
  const near = nearestFamily(name);
  return near === null ? undefined : `did you mean ${near}?`;
}

/** The names of all families. */
export function familyNames(): string {
  return fabricFamilies.map((family) => family.name).join(', ');
}
