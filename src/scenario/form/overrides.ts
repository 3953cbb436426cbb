// `--set path=value`: single values of a scenario, changed from the command line.
// The value is YAML (10MiB, true, {file: topology.txt}); whether it fits is checked with the whole scenario, as if it
// stood in the file.

import { Diagnostics, wholeFile } from '../../base/diagnostics.js';
import { errorAt, pathText, type Located, type LocatedMap, type Place } from './located.js';
import { readYaml } from './read-yaml.js';

/** Where a value of --set is said to stand. */
export const overridePlace: Place = { file: '--set', ...wholeFile };

const longestPath = 16;

/**
 * Writes values into a scenario's tree. Blocks on the way are made if they are missing.
 * @param root changed in place
 * @param overrides texts `path=value`, such as `dcqcn.gain=0.01` or `traffic.transfers[0].size=1MiB`
 */
export function applyOverrides(root: LocatedMap, overrides: readonly string[], diagnostics: Diagnostics): void {
  for (const text of overrides) {
    const equals = text.indexOf('=');
    const path = equals < 0 ? null : settingPath(text.slice(0, equals));
    if (path === null) {
      errorAt(
        diagnostics,
        'set-form',
        overridePlace,
        equals < 0 ? 'the = between path and value is missing' : 'this is not the path of a setting',
        { got: text, wanted: 'path=value, such as dcqcn.gain=0.01' },
      );
      continue;
    }
    const value = parseValue(text.slice(equals + 1), pathText(path), diagnostics);
    if (value !== null) write(root, path, value, text, diagnostics);
  }
}

/** The steps of the path of a setting: `traffic.transfers[0].size`. @returns null if the text is none */
export function settingPath(text: string): (string | number)[] | null {
  const steps = text
    .trim()
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.');
  if (steps.length > longestPath || steps.some((step) => !/^[A-Za-z0-9_+-]+$/.test(step))) return null;
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function parseValue(text: string, name: string, diagnostics: Diagnostics): Located | null {
  if (text.trim() === '') return { kind: 'scalar', place: overridePlace, value: null, text: '' };
  const found = new Diagnostics();
  const value = readYaml(text, '--set', found, overridePlace);
  if (value !== null && !found.hasErrors) return value;
  errorAt(diagnostics, 'set-value', overridePlace, `the value of ${name} is not valid YAML`, {
    got: text,
    wanted: 'a value such as 10MiB, true or {file: topology.txt}',
    hint: found.list[0]?.hint ?? found.list[0]?.message ?? 'put it in quotes',
  });
  return null;
}

function write(
  root: LocatedMap,
  path: readonly (string | number)[],
  value: Located,
  text: string,
  diagnostics: Diagnostics,
): void {
  let node: Located = root;
  for (let depth = 0; depth < path.length; depth++) {
    const step = path[depth]!;
    const isLast = depth === path.length - 1;
    if (node.kind === 'list') {
      const index = typeof step === 'number' ? step : -1;
      if (!(index >= 0 && index < node.items.length)) {
        errorAt(diagnostics, 'set-index', overridePlace, `${pathText(path.slice(0, depth))} has no item ${step}`, {
          got: text,
          wanted:
            node.items.length === 0 ? 'nothing: the list is empty' : `an index from 0 to ${node.items.length - 1}`,
        });
        return;
      }
      if (isLast) node.items[index] = value;
      else node = node.items[index]!;
    } else if (node.kind === 'map') {
      const key = String(step);
      const entry = node.entries.get(key);
      if (isLast) {
        node.entries.set(key, { keyPlace: overridePlace, value });
      } else if (entry === undefined || (entry.value.kind === 'scalar' && entry.value.value === null)) {
        const block: LocatedMap = { kind: 'map', place: overridePlace, entries: new Map() };
        node.entries.set(key, { keyPlace: overridePlace, value: block });
        node = block;
      } else {
        node = entry.value;
      }
    } else {
      errorAt(
        diagnostics,
        'set-path',
        overridePlace,
        `${pathText(path.slice(0, depth))} is a single value, not a block`,
        { got: text, wanted: 'the path of a setting' },
      );
      return;
    }
  }
}
