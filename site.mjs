// Writes the application and the documents as a static folder: any web server serves it, and no program runs there.
//
//   npm run site -- --out DIR
//   npm run site -- --out DIR --without-documents    the application alone
//
// Invariant: a folder of something else is not touched.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { siteFiles } from './dist/cli/ui/site-files.js';

const marker = 'weft-site.json';
/** what the page may load before its first run, packed */
const mostPackedBytes = 450_000;

const { values } = parseArgs({
  options: { out: { type: 'string' }, 'without-documents': { type: 'boolean' } },
});
if (values.out === undefined) {
  console.error('where to?\n  wanted: npm run site -- --out DIR');
  process.exit(2);
}
const out = resolve(values.out);
if (
  existsSync(out) &&
  (!statSync(out).isDirectory() || (readdirSync(out).length > 0 && !existsSync(join(out, marker))))
) {
  console.error(`${values.out} is there and is no site of Weft\n  wanted: a folder that is empty or not there`);
  process.exit(2);
}
const files = new Map(await siteFiles('site'));
if (!values['without-documents']) {
  const { documentFiles } = await import('./dist/validation/documents/documents.js');
  for (const [name, bytes] of await documentFiles(reference())) files.set(name, bytes);
}
for (const [name, bytes] of files) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), bytes);
}
// what the program imports at once comes with it
const first = [
  ...files
    .get('main.js')
    .toString()
    .matchAll(/from"\.\/([^"]+)"/g),
].map(([, name]) => name);
const packedBytes = ['index.html', 'main.js', 'style.css', ...first].reduce(
  (sum, name) => sum + gzipSync(files.get(name)).length,
  0,
);
const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
writeFileSync(join(out, marker), `${JSON.stringify({ version, packedBytes })}\n`);
if (packedBytes > mostPackedBytes) {
  console.error(
    `the page takes ${packedBytes} bytes packed before its first run; at most ${mostPackedBytes} are wanted`,
  );
  process.exit(1);
}
console.log(
  `${values.out}: ${Math.round(packedBytes / 1000)} kB packed before the first run\n  python3 -m http.server --directory ${values.out} 8080`,
);

/** The reference of the library, made anew if the build is another. @returns its folder */
function reference() {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const folder = join(root, '.weft/reference');
  const note = join(folder, 'build');
  const build = readFileSync(join(root, 'dist/build'), 'utf8');
  if (existsSync(note) && readFileSync(note, 'utf8') === build) return folder;
  process.stderr.write('making the reference of the library (15 s) ... ');
  const typedoc = join(root, 'node_modules/typedoc/bin/typedoc');
  // types are checked by whoever changes them
  const words = [typedoc, '--logLevel', 'Error', '--skipErrorChecking', '--useHTMLAnchors', '--out', folder];
  const made = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  if (made.status !== 0) {
    console.error(`\nthe reference cannot be made:\n${made.stdout}${made.stderr}`);
    process.exit(1);
  }
  process.stderr.write('made\n');
  writeFileSync(note, build);
  return folder;
}
