// `weft calibrate` finds what a cluster takes from half of its sizes.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { measuredUnder, tableSizes } from '../support/nccl-table.js';
import { weft, type Result } from '../support/calibrate-command.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-calibrate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const slow = `base: nccl-2.28
latency:
  base: { ring: { ll: 13.2us }, tree: { ll: 13.6us } }
  hop: { nvlink: { ring: { ll: 1.2us, ll128: 3.8us, simple: 6.8us }, nvls: { simple: 50us } } }
bandwidth: { nvls: 0.6 }
`;

describe('weft calibrate', () => {
  it('finds what a cluster takes from half of its sizes, and writes it', async () => {
    const log = join(folder, 'nccl.log');
    const out = join(folder, 'ours.yaml');
    await writeFile(log, await measuredUnder(slow, 8, '# 8 ranks on 1 servers'));
    const words = ['--fabric', 'spectrum-x', '--gpus', '16', '--gpu-type', 'H100', '--backend', 'analytical'];
    const { code, stdout, stderr } = await weft(
      'calibrate',
      ...words,
      '--measured',
      log,
      '--out',
      out,
      '--json',
      '--quiet',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout) as Result;
    expect(result.rows.filter((row) => row.isHeldOut).map((row) => row.sizeBytes)).toEqual(
      tableSizes.filter((_, i) => i % 2 === 1),
    );
    expect(result.before.heldOut.median).toBeGreaterThan(0.25);
    expect(result.heldOut).toMatchObject({ rows: 10 });
    expect(result.heldOut.median).toBeLessThan(0.02);
    expect(result.fitted.worst).toBeLessThan(0.001);
    // the twice as long base latency of LL, and hops
    expect(result.parameters.find(({ name }) => name === 'latency.base ll')!.after).toBeGreaterThan(1.5);
    expect(result.parameters.find(({ name }) => name === 'bandwidth.nvls')!.after).toBeCloseTo(0.6, 1);
    // the file says the same, and commands take it
    const profile = profileFromText(readFileSync(out, 'utf8'));
    expect(profile.heldOut!.rows).toBe(10);
    expect(profile.heldOut!.median).toBeCloseTo(result.heldOut.median, 6);
    const rest = join(folder, 'rest.log');
    await writeFile(
      rest,
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((_, i) => i < 2 || i % 2 === 1)
        .join('\n'),
    );
    const compared = await weft(
      'collective',
      'allreduce',
      ...words,
      '--ranks',
      '0-7',
      '--compare',
      rest,
      '--profile',
      out,
      '--json',
    );
    expect(compared.code).toBe(0);
    const { comparison } = JSON.parse(compared.stdout) as {
      comparison: { errors: { time: { medianError: number; rows: number } } };
    };
    expect(comparison.errors.time.rows).toBe(10);
    expect(comparison.errors.time.medianError).toBeCloseTo(result.heldOut.median, 4);
  });
});
