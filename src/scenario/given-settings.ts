// A scenario's tree as backends look at it: settings by path and value, without their places.

import type { GivenSettings, SettingPath } from '../backends/backend-declaration.js';
import type { Setting, SettingGroup, SettingValue, SettingValues } from '../base/settings.js';
import { nodeAt, textOf, type LocatedMap } from './located.js';
import { groupAt, valueAt } from './resolve.js';

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
