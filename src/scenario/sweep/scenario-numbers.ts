// The plain numbers of a scenario by their paths: what formulas of a sweep may name besides the settings that it sweeps.
// Not seen: defaults, which stand nowhere. What is wrong with the file is said when its plan is made.

import { Diagnostics } from '../../base/diagnostics.js';
import { nodeAt } from '../form/located.js';
import { settingPath } from '../form/overrides.js';
import { readYaml } from '../form/read-yaml.js';
import type { NumberAt } from './swept-setting.js';

/** The numbers in a scenario's text. */
export function scenarioNumbers(text: string, file: string): NumberAt {
  const root = readYaml(text, file, new Diagnostics());
  return (path) => {
    const steps = settingPath(path);
    const node = root === null || steps === null ? undefined : nodeAt(root, steps);
    return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : null;
  };
}
