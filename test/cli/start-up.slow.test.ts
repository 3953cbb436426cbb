// Starting up loads what is called and no more, in processes of the built program.

import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
// module by module: a bundle is loaded as a few files
const program = fileURLToPath(new URL('dist/cli/process.js', root));
const hook = new URL('test/support/loaded-modules.mjs', root).href;

/** The files of the clone that a call of the built program loads, as paths in it. */
async function loadedBy(...words: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-loaded-'));
  try {
    const list = join(folder, 'modules');
    const { status, stderr } = spawnSync(process.execPath, ['--import', hook, program, ...words], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
      env: { ...process.env, WEFT_LOADED_MODULES: list },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const addresses = new Set((await readFile(list, 'utf8')).split('\n'));
    return [...addresses]
      .filter((address) => address.startsWith(root.href))
      .map((address) => address.slice(root.href.length));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('starting up', () => {
  it.each([['--version'], ['--help']])('weft %s loads the frame of the program alone', async (word) => {
    const loaded = await loadedBy(word);
    expect(loaded).toContain('dist/cli/process.js');
    expect(
      loaded.filter((path) => !/^(dist\/(cli|storage|base|campaign)|node_modules\/commander)\//.test(path)),
    ).toEqual([]);
    expect(loaded.length).toBeLessThan(30);
  });

  it('a command loads no other command, and no writer of Parquet where nothing is kept', async () => {
    const loaded = await loadedBy('run', 'examples/server-pair/controller.yaml', '--quiet');
    expect(loaded).toContain('dist/cli/run/run.js');
    expect(loaded).toContain('dist/backends/packet/packet-network.js');
    expect(
      loaded.filter((path) => /hyparquet|dist\/(optimization|exact|solvers)\/|dist\/cli\/route\//.test(path)),
    ).toEqual([]);
  });
});
