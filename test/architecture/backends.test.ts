// Backends are values in one catalogue: outside src/backends no file tells two of them apart by their names, and none
// compares a name. What has to be known of a backend is one of its properties.

import { readFileSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { backendNames } from '../../src/backends/catalogue.js';
import { treeOf, visit } from './layers.js';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** The backends that the texts in a file name: whole words of strings and templates. Comments do not count. */
function namedIn(path: string, text: string): { readonly named: Set<string>; readonly compared: string[] } {
  const named = new Set<string>();
  const compared: string[] = [];
  const tree = treeOf(path, text);
  visit(tree, (node, parent) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const isImport = ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
      for (const name of isImport ? [] : backendNames) {
        // "packet" is a word of networks, too: it names the backend where it stands alone
        const isNamed = name === 'packet' ? node.text === name : new RegExp(`\\b${name}\\b`).test(node.text);
        if (!isNamed) continue;
        named.add(name);
        if (ts.isBinaryExpression(parent) && /backend/i.test(parent.getText(tree))) compared.push(name);
      }
    }
  });
  return { named, compared };
}

describe('backends', () => {
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.ts') && !path.startsWith('backends/'));

  it('are told apart by their properties outside their folder', () => {
    expect(paths.length).toBeGreaterThan(100);
    const complaints: string[] = [];
    for (const path of paths) {
      const text = readFileSync(`${source}/${path}`, 'utf8');
      // most files need not be parsed: no name stands in them
      if (!backendNames.some((name) => text.includes(name === 'packet' ? `'${name}'` : name))) continue;
      const { named, compared } = namedIn(path, text);
      if (named.size > 1) complaints.push(`${path} names ${[...named].join(' and ')}`);
      for (const name of compared) complaints.push(`${path} compares with ${name}`);
    }
    expect(complaints).toEqual([]);
  });

  it('would be seen if they were not', () => {
    const text = "if (backend === 'packet') say(`on ${a} the fluid backend`); // analytical";
    expect(namedIn('a.ts', text)).toEqual({ named: new Set(['packet', 'fluid']), compared: ['packet'] });
    expect(namedIn('a.ts', "import { x } from '../fluid.js'; f(['packet', 'payload']);").named.size).toBe(1);
  });
});
