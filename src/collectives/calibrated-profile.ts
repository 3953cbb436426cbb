// A profile of collectives: whose tables and network count, and what differs from them. Those that come with Weft
// differ in nothing; those of files and of `weft calibrate` name latencies, shares and paces of their own. What comes
// of it on a GPU is taken-figures.ts, what a choice takes then under-profile.ts.
// Not modelled: paces by number of ranks beyond "one server or several"; other tables for the tuner than a version's.

import type { HardwareFigures } from './hardware-figures.js';
import { type NcclProfile, ncclProfiles } from './nccl-figures.js';
import type { Protocol } from './protocols.js';
import type { AlgorithmName, CollectiveKind } from './schedule.js';

/** How far rows lie from a profile: shares of the measured time, 0.05 is 5 %. */
export interface RowErrors {
  readonly rows: number;
  readonly median: number;
  /** nine of ten rows have at most that */
  readonly p90: number;
  readonly worst: number;
}

/** How many times as long collectives of one kind and choice take, by size. */
export interface Pace {
  readonly kind: CollectiveKind;
  /** ranks on one server, or on several */
  readonly servers: 'one' | 'several';
  readonly algorithm: AlgorithmName;
  readonly protocol: Protocol;
  /** ascending; of the whole buffer of a rank */
  readonly sizeBytes: readonly number[];
  readonly factors: readonly number[];
}

/** A profile from a file, or from `weft calibrate`. */
export interface CalibratedProfile {
  /** what results call it: the path of its file */
  readonly name: string;
  readonly base: NcclProfile;
  /** `base`: NCCL chooses by its own tables, whatever the hardware takes; `profile`: by these latencies */
  readonly chosenBy: 'base' | 'profile';
  /** what it says itself of the hardware; the rest is its base's, for the GPU at hand */
  readonly figures: HardwareFigures;
  readonly paces: readonly Pace[];
  /** of the rows that it was not fitted to; null: not measured */
  readonly heldOut: RowErrors | null;
}

/** A profile that says nothing beside its base. */
export function plainProfile(name: string, base: NcclProfile): CalibratedProfile {
  return { name, base, chosenBy: 'base', figures: {}, paces: [], heldOut: null };
}

const named = new Map(ncclProfiles.map((profile) => [profile, plainProfile(profile, profile)]));

/** A profile that comes with Weft, by its name, in the form of any other. */
export function profileOf(profile: NcclProfile | CalibratedProfile): CalibratedProfile {
  return typeof profile === 'string' ? named.get(profile)! : profile;
}
