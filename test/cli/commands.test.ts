// The list of commands says of each what the command says of itself. What starting up loads: start-up.slow.test.ts.

import { describe, expect, it } from 'vitest';
import { commandEntries } from '../../src/cli/commands.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

describe('the list of commands', () => {
  it.each(commandEntries.map((entry) => [entry.name, entry] as const))('%s is what it says', async (_, entry) => {
    const world = scriptedContext({});
    const command = await entry.load({ ...world, endWith: () => {} });
    expect({ name: command.name(), summary: command.summary() || command.description() }).toEqual({
      name: entry.name,
      summary: entry.summary,
    });
  });
});

describe('the version', () => {
  it.each([['-v'], ['--version'], ['version']])('is printed by weft %s', async (word) => {
    const world = scriptedContext({});
    expect(await runProgram([word], world)).toBe(0);
    expect(world.stdout.text).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(world.stderr.text).toBe('');
  });
});
