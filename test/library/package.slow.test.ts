// The package as users get it: what is in it, and that it works when it is installed somewhere else, as a program, as a
// library and for the type checker. Packed from the build, without the scripts of npm, and installed without the network:
// dependencies are links to those of this clone.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageJson;

let folder = '';
let tarball = '';
let files: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-package-'));
  const packed = npm(root, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
  const told = JSON.parse(packed) as { filename: string; files: { path: string }[] }[] | Record<string, never>;
  const [entry] = Object.values(told) as { filename: string; files: { path: string }[] }[];
  tarball = join(folder, entry!.filename);
  files = entry!.files.map(({ path }) => path);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The npm that runs the tests, if one does. @returns what it printed */
function npm(cwd: string, ...words: string[]): string {
  const caller = process.env['npm_execpath'] ?? '';
  const isNpm = /npm-cli\.c?js$/.test(caller);
  const program = isNpm ? process.execPath : 'npm';
  return execFileSync(program, isNpm ? [caller, ...words] : words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The modules that a compiled file imports, statically or on demand, and the files that it makes workers of. */
function importsOf(path: string): string[] {
  return path.startsWith('dist/program/') ? importsOfBundle(path) : importsOfModule(path);
}

/** Texts of packages stand in bundles, too: statements count, each at the start of its line. */
function importsOfBundle(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^(?:import|export)\b.*?"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm)].map(
    ([, module, onDemand]) => module ?? onDemand!,
  );
}

function importsOfModule(path: string): string[] {
  // without comments, in which examples stand
  const text = readFileSync(join(root, path), 'utf8').replace(/^\s*(\/\*\*[^]*?\*\/|\/\/.*$)/gm, '');
  const found = text.matchAll(/(?:\bfrom|^import|\bimport\()\s*'([^'\n]+)'|new URL\('(\.[^'\n]+\.js)'/gm);
  return [...found].map(([, module, worker]) => module ?? worker!);
}

describe('the files', () => {
  it('are the program, the library, pages, examples and the schemas, and nothing else', () => {
    const wanted =
      /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/[\w-]+\/[\w/-]+\.(js|d\.ts)|dist\/program\/(THIRD-PARTY\.txt|report\/packages\.json|site\/style\.css)|(docs|examples)\/.+\.(md|svg|png|yaml|csv|txt|topo|log|mjs|py|html|json)|schema\/(scenario|profile)\.schema\.json)$/;
    expect(files.filter((path) => !wanted.test(path))).toEqual([]);
    expect(files.filter((path) => /^dist\/(bench|validation|test|web)\//.test(path))).toEqual([]);
    const must = ['CHANGELOG.md', 'LICENSE', 'README.md', 'docs/library.md', 'examples/library/simulate-scenario.mjs'];
    expect(must.filter((path) => !files.includes(path))).toEqual([]);
  });

  it('hold every file that an entry of package.json names, with its types', () => {
    const entries = [...Object.values(manifest.bin), ...Object.values(manifest.exports)];
    const named = entries.map((path) => path.replace(/^\.\//, ''));
    const types = Object.values(manifest.exports)
      .filter((path) => path.endsWith('.js'))
      .map((path) => path.replace(/^\.\/(.*)\.js$/, '$1.d.ts'));
    expect(types).toHaveLength(6);
    expect([...named, ...types].filter((path) => !files.includes(path))).toEqual([]);
  });

  it('import each other and the dependencies, and nothing that is left out', () => {
    const known = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const missing: string[] = [];
    for (const path of files.filter((file) => file.startsWith('dist/') && file.endsWith('.js'))) {
      for (const module of importsOf(path)) {
        const [scope, name] = module.split('/');
        const isThere = module.startsWith('.')
          ? files.includes(posix.join(posix.dirname(path), module)) || module.startsWith('../../dist/')
          : module.startsWith('node:') || Object.hasOwn(known, scope!.startsWith('@') ? `${scope}/${name}` : scope!);
        if (!isThere) missing.push(`${path}: ${module}`);
      }
    }
    expect(missing).toEqual([]);
  });
});

describe('installed', () => {
  let project = '';

  beforeAll(() => {
    project = join(folder, 'project');
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; peer?: boolean; devOptional?: boolean }>;
    };
    const linked = Object.entries(lock.packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
      .map(([path]) => path.replace(/^node_modules\//, ''))
      .filter((name) => !name.includes('node_modules'));
    execFileSync('mkdir', [project]);
    writeFileSync(
      join(project, 'package.json'),
      JSON.stringify({
        private: true,
        type: 'module',
        dependencies: { [manifest.name]: `file:${tarball}` },
        overrides: Object.fromEntries(linked.map((name) => [name, `file:${join(root, 'node_modules', name)}`])),
      }),
    );
    npm(project, 'install', '--offline', '--install-links=false', '--ignore-scripts', '--no-audit', '--no-fund');
  });

  function run(program: string, ...words: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: project, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }

  it('weft is a program', () => {
    const weft = join(project, 'node_modules/.bin/weft');
    expect(run(weft, '--version')).toBe(`${manifest.version}\n`);
    expect(run(weft, 'demo', '--json')).toContain('"ok":true');
  });

  it('a search in threads and a solver in one find their files', () => {
    const weft = join(project, 'node_modules/.bin/weft');
    const problem = ['--fabric', 'fabric.net', '--traffic', 'traffic.csv', '--json'];
    writeFileSync(join(project, 'traffic.csv'), 'source,destination,bytes\n0,15,3\n1,14,3\n');
    run(weft, 'topology', 'generate', 'fat-tree', '--k', '4', '--out', 'fabric.net');
    for (const algorithm of ['weft', 'basic-mcf'])
      expect(run(weft, 'route', 'compute', ...problem, '--algorithm', algorithm)).toContain('"provenOptimal": true');
  });

  it('the examples of the library print what their page shows', () => {
    const home = join(project, 'node_modules', manifest.name);
    const page = readFileSync(join(home, 'examples/library/README.md'), 'utf8');
    expect(page).toContain(run(process.execPath, join(home, 'examples/library/simulate-scenario.mjs')));
  });

  it('the library is imported by its entries alone', () => {
    const script = `import { planFromText, simulate } from '${manifest.name}';
      const text = 'fabric: { generate: dumbbell }\\ntraffic: { transfers: [{ source: 0, destination: 1, size: 1MiB }] }';
      console.log((await simulate(await planFromText(text))).outcome);
      await import('${manifest.name}/dist/app/simulate.js').catch(({ code }) => console.log(code));`;
    expect(run(process.execPath, '--input-type=module', '--eval', script)).toBe(
      'finished\nERR_PACKAGE_PATH_NOT_EXPORTED\n',
    );
  });

  it('a strict type checker takes every entry that is for browsers, without the types of Node', () => {
    const user = `import { planFromText, simulate, type RunSummary } from '${manifest.name}';
import { timeCollective } from '${manifest.name}/collectives';
import { readTopology, type Reading } from '${manifest.name}/formats';
import { computeRoutes } from '${manifest.name}/routes';
const run: RunSummary = await simulate(await planFromText(''));
export const flows: number = run.flows;
export const time: number = (await timeCollective(readTopology('').value, { kind: 'allreduce', size: 8 })).timePs;
export const load = (await computeRoutes({ fabric: { family: 'fat-tree' }, algorithm: 'ftree' })).evaluation?.maxLoad;
// @ts-expect-error there is no such collective
await timeCollective(readTopology('').value, { kind: 'allrduce', size: 8 });
export type Topology = Reading<number>;
`;
    writeFileSync(join(project, 'user.ts'), user);
    const options = {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['user.ts'] }));
    expect(run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', project)).toBe('');
    expect(dirname(tarball)).toBe(folder);
  });
});
