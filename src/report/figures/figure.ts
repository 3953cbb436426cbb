// The kit of which catalogues of figures are made: for each figure its key, unit, reader and sentence, what people call
// it, and whether less of it is better. JSON, text, headlines of pages, columns of sweeps and the documents follow from
// the entries; nothing of a figure is written twice.
// Invariants: keys stand in the order of the catalogue; a reader gives values in the unit of its entry; null is a
// figure that there could be and is not, undefined one that does not belong to this run.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../../base/units.js';
import { grouped, labelled } from '../text-style.js';

/** What a figure is counted in; null: it is no number. Times are nanoseconds, as all times of JSON. */
export type FigureUnit =
  | 'ns'
  | 'us'
  | 's'
  | 'B'
  | 'B/s'
  | 'GB/s'
  | 'bit/s'
  | 'W'
  | 'currency'
  | 'traffic'
  | '1'
  | 'node'
  | 'rank'
  | null;

/** How people meet a figure. */
export interface FigureLook<Of, Value> {
  /** what people call it: on pages, in sweeps and in texts; left out: scripts alone read it */
  readonly label?: string;
  /** left out: neither less nor more is better */
  readonly lessIsBetter?: boolean;
  /** headline: stands large above all · first: people look for it before others · left out: as it comes */
  readonly prominence?: 'headline' | 'first';
  /** pages leave it out where it is 0: a healthy run has none */
  readonly hidesZero?: boolean;
  /** whether it has a meaning in the object around it, as JSON has that; left out: always */
  readonly isKnown?: (around: { readonly finished?: unknown }) => boolean;
  /** figure: equal runs have equal ones · cost: a clock's or machine's · name: tells what ran */
  readonly role?: 'figure' | 'cost' | 'name';
  /** lines of a report, under a label: one text, several, or null where nothing is to be said */
  readonly said?: readonly [label: string, lines: (value: Value, of: Of) => string | readonly string[] | null];
  /**
   * its column in a table of text: head, how wide it is, and its cells; without them the amount in its unit, `-` for null
   */
  readonly column?: readonly [head: string, columns: number, cell?: (value: Value, of: Of) => string];
}

/** An entry of a catalogue, of whatever has the figure. */
export interface FigureEntry<in Of> {
  readonly key: string;
  readonly unit: FigureUnit;
  /** whether all its values are whole numbers */
  readonly isWhole: boolean;
  /** one sentence in Markdown for the documents; '': the entry around it says it */
  readonly says: string;
  readonly look: Omit<FigureLook<never, never>, 'said' | 'column'>;
  readonly column: {
    readonly head: string;
    readonly columns: number;
    readonly cell: (of: Of) => string;
  } | null;
  /** object: figures below it by key · list: objects of them · names: figures whose keys are names */
  readonly form: 'value' | 'object' | 'list' | 'names';
  readonly entries: readonly FigureEntry<never>[];
  /** what JSON has; undefined: the key is left out */
  readonly json: (of: Of) => unknown;
  /** what a report says of it and of the figures below it */
  readonly lines: (of: Of, indent: number) => readonly string[];
}

function entry<Of, Value>(
  form: FigureEntry<Of>['form'],
  [key, unit, isWhole]: readonly [string, FigureUnit, boolean],
  read: (of: Of) => Value,
  says: string,
  look: FigureLook<Of, Value>,
): FigureEntry<Of> {
  const { said, column } = look;
  const amount = (value: unknown): string => (typeof value === 'number' ? textInUnit(unit, value) : '-');
  return {
    form,
    key,
    unit,
    isWhole,
    says,
    look,
    entries: [],
    json: read,
    column:
      column === undefined
        ? null
        : { head: column[0], columns: column[1], cell: (of) => (column[2] ?? amount)(read(of), of) },
    lines: (of, indent) => {
      const lines = said?.[1](read(of), of) ?? [];
      return (typeof lines === 'string' ? [lines] : lines).flatMap((line, i) =>
        labelled(i === 0 ? said![0] : '', line, indent),
      );
    },
  };
}

/** Makes an entry: of the property that has its key, or of what a reader gives. */
interface Made {
  <Key extends string>(
    key: Key,
    says?: string,
    look?: FigureLook<never, number | null | undefined>,
  ): FigureEntry<Readonly<Record<Key, number | null>>>;
  <Of>(
    key: string,
    read: (of: Of) => number | null | undefined,
    says?: string,
    look?: FigureLook<Of, number | null | undefined>,
  ): FigureEntry<Of>;
}

type Reader = (of: never) => number | null | undefined;
type Look = FigureLook<never, number | null | undefined>;

function numbers(unit: FigureUnit, isWhole: boolean): Made {
  function make(
    key: string,
    read: Reader | string = '',
    says: string | Look = '',
    look: Look = {},
  ): FigureEntry<never> {
    const spec = [key, unit, isWhole] as const;
    return typeof read === 'string'
      ? entry('value', spec, propertyReader<number | null>(key), read, says === '' ? {} : (says as Look))
      : entry('value', spec, read, says as string, look);
  }
  return make as Made;
}

function propertyReader<Value>(key: string): (of: Readonly<Record<string, Value>>) => Value {
  return (of) => of[key]!;
}

/** A whole number of things. */
export const whole = numbers('1', true);
/** A number that is no count: a ratio, or a share of 1. */
export const ratio = numbers('1', false);
export const bytes = numbers('B', true);
export const rateBps = numbers('bit/s', false);
export const timeNs = numbers('ns', false);
export const timeSeconds = numbers('s', false);
export const timeUs = numbers('us', false);
export const rateGBps = numbers('GB/s', false);
/** An amount of money. */
export const money = numbers('currency', false);
/** An amount of traffic on a link, in the unit of its matrix. */
export const load = numbers('traffic', false);
/** The number of a node. */
export const node = numbers('node', true);
/** The number of a rank. */
export const rank = numbers('rank', true);

/** A time of so many picoseconds, which JSON has in nanoseconds: `startNs` of `startPs`, or of what a reader gives. */
export function timePs<Key extends string>(
  key: `${Key}Ns`,
  says?: string,
): FigureEntry<Readonly<Record<`${Key}Ps`, number | null>>>;
export function timePs<Of>(
  key: string,
  readPs: (of: Of) => number | null | undefined,
  says?: string,
  look?: FigureLook<Of, number | null | undefined>,
): FigureEntry<Of>;
export function timePs(
  key: string,
  read: ((of: never) => number | null | undefined) | string = '',
  says = '',
  look: FigureLook<never, number | null | undefined> = {},
): FigureEntry<never> {
  const [readPs, text] =
    typeof read === 'string' ? [propertyReader<number | null>(`${key.slice(0, -2)}Ps`), read] : [read, says];
  const readNs = (of: never): number | null | undefined => {
    const value = readPs(of);
    return typeof value === 'number' ? value / 1000 : value;
  };
  return entry('value', [key, 'ns', false], readNs, text, look);
}

/** A word, a flag, or an object that is what it is. */
export function plain<Key extends string>(key: Key, says?: string): FigureEntry<Readonly<Record<Key, unknown>>>;
export function plain<Of, Value>(
  key: string,
  read: (of: Of) => Value,
  says?: string,
  look?: FigureLook<Of, Value>,
): FigureEntry<Of>;
export function plain(
  key: string,
  read: ((of: never) => unknown) | string = '',
  says = '',
  look: FigureLook<never, unknown> = {},
): FigureEntry<never> {
  return typeof read === 'string'
    ? entry<never, unknown>('value', [key, null, false], propertyReader(key), read, look)
    : entry('value', [key, null, false], read, says, look);
}

/** The object of some figures. */
export function figuresObject<Of>(entries: readonly FigureEntry<Of>[], of: Of): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const { key, json } of entries) {
    const value = json(of);
    if (value !== undefined) object[key] = value;
  }
  return object;
}

/** What all of some entries can read. */
type ReadBy<Entries extends readonly FigureEntry<never>[]> = [Entries[number]] extends [FigureEntry<infer Of>]
  ? Of
  : never;

/** Figures under one key: null or left out, as its reader says, where there are none. */
export function group<Of, const Entries extends readonly FigureEntry<never>[], Part extends ReadBy<Entries>>(
  key: string,
  read: (of: Of) => Part | null | undefined,
  entries: Entries,
  says = '',
  look: FigureLook<Of, Part> = {},
): FigureEntry<Of> {
  const own = entry<Of, Part>('object', [key, null, false], (of) => read(of)!, says, look);
  const below = entries as unknown as readonly FigureEntry<Part>[];
  return {
    ...own,
    entries,
    json: (of) => {
      const part = read(of);
      return part === null || part === undefined ? part : figuresObject(below, part);
    },
    lines: (of, indent) => {
      const part = read(of);
      if (part === null || part === undefined) return [];
      return [...figureLines(below, part, indent), ...own.lines(of, indent)];
    },
  };
}

/** Figures of a part as those of the whole: null where there is no such part. Reports say nothing of them. */
export function ofPart<Of, Part>(
  read: (of: Of) => Part | null,
  entries: readonly FigureEntry<Part>[],
): FigureEntry<Of>[] {
  return entries.map(({ json, column, ...same }) => ({
    ...same,
    json: (of) => ifPart(read(of), json, null),
    column: column === null ? null : { ...column, cell: (of) => ifPart(read(of), column.cell, '-') },
    lines: () => [],
  }));
}

function ifPart<Part, Value>(part: Part | null, value: (part: Part) => Value, without: Value): Value {
  return part === null ? without : value(part);
}

/** A list of objects with the same figures. */
export function list<Of, const Entries extends readonly FigureEntry<never>[], Part extends ReadBy<Entries>>(
  key: string,
  read: (of: Of) => readonly Part[] | null | undefined,
  entries: Entries,
  says = '',
  look: FigureLook<Of, readonly Part[]> = {},
): FigureEntry<Of> {
  const own = entry<Of, readonly Part[]>('list', [key, null, false], (of) => read(of) ?? [], says, look);
  const below = entries as unknown as readonly FigureEntry<Part>[];
  return { ...own, entries, json: (of) => read(of)?.map((part) => figuresObject(below, part)) ?? read(of) };
}

/**
 * Numbers by names: those that the entries know, in whatever order they are read, and others, which `other` describes.
 */
export function byName<Of>(
  key: string,
  read: (of: Of) => Readonly<Record<string, number>>,
  entries: readonly FigureEntry<Readonly<Record<string, number>>>[],
  says: string,
  look: FigureLook<Of, Readonly<Record<string, number>>> = {},
): FigureEntry<Of> {
  const own = entry('names', [key, null, false], read, says, look);
  return {
    ...own,
    entries,
    lines: (of, indent) => [...own.lines(of, indent), ...figureLines(entries, read(of), indent)],
  };
}

/** The lines of a report on some figures, in their order. @param indent columns of the labels */
export function figureLines<Of>(entries: readonly FigureEntry<Of>[], of: Of, indent: number): string[] {
  return entries.flatMap(({ lines }) => lines(of, indent));
}

/** The table of text that some figures make of things. */
export interface FigureTable<Of> {
  readonly heads: readonly string[];
  readonly widths: readonly number[];
  readonly cells: (of: Of) => readonly string[];
}

/** The columns that figures have in a table of text. */
export function figureTable<Of>(entries: readonly FigureEntry<Of>[]): FigureTable<Of> {
  const columns = entries.flatMap(({ column }) => (column === null ? [] : [column]));
  return {
    heads: columns.map(({ head }) => head),
    widths: columns.map(({ columns: width }) => width),
    cells: (of) => columns.map(({ cell }) => cell(of)),
  };
}

/** What is known of a figure whose name no catalogue has: its unit, by the suffix that names of this project have. */
export function figureByName(name: string): FigureEntry<unknown> {
  const made = name.endsWith('Ns') ? timeNs : name.includes('Bytes') ? bytes : name.endsWith('Bps') ? rateBps : whole;
  return made(name, () => undefined);
}

/** An amount in its unit, as people read it. */
export function textInUnit(unit: FigureUnit, value: number): string {
  if (unit === 'ns') return formatTimePs(Math.round(value * 1000));
  if (unit === 'us') return formatTimePs(Math.round(value * 1e6));
  if (unit === 'GB/s') return `${Number(value.toPrecision(4))} GB/s`;
  if (unit === 'B') return formatSizeBytes(Math.round(value));
  if (unit === 'bit/s') return formatRateBps(value);
  if (unit === 's') return `${Number(value.toPrecision(3))} s`;
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(4)));
}
