// A profile of collectives from the text of its file.

import { reading } from '../base/diagnostics.js';
import type { CalibratedProfile } from '../collectives/calibrated-profile.js';
import { readProfile } from '../scenario/profile-file.js';

/**
 * Reads a profile file.
 * @param text YAML (docs/formats/profile.md) @param name what messages and results call it
 * @throws InputError with everything that is wrong with it
 */
export function profileFromText(text: string, name = 'profile.yaml'): CalibratedProfile {
  return reading((diagnostics) => readProfile(text, name, diagnostics)).value;
}
