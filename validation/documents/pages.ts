// The pages that the site holds, and where each of them and of the files that they link to stands in it.
// Invariant: a page is found in the folder that it has in the repositoryFolder, so links need no list.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';
import { repositoryFolder } from '../repository.js';

/** A page of documents. */
export interface SourcePage {
  /** in the repositoryFolder, with forward slashes */
  readonly path: string;
  readonly text: string;
  /** whether typedoc made it */
  readonly isReference: boolean;
}

/** where pages of the reference stand among the others */
const referenceFolder = 'docs/reference';
const firstPages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
/** a browser would carry these out, or keep them as files */
const shownAsText = new Set(['', '.html', '.js', '.mjs', '.py', '.sh', '.ts', '.yaml', '.yml']);

/**
 * All pages, in a fixed order.
 * @param reference folder of the pages that typedoc made; null: none
 */
export function sourcePages(reference: string | null): readonly SourcePage[] {
  const own = [...firstPages, ...markdownIn(repositoryFolder, 'docs'), ...markdownIn(repositoryFolder, 'examples')]
    .filter((path) => !path.startsWith(`${referenceFolder}/`))
    .map((path) => ({ path, text: readFileSync(join(repositoryFolder, path), 'utf8'), isReference: false }));
  if (reference === null) return own;
  const made = markdownIn(reference, '.').map((name) => ({
    path: posix.join(referenceFolder, name),
    text: readFileSync(join(reference, name), 'utf8'),
    isReference: true,
  }));
  return [...own, ...made];
}

function markdownIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .sort();
}

/** Where a page stands in the site. */
export function placeOfPage(path: string): string {
  // the first file of the site is the application
  if (path === 'README.md') return 'about.html';
  return basename(path) === 'README.md' ? posix.join(dirname(path), 'index.html') : path.replace(/\.md$/, '.html');
}

/** Where a file that a page links to stands in the site; null: there is no such file in the repository. */
export function placeOfFile(path: string): string | null {
  const found = join(repositoryFolder, path);
  if (path.startsWith('..') || !existsSync(found) || !statSync(found).isFile()) return null;
  return shownAsText.has(extname(path)) ? `${path}.txt` : path;
}
