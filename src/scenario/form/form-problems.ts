// What is wrong with the form of a small YAML file of its own (a profile): every issue of its schema as a diagnostic
// with its place, what was found, what was wanted and what to do. Scenarios have a checker of their own
// (read-scenario.ts).

import type * as z from 'zod';
import type { Diagnostics } from '../../base/diagnostics.js';
import {
  errorAt,
  keyPlaceOf,
  type LocatedMap,
  nodeAt,
  pathText,
  type Path,
  placeOf,
  plainOf,
  textOf,
} from './located.js';
import { keysOf, schemaAt } from './schema.js';
import type { SettingProblem } from './setting-problem.js';
import { nearest } from '../suggest.js';

/**
 * Reports everything that a schema finds wrong. @param prefix of the codes, such as `profile` @returns true if nothing
 */
export function checkForm(root: LocatedMap, schema: z.ZodType, prefix: string, diagnostics: Diagnostics): boolean {
  const { error } = schema.safeParse(plainOf(root));
  for (const issue of error?.issues ?? []) report(root, schema, issue, prefix, diagnostics);
  return error === undefined;
}

function report(
  root: LocatedMap,
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  prefix: string,
  diagnostics: Diagnostics,
): void {
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) unknownKey(root, schema, [...path, key], prefix, diagnostics);
    return;
  }
  const node = nodeAt(root, path);
  const name = pathText(path);
  const problem = issue.code === 'custom' ? (issue.params as SettingProblem | undefined) : undefined;
  if (node === undefined) {
    errorAt(diagnostics, `${prefix}-missing`, placeOf(root, path), `${name} is missing`, {
      wanted: problem?.wanted ?? (issue.code === 'invalid_type' && issue.expected === 'array' ? 'a list' : 'a block'),
    });
    return;
  }
  const wanted =
    issue.code === 'invalid_type' && issue.expected === 'array'
      ? 'a list: "- …" on lines of its own, or [ … ]'
      : issue.code === 'too_small'
        ? 'at least one'
        : issue.code === 'too_big'
          ? `at most ${String(issue.maximum)}`
          : blockText(schema, path);
  const got = textOf(node);
  errorAt(
    diagnostics,
    `${prefix}-${problem === undefined ? 'form' : problem.code.replace(/^scenario-/, '')}`,
    node.place,
    problem === undefined
      ? `${name} ${issue.code === 'too_small' ? 'is empty' : issue.code === 'too_big' ? 'is too long' : `is not ${wanted.split(/[:,]/)[0]!}`}`
      : `${name} ${problem.message}`,
    {
      ...(got === '' ? {} : { got }),
      wanted: problem?.wanted ?? wanted,
      ...(problem?.hint === undefined ? {} : { hint: problem.hint }),
    },
  );
}

/** A block, with the keys that it may have. */
function blockText(schema: z.ZodType, path: Path): string {
  const known = keysOf(blockAt(schema, path));
  return `a block of keys and values${known.length === 0 ? '' : `, with ${known.join(', ')}`}`;
}

/** The schema of what stands at a path; null if it has none of its own. */
function blockAt(schema: z.ZodType, path: Path): z.ZodType | null {
  let block: z.ZodType | null = schema;
  for (const step of path) block = block === null ? null : schemaAt(block, step);
  return block;
}

function unknownKey(root: LocatedMap, schema: z.ZodType, path: Path, prefix: string, diagnostics: Diagnostics): void {
  const known = keysOf(blockAt(schema, path.slice(0, -1)));
  const near = nearest(String(path.at(-1)), known);
  errorAt(diagnostics, `${prefix}-unknown-key`, keyPlaceOf(root, path), `${pathText(path)} is not known`, {
    wanted: `one of ${known.join(', ')}`,
    ...(near === null ? {} : { hint: `did you mean ${pathText([...path.slice(0, -1), near])}?` }),
  });
}
