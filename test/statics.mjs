// What is checked without running anything, as package.json says it: types on one core, lint and layout on another.
// All of it is carried out whatever fails, so that a reader sees every mistake at once; the exit code is 1 then. npm
// gives the PATH with the tools; a terminal's Ctrl-C reaches them and this process alike.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const sideBySide = [['types'], ['lint', 'layout']];

const failed = [];
await Promise.all(
  sideBySide.map(async (names) => {
    for (const command of names.flatMap((name) => scripts[name].split(' && ')))
      if ((await exitCodeOf(command)) !== 0) failed.push(command);
  }),
);
for (const command of failed) process.stderr.write(`failed: ${command}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function exitCodeOf(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject).on('close', resolve);
  });
}
