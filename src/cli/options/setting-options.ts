// Options that stand for settings of scenarios: form, limits and words of their values, and what helps say of them, are
// the settings' own.

import { resolveSetting, type Setting, settingForm } from '../../base/settings.js';
import { topSettings } from '../../scenario/form/schema.js';
import { value } from './declared-command.js';
import { readBy } from './option-values.js';

/** An option for a setting, whose value is resolved. @param help in place of the setting's own sentence */
export function settingOption<const F extends string, S extends Setting>(flags: F, own: S, help = own.description) {
  return value(
    flags,
    help,
    // a number in words of its own, such as 1e3, is more likely a slip
    readBy(
      (given) => (own.kind === 'count' && !/^\d+$/.test(given) ? null : resolveSetting(own, given)),
      `${settingForm(own)}.`,
    ),
  );
}

/** The seed of whatever a command runs. */
export const seedOption = settingOption('--seed <number>', topSettings.seed);
