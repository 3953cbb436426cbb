// What is built beside the program (bench, validation) finds the program's modules by alias: in what is built, a relative
// path into src leads nowhere, which only running it would tell.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

it.each(['bench', 'validation'])('%s imports the program by its alias', (folder) => {
  const files = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(repository, folder, name));
  expect(files.length).toBeGreaterThan(10);
  const relative = files.filter((file) => /from '(\.\.\/)+src\//.test(readFileSync(file, 'utf8')));
  expect(relative).toEqual([]);
});
