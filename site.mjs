// Writes the application as a static folder: any web server serves it, and no program runs there.
//
//   npm run site -- --out DIR
//
// Invariant: a folder of something else is not touched.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { siteFiles } from './dist/cli/ui/site-files.js';

const marker = 'weft-site.json';
/** what the page may load before its first run, packed */
const mostPackedBytes = 450_000;

const { values } = parseArgs({ options: { out: { type: 'string' } } });
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
const files = await siteFiles('site');
mkdirSync(out, { recursive: true });
for (const [name, bytes] of files) writeFileSync(join(out, name), bytes);
const packedBytes = ['index.html', 'main.js', 'style.css'].reduce(
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
