// Programs that `npm run` names have one home for their options: it refuses what they do not know, before they measure.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programCommand } from '../../validation/program-command.js';
import { repositoryFolder } from '../../validation/repository.js';

const { scripts } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const programs = Object.entries(scripts).flatMap(([name, words]) => {
  const [, path] = /node dist\/(validation\/\S+)\.js/.exec(words) ?? [];
  return path === undefined ? [] : [[name, `${path}.ts`] as const];
});

describe('programs of npm run', () => {
  it('are all seen', () => {
    expect(programs.length).toBeGreaterThan(10);
  });

  it.each(programs)('%s says what it does in the words of its head', (name, path) => {
    const source = readFileSync(join(repositoryFolder, path), 'utf8');
    expect(source).toContain(`programCommand('${name}', import.meta.url)`);
    const help = programCommand(name, `file://${join(repositoryFolder, 'dist', path.replace(/ts$/, 'js'))}`)
      .helpInformation()
      .replace(/\s+/g, ' ');
    const [firstLine] = source.split('\n');
    expect(help).toContain(firstLine!.replace('// ', '').replace(/\s+$/, ''));
    expect(help).not.toContain('Invariant');
  });
});
