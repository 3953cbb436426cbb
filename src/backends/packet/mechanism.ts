// What an entry of the catalogue of mechanisms (mechanisms.ts) says: all that there is to know of a mechanism stands in
// its own folder. That the settings of a mechanism have no effect where it is not chosen is derived
// (no-effect/unchosen.ts).

import { fail } from '../../base/fail.js';
import { type SettingGroup, settingDefaults, type SettingValues } from '../../base/settings.js';
import type { NoEffectRule } from '../backend-declaration.js';
import { groupWithProfile } from './packet-profiles.js';
import type { CongestionParts, PacketParts, TransportParts } from './parts.js';
import type { CongestionControl, PacketTelemetry, Transport } from './plug-ins.js';
import type { PacketSettings } from './settings.js';

/** Two small runs that differ in nothing but a setting, and the figure that shows it (test/scenario/effects). */
export interface SettingEffect {
  /** the values of the setting */
  readonly values: readonly [string, string];
  /** other settings of both runs, as --set has them */
  readonly given?: readonly string[];
  /** name of the scenario; left out: many senders into one host */
  readonly scenario?: string;
  /** the figure or counter that the second value makes larger, or smaller */
  readonly rises?: string;
  readonly falls?: string;
  /** why no direction can be told beforehand: then the records differ */
  readonly differs?: string;
}

/** By the path of the setting. */
export type SettingEffects = Readonly<Record<string, SettingEffect>>;

/** One implementation of a kind of mechanism. */
export interface Mechanism<Parts, Made> {
  /** what it is, in a line */
  readonly description: string;
  /**
   * settings of its own, by group: they stand in the scenario under these names. Mechanisms of a kind may share a
   * group.
   */
  readonly settings?: Readonly<Record<string, SettingGroup>>;
  /** what these groups are about, where "Parameters of" and the name does not say it */
  readonly groupTexts?: Readonly<Record<string, string>>;
  /** when settings have no effect although it is chosen */
  readonly noEffect?: readonly NoEffectRule[];
  /** what shows the effect of its settings, by path */
  readonly effects?: SettingEffects;
  /** scenario and settings of these effects, as far as they say no other */
  readonly effectsIn?: Pick<SettingEffect, 'scenario' | 'given'>;
  /** Makes it for a network. */
  make(parts: Parts): Made;
}

export interface TransportMechanism extends Mechanism<TransportParts, Transport> {
  /** it takes packets in order only, by PairWord.expectedPacket: a reorder buffer may stand before it */
  readonly inOrder?: true;
}

export interface CongestionMechanism extends Mechanism<CongestionParts, CongestionControl> {
  /** what of a queue pair it sets; left out: nothing */
  readonly sets?: 'rate' | 'window';
  /** it slows down when an acknowledgement tells of a mark */
  readonly readsMarks?: true;
  /** it computes what may be in flight, and links are not full without a window */
  readonly wantsWindow?: true;
  /** what packets bring back to it beyond a mark; left out: nothing */
  readonly telemetry?: (parts: PacketParts) => PacketTelemetry;
}

/**
 * The resolved values of a mechanism's own group of settings; the defaults where the scenario did not know the group.
 */
export function ownSettings<G extends SettingGroup>(
  settings: PacketSettings,
  name: string,
  group: G,
): SettingValues<G> {
  const known = settings.own[name] as SettingValues<G> | undefined;
  return known ?? settingDefaults(groupWithProfile(group, settings.packet.profile));
}

/**
 * The telemetry that a congestion control asked for.
 * @throws InvariantError if its entry gives another one
 */
export function needed<T extends PacketTelemetry>(
  telemetry: PacketTelemetry | null,
  kind: abstract new (...parts: never[]) => T,
): T {
  return telemetry instanceof kind
    ? telemetry
    : fail(`a congestion control wants ${kind.name}, and its entry in the catalogue does not give it`);
}
