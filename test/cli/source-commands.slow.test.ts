// docs/source-commands.md, followed from top to bottom in one folder: the source's own commands work as they stand.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstDifference, stepsOf } from '../support/page-commands.js';
import { writeNpx } from '../support/npx-weft.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = join(root, 'docs/source-commands.md');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-source-'));
  writeNpx(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string) {
  // nothing of SimAI's from outside
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:AS|CC|TRACE)_/.test(name)),
  );
  const env = { ...environment, PATH: `${folder}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8' };
  return spawnSync(command, { shell: true, cwd: folder, encoding: 'utf8', env });
}

const steps = stepsOf(readFileSync(page, 'utf8'));

it('has every kind of the source’s commands', () => {
  const commands = steps.flatMap((step) => (step.kind === 'commands' ? step.commands : [])).join('\n');
  for (const word of ['-topo', '-gps', '-nvbw', '-asn', '-npa', '-psn', '-apbw', '-app', '-g ', '-gt', '-bw'])
    expect(commands).toContain(word);
  for (const word of ['-t 1', '-w ', '-n ', '-c ', 'TRACE_INJECT_FILE=', 'CC_LOG_FILE=', 'CC_ENABLE=0', 'AS_SEND_LAT='])
    expect(commands).toContain(word);
  for (const word of ['server_pair', 'one_to_one', '--arrival', '--interval-ns', '--src-server', '--dst-server'])
    expect(commands).toContain(word);
  for (const word of [
    '--gpus-per-server',
    '--kv-mb',
    '--rounds',
    '--out',
    '--cc',
    '--nocc',
    '--fct',
    '--paths',
    '--trace',
  ])
    expect(commands).toContain(word);
});

it.each(steps.map((step) => [step.kind === 'file' ? step.name : step.commands.join('; '), step] as const))(
  '%s',
  (_title, step) => {
    if (step.kind === 'file') {
      writeFileSync(join(folder, step.name), step.text);
      return;
    }
    let printed = '';
    for (const command of step.commands) {
      const { status, stdout, stderr } = run(command);
      expect(status, `${command}\n${stderr}`).toBe(0);
      printed += stdout;
    }
    if (step.printed !== null) expect(firstDifference(step.printed, printed)).toBeNull();
  },
);

it('comes to what the source says of its first experiment', () => {
  const rows = readFileSync(join(folder, 'flows.csv'), 'utf8').trimEnd().split('\n').slice(1);
  // the ports of §7.1 by GPU; 850 us each, within 1 %
  const bySource = rows.map((row) => row.split(',')).sort((a, b) => Number(a[1]) - Number(b[1]));
  expect(bySource.map((row) => row[3])).toEqual(['1', '1', '1', '1', '2', '4', '2', '1']);
  for (const row of bySource) expect(Math.abs(Number(row[6]) / 850_000 - 1)).toBeLessThan(0.01);
  const slowest = Math.max(
    ...readFileSync(join(folder, 'nocc/fct.txt'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => Number(row.split(' ')[6])),
  );
  expect(Math.abs(slowest / 1_693_000 - 1)).toBeLessThan(0.01);
  // CC_LOG_FILE has what the folder has
  const log = readFileSync(join(folder, 'paths.csv'), 'utf8');
  expect(log).toBe(readFileSync(join(folder, 'work/paths.csv'), 'utf8'));
});
