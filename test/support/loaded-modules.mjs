// Preloaded with node --import: writes to the file WEFT_LOADED_MODULES the address of every module that the process
// loads, a line each. ES modules are seen by a hook, those that `require` takes in its cache when the process ends.

import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const hook = `import { appendFileSync } from 'node:fs';
export function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.WEFT_LOADED_MODULES, url + '\\n');
  return next(url, context);
}`;

register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { cache } = createRequire(import.meta.url);
process.on('exit', () => {
  for (const path of Object.keys(cache))
    appendFileSync(process.env.WEFT_LOADED_MODULES, `${pathToFileURL(path).href}\n`);
});
