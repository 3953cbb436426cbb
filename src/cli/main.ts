#!/usr/bin/env node
// What `weft` starts: the program in a few files that `bundle.mjs` made, if they are of this build; else module by
// module. Loading some 500 modules takes twice as long as all else that a short command does (docs/decisions/0012).
// Invariant: a bundle of another build is never used: both name the sources that they are of (setup.mjs). A package
// does not say so of its modules, and has a bundle of its own build.

import { existsSync, readFileSync } from 'node:fs';

/** A file of dist. */
function built(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

function isBundleOfThisBuild(): boolean {
  if (!existsSync(built('program/program.js'))) return false;
  if (!existsSync(built('build'))) return true;
  try {
    return readFileSync(built('program/build'), 'utf8') === readFileSync(built('build'), 'utf8');
  } catch {
    return false;
  }
}

try {
  await import(built(isBundleOfThisBuild() ? 'program/program.js' : 'cli/process.js').href);
} catch (error) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'EMFILE' && code !== 'ENFILE') throw error;
  process.stderr.write('error: too many open files: weft cannot be loaded\n  hint:   allow more (ulimit -n 1024)\n');
  process.exitCode = 1;
}
