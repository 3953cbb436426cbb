// Another commit of this repository, built beside this one in a git worktree, so that both can be run and compared.
// Invariant: the worktree is removed however the work with it ends (kill -9 apart: `git worktree prune` and the system's
// cleaning of its temporary folder are left for that); nothing of this clone changes.
// Packages are those installed here if the commit wants no others; else its own setup.mjs installs them there.

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repositoryFolder } from '../repository.js';
import { runChild } from './child.js';

/** A built clone. */
export interface BuiltCommit {
  readonly folder: string;
  /** short hash */
  readonly name: string;
}

/** What was asked for cannot be built; the message is for the user. */
export class CommitError extends Error {
  override readonly name = 'CommitError';
}

interface Surroundings {
  /** ends the work early */
  readonly signal: AbortSignal;
  /** takes progress, whole lines */
  readonly say: (line: string) => void;
}

/**
 * Builds a commit, works with it, and removes it.
 * @param wanted a commit as git understands it; or a folder in which one is built already, which is left as it is
 * @throws CommitError if it is neither, or cannot be built; the signal's reason; what `use` throws
 */
export async function withBuiltCommit<T>(
  wanted: string,
  { signal, say }: Surroundings,
  use: (built: BuiltCommit) => Promise<T>,
): Promise<T> {
  const folder = resolve(wanted);
  if (existsSync(join(folder, 'dist/cli/main.js')))
    return use({ folder, name: (await gitOrNull(folder, ['rev-parse', '--short', 'HEAD'], signal)) ?? wanted });
  const name = await gitOrNull(
    repositoryFolder,
    ['rev-parse', '--short', '--verify', '--end-of-options', `${wanted}^{commit}`],
    signal,
  );
  if (name === null)
    throw new CommitError(
      `${wanted} is no commit of the repository in ${repositoryFolder}, nor a folder with dist/cli/main.js; wanted: a hash, branch or tag that \`git log\` shows`,
    );
  const parent = mkdtempSync(join(tmpdir(), 'weft-against-'));
  const worktree = join(parent, name);
  try {
    await git(['worktree', 'add', '--detach', '--quiet', worktree, name], signal);
    await build(worktree, name, { signal, say });
    return await use({ folder: worktree, name });
  } finally {
    rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    await git(['worktree', 'prune'], new AbortController().signal);
  }
}

async function build(worktree: string, name: string, { signal, say }: Surroundings): Promise<void> {
  const startMs = Date.now();
  const locks = [worktree, repositoryFolder].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  if (packagesSuffice(locks[0]!, locks[1]!)) {
    say(`building ${name} (about half a minute)`);
    symlinkSync(join(repositoryFolder, 'node_modules'), join(worktree, 'node_modules'), 'junction');
  } else say(`building ${name} with packages of its own (about a minute)`);
  const { status, stdout, stderr } = await runChild(process.execPath, ['setup.mjs', '--build', '--quiet'], {
    folder: worktree,
    signal,
  });
  if (status !== 0) throw new CommitError(`${name} cannot be built:\n${stdout}${stderr}`);
  say(`built ${name} in ${Math.round((Date.now() - startMs) / 1000)} s`);
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/**
 * Whether the packages of one package-lock.json do for another: it names all of the other's, in the same versions.
 * @param wanted text of the lock file that is to be satisfied
 * @param installed text of the lock file that was installed
 */
export function packagesSuffice(wanted: string, installed: string): boolean {
  const ours = (JSON.parse(installed) as LockFile).packages;
  return Object.entries((JSON.parse(wanted) as LockFile).packages).every(
    ([path, { version }]) => path === '' || ours[path]?.version === version,
  );
}

async function git(args: readonly string[], signal: AbortSignal): Promise<void> {
  // the clone's own hooks are not for worktrees that live a few minutes
  const given = ['-c', 'core.hooksPath=/dev/null', ...args];
  const { status, stderr } = await runChild('git', given, { folder: repositoryFolder, signal });
  if (status !== 0) throw new CommitError(`git ${args.join(' ')}: ${stderr.trim()}`);
}

/** What git prints, or null if it refuses. @throws CommitError without git */
async function gitOrNull(folder: string, args: readonly string[], signal: AbortSignal): Promise<string | null> {
  try {
    const { status, stdout } = await runChild('git', args, { folder, signal });
    return status === 0 ? stdout.trim() : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommitError('git is not on the PATH: another commit cannot be fetched from the history without it');
  }
}
