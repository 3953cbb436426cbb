// One command line's outcomes from two builds, set side by side.
// Invariant: `equal` means that every digest of records and every number, yes, no and outcome that both tell is the same.

import { createHash } from 'node:crypto';
import type { Group } from './commands.js';
import { differencesOf, digestsOf, figuresOf, type Json, parseJson } from './figures.js';
import { newPath, type Rename } from './renames.js';
import type { Outcome } from './run-commands.js';

export type Verdict = 'equal' | 'refused by both' | 'differs' | 'fails here' | 'fails there' | 'fails on both';

export interface Row {
  readonly group: Group;
  readonly name: string;
  readonly verdict: Verdict;
  /** SHA-256 of the records; of all figures, of a command without records; empty if it failed */
  readonly was: string;
  readonly is: string;
  /** what differs, or why it failed */
  readonly details: readonly string[];
  /** paths of texts that differ, which make no difference */
  readonly texts: readonly string[];
}

/** An outcome with the digests of the files that the command wrote. */
export interface WholeOutcome extends Outcome {
  readonly files: Readonly<Record<string, string>>;
}

/** Compares. @param was of the older build @param renames of keys between the two */
export function compareOutcomes(
  { group, name }: Pick<Row, 'group' | 'name'>,
  was: WholeOutcome,
  is: WholeOutcome,
  renames: readonly Rename[],
): Row {
  const [before, after] = [answerOf(was, renames), answerOf(is, [])];
  const row = { group, name, was: '', is: '', details: [], texts: [] };
  if (before === null || after === null) {
    const details = [
      ...(before === null ? [`there: ${endOf(was)}`] : []),
      ...(after === null ? [`here: ${endOf(is)}`] : []),
    ];
    if (before !== null) return { ...row, verdict: 'fails here', was: digestOf(before, before), details };
    if (after !== null) return { ...row, verdict: 'fails there', is: digestOf(after, after), details };
    // what was drawn may be refused, and a page may show a refusal; a golden case that is compares nothing
    const isRefused = group !== 'goldens' && was.status === 2 && is.status === 2;
    return { ...row, verdict: isRefused ? 'refused by both' : 'fails on both', details };
  }
  const { figures, texts } = differencesOf(before, after);
  return {
    ...row,
    verdict: figures.length === 0 ? 'equal' : 'differs',
    was: digestOf(before, after),
    is: digestOf(after, before),
    details: figures,
    texts,
  };
}

/** Figures of an outcome; null if the command failed: refused, died, took too long, or said nothing. */
function answerOf(outcome: WholeOutcome, renames: readonly Rename[]): Map<string, Json> | null {
  const json = outcome.status === 0 || outcome.status === 1 ? parseJson(outcome.stdout) : null;
  if (json === null) return null;
  const figures = new Map([...figuresOf(json)].map(([path, value]) => [newPath(path, renames), value]));
  figures.set('exit code', outcome.status);
  for (const [path, digest] of Object.entries(outcome.files)) figures.set(`file ${path}`, digest);
  return figures;
}

function endOf({ status, stderr }: Outcome): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const said = lines.find((line) => line.includes('error')) ?? lines.at(-1) ?? 'nothing on stderr';
  return `exit code ${status ?? 'none'}: ${said.trim()}`;
}

/** Of the records; without any, of the figures that the other has, too, texts apart. */
function digestOf(figures: ReadonlyMap<string, Json>, other: ReadonlyMap<string, Json>): string {
  const digests = digestsOf(figures);
  if (digests.length === 1) return digests[0]!;
  const common = [...figures].filter(([path, value]) => other.has(path) && typeof value !== 'string').sort(byPath);
  return createHash('sha256')
    .update(JSON.stringify(digests.length > 0 ? digests : common))
    .digest('hex');
}

function byPath([a]: [string, Json], [b]: [string, Json]): number {
  return a < b ? -1 : 1;
}
