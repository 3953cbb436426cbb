// The form of a rule that says when a setting cannot change what a run does (no-effect-rules.ts has them all).

import type { BackendName } from '../backends/backend-names.js';
import type { PacketSettings } from '../backends/packet/settings.js';
import type { Failures } from '../execution/failure-schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import type { LocatedMap, Path } from './located.js';

/** What a rule may look at: what was written, and what it came to. */
export interface Situation {
  readonly root: LocatedMap;
  readonly backend: BackendName;
  readonly settings: PacketSettings;
  readonly fabric: Fabric;
  readonly failures: Failures;
}

/** Settings that change nothing under a condition. */
export interface NoEffectRule {
  /** paths; `dcqcn.*` is every setting of a group, `[]` every item of a list */
  readonly settings: readonly string[];
  /** the settings that make it so */
  readonly causes: readonly string[];
  /** @param path of the setting, with the numbers of items */
  readonly when: (situation: Situation, path: Path) => boolean;
  readonly because: string | ((situation: Situation, path: Path) => string);
  /** said of a value that is the default, too */
  readonly evenIfDefault?: true;
}
