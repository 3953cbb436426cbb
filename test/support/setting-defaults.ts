// The defaults of a group of settings, resolved.

import { settingDefaults, type SettingGroup, type SettingValues } from '../../src/base/settings.js';

/** The defaults of a group of settings: bytes, picoseconds, bit/s. */
export function groupDefaults<G extends SettingGroup>(group: G): SettingValues<G> {
  return settingDefaults(group);
}
