// What is wrong with the value of one setting, in words. The rule is resolveSetting (base/settings.ts): a value is
// wrong exactly if it resolves to null; this file only finds out why, for the message.

import { type NamesSetting, resolveSetting, settingForm, type Setting } from '../../base/settings.js';
import { sizeText } from '../../base/quantity-text.js';
import { nearest, quantityHint } from '../suggest.js';

export interface SettingProblem {
  readonly code: string;
  /** continues a sentence that begins with the setting's name */
  readonly message: string;
  readonly wanted?: string;
  readonly hint?: string;
}

/** The units of each kind of quantity, as they are written. */
export const units = {
  time: ['ps', 'ns', 'us', 'ms', 's', 'min', 'h'],
  rate: ['bps', 'kbps', 'Mbps', 'Gbps', 'Tbps', 'GB/s'],
  size: ['B', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB'],
} as const;
const unitExamples = { time: 'us', rate: 'Gbps', size: 'MiB' } as const;
const kindNames = {
  time: 'a time',
  rate: 'a rate',
  size: 'a size',
  fraction: 'a number',
  count: 'a whole number',
  flag: 'true or false',
  choice: 'a known choice',
  names: 'such a list',
} as const;

const numeric = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const withUnit = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(\D.*)$/;

/**
 * Why a value does not do for a setting.
 * @param value as written: text, number, flag, null, list or block; undefined if it is missing
 * @returns null if it does
 */
export function settingProblem(setting: Setting, value: unknown): SettingProblem | null {
  const wanted = wantedForm(setting);
  if (value === undefined) return { code: 'scenario-missing', message: 'is missing', wanted };
  if (value === null)
    return { code: 'scenario-null', message: 'has no value', wanted, hint: 'leave the line out to get the default' };
  if (setting.kind === 'names')
    return resolveSetting(setting, value) === null ? namesProblem(setting, value, wanted) : null;
  if (typeof value === 'object')
    return {
      code: 'scenario-type',
      message: `is ${Array.isArray(value) ? 'a list' : 'a block'}, not a single value`,
      wanted,
    };
  if (resolveSetting(setting, value) !== null) return null;
  const text = String(value).trim();
  if (typeof value !== 'boolean') {
    if (/^-[\d.]/.test(text)) return { code: 'scenario-negative', message: 'is negative', wanted };
    const problem =
      setting.kind === 'time' || setting.kind === 'rate' || setting.kind === 'size'
        ? quantityProblem(setting, text, wanted)
        : null;
    if (problem !== null) return problem;
    const share = setting.kind === 'fraction' ? percentShare(setting, text) : null;
    if (share !== null)
      return { code: 'scenario-value', message: 'is not a number', wanted, hint: `as a share: ${share}` };
    if ((setting.kind === 'count' || setting.kind === 'fraction') && numeric.test(text))
      return {
        code: 'scenario-range',
        message:
          setting.kind === 'count' && !Number.isInteger(Number(text)) ? 'is not a whole number' : 'is out of range',
        wanted,
      };
  }
  const words = setting.kind === 'choice' ? setting.choices : 'words' in setting ? setting.words : undefined;
  const near = words === undefined ? null : nearest(text, words);
  return {
    code: 'scenario-value',
    message: `is not ${kindNames[setting.kind]}`,
    wanted,
    ...(near === null ? {} : { hint: `did you mean ${near}?` }),
  };
}

/** What is wrong with a list of words: no list, a word that is not known, a word twice. */
function namesProblem({ choices }: NamesSetting, value: unknown, wanted: string): SettingProblem {
  if (!Array.isArray(value))
    return { code: 'scenario-type', message: 'is not a list', wanted, hint: `for example [${choices[0] ?? ''}]` };
  const unknown = (value as unknown[]).find((word) => !choices.includes(word as string));
  if (unknown === undefined) return { code: 'scenario-value', message: 'names something twice', wanted };
  const near = typeof unknown === 'string' ? nearest(unknown, choices) : null;
  return {
    code: 'scenario-value',
    message: `has an item that is not known: ${typeof unknown === 'string' ? unknown : JSON.stringify(unknown)}`,
    wanted,
    ...(near === null ? {} : { hint: `did you mean ${near}?` }),
  };
}

/** settingForm, but limits of sizes in units. */
function wantedForm(setting: Setting): string {
  if (setting.kind !== 'size') return settingForm(setting);
  const { minimum = 0, maximum } = setting;
  const limits =
    maximum === undefined
      ? minimum === 0
        ? ''
        : ` (at least ${sizeText(minimum)})`
      : ` (${sizeText(minimum)} to ${sizeText(maximum)})`;
  return `${setting.words === undefined ? '' : `${setting.words.join(', ')}, or `}a size, such as 9000B or 32MiB${limits}`;
}

/** The value with a unit, if a unit is all that it lacks; null otherwise. */
export function missingUnit(setting: Setting, text: string): string | null {
  if ((setting.kind !== 'time' && setting.kind !== 'rate') || !numeric.test(text.trim())) return null;
  const complete = `${text.trim()}${unitExamples[setting.kind]}`;
  return resolveSetting(setting, complete) === null ? null : complete;
}

/** `5%` as the share that a setting takes, `0.05`; null if it is no percentage, or none that the setting takes. */
function percentShare(setting: Setting, text: string): string | null {
  const match = /^(\d{1,3}(?:\.\d{1,10})?)\s*%$/.exec(text);
  if (match === null) return null;
  const share = String(Number((Number(match[1]) / 100).toPrecision(12)));
  return resolveSetting(setting, share) === null ? null : share;
}

/** Unit missing, unknown or misspelt, or the value out of range. */
function quantityProblem(
  setting: Setting & { kind: 'time' | 'rate' | 'size' },
  text: string,
  wanted: string,
): SettingProblem | null {
  const { kind } = setting;
  const known: readonly string[] = units[kind];
  if (numeric.test(text)) {
    if (kind === 'size')
      return {
        code: 'scenario-range',
        message: Number.isInteger(Number(text)) ? 'is out of range' : 'is not a whole number of bytes',
        wanted,
      };
    const complete = missingUnit(setting, text);
    return {
      code: 'scenario-unit-missing',
      message: 'has no unit',
      wanted: `${kindNames[kind]} with one of the units ${known.join(', ')}`,
      ...(complete === null ? {} : { hint: `for example ${complete}` }),
    };
  }
  const match = withUnit.exec(text);
  if (match === null) return null;
  const [, number, unit] = match as unknown as [string, string, string];
  if (resolveSetting({ kind, default: '', description: '' }, `1${unit}`) === null) {
    const hint = quantityHint(kind, number, unit, known);
    return {
      code: 'scenario-unit-unknown',
      message: 'has an unknown unit',
      wanted: `${kindNames[kind]} with one of the units ${known.join(', ')}`,
      ...(hint === null ? {} : { hint }),
    };
  }
  return { code: 'scenario-range', message: 'is out of range', wanted };
}
