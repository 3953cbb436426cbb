// Puts the built program and the packages that it uses into a few files, which load in a third of the time
// (docs/decisions/0012-the-program-in-a-few-files.md), and the program of reports' pages with its charts into one file for
// browsers and one for Node (report/), and the application's page with its worker into files for browsers (site/).
// `node setup.mjs` calls it after every build.
// Invariants: `import.meta.url` of a module is the place of that module in dist, bundled or not, so that workers, examples
// and package.json are found; a bundle names the build that it is of (dist/build), and is complete once it does.
//
//   node bundle.mjs [folder]    default: dist/program

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
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
  // one has binaries for every system, and is loaded when a picture is wanted; the others are optional
  external: ['@resvg/resvg-js', 'bullmq', 'ioredis'],
  plugins: [places],
  // a constant of a module is looked up each time that it is used, in a hot loop, too: its value stands there instead
  optimization: { inlineConst: { mode: 'all', pass: 3 } },
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  // THIRD-PARTY.txt has the licences
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: ({ name }) => `${name.split('~')[0]}-[hash].js`,
  // what everything uses: a chunk for each module of it would make more files than it saves bytes
  codeSplitting: {
    groups: [
      ...['base', 'records', 'measurement'].map((name) => ({
        name,
        test: new RegExp(`[\\\\/]dist[\\\\/]${name}[\\\\/]`),
        priority: 1,
      })),
      // what some commands share, in pieces of a few kilobytes and more
      { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 2500 },
    ],
  },
});
await bundle.close();
const pageModules = await bundlePage();
const modules = [...output.flatMap((chunk) => chunk.moduleIds ?? []), ...pageModules, ...(await bundleSite())];
writeFileSync(join(folder, 'THIRD-PARTY.txt'), licences(modules));
writeFileSync(join(folder, 'build'), readFileSync(join(dist, 'build')));

/**
 * The program of reports' pages (report/page.js, a classic script), its charts for Node (report/charts.js), and what is
 * in them (report/packages.json). @returns the modules in them
 */
async function bundlePage() {
  const ids = [];
  for (const [name, format, platform] of [
    ['page', 'iife', 'browser'],
    ['charts', 'esm', 'node'],
  ]) {
    const made = await rolldown({
      input: { [name]: join(dist, `web/report/${name}.js`) },
      platform,
      logLevel: 'warn',
      transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    });
    const written = await made.write({ dir: join(folder, 'report'), format, minify: true, comments: false });
    await made.close();
    ids.push(...written.output.flatMap((chunk) => chunk.moduleIds ?? []));
  }
  writeFileSync(join(folder, 'report/packages.json'), JSON.stringify(packagesOf(ids).map(({ text }) => text)));
  return ids;
}

/**
 * The programs and the style of the application (site/), which are all but its page, and the program of the documents'
 * pages (documents/). @returns the modules in them
 */
async function bundleSite() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const ids = [];
  for (const [name, to, entries] of [
    ['main', 'site', ['app/main']],
    // what the workers share stands once
    ['worker', 'site', ['app/engine-worker', 'app/tools/tool-worker']],
    ['documents', 'documents', ['documents/documents']],
  ]) {
    const made = await rolldown({
      input: Object.fromEntries(entries.map((entry) => [basename(entry), join(dist, `web/${entry}.js`)])),
      platform: 'browser',
      logLevel: 'warn',
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      transform: { define: { 'process.env.NODE_ENV': '"production"', WEFT_VERSION: JSON.stringify(version) } },
    });
    const written = await made.write({
      dir: join(folder, to),
      format: 'esm',
      minify: true,
      comments: false,
      entryFileNames: '[name].js',
      chunkFileNames: `${name}-[name].js`,
    });
    await made.close();
    ids.push(...written.output.flatMap((chunk) => chunk.moduleIds ?? []));
  }
  const { pageStyle } = await import('./dist/report/page/page-style.js');
  const style = readFileSync(join(root, 'web/app/style.css'), 'utf8');
  writeFileSync(join(folder, 'site/style.css'), `${pageStyle()}\n${style}`);
  return ids;
}

/** The packages of which there are modules, by name: folder and description of each. */
function packagesOf(ids) {
  const homes = new Map();
  for (const id of ids) {
    const [home, name] = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
    if (name !== undefined) homes.set(name.replaceAll('\\', '/'), home);
  }
  return [...homes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, home]) => {
      const { version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
      return { home, text: `${name} ${version} (${license})` };
    });
}

/** The licences and notices of the packages of which there are modules. */
function licences(ids) {
  return packagesOf(ids)
    .map(({ home, text }) => {
      const files = readdirSync(home).filter((path) => /^(licen[cs]e|notice)(\.|$)/i.test(path));
      const texts = files
        .filter((path) => statSync(join(home, path)).isFile())
        .map((path) => `\n${readFileSync(join(home, path), 'utf8').trim()}\n`);
      return `${text}\n${texts.join('')}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
