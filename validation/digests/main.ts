// `npm run digests -- --against COMMIT`: what another commit and this build say of the same command lines: the examples,
// the golden cases, random scenarios; and which settings and JSON keys have other names. Exit code 1 if something
// differs for which no reason is given, 2 for options that cannot be meant.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuiltCommit, CommitError, withBuiltCommit } from '../commits/built-commit.js';
import { Interrupted, interruption } from '../commits/child.js';
import { programCommand, wholeNumber } from '../program-command.js';
import { namesText, rowText, summaryTable } from './digest-table.js';
import type { Group } from './commands.js';
import { type Expectation, isChange, readExpectations, reasonOf, unmet } from './expected.js';
import { type Compared, TwoBuilds } from './two-builds.js';

interface Options {
  readonly against: string;
  readonly only?: readonly Group[];
  readonly scenarios: number;
  readonly seed: number;
  readonly expected?: string;
  readonly all?: true;
  readonly json?: true;
}

const groups: readonly Group[] = ['examples', 'goldens', 'random'];

programCommand('digests', import.meta.url)
  .requiredOption('--against <commit>', 'hash, branch, or folder where it is built')
  .option('--only <groups...>', `some groups: ${groups.join(', ')}`)
  .option('--scenarios <number>', 'how many random scenarios', wholeNumber, 500)
  .option('--seed <number>', 'of the random scenarios', wholeNumber, 1)
  .option(
    '--expected <file>',
    'differences that are meant: YAML, a list of { case: PATTERN, figures: [PATTERN], reason: TEXT }; * is any text',
  )
  .option('--all', 'also list what is equal')
  .option('--json', 'one JSON object on stdout')
  .addHelpText(
    'after',
    `
Each build runs its own examples with its own program, this one under its new
names (validation/digests/renames.ts). Compared are digests of records, numbers
and outcomes that both print; texts, times and memory are not. Random scenarios
have only settings that both know. Exit code 1: something differs without a
reason.

Examples:
  npm run digests -- --against origin/main
  npm run digests -- --against v0.1.0 --only random --scenarios 50 --seed 7
  npm run digests -- --against HEAD~1 --expected changes.yaml`,
  )
  .action(async (options: Options) => {
    process.exitCode = await main(options);
  })
  .parseAsync();

async function main(options: Options): Promise<number> {
  const signal = interruption();
  let expectations: Expectation[];
  try {
    const unknown = options.only?.find((name) => !groups.includes(name));
    if (unknown !== undefined) throw new Error(`no group named ${unknown}; there are ${groups.join(', ')}`);
    expectations =
      options.expected === undefined ? [] : readExpectations(readFileSync(options.expected, 'utf8'), options.expected);
  } catch (error) {
    say((error as Error).message);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'weft-digests-'));
  try {
    return await withBuiltCommit(options.against, { signal, say }, async (built) => {
      const { only = groups, scenarios, seed } = options;
      const builds = new TwoBuilds(built, scratch, { groups: only, scenarios, seed }, signal);
      return report(await builds.compare(), built, expectations, options);
    });
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    if (!(error instanceof CommitError)) throw error;
    say(error.message);
    return 2;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function report(
  { rows, settings, defaults, keys, notes }: Compared,
  { name }: BuiltCommit,
  expectations: readonly Expectation[],
  { all, json }: Options,
): number {
  const changes = rows.filter(isChange);
  const unexpected = changes.filter((row) => reasonOf(row, expectations) === null);
  if (json === true) {
    const explained = rows.map((row) => ({ ...row, reason: isChange(row) ? reasonOf(row, expectations) : null }));
    process.stdout.write(
      `${JSON.stringify({ against: name, unexpected: unexpected.length, rows: explained, settings, defaults, keys, notes })}\n`,
    );
    return unexpected.length > 0 ? 1 : 0;
  }
  for (const row of all === true ? rows : changes) print(rowText(row, expectations));
  print(`${rows.length > 0 ? '\n' : ''}${name} and this build\n${summaryTable(rows)}\n`);
  for (const note of notes) print(note);
  const reworded = rows.filter(({ texts }) => texts.length > 0).length;
  if (reworded > 0) print(`${reworded} cases print other texts`);
  for (const { case: pattern } of unmet(rows, expectations)) print(`expected, but nothing changed: ${pattern}`);
  print(`\n${namesText('settings', settings)}`);
  if (defaults.length > 0) print('defaults that changed; random scenarios give the old one');
  for (const { path, was, is } of defaults) print(`  ~ ${path}: ${JSON.stringify(was)} -> ${JSON.stringify(is)}`);
  for (const [command, changed] of Object.entries(keys)) print(namesText(`JSON keys of weft ${command}`, changed));
  print(
    `\n${unexpected.length === 0 ? 'nothing differs without a reason' : `${unexpected.length} cases differ without a reason`}`,
  );
  return unexpected.length > 0 ? 1 : 0;
}
