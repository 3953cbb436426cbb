// `--profile`: who chooses collectives, by the name of a profile that comes with Weft or by a profile file.
// Invariant: what is neither is refused with the names; the path of a file is relative to where the user stands.

import { dirname, relative, resolve } from 'node:path';
import { InputError, reading } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { isProfilePath, type Profile, type SelectionProfile, selectionProfiles } from '../../collectives/selection.js';
import { profileForms } from '../../scenario/work/plan-profile.js';
import { readProfile } from '../../scenario/profile-file.js';
import { didYouMean } from '../../scenario/suggest.js';
import { type OptionFile, optionFileText } from './option-file.js';

const profileFile: OptionFile = { option: '--profile', called: 'the profile', wanted: profileForms };

/** What --profile says in the help of a command. */
export const profileHelp = `who chooses algorithm, protocol and channels:\n${selectionProfiles.join(', ')},\nor a profile file (.yaml)`;

/** The profile that the option names. @throws InputError */
export async function profileFromOption(named: string, host: Host): Promise<Profile> {
  if ((selectionProfiles as readonly string[]).includes(named)) return named as SelectionProfile;
  if (!isProfilePath(named))
    throw InputError.about('profile-name', '--profile', 'there is no such profile', {
      got: named,
      wanted: profileForms,
      hint: didYouMean(named, selectionProfiles),
    });
  const text = await optionFileText(named, host, profileFile);
  return reading((diagnostics) => readProfile(text, named, diagnostics)).value;
}

/** A profile as any folder may name it. @param folder from which the path of a file is seen */
export function profileSeenFrom(folder: string, named: string): string {
  return isProfilePath(named) ? resolve(folder, named) : named;
}

/**
 * The setting of a scenario that the option stands for; none without it. @throws InputError if there is no such profile
 */
export async function profileSetting(
  named: string | undefined,
  scenario: string | undefined,
  host: Host,
): Promise<readonly string[]> {
  if (named === undefined) return [];
  const profile = await profileFromOption(named, host);
  if (typeof profile === 'string' || scenario === undefined) return [`collectives.profile=${JSON.stringify(named)}`];
  const path = relative(resolve(dirname(scenario)), resolve(named)).replaceAll('\\', '/');
  return [`collectives.profile=${JSON.stringify(path)}`];
}
