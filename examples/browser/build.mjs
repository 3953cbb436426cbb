// Bundles the page and its worker with Rolldown, as for any other package, into the folder that is named. Another
// bundler does as well: nothing here is special to Weft.
//
//     node examples/browser/build.mjs /tmp/weft-page && npx serve /tmp/weft-page

import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const [out] = process.argv.slice(2);
if (out === undefined) {
  process.stderr.write('where to? node examples/browser/build.mjs FOLDER\n');
  process.exit(2);
}
await mkdir(out, { recursive: true });
await copyFile(join(here, 'index.html'), join(out, 'index.html'));
for (const name of ['page', 'worker'])
  await build({
    input: join(here, `${name}.mjs`),
    platform: 'browser',
    output: { file: join(out, `${name}.js`), format: 'esm', minify: true, codeSplitting: false },
    logLevel: 'warn',
  });
