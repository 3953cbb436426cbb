// A catalogue of settings: for each, what it means, its kind and unit, its default and its limits. One catalogue feeds
// the scenario schema, the command line's options, the documentation and the resolved values that the code reads;
// nothing is written twice.

import { fail } from './fail.js';
import { parseRateBps, parseSizeBytes, parseTimePs } from './units.js';

interface SettingText {
  /** one line for people: what it does, and where the default comes from */
  readonly description: string;
}

/** Resolved to whole picoseconds, or to `auto`. */
export interface TimeSetting extends SettingText {
  readonly kind: 'time';
  readonly default: string;
  /** zero is refused */ readonly positive?: boolean;
  /** the word `auto` may stand for a time; whoever reads the value derives one */ readonly orAuto?: boolean;
}
/** Resolved to bytes, or to one of its words. */
interface SizeSetting extends SettingText {
  readonly kind: 'size';
  readonly default: string;
  /** words that may stand for a size; whoever reads the value knows what they mean */
  readonly words?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}
/** Resolved to bits per second, or to `auto`. */
export interface RateSetting extends SettingText {
  readonly kind: 'rate';
  readonly default: string;
  /** the word `auto` may stand for a rate; whoever reads the value derives one */ readonly orAuto?: boolean;
}
/** A number from minimum (0) to maximum (1), or one of its words. */
export interface FractionSetting extends SettingText {
  readonly kind: 'fraction';
  readonly default: number | string;
  /** words that may stand for a number; whoever reads the value knows what they mean */
  readonly words?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}
/** A whole number. */
export interface CountSetting extends SettingText {
  readonly kind: 'count';
  readonly default: number | 'auto';
  readonly minimum: number;
  readonly maximum: number;
  /** the word `auto` may stand for a number; whoever reads the value derives one */
  readonly orAuto?: boolean;
  /** the name of a node may stand for its id, or that of a host for its rank; whoever has the fabric replaces it */
  readonly names?: 'node' | 'rank';
}
export interface FlagSetting extends SettingText {
  readonly kind: 'flag';
  readonly default: boolean;
}
export interface ChoiceSetting<T extends string = string> extends SettingText {
  readonly kind: 'choice';
  readonly default: NoInfer<T>;
  readonly choices: readonly T[];
  /** what kind of YAML file may be named in place of a word; left out: none may */
  readonly orFile?: string;
}

/** A list of different words, which may be empty. */
export interface NamesSetting extends SettingText {
  readonly kind: 'names';
  readonly default: readonly string[];
  readonly choices: readonly string[];
}

export type Setting =
  | TimeSetting
  | SizeSetting
  | RateSetting
  | FractionSetting
  | CountSetting
  | FlagSetting
  | ChoiceSetting
  | NamesSetting;

export type SettingGroup = Readonly<Record<string, Setting>>;

/** A resolved value: picoseconds, bytes, bits per second, a number, a flag, a word (`auto`, too) or a list of words. */
export type PlainValue = number | boolean | string | readonly string[];

/** The resolved value of a setting of a kind. */
export type SettingValue<S extends Setting> = S extends { kind: 'flag' }
  ? boolean
  : S extends { kind: 'names' }
    ? readonly string[]
    : S extends ChoiceSetting<infer T>
      ? T
      : S extends { kind: 'time' | 'rate' | 'count'; orAuto: true }
        ? number | 'auto'
        : S extends { words: readonly (infer W)[] }
          ? number | W
          : number;

export type SettingValues<G extends SettingGroup> = { -readonly [K in keyof G]: SettingValue<G[K]> };

/** Resolved values of a group whose settings the type checker does not know. */
export type GroupValues = Readonly<Record<string, PlainValue>>;

/**
 * The values of one group among those of all groups, as its settings say; defaults if it is not among them.
 * @param all by name of the group, resolved by the same settings
 */
export function valuesOfGroup<G extends SettingGroup>(
  all: Readonly<Record<string, GroupValues>>,
  name: string,
  group: G,
): SettingValues<G> {
  return { ...settingDefaults(group), ...(Object.hasOwn(all, name) ? all[name] : {}) };
}

/** A choice whose words the type checker knows. */
export function choice<const T extends string>(
  choices: readonly T[],
  defaultChoice: NoInfer<T>,
  description: string,
): ChoiceSetting<T> {
  return { kind: 'choice', choices, default: defaultChoice, description };
}

type Given<S extends Setting> = Omit<S, 'kind' | 'default' | 'description'>;

/** A time. @param preset its default */
export function time<const O extends Given<TimeSetting>>(preset: string, description: string, given?: O) {
  return { kind: 'time', default: preset, description, ...(given as O) } as const;
}

/** A size. @param preset its default */
export function size<const O extends Given<SizeSetting>>(preset: string, description: string, given?: O) {
  return { kind: 'size', default: preset, description, ...(given as O) } as const;
}

/** A rate. @param preset its default */
export function rate<const O extends Given<RateSetting>>(preset: string, description: string, given?: O) {
  return { kind: 'rate', default: preset, description, ...(given as O) } as const;
}

/** A number. @param preset its default */
export function fraction<const O extends Given<FractionSetting>>(
  preset: number | string,
  description: string,
  given?: O,
) {
  return { kind: 'fraction', default: preset, description, ...(given as O) } as const;
}

/** A whole number. @param preset its default */
export function count<const D extends number | 'auto', const O extends Given<CountSetting>>(
  preset: D,
  description: string,
  given: O,
) {
  return { kind: 'count', default: preset, description, ...given } as const;
}

/** True or false. @param preset its default */
export function flag(preset: boolean, description: string): FlagSetting {
  return { kind: 'flag', default: preset, description };
}

/** What a setting of this kind looks like, for messages and documentation. */
export function settingForm(setting: Setting): string {
  switch (setting.kind) {
    case 'time':
      return `${orAuto(setting)}a time with a unit, such as 500ns or 4us${setting.positive === true ? ', above 0' : ''}`;
    case 'rate':
      return `${orAuto(setting)}a rate with a unit, such as 100Gbps`;
    case 'size':
      return `${setting.words === undefined ? '' : `${setting.words.join(', ')}, or `}a size, such as 9000B or 32MiB${limits(setting)}`;
    case 'fraction':
      return `${setting.words === undefined ? '' : `${setting.words.join(', ')}, or `}a number from ${setting.minimum ?? 0} to ${setting.maximum ?? 1}`;
    case 'count':
      return setting.names === undefined
        ? `${setting.orAuto === true ? 'auto, or ' : ''}a whole number from ${setting.minimum} to ${setting.maximum}`
        : `a whole number, or a name such as ${setting.names === 'rank' ? 'host[3] or server[0].gpu[3]' : 'host[3] or spine[0]'}`;
    case 'flag':
      return 'true or false';
    case 'choice':
      return `one of ${setting.choices.join(', ')}${setting.orFile === undefined ? '' : `, or ${setting.orFile} (.yaml)`}`;
    case 'names':
      return `a list of some of ${setting.choices.join(', ')}, or []`;
  }
}

function orAuto(setting: TimeSetting | RateSetting): string {
  return setting.orAuto === true ? 'auto, or ' : '';
}

function limits(setting: SizeSetting): string {
  if (setting.minimum === undefined && setting.maximum === undefined) return '';
  return ` (${setting.minimum ?? 0} B to ${setting.maximum ?? Number.MAX_SAFE_INTEGER} B)`;
}

/**
 * The resolved value of a setting as a scenario or a command line gives it (text, number or boolean).
 * @returns picoseconds, bytes, bit/s, number, flag or word; null if the value is not of the setting's form
 */
export function resolveSetting<S extends Setting>(setting: S, value: unknown): SettingValue<S> | null {
  return resolve(setting, value) as SettingValue<S> | null;
}

function resolve(setting: Setting, value: unknown): PlainValue | null {
  switch (setting.kind) {
    case 'time': {
      if (value === 'auto' && setting.orAuto === true) return value;
      const timePs = typeof value === 'string' ? parseTimePs(value) : value === 0 ? 0 : null;
      return timePs === 0 && setting.positive === true ? null : timePs;
    }
    case 'rate': {
      if (value === 'auto' && setting.orAuto === true) return value;
      const rateBps = typeof value === 'string' ? parseRateBps(value) : null;
      return rateBps !== null && rateBps > 0 ? rateBps : null;
    }
    case 'size': {
      if (typeof value === 'string' && setting.words?.includes(value) === true) return value;
      const sizeBytes =
        typeof value === 'number'
          ? Number.isSafeInteger(value) && value >= 0
            ? value
            : null
          : typeof value === 'string'
            ? parseSizeBytes(value)
            : null;
      return within(sizeBytes, setting.minimum ?? 0, setting.maximum ?? Number.MAX_SAFE_INTEGER);
    }
    case 'fraction':
      if (typeof value === 'string' && setting.words?.includes(value) === true) return value;
      return within(asNumber(value), setting.minimum ?? 0, setting.maximum ?? 1);
    case 'count': {
      if (value === 'auto' && setting.orAuto === true) return value;
      const count = within(asNumber(value), setting.minimum, setting.maximum);
      return Number.isInteger(count) ? count : null;
    }
    case 'flag':
      return typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : null;
    case 'choice':
      return typeof value === 'string' &&
        (setting.choices.includes(value) || (setting.orFile !== undefined && isYamlPath(value)))
        ? value
        : null;
    case 'names':
      return isListOf(setting.choices, value) ? value : null;
  }
}

/** Longest path that a setting may name. */
const longestPath = 1000;

function isYamlPath(text: string): boolean {
  return text.length <= longestPath && /[^/]\.ya?ml$/i.test(text);
}

function isListOf(choices: readonly string[], value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => choices.includes(word)) && new Set(value).size === value.length;
}

function asNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value.trim())) return Number(value);
  return null;
}

function within(value: number | null, minimum: number, maximum: number): number | null {
  return value !== null && value >= minimum && value <= maximum ? value : null;
}

/** The default values of a group, resolved. */
export function settingDefaults<G extends SettingGroup>(group: G): SettingValues<G> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(group)) {
    const value = resolveSetting(setting, setting.default);
    if (value === null) fail(`default of setting ${name} is not ${settingForm(setting)}: ${String(setting.default)}`);
    values[name] = value;
  }
  return values as SettingValues<G>;
}
