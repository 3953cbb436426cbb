// `weft collective --fabric FILE.yaml`: the fabric of a scenario, its mistakes, and what else stands in it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { scriptedContext } from '../support/command-context.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-scenario-fabric-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function weft(...words: string[]) {
  const context = scriptedContext({ simulate });
  const code = await runProgram(['collective', 'allreduce', ...words, '--sizes', '1MiB', '--json'], context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

async function scenario(text: string): Promise<string> {
  const path = join(folder, 'cluster.yaml');
  await writeFile(path, text);
  return path;
}

function digestOf(stdout: string): string {
  return (JSON.parse(stdout) as { rows: { digest: string }[] }).rows[0]!.digest;
}

describe('weft collective --fabric FILE.yaml', () => {
  it('is the fabric that the options of the family make', async () => {
    const path = await scenario('fabric: { generate: spectrum-x, gpus: 16, bandwidth: 200Gbps }\n');
    const { code, stdout, stderr } = await weft('--fabric', path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const options = await weft('--fabric', 'spectrum-x', '--gpus', '16', '--bandwidth', '200Gbps');
    expect(digestOf(stdout)).toBe(digestOf(options.stdout));
    const others = await weft('--fabric', 'spectrum-x', '--gpus', '16');
    expect(digestOf(stdout)).not.toBe(digestOf(others.stdout));
  });

  it('names what else stands in the scenario', async () => {
    const { code, stderr } = await weft(
      '--fabric',
      await scenario('seed: 3\nfabric: { generate: spectrum-x, gpus: 8 }\n'),
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/cluster\.yaml:1:1: warning: only the fabric of the scenario is taken, not seed/);
  });

  it.each([
    [
      'a setting that is none',
      'fabric: { generate: spectrum-x, gpu: 8 }\n',
      /cluster\.yaml:1:\d+: error: fabric\.gpu is not known/,
    ],
    ['no fabric', 'seed: 3\n', /error: the scenario describes no fabric/],
    ['no keys', '- 1\n', /error: the file is not made of keys and values/],
    ['a topology that is not there', 'fabric: { file: none.topo }\n', /topology file cannot be read/],
  ])('refuses %s', async (_, text, wanted) => {
    const { code, stderr } = await weft('--fabric', await scenario(text));
    expect(code).toBe(2);
    expect(stderr).toMatch(wanted);
  });
});
