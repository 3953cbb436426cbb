// Files of the repository that `npm run figures` writes, whole or between two marks of a page. All or nothing: written
// beside, then renamed.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryFolder } from '../repository.js';

/** A path of the repository as one of the file system. */
export function pathOf(file: string): string {
  return path.join(repositoryFolder, file);
}

/** Writes a file. */
export function writeFile(file: string, text: string): void {
  writeFileSync(`${pathOf(file)}.new`, text);
  renameSync(`${pathOf(file)}.new`, pathOf(file));
  process.stderr.write(`written: ${file}\n`);
}

/** What stands between `<!-- NAME: npm run figures -->`, or tables in place of figures, and `<!-- end -->` in a page; null without the marks. */
export function blockOf(page: string, name: string): string | null {
  return markedPlace(name).exec(readFileSync(pathOf(page), 'utf8'))?.[2] ?? null;
}

function markedPlace(name: string): RegExp {
  return new RegExp(`(<!-- ${name}: npm run (?:figures|tables) -->\\n)([\\s\\S]*?)(<!-- end -->)`);
}

/**
 * Replaces what stands between `<!-- NAME: npm run figures -->` and `<!-- end -->` in a page.
 * @throws Error if the marks are not there
 */
export function writeBlock(page: string, name: string, block: string): void {
  const text = readFileSync(pathOf(page), 'utf8');
  const marker = markedPlace(name);
  if (!marker.test(text)) throw new Error(`${page} has no place for ${name}`);
  writeFile(
    page,
    text.replace(marker, (_all, before: string, _block: string, after: string) => `${before}${block}${after}`),
  );
}
