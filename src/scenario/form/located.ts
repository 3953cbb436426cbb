// A tree of values that remember where they were written, so that every message can point at a line and a column.
// Invariant: each node knows the file it came from; a value of --set stands in the file "--set", as a whole.

import { printable } from '../../base/printable.js';
import type { DiagnosticDetail, Diagnostics, Position } from '../../base/diagnostics.js';

/** Characters shown of a key. */
const longestKey = 60;

/** A position in a file. */
export interface Place extends Position {
  readonly file: string;
}

/** A position, in its file. */
export function placeIn(file: string, { line, column }: Position): Place {
  return { file, line, column };
}

interface LocatedScalar {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** the value as it was written */
  readonly text: string;
}

export interface LocatedList {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: Located[];
}

/** How the `file` of a place begins that is a variable of the environment; its name follows. */
export const variablePlace = 'environment variable ';

export interface LocatedMap {
  readonly kind: 'map';
  readonly place: Place;
  readonly entries: Map<string, LocatedEntry>;
  /** of a root: it was made of the keys of a SimAI.conf or config.txt, and hints are written in these */
  readonly isConf?: boolean;
}

export interface LocatedEntry {
  readonly keyPlace: Place;
  readonly value: Located;
  /** the key stands for nothing in the text: `failures: [ … ]` is `failures: { events: [ … ] }` */
  readonly isImplied?: boolean;
}

export type Located = LocatedScalar | LocatedList | LocatedMap;

export type Path = readonly (string | number)[];

/** The node at a path below another, or undefined if there is none. */
export function nodeAt(root: Located, path: Path): Located | undefined {
  let node: Located | undefined = root;
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(String(step))?.value;
    else if (node?.kind === 'list') node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

/** Where the value at a path stands; if it is missing, where the closest thing around it does. */
export function placeOf(root: Located, path: Path): Place {
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node === undefined) continue;
    // A missing key of a block is best shown at the key that opens the block.
    return length < path.length ? keyPlaceOf(root, path.slice(0, length)) : node.place;
  }
  return root.place;
}

/** Where the key at a path stands (the value, for an item of a list). */
export function keyPlaceOf(root: Located, path: Path): Place {
  const parent = nodeAt(root, path.slice(0, -1));
  const last = path[path.length - 1];
  if (parent?.kind === 'map' && last !== undefined) {
    const entry = parent.entries.get(String(last));
    if (entry !== undefined) return entry.keyPlace;
  }
  return nodeAt(root, path)?.place ?? placeOf(root, path.slice(0, -1));
}

/** A tree as plain values; maps have no prototype, so that no key is special. */
export function plainOf(node: Located): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainOf);
    case 'map': {
      const plain = Object.create(null) as Record<string, unknown>;
      for (const [key, { value }] of node.entries) plain[key] = plainOf(value);
      return plain;
    }
  }
}

/** A value as a message shows it: as it was written, or what it is. */
export function textOf(node: Located): string {
  switch (node.kind) {
    case 'scalar':
      return node.text;
    case 'list':
      return node.items.length === 0 ? 'an empty list' : `a list of ${node.items.length}`;
    case 'map':
      return node.entries.size === 0
        ? 'an empty block'
        : `a block with ${[...node.entries.keys()]
            .slice(0, 4)
            .map((key) => printable(key, longestKey))
            .join(', ')}`;
  }
}

/**
 * Writes a single value at a path `block.block.key`; blocks on the way are made.
 * @param keyPlace of the key and of those blocks
 * @param text the value as it was written
 */
export function writeSetting(
  root: LocatedMap,
  path: string,
  value: string | number | boolean,
  keyPlace: Place,
  place: Place,
  text: string,
): void {
  const steps = path.split('.');
  let block = root;
  for (const step of steps.slice(0, -1)) {
    const inner = block.entries.get(step)?.value;
    const next: LocatedMap = inner?.kind === 'map' ? inner : { kind: 'map', place: keyPlace, entries: new Map() };
    if (inner !== next) block.entries.set(step, { keyPlace, value: next });
    block = next;
  }
  block.entries.set(steps[steps.length - 1]!, { keyPlace, value: { kind: 'scalar', place, value, text } });
}

/** A path as people write it: `traffic.transfers[0].size`; keys that nobody would write are cut. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${printable(step, longestKey)}`;
  }
  return text;
}

/** A path as its user wrote it: without the keys that are implied. */
export function writtenPath(root: LocatedMap, path: Path): string {
  return pathText(
    path.filter((step, i) => {
      const parent = nodeAt(root, path.slice(0, i));
      return parent?.kind !== 'map' || parent.entries.get(String(step))?.isImplied !== true;
    }),
  );
}

/** Records an error at a place. */
export function errorAt(
  diagnostics: Diagnostics,
  code: string,
  place: Place,
  message: string,
  detail: DiagnosticDetail = {},
): void {
  diagnostics.error(code, place.file, place, message, detail);
}

/** Records that a setting changes nothing, at its key. @param because after "has no effect: " */
export function warnOfNoUse(
  diagnostics: Diagnostics,
  root: LocatedMap,
  path: Path,
  because: string,
  detail: DiagnosticDetail = {},
): void {
  const name = pathText(path);
  warningAt(diagnostics, 'no-effect', keyPlaceOf(root, path), `${name} has no effect: ${because}`, {
    ...detail,
    path: name,
  });
}

/** Records a warning at a place. */
export function warningAt(
  diagnostics: Diagnostics,
  code: string,
  place: Place,
  message: string,
  detail: DiagnosticDetail = {},
): void {
  diagnostics.warning(code, place.file, place, message, detail);
}
