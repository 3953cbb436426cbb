// Puts the built program and the packages that it uses into a few files, which load in a third of the time
// (docs/decisions/0012-the-program-in-a-few-files.md). `node setup.mjs` calls it after every build.
// Invariants: `import.meta.url` of a module is the place of that module in dist, bundled or not, so that workers, examples
// and package.json are found; a bundle names the compiler's notes of the build that it is of, and is complete once it does.
//
//   node bundle.mjs [folder]    default: dist/program

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const folder = resolve(process.argv[2] ?? join(dist, 'program'));

/** Lets modules of dist stand where they stood. */
const places = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(dist + sep) || !code.includes('import.meta.url')) return null;
    const place = JSON.stringify(relative(folder, id).split(sep).join('/'));
    return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
  },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundle = await rolldown({
  input: { program: join(dist, 'cli/process.js') },
  platform: 'node',
  plugins: [places],
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  // THIRD-PARTY.txt has the licences
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
writeFileSync(join(folder, 'THIRD-PARTY.txt'), licences(modules));
const hash = createHash('sha256');
for (const name of ['pure', 'node']) hash.update(readFileSync(join(dist, `${name}.tsbuildinfo`)));
writeFileSync(join(folder, 'build'), hash.digest('hex'));

/** The licences of the packages of which there are modules. */
function licences(ids) {
  const packages = new Set(
    ids.flatMap((id) => {
      const [, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
      return name === undefined ? [] : [name.replaceAll('\\', '/')];
    }),
  );
  return [...packages]
    .toSorted()
    .map((name) => {
      const home = join(root, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
      const file = readdirSync(home).find((path) => /^licen[cs]e/i.test(path));
      const text = file === undefined ? '' : `\n${readFileSync(join(home, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${text}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
