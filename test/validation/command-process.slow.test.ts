// Command lines carried out one after the other in one process, on this build. Needs dist/ (npm test builds it first).

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { repositoryFolder } from '../../validation/repository.js';
import type { CommandProcess } from '../../validation/digests/command-process.js';

const patienceMs = 600_000;
const module = pathToFileURL(join(repositoryFolder, 'dist/validation/digests/command-process.js')).href;
const { CommandProcess: BuiltProcess } = (await import(module)) as { CommandProcess: typeof CommandProcess };
const commands = new BuiltProcess(repositoryFolder, tmpdir(), patienceMs);

afterAll(() => {
  commands.close();
});

it('carries out one command after the other in the same process, each with its own answer', async () => {
  const environment = {};
  expect(await commands.run({ args: ['topology', 'list'], environment })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('spectrum-x') as string,
  });
  expect(await commands.run({ args: ['run', 'no-such.yaml'], environment })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('no-such.yaml') as string,
  });
  expect(await commands.run({ args: ['--version'], environment })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\d/) as string,
  });
});

it('answers as the program does in a process of its own', async () => {
  const request = { args: ['topology', 'list', '--json'], environment: {} };
  expect(await commands.run(request)).toEqual(await commands.runAlone(request, new AbortController().signal));
});
