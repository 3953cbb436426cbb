// Turns the TypeScript sources into the JavaScript of dist, a module for each, with its source map, in about a second. Types
// are not checked: `npm run types` does that, with `npm test`, `npm run check` and `npm run build`.
// Invariant: what it writes depends on each source alone (`isolatedModules` of tsconfig.base.json).
//
//   node transpile.mjs

import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** folders of sources, and where their modules go */
const folders = [
  ['src', 'dist'],
  ['web', 'dist/web'],
  ['bench', 'dist/bench'],
  ['validation', 'dist/validation'],
];

/** The TypeScript sources that become files of dist, each with that file's path without extension. */
export function sources() {
  const outputs = new Map();
  for (const [folder, target] of folders)
    for (const path of filesUnder(folder))
      if (/(?<!\.d)\.tsx?$/.test(path)) outputs.set(path, target + path.slice(folder.length).replace(/\.tsx?$/, ''));
  return outputs;
}

/** All files under a folder, as paths with forward slashes, in a fixed order. */
export function filesUnder(folder) {
  const found = [];
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...filesUnder(path));
    else found.push(path);
  }
  return found;
}

/** Writes the modules of all sources. @throws Error that names the source and the place of what is no TypeScript */
async function transpile() {
  // a package, which setup.mjs, which reads this file, may have yet to install
  const { transformSync } = await import('rolldown/utils');
  const made = new Set();
  for (const [source, output] of sources()) {
    const folder = dirname(output);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    const { code, map, errors } = transformSync(source, readFileSync(source, 'utf8'), {
      target: 'es2022',
      sourcemap: true,
      typescript: { onlyRemoveTypeImports: true },
      jsx: { runtime: 'automatic', importSource: 'preact' },
    });
    if (errors.length > 0)
      throw new Error(errors.map(({ message, codeframe }) => `${source}: ${message}\n${codeframe ?? ''}`).join('\n'));
    const file = output.slice(folder.length + 1);
    const ownMap = { ...map, file: `${file}.js`, sources: [relative(folder, source)], sourcesContent: undefined };
    writeFileSync(`${output}.js`, `${code}//# sourceMappingURL=${file}.js.map\n`);
    writeFileSync(`${output}.js.map`, JSON.stringify(ownMap));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(dirname(fileURLToPath(import.meta.url)));
  try {
    await transpile();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
