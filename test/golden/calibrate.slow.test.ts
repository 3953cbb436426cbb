// examples/calibrate, as its page says: every command runs in a copy of its folder, its figures are what is
// printed, and the profile's figures carry their error band.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { stepsOf } from '../support/page-commands.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'weft-example-calibrate-'));
cpSync(join(root, 'examples/calibrate'), folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Median error of held-out rows after the fit, in percent, as a text has it. */
function heldOutOf(text: string): number {
  return Number(/held-out rows : median error [\d.]+ % -> ([\d.]+) %/.exec(text)![1]);
}

describe('examples/calibrate', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const printed: string[] = [];

  it.each(stepsOf(page).flatMap((step) => (step.kind === 'commands' ? step.commands : [])))('%s', (command) => {
    const words = command.replace(/^npx weft /, '').split(' ');
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    // progress alone
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('['));
    expect({ status, said }).toEqual({ status: 0, said: [] });
    printed.push(stdout);
  });

  it('comes as near as the page says, and within 5 %', () => {
    const median = heldOutOf(printed[0]!);
    expect(median).toBeLessThanOrEqual(5);
    // to the letter, so that the page cannot grow stale: its table of errors, and what its text says of the base
    const told = page.match(/^# (?:latency|bandwidth|paces|fitted|held-out).*$/gm)!;
    expect(told).toHaveLength(10);
    expect(printed[0]!.split('\n')).toEqual(expect.arrayContaining(told));
    expect(/ lies ([\d.]+) % off/.exec(page)![1]).toBe(/held-out rows : median error ([\d.]+) %/.exec(printed[0]!)![1]);
    expect(profileFromText(readFileSync(join(folder, 'ours.yaml'), 'utf8')).heldOut!.median * 100).toBeCloseTo(
      median,
      1,
    );
  });

  it('gives its band to figures that it makes, and none if all rows were fitted', () => {
    expect(printed[1]).toContain(`#     median ${heldOutOf(printed[0]!).toFixed(1)} %, 9 of 10 at most`);
    expect(printed[2]).toContain('held-out rows : none');
  });
});
