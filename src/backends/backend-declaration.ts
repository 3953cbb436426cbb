// What a backend says of itself to whoever makes plans for it: its name, the settings that it brings, which of them
// cannot work together, which have no effect, what it records. Plans are made from a catalogue of such declarations, so
// that another backend needs no change where scenarios are read.
// Invariant: declarations look at settings by path and value; where these were written is the business of scenarios.

import type { Setting, SettingGroup, SettingValue, SettingValues } from '../base/settings.js';
import type { Failures } from '../execution/failure-schedule.js';
import type { Fabric } from '../fabric/fabric.js';
import type { TableSchema } from '../records/schema.js';
import type { PacketSettings } from './packet/settings.js';

/** Where a setting stands in a scenario: `['dcqcn', 'gain']`. */
export type SettingPath = readonly (string | number)[];

/** What a scenario gives. */
export interface GivenSettings {
  /** Whether anything stands there. */
  has(path: SettingPath): boolean;
  /** What stands there, as it was written. */
  text(path: SettingPath): string | undefined;
  /** The value there, or the default of the setting. */
  value<S extends Setting>(path: SettingPath, setting: S): SettingValue<S>;
  /** The values there, or defaults. */
  group<G extends SettingGroup>(path: SettingPath, group: G): SettingValues<G>;
}

/** What a check may look at. */
export interface SettingsInUse {
  readonly given: GivenSettings;
  readonly settings: PacketSettings;
  /** null: it has mistakes of its own */
  readonly fabric: Fabric | null;
  /** null: they have mistakes of their own */
  readonly failures: Failures | null;
}

/** Something wrong with settings together. */
export interface FoundProblem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** settings that could be changed: it is told at the first that is given */
  readonly at: readonly SettingPath[];
  readonly message: string;
  readonly got?: string;
  readonly wanted?: string;
  readonly hint?: string;
}

/** What a rule may look at: what was written, and what it came to. */
export interface Situation {
  readonly given: GivenSettings;
  /** name of the backend that runs */
  readonly backend: string;
  readonly settings: PacketSettings;
  readonly fabric: Fabric;
  readonly failures: Failures;
  /** something runs collectives: jobs, or a command of its own */
  readonly hasCollectives: boolean;
}

/** Settings that change nothing under a condition. */
export interface NoEffectRule {
  /** paths; `dcqcn.*` is every setting of a group, `[]` every item of a list */
  readonly settings: readonly string[];
  /** the settings that make it so */
  readonly causes: readonly string[];
  /** @param path of the setting, with the numbers of items */
  readonly when: (situation: Situation, path: SettingPath) => boolean;
  readonly because: string | ((situation: Situation, path: SettingPath) => string);
  /** said of a value that is the default, too */
  readonly evenIfDefault?: true;
}

/** A group of settings, and what it is about in one line. */
export interface DescribedGroup {
  readonly description: string;
  readonly settings: SettingGroup;
}

export interface BackendDeclaration {
  /** the word for it in `backend` */
  readonly name: string;
  /** its level of detail, after "level of detail: " */
  readonly description: string;
  /** the groups of settings that it brings, by name */
  readonly groups: Readonly<Record<string, DescribedGroup>>;
  /** settings that it adds at the top of a scenario; left out: none */
  readonly topSettings?: SettingGroup;
  /** settings that it adds to the group `routing`; left out: none */
  readonly routingSettings?: SettingGroup;
  /**
   * groups of other backends that it reads, too: what of them has no effect is for its own rules to say. Every other
   * group of another backend has none.
   */
  readonly reads: readonly string[];
  /** whether switches mark packets: then every rate of a switch port needs its thresholds */
  readonly marksPackets: boolean;
  /** whether packets take virtual lanes by their service levels; left out: no */
  readonly hasLanes?: true;
  /** settings without effect where it runs, and of its own groups */
  readonly noEffectRules: readonly NoEffectRule[];
  /** What is wrong with settings together where it runs. */
  problems(use: SettingsInUse): readonly FoundProblem[];
  /** The tables that it records beside those of every run. */
  tables(settings: PacketSettings): readonly TableSchema[];
}
