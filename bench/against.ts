// `npm run bench -- --against COMMIT`: this build and another commit's, each run in a process of its own, the runs of a
// round in turns of a tenth of a second (turns.ts). What is asked of a build is what all builds since 9aefcc1 answer:
// bench/main.js with --in-process --json --only NAME.
// Invariant: figures are printed only of runs that did the same work.
// It does not make a busy machine quiet: the commit's ratio to itself tells how much a ratio means.

import { join } from 'node:path';
import { type BuiltCommit, CommitError, withBuiltCommit } from '../validation/commits/built-commit.js';
import { type Ended, Interrupted, interruption, type Running, startChild } from '../validation/commits/child.js';
import { repositoryFolder } from '../validation/repository.js';
import { CheckProgress } from '../validation/progress.js';
import { compare, differentWork, orderOf, type Round, type Side, type Work } from './paired-ratios.js';
import { ratioHeader, ratioRow } from './ratio-table.js';
import { inTurns } from './turns.js';

export interface AgainstOptions {
  readonly commit: string;
  readonly pairs: number;
  /** names of workloads */
  readonly names: readonly string[];
  /** flags of bench/main.js that say how a workload runs, for both builds */
  readonly flags: readonly string[];
  /** what runs before the clock starts, if a build does not say it */
  readonly warmUpShare: number;
  readonly isJson: boolean;
}

interface Measured extends Work {
  readonly cpuSeconds: number;
}

/** A ratio below 1 by more than this is called slower. */
const allowance = 0.02;

/**
 * Measures and prints a row per workload.
 * @returns the exit code: 0; 1 if a build fails or the builds do other work; 2 for a commit that cannot be built; or that
 *   of the signal that ended it
 */
export async function benchAgainst(options: AgainstOptions): Promise<number> {
  const signal = interruption();
  try {
    return await withBuiltCommit(options.commit, { signal, say }, async (built) => {
      const slower: string[] = [];
      if (!options.isJson) process.stdout.write(`${ratioHeader(built.name)}\n`);
      for (const name of options.names) {
        const compared = compare(await roundsOf(name, built, options, signal));
        if (compared.ours.median < 1 - allowance) slower.push(name);
        process.stdout.write(
          options.isJson
            ? `${JSON.stringify({ name, commit: built.name, pairs: options.pairs, ...compared })}\n`
            : `${ratioRow(name, compared)}\n`,
        );
      }
      if (!options.isJson)
        process.stdout.write(
          `${slower.length === 0 ? 'none is slower' : `slower: ${slower.join(', ')}`} (median below ${1 - allowance}), ${options.pairs} rounds each\n`,
        );
      return 0;
    });
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    if (!(error instanceof CommitError) && !(error instanceof RunError)) throw error;
    say(error.message);
    return error instanceof CommitError ? 2 : 1;
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A run failed, or did other work. */
class RunError extends Error {
  override readonly name = 'RunError';
}

async function roundsOf(
  name: string,
  built: BuiltCommit,
  { pairs, flags, warmUpShare }: AgainstOptions,
  signal: AbortSignal,
): Promise<Round[]> {
  const progress = new CheckProgress(name, process.stderr);
  const rounds: Round[] = [];
  try {
    for (let round = 0; round < pairs; round++) {
      progress.update(round, pairs);
      const order = orderOf(round);
      const folderOf = (side: Side): string => (side === 'ours' ? repositoryFolder : built.folder);
      signal.throwIfAborted();
      const ended = await inTurns(order.map((side) => start(folderOf(side), name, flags, signal)));
      const measured = {} as Record<Side, Measured>;
      for (const [place, side] of order.entries())
        measured[side] = { warmUpShare, ...read(ended[place]!, `${name} in ${folderOf(side)}`) };
      const different = differentWork(measured.ours, measured.commit);
      if (different !== null)
        throw new RunError(`${name}: not the same work as in ${built.name}, so no ratio: ${different}`);
      rounds.push({
        ours: measured.ours.cpuSeconds,
        commit: measured.commit.cpuSeconds,
        again: measured.again.cpuSeconds,
      });
    }
    return rounds;
  } finally {
    progress.stop();
  }
}

function start(folder: string, name: string, flags: readonly string[], signal: AbortSignal): Running {
  const program = join(folder, 'dist/bench/main.js');
  return startChild(process.execPath, [program, '--in-process', '--json', '--only', name, ...flags], {
    folder,
    signal,
  });
}

function read({ status, stdout, stderr }: Ended, what: string): Measured {
  if (status !== 0 || stdout === '') throw new RunError(`${what}: exit code ${status}\n${stderr}`);
  return JSON.parse(stdout) as Measured;
}
