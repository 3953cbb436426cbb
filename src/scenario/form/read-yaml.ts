// YAML text -> a tree of values with their places. Mistakes of form (syntax, tabs, duplicate keys, aliases without end)
// are found here.
// Invariant: no text makes this throw or run away: its length, depth and number of nodes are bounded.

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type YAMLError,
} from 'yaml';
import type { Diagnostics } from '../../base/diagnostics.js';
import { errorAt, type Located, type LocatedEntry, type Place } from './located.js';
import { slipWords } from './yaml-slips.js';

/** Longest text that is read, in characters: longer lists of transfers belong in a trace file. */
const maxLength = 8 * 1024 * 1024;
const maxDepth = 32;
/** Most nodes that aliases may add to a document. */
const maxAliasNodes = 10_000;
const maxSyntaxErrors = 5;

/**
 * Reads one YAML document (1.2, core schema; JSON is YAML too).
 * @param file its name, for messages
 * @param fixedPlace where every value is said to stand, if not where it does in the text (for --set)
 * @returns the tree, or null after at least one error; an empty document is an error
 */
export function readYaml(text: string, file: string, diagnostics: Diagnostics, fixedPlace?: Place): Located | null {
  const start = fixedPlace ?? { file, line: 1, column: 1 };
  if (text.length > maxLength) {
    errorAt(diagnostics, 'yaml-too-long', start, `the file is longer than ${maxLength} characters`, {
      wanted: 'a scenario',
      hint: 'put long lists of transfers in a trace file: traffic: { trace: FILE }',
    });
    return null;
  }
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lineCounter = new LineCounter();
  let document: Document.Parsed;
  try {
    document = parseDocument(source, {
      lineCounter,
      prettyErrors: false,
      uniqueKeys: false,
      strict: true,
      schema: 'core',
      merge: false,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    errorAt(diagnostics, 'yaml-too-deep', start, 'lists or blocks are nested too deeply', {
      wanted: `at most ${maxDepth} levels`,
    });
    return null;
  }
  const placeAt = (offset: number): Place => {
    if (fixedPlace !== undefined) return fixedPlace;
    const { line, col } = lineCounter.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0 || document.warnings.length > 0) {
    reportSyntax([...document.errors, ...document.warnings], source, placeAt, diagnostics);
    return null;
  }
  if (document.contents === null) {
    errorAt(
      diagnostics,
      'yaml-empty',
      start,
      text.length === 0 ? 'the file is empty (0 bytes)' : 'nothing is written here',
      { wanted: 'a value' },
    );
    return null;
  }
  return new TreeReader(document, placeAt, diagnostics).read();
}

/** Turns a document's nodes into a located tree. */
class TreeReader {
  private aliasNodes = 0;
  /** the last node of each anchor, in the order of the text */
  private readonly anchors = new Map<string, Node>();
  private failed = false;

  constructor(
    private readonly document: Document.Parsed,
    private readonly placeAt: (offset: number) => Place,
    private readonly diagnostics: Diagnostics,
  ) {}

  read(): Located | null {
    const tree = this.node(this.document.contents, this.placeAt(0), 0, null);
    return this.failed ? null : tree;
  }

  /** @param alias where the alias stands through which this node was reached, or null */
  private node(node: Node | null, fallback: Place, depth: number, alias: Place | null): Located {
    const place = alias ?? (node?.range ? this.placeAt(node.range[0]) : fallback);
    const nothing: Located = { kind: 'scalar', place, value: null, text: '' };
    if (this.failed || node === null) return nothing;
    if (depth > maxDepth)
      return this.stop('yaml-too-deep', place, 'lists or blocks are nested too deeply', `at most ${maxDepth} levels`);
    if (alias !== null && ++this.aliasNodes > maxAliasNodes)
      return this.stop('yaml-alias', place, 'aliases expand to too many values', `at most ${maxAliasNodes}`);
    if (!isAlias(node) && alias === null && node.anchor !== undefined) this.anchors.set(node.anchor, node);
    if (isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (target === undefined)
        return this.stop(
          'yaml-alias',
          place,
          `no anchor &${node.source} stands above`,
          'an anchor that is set before it is used',
        );
      return this.node(target, place, depth + 1, place);
    }
    if (isScalar(node)) {
      const { value, source } = node;
      const text = source ?? String(value);
      const known =
        value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      // A value that is not written at all is best shown at its key.
      return {
        kind: 'scalar',
        place: value === null && text === '' ? fallback : place,
        value: known ? value : text,
        text,
      };
    }
    if (isSeq(node)) {
      return {
        kind: 'list',
        place,
        items: node.items.map((item) => this.node(item as Node | null, place, depth + 1, alias)),
      };
    }
    if (!isMap(node)) return nothing;
    const entries = new Map<string, LocatedEntry>();
    for (const pair of node.items) {
      const key = pair.key as Node | null;
      const keyPlace = alias ?? (key?.range ? this.placeAt(key.range[0]) : place);
      if (!isScalar(key)) {
        errorAt(this.diagnostics, 'yaml-key', keyPlace, 'a key is not a word', { wanted: 'key: value' });
        continue;
      }
      const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
      if (entries.has(name)) {
        const first = entries.get(name)!.keyPlace;
        errorAt(this.diagnostics, 'yaml-duplicate-key', keyPlace, `${name} is given twice`, {
          wanted: `one ${name}${first.line > 0 ? ` (the first is in line ${first.line})` : ''}`,
        });
        continue;
      }
      entries.set(name, { keyPlace, value: this.node(pair.value as Node | null, keyPlace, depth + 1, alias) });
    }
    return { kind: 'map', place, entries };
  }

  private stop(code: string, place: Place, message: string, wanted: string): Located {
    this.failed = true;
    errorAt(this.diagnostics, code, place, message, { wanted });
    return { kind: 'scalar', place, value: null, text: '' };
  }
}

/** Reports the first syntax errors, one per line: later ones are mostly consequences. */
function reportSyntax(
  errors: readonly YAMLError[],
  source: string,
  placeAt: (offset: number) => Place,
  diagnostics: Diagnostics,
): void {
  const lines = new Set<number>();
  for (const error of errors) {
    if (lines.size >= maxSyntaxErrors) return;
    const offset = Math.min(error.pos[0], source.length);
    const lineStart = source.lastIndexOf('\n', offset - 1) + 1;
    const lineEnd = source.indexOf('\n', lineStart);
    const line = source.slice(lineStart, lineEnd < 0 ? source.length : lineEnd).trimEnd();
    if (lines.has(lineStart)) continue;
    lines.add(lineStart);
    if (/call stack/.test(error.message)) {
      errorAt(diagnostics, 'yaml-too-deep', placeAt(0), 'lists or blocks are nested too deeply', {
        wanted: `at most ${maxDepth} levels`,
      });
      return;
    }
    const tab = /^ *\t/.exec(line);
    if (tab !== null) {
      errorAt(diagnostics, 'yaml-tab', placeAt(lineStart + tab[0].length - 1), 'a tab is used for indentation', {
        got: line,
        wanted: 'spaces',
        hint: 'YAML is indented with spaces only; let the editor replace tabs by two spaces',
      });
    } else if (error.code === 'MULTIPLE_DOCS') {
      errorAt(diagnostics, 'yaml-documents', placeAt(offset), 'a second YAML document begins here', {
        got: line,
        wanted: 'one scenario per file, without a second ---',
      });
    } else {
      const { message, hint } = slipWords({ code: error.code, message: error.message, source, offset });
      errorAt(diagnostics, 'yaml-syntax', placeAt(offset), `not valid YAML: ${message}`, {
        got: line,
        ...(hint === undefined ? {} : { hint }),
      });
    }
  }
}
