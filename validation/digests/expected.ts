// Differences that are meant, with their reasons: a YAML list of `{ case: PATTERN, reason: TEXT }`. A pattern is the name
// of a case as the table prints it; `*` stands for any text.

import { parse } from 'yaml';
import { z } from 'zod';
import type { Row } from './compare-outcomes.js';

export interface Expectation {
  readonly case: string;
  readonly reason: string;
}

const schema = z.array(z.strictObject({ case: z.string().min(1), reason: z.string().min(1) }));

/** Reads the list. @throws Error that names the file and what is wrong with it */
export function readExpectations(text: string, file: string): Expectation[] {
  const read = schema.safeParse(parse(text) ?? []);
  if (read.success) return read.data;
  const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
  throw new Error(`${file}: ${path.join('.') || 'the file'}: ${message}; wanted: a list of { case: …, reason: … }`);
}

/** Whether a row is one that has to be explained: not the same on both sides. */
export function isChange({ verdict }: Row): boolean {
  return verdict !== 'equal' && verdict !== 'refused by both';
}

/** The reason given for a row; null if there is none. */
export function reasonOf({ name }: Row, expectations: readonly Expectation[]): string | null {
  return expectations.find((each) => covers(each, name))?.reason ?? null;
}

/** Expectations that no change has met: they hide nothing today, and might tomorrow. */
export function unmet(rows: readonly Row[], expectations: readonly Expectation[]): Expectation[] {
  return expectations.filter((each) => !rows.some((row) => isChange(row) && covers(each, row.name)));
}

function covers({ case: pattern }: Expectation, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
