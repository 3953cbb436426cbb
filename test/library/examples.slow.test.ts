// The examples of the library run from the build, by the names of the package's entries, and print what their page shows.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}examples/library/README.md`, 'utf8');
const examples = readdirSync(`${root}examples/library`).filter((name) => name.endsWith('.mjs'));

it('there are three', () => expect(examples).toHaveLength(3));

it.each(examples)('%s prints what its page shows', (name) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`examples/library/${name}`], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(page).toContain(`\`\`\`\n$ node examples/library/${name}\n${stdout}\`\`\``);
  expect(stdout).not.toContain('FAILED');
});
