// Differences that are meant, with their reasons: a YAML list of `{ case: PATTERN, figures: [PATTERN, …], reason: TEXT }`.
// The first pattern is the name of a case as the table prints it, the others the paths of the figures that may differ in
// it, all if left out; `*` stands for any text.

import { parse } from 'yaml';
import { z } from 'zod';
import type { Row } from './compare-outcomes.js';

export interface Expectation {
  readonly case: string;
  /** paths of the figures that may differ; left out: the case may also fail */
  readonly figures?: readonly string[] | undefined;
  readonly reason: string;
}

const schema = z.array(
  z.strictObject({
    case: z.string().min(1),
    figures: z.array(z.string().min(1)).min(1).optional(),
    reason: z.string().min(1),
  }),
);

/** Reads the list. @throws Error that names the file and what is wrong with it */
export function readExpectations(text: string, file: string): Expectation[] {
  const read = schema.safeParse(parse(text) ?? []);
  if (read.success) return read.data;
  const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
  throw new Error(
    `${file}: ${path.join('.') || 'the file'}: ${message}; wanted: a list of { case: …, figures: […], reason: … }`,
  );
}

/** Whether a row is one that has to be explained: not the same on both sides. */
export function isChange({ verdict }: Row): boolean {
  return verdict !== 'equal' && verdict !== 'refused by both';
}

/** The reason given for a row; null if there is none. */
export function reasonOf(row: Row, expectations: readonly Expectation[]): string | null {
  return expectations.find((each) => covers(each, row))?.reason ?? null;
}

/** Expectations that no change has met: they hide nothing today, and might tomorrow. */
export function unmet(rows: readonly Row[], expectations: readonly Expectation[]): Expectation[] {
  return expectations.filter((each) => !rows.some((row) => isChange(row) && covers(each, row)));
}

function covers({ case: pattern, figures }: Expectation, { name, verdict, details }: Row): boolean {
  if (!matches(pattern, name)) return false;
  if (figures === undefined) return true;
  return (
    verdict === 'differs' &&
    details.every((detail) => figures.some((figure) => matches(figure, detail.slice(0, detail.indexOf(': ')))))
  );
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
