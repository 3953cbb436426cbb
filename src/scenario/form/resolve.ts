// Values of a checked scenario: what is given, or the default.

import { fail } from '../../base/fail.js';
import {
  resolveSetting,
  type Setting,
  type SettingGroup,
  type SettingValue,
  type SettingValues,
} from '../../base/settings.js';
import { nodeAt, plainOf, type Located, type Path } from './located.js';

/** The value of a setting below a path, or its default. The section must be free of errors. */
export function valueAt<S extends Setting>(root: Located, path: Path, setting: S): SettingValue<S> {
  const node = nodeAt(root, path);
  const value = resolveSetting(setting, node === undefined ? setting.default : plainOf(node));
  return value ?? fail(`setting ${path.join('.')} passed the schema and does not resolve`);
}

/**
 * The values of a group of settings below a path, defaults where nothing is given. The section must be free of errors.
 */
export function groupAt<G extends SettingGroup>(root: Located, path: Path, group: G): SettingValues<G> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(group)) values[name] = valueAt(root, [...path, name], setting);
  return values as SettingValues<G>;
}

/** Text below a path, or undefined if nothing stands there. */
export function wordAt(root: Located, path: Path): string | undefined {
  const node = nodeAt(root, path);
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
