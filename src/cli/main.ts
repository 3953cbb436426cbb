#!/usr/bin/env node
// What `weft` starts: the program in a few files that `bundle.mjs` made, if they are of this build; else module by module.
// Loading some 500 modules takes twice as long as all else that a short command does (docs/decisions/0012).
// Invariant: a bundle of another build is never used: it names the notes of the compiler that it was made after. A package
// has no such notes, and a bundle of its own build.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

/** A file of dist. */
function built(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}

function isBundleOfThisBuild(): boolean {
  const notes = ['pure.tsbuildinfo', 'node.tsbuildinfo'].map(built);
  if (!existsSync(built('program/program.js'))) return false;
  if (!notes.some((path) => existsSync(path))) return true;
  try {
    const hash = createHash('sha256');
    for (const path of notes) hash.update(readFileSync(path));
    return readFileSync(built('program/build'), 'utf8') === hash.digest('hex');
  } catch {
    return false;
  }
}

await import(built(isBundleOfThisBuild() ? 'program/program.js' : 'cli/process.js').href);
