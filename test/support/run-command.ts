// A command carried out in this process: what it ends with and what it prints. `@name` stands for a file of the test's
// folder.

import { expect } from 'vitest';
import type { CommandContext } from '../../src/cli/context.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from './command-context.js';

/** What a command came to. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line in a world with changes, as a function of its words. */
export function commandWith(changes: Partial<CommandContext>): (...words: string[]) => Promise<CommandResult> {
  return async (...words) => {
    const world = scriptedContext(changes);
    const code = await runProgram(words, world);
    return { code, stdout: world.stdout.text, stderr: world.stderr.text };
  };
}

/**
 * @param folder what `@` at the beginning of a word stands for
 * @param changes of a world whose scenario and simulation are made by hand
 */
export async function runCommand(
  folder: string,
  words: readonly string[],
  changes: Partial<CommandContext> = {},
): Promise<CommandResult> {
  let ended = 0;
  const world = scriptedContext({
    ...changes,
    endWith: (code) => {
      ended = code;
    },
  });
  const code = await runProgram(
    words.map((word) => word.replace(/^@/, `${folder}/`)),
    world,
  );
  return { code: code || ended, stdout: world.stdout.text, stderr: world.stderr.text };
}

/** The same with --json: what it prints, if it ends well and silently. */
export async function runCommandForJson(folder: string, words: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand(folder, [...words, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}
