// The bundle of the program: it is the same program, it stands where its modules stand, and one of another build is not
// used.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'dist/cli/process.js');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-bundle-'));
  const { status, stderr } = spawnSync(process.execPath, ['bundle.mjs', folder], { cwd: root, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a call prints, without what differs from run to run. */
function printed(program: string, words: readonly string[], cwd = root) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { cwd, encoding: 'utf8' });
  return {
    status,
    stderr,
    stdout: stdout
      .replaceAll(program, 'PROGRAM')
      .replace(/"(cpuSeconds|wallSeconds|peakMemoryBytes)": ?[\d.e+-]+/g, '"$1":0')
      .replace(/[\d.]+ s of CPU/g, ''),
  };
}

describe('a bundle', () => {
  it.each([
    ['of its version, from package.json', ['--version']],
    ['of help', ['run', '--help']],
    ['of a command with a mistake', ['run', 'no-such.yaml']],
    ['of examples that come with it', ['demo', '--json']],
    ['of a run', ['run', 'examples/server-pair/controller.yaml', '--json']],
    ['of a collective', ['collective', 'allreduce', '--fabric', 'spectrum-x', '--gpus', '16', '--sizes', '1MiB,2MiB']],
  ])('says what the modules say: %s', (_, words) => {
    expect(printed(join(folder, 'program.js'), words)).toEqual(printed(modules, words));
  });

  it.each([
    ['a search', 'weft'],
    ['a solver', 'partitioned-binary'],
  ])('finds the thread of %s', (_, algorithm) => {
    const words = ['--fabric', join(folder, 'two.topo'), '--traffic', 'all-to-all', '--time', '3s', '--json'];
    writeFileSync(
      join(folder, 'two.topo'),
      writeTopology(generateFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 4 })),
    );
    const { status, stdout, stderr } = printed(join(folder, 'program.js'), [
      'route',
      'compute',
      '--algorithm',
      algorithm,
      ...words,
    ]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // every leaf sends 48 units to others over two links
    expect(JSON.parse(stdout)).toMatchObject({ maxLoad: 24 });
  });

  it('has the licences of the packages in it', () => {
    const text = readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8');
    for (const name of ['commander', 'yaml', 'zod', '@noble/hashes', 'hyparquet-writer'])
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\w+\\)$`, 'm'));
    expect(text.match(/Permission is hereby granted|Permission to use, copy, modify/g)!.length).toBeGreaterThan(5);
  });

  it('is a few files, of which a command loads some', () => {
    expect(readdirSync(folder).length).toBeLessThan(250);
  });
});

/** A dist with the real main.js, and programs that say who they are. @param of which build it is; null: it does not say */
function started(note: string | null, bundle: { readonly of: string } | null): string {
  const dist = mkdtempSync(join(folder, 'dist-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  };
  mkdirSync(join(dist, 'cli'));
  cpSync(join(root, 'dist/cli/main.js'), join(dist, 'cli/main.js'));
  put('package.json', '{"type":"module"}');
  put('cli/process.js', 'console.log("modules");');
  if (note !== null) put('build', note);
  if (bundle !== null) {
    put('program/program.js', 'console.log("bundle");');
    put('program/build', bundle.of);
  }
  return printed(join(dist, 'cli/main.js'), []).stdout.trim();
}

describe('weft starts', () => {
  it.each([
    ['the bundle of this build', 'this', { of: 'this' }, 'bundle'],
    ['the bundle of a package, which does not say of which build it is', null, { of: 'this' }, 'bundle'],
    ['the modules, if the bundle is of another build', 'this', { of: 'another' }, 'modules'],
    ['the modules, if there is no bundle', 'this', null, 'modules'],
  ] as const)('%s', (_, note, bundle, who) => {
    expect(started(note, bundle)).toBe(who);
  });
});
