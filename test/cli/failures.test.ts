// What the machine had too little of is told as such: no bug, no mistake in the input.

import { expect, it } from 'vitest';
import { HostFileError } from '../../src/base/host.js';
import { describeFailure } from '../../src/cli/failures.js';
import { outputError } from '../../src/storage/output-error.js';
import { fileError } from '../../src/storage/regular-file.js';

const system = (code: string, message = code): Error => Object.assign(new Error(message), { code });

it.each([
  ['EMFILE', 'too many open files in this process', 'ulimit -n'],
  ['ENFILE', 'too many open files on this machine', 'other programs'],
  ['EAGAIN', 'no more processes may begin', 'ulimit -u'],
  ['ENOMEM', 'not enough memory', '--jobs 1'],
  ['ENOSPC', 'no space left on the device', 'free some'],
])('%s, wherever it comes from', (code, what, hint) => {
  const { text, exitCode } = describeFailure(system(code, `${code}: spawn weft`), []);
  expect(text).toMatch(/^error: [^\n]*\n {2}hint: {3}[^\n]*\n$/);
  expect(text).toContain(`error: ${what} (${code}: spawn weft)`);
  expect(text).toContain(hint);
  expect(exitCode).toBe(1);
  expect(outputError('out', system(code)).message).toContain(what);
  const read = fileError('in', system(code));
  expect(read).toBeInstanceOf(HostFileError);
  expect(read.message).toContain(what);
});

it('other errors stay bugs', () => {
  expect(describeFailure(system('EINVAL'), [])).toMatchObject({ exitCode: 70 });
});
