// Who chooses collectives: a profile that comes with Weft, by its name, or one of a file.
// Invariant: a text that is neither is an error that names both; a file that is named is read once.

import type { Diagnostics } from '../../base/diagnostics.js';
import { HostFileError } from '../../base/host.js';
import { isProfilePath, type Profile, selectionProfiles } from '../../collectives/selection.js';
import type { InputFiles } from '../input-files.js';
import { errorAt, nodeAt } from '../form/located.js';
import { readProfile } from '../profile-file.js';
import type { Scenario } from '../form/read-scenario.js';
import { valueAt } from '../form/resolve.js';
import { runSettings } from '../form/schema.js';

const path = ['collectives', 'profile'] as const;

/** The profile of a scenario, its file read. @returns null after at least one error */
export async function planProfile(
  { root, faulty }: Scenario,
  files: InputFiles,
  diagnostics: Diagnostics,
): Promise<Profile | null> {
  if (faulty.has('collectives')) return null;
  const named = valueAt(root, path, runSettings.collectives.profile);
  if (!isProfilePath(named)) return named;
  try {
    return readProfile(await files.readText('profile', named), files.resolve(named), diagnostics, named);
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    errorAt(
      diagnostics,
      `file-${error.reason}`,
      nodeAt(root, path)!.place,
      `the profile cannot be read: ${error.message}`,
      {
        wanted: profileForms,
        ...(error.reason === 'missing' ? { hint: 'paths are relative to the folder of the scenario' } : {}),
      },
    );
    return null;
  }
}

/** What may stand where a profile is named. */
export const profileForms = `one of ${selectionProfiles.join(', ')}, or a profile file (.yaml)`;
