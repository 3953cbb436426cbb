// A scenario's tree as backends look at it: settings by path and value, without their places.

import type { GivenSettings, SettingPath } from '../../backends/backend-declaration.js';
import type { Setting, SettingGroup, SettingValue, SettingValues } from '../../base/settings.js';
import { nodeAt, textOf, type Located, type LocatedMap } from './located.js';
import { groupAt, valueAt } from './resolve.js';

/** Paths of all values of a tree, such as `jobs[0].model`; lists but that of the jobs count as one value. */
export function givenPaths(root: LocatedMap): Set<string> {
  const paths = new Set<string>();
  const add = (node: Located, path: string): void => {
    if (node.kind === 'map')
      for (const [key, { value }] of node.entries) add(value, path === '' ? key : `${path}.${key}`);
    else if (node.kind === 'list' && path === 'jobs') node.items.forEach((item, i) => add(item, `jobs[${i}]`));
    else paths.add(path);
  };
  add(root, '');
  return paths;
}

export class GivenInTree implements GivenSettings {
  constructor(private readonly root: LocatedMap) {}

  has(path: SettingPath): boolean {
    return nodeAt(this.root, path) !== undefined;
  }

  text(path: SettingPath): string | undefined {
    const node = nodeAt(this.root, path);
    return node === undefined ? undefined : textOf(node);
  }

  value<S extends Setting>(path: SettingPath, setting: S): SettingValue<S> {
    return valueAt(this.root, path, setting);
  }

  group<G extends SettingGroup>(path: SettingPath, group: G): SettingValues<G> {
    return groupAt(this.root, path, group);
  }
}
