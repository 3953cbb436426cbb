// Settings as zod schemas: each checks a value with the rule of base/settings.ts and carries its JSON Schema.
// Invariant: a value passes here exactly if resolveSetting accepts it, or it has the form of a node's name where one
// may stand; node-references.ts writes the number in its place.

import * as z from 'zod';
import type { Setting, SettingGroup } from '../../base/settings.js';
import { settingProblem, type SettingProblem } from './setting-problem.js';

const timePattern = String.raw`^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*(ps|ns|us|µs|ms|s|min|h)\s*$`;
const ratePattern = String.raw`^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*[kKMGT]?(b|bit|B)(ps|/s)\s*$`;
const sizePattern = String.raw`^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*([kKMGT]?B|[KMGT]iB)?\s*$`;

/** A pattern, or the word auto. */
const orAuto = (pattern: string): string => `^auto$|${pattern}`;

/** The JSON Schema of a setting's value, without description and default. */
function jsonForm(setting: Setting): Record<string, unknown> {
  switch (setting.kind) {
    case 'time':
      return {
        type: 'string',
        pattern: setting.orAuto === true ? orAuto(timePattern) : timePattern,
        examples: [...(setting.orAuto === true ? ['auto'] : []), '500ns', '4us', '1.5ms'],
      };
    case 'rate':
      return {
        type: 'string',
        pattern: setting.orAuto === true ? orAuto(ratePattern) : ratePattern,
        examples: [...(setting.orAuto === true ? ['auto'] : []), '100Gbps', '400Gbps', '50MB/s'],
      };
    case 'size':
      return {
        type: ['string', 'integer'],
        pattern: setting.words === undefined ? sizePattern : `^(${setting.words.join('|')})$|${sizePattern}`,
        minimum: setting.minimum ?? 0,
        ...(setting.maximum === undefined ? {} : { maximum: setting.maximum }),
        examples: [...(setting.words ?? []), '9000B', '10MiB', 1048576],
      };
    case 'fraction':
      return {
        type: setting.words === undefined ? 'number' : ['number', 'string'],
        ...(setting.words === undefined ? {} : { pattern: `^(${setting.words.join('|')})$` }),
        minimum: setting.minimum ?? 0,
        maximum: setting.maximum ?? 1,
      };
    case 'count':
      if (setting.orAuto === true)
        return {
          type: ['integer', 'string'],
          minimum: setting.minimum,
          maximum: setting.maximum,
          pattern: orAuto(String.raw`^\s*\d+\s*$`),
          examples: ['auto', setting.minimum],
        };
      return setting.names === undefined
        ? { type: 'integer', minimum: setting.minimum, maximum: setting.maximum }
        : {
            type: ['integer', 'string'],
            minimum: setting.minimum,
            maximum: setting.maximum,
            minLength: 1,
            examples: [3, 'host[3]', 'node000 HCA-1', 'lid 12'],
          };
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return setting.orFile === undefined
        ? { type: 'string', enum: setting.choices }
        : { anyOf: [{ enum: setting.choices }, { type: 'string', pattern: String.raw`\.[yY][aA]?[mM][lL]$` }] };
    case 'names':
      return { type: 'array', items: { type: 'string', enum: setting.choices }, uniqueItems: true };
  }
}

/** A value that a function checks. @param json its JSON Schema */
export function checked(
  problemOf: (value: unknown) => SettingProblem | null,
  json: Record<string, unknown>,
): z.ZodType {
  return z
    .unknown()
    .check(({ value, issues }) => {
      const problem = problemOf(value);
      if (problem !== null)
        issues.push({ code: 'custom', input: value, message: problem.message, params: { ...problem } });
    })
    .meta(json);
}

/**
 * Whether a value that is no number of a node may be a name, or a GUID, which YAML takes for a number without quotes:
 * the fabric decides (node-references.ts).
 */
function mayBeName(value: unknown, { code }: SettingProblem): boolean {
  if (typeof value === 'string') return code === 'scenario-value' && value.trim() !== '';
  return typeof value === 'number' && value >= 2 ** 31;
}

/** A setting with its default; or a required one, which has none. */
export function leaf(setting: Setting, required = false): z.ZodType {
  const json = {
    ...jsonForm(setting),
    description: setting.description,
    ...(required ? {} : { default: setting.default }),
  };
  const mayName = setting.kind === 'count' && setting.names !== undefined;
  const schema = checked((value) => {
    const problem = settingProblem(setting, value);
    return mayName && problem !== null && mayBeName(value, problem) ? null : problem;
  }, json);
  return required ? schema : schema.optional();
}

/** A list of hosts or ranks, such as 0-63 or 1,9,17: as long as one that names every host of a large machine. */
export function hostList(description: string, wanted: string): z.ZodType {
  return word(description, wanted, 250_000);
}

/** Text that is not empty. @param wanted its form, for messages @param longest characters that it may have */
export function word(description: string, wanted: string, longest = 1000): z.ZodType {
  return checked(
    (value) => {
      if (value === undefined) return { code: 'scenario-missing', message: 'is missing', wanted };
      if (value === null) return { code: 'scenario-null', message: 'has no value', wanted };
      if (typeof value !== 'string')
        return {
          code: 'scenario-type',
          message: 'is not text',
          wanted,
          ...(typeof value === 'object' ? {} : { hint: `put it in quotes: "${String(value)}"` }),
        };
      if (value.trim() === '' || value.length > longest)
        return {
          code: 'scenario-value',
          message: value.length > longest ? `is longer than ${longest} characters` : 'is empty',
          wanted,
        };
      return null;
    },
    { type: 'string', minLength: 1, description },
  );
}

/** The settings of a group. @param required those that have no default */
export function leaves(group: SettingGroup, required: readonly string[] = []): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(group).map(([name, setting]) => [name, leaf(setting, required.includes(name))]),
  );
}

/**
 * The settings of a group in which what is left out means that it does not happen.
 * @param required those that may not be left out
 */
export function leavesWithoutDefault(group: SettingGroup, required: readonly string[] = []): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(group).map(([name, setting]) => [
      name,
      required.includes(name) ? leaf(setting, true) : leaf(setting, true).optional(),
    ]),
  );
}
