// Writes the application as a static folder: any web server serves it, and no program runs there. The page and its worker are
// bundled from dist, the examples are those of examples/ that name no large file.
//
//   npm run site -- --out DIR
//
// Invariant: a folder of something else is not touched.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { parse } from 'yaml';
import { pageStyle } from './dist/report/page/page-style.js';

const root = dirname(fileURLToPath(import.meta.url));
const marker = 'weft-site.json';
/** what the page may load before its first run, packed */
const mostPackedBytes = 450_000;
/** the transfers of `npm start` come first */
const first = 'server-pair/no-controller';
/** a scenario that names a larger file is left to the command line */
const mostFileBytes = 100_000;

/** Examples by folder and name, with the first words of their page as question. */
function examples() {
  const found = [];
  const folders = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name: folder } of folders)
    for (const file of readdirSync(join(root, 'examples', folder)).filter((name) => name.endsWith('.yaml'))) {
      const text = readFileSync(join(root, 'examples', folder, file), 'utf8');
      if (parse(text)?.fabric === undefined) continue;
      const page = readFileSync(join(root, 'examples', folder, 'README.md'), 'utf8');
      const question = /^# (.*)$/m.exec(page)?.[1] ?? folder;
      const files = filesBeside(folder, text);
      const sizes = Object.values(files).map((own) => own.length);
      if (sizes.some((bytes) => bytes > mostFileBytes)) continue;
      found.push({ name: `${folder}/${file.replace(/\.yaml$/, '')}`, question, text, files });
    }
  return found.sort((a, b) => Number(b.name === first) - Number(a.name === first));
}

/** Texts of the files of a folder that a scenario names. */
function filesBeside(folder, text) {
  const names = readdirSync(join(root, 'examples', folder)).filter((name) => !/\.(yaml|md|svg|mjs)$/.test(name));
  const named = names.filter((name) => text.includes(name));
  return Object.fromEntries(named.map((name) => [name, readFileSync(join(root, 'examples', folder, name), 'utf8')]));
}

/** JSON for a script element: nothing in it ends the element. */
function jsonText(value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function page() {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'none'",
    "style-src 'self' 'unsafe-inline'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Weft: simulate a cluster's network in this page</title>
<meta name="description" content="Describe the network of a GPU cluster, run it, and see where the time goes. Nothing to install, nothing leaves the machine.">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<link rel="modulepreload" href="main.js">
</head>
<body>
<div id="app"><p style="padding:20px">Weft simulates the network of a GPU cluster in this page. It needs JavaScript.</p></div>
<script type="application/json" id="examples">${jsonText(examples())}</script>
<script type="module" src="main.js"></script>
</body>
</html>
`;
}

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
mkdirSync(out, { recursive: true });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const name of ['main', 'engine-worker']) {
  const bundle = await rolldown({
    input: { [name]: join(root, `dist/web/app/${name}.js`) },
    platform: 'browser',
    logLevel: 'warn',
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
    transform: { define: { 'process.env.NODE_ENV': '"production"', WEFT_VERSION: JSON.stringify(version) } },
  });
  await bundle.write({
    dir: out,
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: `${name}-[name].js`,
  });
  await bundle.close();
}
writeFileSync(join(out, 'style.css'), `${pageStyle()}\n${readFileSync(join(root, 'web/app/style.css'), 'utf8')}`);
writeFileSync(join(out, 'index.html'), page());
const packed = ['index.html', 'main.js', 'style.css'].map((name) => gzipSync(readFileSync(join(out, name))).length);
const packedBytes = packed.reduce((sum, own) => sum + own, 0);
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
