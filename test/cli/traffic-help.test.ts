// The example in `weft traffic --help`: its lines are traffic of the fabric that the help's commands name.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

it('names hosts that quartz1 has', async () => {
  const help = scriptedContext();
  expect(await runProgram(['traffic', '--help'], help)).toBe(0);
  const lines = /^ {2}source,destination,bytes\n(?: {2}\S+\n)+/m.exec(help.stdout.text)![0];
  const folder = await mkdtemp(join(tmpdir(), 'weft-traffic-help-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'own.csv');
  await writeFile(file, lines.replaceAll(/^ +/gm, ''));
  const world = scriptedContext();
  const code = await runProgram(['traffic', 'stats', '--fabric', 'quartz1', '--traffic', file, '--json'], world);
  expect({ code, stderr: world.stderr.text }).toEqual({ code: 0, stderr: '' });
});
