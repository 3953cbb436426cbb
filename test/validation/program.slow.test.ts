// `npm run validate` as a process: what it prints, its exit codes, and that a partial run leaves the documentation
// alone; and other programs that measure, which tell and refuse before they do. Needs dist/ (npm test builds it first).

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryFolder } from '../../validation/repository.js';

const page = join(repositoryFolder, 'docs/models/validation.md');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function validate(commandLine: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return program('main', commandLine, environment);
}

function program(
  name: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(repositoryFolder, `dist/validation/${name}.js`), ...commandLine],
      { timeout: 300_000, env: { ...process.env, ...environment } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

it('prints the lines of one check, and leaves the page as it is', async () => {
  const before = readFileSync(page, 'utf8');
  const { code, stdout } = await validate(['--only', 'timely']);
  expect(code).toBe(0);
  expect(stdout).toContain('TIMELY: signs of the gradient (timely)\n  ok ');
  expect(stdout).toMatch(/\n\d+ lines: \d+ ok, 0 skipped, 0 failed\n$/);
  expect(readFileSync(page, 'utf8')).toBe(before);
});

it('prints one JSON object', async () => {
  const { code, stdout } = await validate(['--quick', '--seed', '3', '--only', 'timely', 'dcqcn', '--json']);
  const result = JSON.parse(stdout) as {
    seed: number;
    isQuick: boolean;
    failed: boolean;
    checks: { name: string; lines: object[] }[];
  };
  expect([code, result.seed, result.isQuick, result.failed, result.checks.map(({ name }) => name)]).toEqual([
    0,
    3,
    true,
    false,
    ['dcqcn', 'timely'],
  ]);
  expect(result.checks[0]!.lines[0]).toMatchObject({
    mechanism: expect.any(String) as unknown,
    expected: expect.any(String) as unknown,
    verdict: 'ok',
  });
});

it.each([
  [['--only', 'nothing'], 'no check named nothing; there are single-flow, '],
  [['--seed', '-1'], "'--seed"],
  [['--slow'], 'unknown option'],
])('refuses %j with exit code 2', async (commandLine, message) => {
  const { code, stderr } = await validate(commandLine);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('refuses a WEFT_REFERENCE that is not there, with exit code 2', async () => {
  const { code, stderr } = await validate(['--only', 'timely'], { WEFT_REFERENCE: 'no-such-folder' });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^WEFT_REFERENCE is no-such-folder, but there is no /)]);
});

it('a program that measures for minutes helps, and refuses, before it does', async () => {
  const [help, refused] = await Promise.all([
    program('campaigns/main', ['--help']),
    program('campaigns/main', ['--rnus', '3']),
  ]);
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Usage: npm run campaigns --')]);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain("unknown option '--rnus'");
});
