// `weft calibrate` finds the figures of a cluster that were put into its tables: what one size of group does not tell apart,
// two do.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { profileFromText } from '../../src/library/profile-from-text.js';
import { scriptedContext } from '../support/command-context.js';
import { measuredUnder } from '../support/nccl-table.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-calibrate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Result {
  readonly heldOut: { readonly median: number };
  readonly parameters: readonly { readonly name: string; readonly after: number }[];
}

describe('weft calibrate', () => {
  it.each([
    [
      'a rendezvous, and where it begins',
      'base: nccl\nlatency: { rendezvous: 25us, rendezvousAbove: 16KiB }\n',
      { 'latency.rendezvous': [20, 30], 'latency.rendezvousAbove': [8192, 32_768] },
    ],
    [
      'what posting a send takes, by groups of two sizes, and the share of sends',
      'base: nccl\nlatency: { post: 4us }\nbandwidth: { sends: 0.8 }\n',
      { 'latency.post': [3.2, 4.8], 'bandwidth.sends': [0.76, 0.84] },
    ],
  ] as const)('finds %s', async (_, profileText, wanted) => {
    const [log, out] = [join(folder, 'nccl.log'), join(folder, 'ours.yaml')];
    const tables = [
      await measuredUnder(profileText, 16, '# 16 ranks on 2 servers', 'alltoall'),
      await measuredUnder(profileText, 32, '# 32 ranks on 4 servers', 'alltoall'),
    ];
    await writeFile(log, tables.join('\n'));
    const words = ['--fabric', 'spectrum-x', '--gpus', '32', '--gpu-type', 'H100', '--backend', 'analytical'];
    const context = scriptedContext({ simulate });
    const code = await runProgram(
      ['calibrate', ...words, '--measured', log, '--out', out, '--json', '--quiet'],
      context,
    );
    expect({ code, stderr: context.stderr.text }).toEqual({ code: 0, stderr: '' });
    const { parameters, heldOut } = JSON.parse(context.stdout.text) as Result;
    for (const [name, [least, most]] of Object.entries(wanted)) {
      const { after } = parameters.find((one) => one.name === name)!;
      expect(after, name).toBeGreaterThanOrEqual(least);
      expect(after, name).toBeLessThanOrEqual(most);
    }
    expect(heldOut.median).toBeLessThan(0.02);
    // and the file has them
    const read = profileFromText(readFileSync(out, 'utf8')).figures;
    const inFile: Readonly<Record<string, number | undefined>> = {
      'latency.rendezvous': (read.rendezvousPs ?? 0) / 1e6,
      'latency.rendezvousAbove': read.rendezvousAboveBytes,
      'latency.post': read.postUs,
      'bandwidth.sends': read.sendsShare,
    };
    for (const { name, after } of parameters) if (name in wanted) expect(inFile[name], name).toBeCloseTo(after, 2);
  });
});
