// The command line of a program that `npm run` names: what it does, in the words at the head of its file, and its options.
// Invariant: an option or a word that it does not know ends it with 2 before anything is measured.

import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { repositoryFolder } from './repository.js';

/**
 * The command of a program, without its options.
 * @param name behind `npm run` @param program its `import.meta.url`; the first comment of its source is its help
 */
export function programCommand(name: string, program: string): Command {
  return new Command(`npm run ${name} --`)
    .description(headOf(program))
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}

/** The first comment of a program's source up to its invariants, as one paragraph. */
function headOf(program: string): string {
  const built = relative(repositoryFolder, fileURLToPath(program)).split(sep);
  const source = join(repositoryFolder, ...built.filter((part) => part !== 'dist')).replace(/\.js$/, '.ts');
  const [, head = ''] = /^((?:\/\/.*\n)+)/.exec(readFileSync(source, 'utf8')) ?? [];
  const [text] = head.replace(/^\/\/ ?/gm, '').split(/^Invariant/m);
  return text!.replace(/\n/g, ' ').trim();
}

/** Reads the value of an option. @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('a whole number is wanted');
  return Number(text);
}
