// What every family of generated fabrics offers: its parameters as settings, the checks that make them fit together,
// and the fabric.
// Invariant: generate() is only reached with parameters whose check found nothing; sizes are checked before anything is
// allocated.

import { fail } from '../../base/fail.js';
import {
  resolveSetting,
  settingForm,
  type Setting,
  type SettingGroup,
  type SettingValues,
} from '../../base/settings.js';
import { decimalText, formatRateBps } from '../../base/units.js';
import { maxLinks, maxNodes, type Fabric } from '../fabric.js';

/**
 * Resolved parameters of a family: bits per second, picoseconds, numbers, flags and words, under the settings' keys.
 */
export type ParameterValues = Readonly<Record<string, number | boolean | string>>;

/** Parameters that do not fit; the caller knows where they were given. */
export interface ParameterProblem {
  /** key of the parameter, or null if it is the whole that does not fit */
  readonly parameter: string | null;
  /** stable kebab-case name of the kind of mistake */
  readonly code: string;
  readonly message: string;
  readonly got?: string;
  readonly wanted?: string;
  readonly hint?: string;
}

/** How many nodes and links parameters would make. */
export interface FabricSize {
  readonly nodes: number;
  readonly links: number;
}

export interface FabricFamily {
  /** the name in commands and scenarios, lower case */
  readonly name: string;
  /** other names, lower case, each with the parameters that it implies: SimAI's names for variants */
  readonly otherNames: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** one line for people */
  readonly description: string;
  readonly settings: SettingGroup;
  /** the short names of SimAI's generator, each with the key that it stands for */
  readonly aliases: Readonly<Record<string, string>>;
  /** defaults that differ from the settings' own because of other parameters that were given */
  readonly impliedDefaults: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** what does not fit together; empty if the fabric can be generated */
  readonly check: (values: ParameterValues) => ParameterProblem[];
  /** what is worth a warning, of parameters whose check was empty; `given` by the user, under the settings' keys */
  readonly remarks: (values: ParameterValues, given: Readonly<Record<string, unknown>>) => ParameterProblem[];
  /** The fabric. @throws InvariantError if `check` was not empty */
  readonly generate: (values: ParameterValues) => Fabric;
  /** name of the file that it is written to by default */
  readonly fileName: (values: ParameterValues) => string;
}

/** A family before its types are erased. */
export interface FamilyDefinition<G extends SettingGroup> {
  readonly name: string;
  readonly otherNames?: FabricFamily['otherNames'];
  readonly description: string;
  readonly settings: G;
  readonly aliases?: Readonly<Record<string, keyof G & string>>;
  readonly impliedDefaults?: FabricFamily['impliedDefaults'];
  readonly size: (values: SettingValues<G>) => FabricSize;
  readonly check: (values: SettingValues<G>) => ParameterProblem[];
  readonly remarks?: (values: SettingValues<G>, given: Readonly<Record<string, unknown>>) => ParameterProblem[];
  readonly generate: (values: SettingValues<G>) => Fabric;
  readonly fileName: (values: SettingValues<G>) => string;
}

/** Completes a family: adds the checks that all families share. */
export function defineFamily<const G extends SettingGroup>(definition: FamilyDefinition<G>): FabricFamily {
  const { name, otherNames = {}, description, settings, aliases = {}, impliedDefaults = () => ({}) } = definition;
  const check = (values: ParameterValues): ParameterProblem[] => {
    const typed = values as SettingValues<G>;
    const problems = [...checkRates(settings, values), ...definition.check(typed)];
    return problems.length > 0 ? problems : checkSize(definition.size(typed));
  };
  return {
    name,
    otherNames,
    description,
    settings,
    aliases: aliases as Record<string, string>,
    impliedDefaults,
    check,
    remarks: (values, given) => definition.remarks?.(values as SettingValues<G>, given) ?? [],
    generate: (values) => {
      const [problem] = check(values);
      if (problem !== undefined) fail(`${name} generated with unchecked parameters: ${problem.message}`);
      return definition.generate(values as SettingValues<G>);
    },
    fileName: (values) => definition.fileName(values as SettingValues<G>),
  };
}

/** Rates below 1 bit/s resolve, but no topology file may hold them. */
function checkRates(settings: SettingGroup, values: ParameterValues): ParameterProblem[] {
  return Object.entries(settings)
    .filter(
      ([key, setting]) =>
        setting.kind === 'rate' &&
        !((values[key] as number) >= 1 && (values[key] as number) <= Number.MAX_SAFE_INTEGER),
    )
    .map(([key, setting]) => ({
      parameter: key,
      code: 'bad-parameter',
      message: 'the rate is out of range',
      got: formatRateBps(values[key] as number),
      wanted: `${settingForm(setting)} (1bps to 9000Tbps)`,
    }));
}

function checkSize({ nodes, links }: FabricSize): ParameterProblem[] {
  if (nodes <= maxNodes && links <= maxLinks) return [];
  return [
    {
      parameter: null,
      code: 'too-large',
      message: 'the fabric would be larger than Weft can hold',
      got: `${nodes} nodes, ${links} links`,
      wanted: `at most ${maxNodes} nodes and ${maxLinks} links`,
    },
  ];
}

/**
 * The values of all parameters of a family, from those that were given.
 * @param given parameters as a scenario or a command line gives them (text, number, boolean) under the settings' keys;
 * undefined = not given
 * @returns the values, with what is worth a warning; or null with what is wrong with them
 */
export function resolveParameters(
  family: FabricFamily,
  given: Readonly<Record<string, unknown>>,
): { values: ParameterValues | null; problems: ParameterProblem[]; remarks: ParameterProblem[] } {
  const problems: ParameterProblem[] = [];
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  for (const key of Object.keys(present)) {
    if (!Object.hasOwn(family.settings, key))
      problems.push({
        parameter: key,
        code: 'unknown-parameter',
        message: `${family.name} has no parameter ${key}`,
        wanted: `one of ${Object.keys(family.settings).join(', ')}`,
      });
  }
  const raw: Record<string, unknown> = { ...family.impliedDefaults(present), ...present };
  const values: Record<string, number | boolean | string> = {};
  for (const [key, setting] of Object.entries(family.settings)) {
    const value = resolveLoosely(setting, Object.hasOwn(raw, key) ? raw[key] : setting.default);
    if (value === null)
      problems.push({
        parameter: key,
        code: 'bad-parameter',
        message: 'the parameter has no usable value',
        got: String(raw[key]),
        wanted: settingForm(setting),
      });
    else values[key] = value;
  }
  if (problems.length === 0) problems.push(...family.check(values));
  return problems.length === 0
    ? { values, problems, remarks: family.remarks(values, present) }
    : { values: null, problems, remarks: [] };
}

/** As resolveSetting, but the words of a choice are accepted in any case. */
function resolveLoosely(setting: Setting, value: unknown): number | boolean | string | null {
  if (setting.kind !== 'choice' || typeof value !== 'string') {
    const resolved = resolveSetting(setting, value);
    // no parameter of a family is a list
    return typeof resolved === 'object' ? null : resolved;
  }
  return setting.choices.find((word) => word.toLowerCase() === value.toLowerCase()) ?? null;
}

/** A rate as file names hold it: always in Gbps. */
export function rateName(rateBps: number): string {
  return `${decimalText(Math.round(rateBps), 9)}Gbps`;
}
