// When a setting of the packet backend cannot change what a run does (scenario/no-effect-rules.ts says what such a rule
// promises): what is said of the backend as a whole, and the rules of no-effect/ by subject. Of several rules that hold
// for a setting the first is told.

import { type SettingGroup, settingDefaults } from '../../base/settings.js';
import { packetLossTable } from '../../records/loss-records.js';
import { pauseTable, pfcEventTable, portCounterTable } from '../../records/probe-records.js';
import { adamapCacheTable } from '../../records/rnic-records.js';
import type { NoEffectRule } from '../backend-declaration.js';
import { samplingRules } from '../sampling-rules.js';
import { congestionRules, controlsOf } from './no-effect/congestion-rules.js';
import { flowControlRules } from './no-effect/flow-control-rules.js';
import { lossRules } from './no-effect/loss-rules.js';
import { markRules } from './no-effect/mark-rules.js';
import { hasProxies, hasSfc, marksNothing, pausesNothing, withoutPfc } from './no-effect/situations.js';
import { transportRules } from './no-effect/transport-rules.js';
import { probeTables } from './probes/probes.js';
import { packetSettingsOf, profileValues, type PacketSettings } from './settings.js';
import { omnidmaRules } from './transport/omnidma/omnidma-rules.js';

/** The settings that a packet profile gives if they are not given. */
const profileSettings = Object.entries(profileValues('simai')).flatMap(([group, values]) =>
  Object.keys(values).map((name): readonly [string, string] => [group, name]),
);

/** Those of them that count: parameters of HPCC do not in a run with another congestion control. */
const profileSettingsOf = ({ congestion }: PacketSettings): typeof profileSettings =>
  profileSettings.filter(([group]) => controlsOf[group]?.includes(congestion.algorithm) ?? true);

/**
 * Some value is the profile's: in the resolved scenario of a run all of them stand beside the profile that gave them.
 */
function hasValueOfProfile(settings: PacketSettings): boolean {
  const groups: Readonly<Record<string, SettingGroup>> = packetSettingsOf(settings.packet.profile);
  const values = settings as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return profileSettingsOf(settings).some(
    ([group, name]) => values[group]![name] === settingDefaults(groups[group]!)[name],
  );
}

const generalRules: readonly NoEffectRule[] = [
  {
    settings: ['fastForward.*'],
    causes: [],
    when: ({ given }) => !given.has(['workload']) && !given.has(['jobs']),
    because: 'the scenario has no workload',
  },
  {
    settings: ['fastForward.tolerance', 'fastForward.sampleEvery', 'fastForward.leaps'],
    causes: ['fastForward.enabled'],
    when: ({ settings }) => !settings.fastForward.enabled,
    because: 'fastForward.enabled is false',
  },
  {
    settings: ['packet.profile'],
    causes: ['congestion.algorithm', ...profileSettings.map((path) => path.join('.'))],
    when: ({ given, settings }) =>
      profileSettingsOf(settings).every((path) => given.has(path)) && !hasValueOfProfile(settings),
    because: 'every setting that the profile gives is given, with another value',
  },
];

const balancingRules: readonly NoEffectRule[] = [
  {
    settings: ['entropy.*'],
    causes: ['routing.balancing'],
    when: ({ settings }) => settings.balancing !== 'entropy' && settings.balancing !== 'reps',
    because: ({ settings }) => `routing.balancing is ${settings.balancing}`,
  },
  {
    settings: ['reorder.*'],
    causes: ['transport.algorithm'],
    when: ({ settings }) => settings.transport.algorithm !== 'go-back-n',
    because: ({ settings }) => `${settings.transport.algorithm} takes packets out of order`,
  },
  {
    settings: ['reorder.timeout'],
    causes: ['reorder.buffer'],
    when: ({ settings }) => settings.reorder.buffer === 0,
    because: 'reorder.buffer is 0',
  },
  ...['spray', 'drill', 'letflow', 'conga', 'conweave', 'reps'].map((balancing): NoEffectRule => ({
    settings: [`${balancing}.*`],
    causes: ['routing.balancing'],
    when: ({ settings }) => settings.balancing !== balancing,
    because: ({ settings }) => `routing.balancing is ${settings.balancing}`,
  })),
];

const probeRules: readonly NoEffectRule[] = [
  {
    settings: ['probes.start', 'probes.end'],
    causes: [],
    when: ({ settings }) =>
      probeTables(settings.probes).every(
        (table) =>
          table === pfcEventTable ||
          table === pauseTable ||
          table === portCounterTable ||
          table === packetLossTable ||
          table === adamapCacheTable,
      ),
    because: 'neither samples nor packet latencies are recorded',
  },
  {
    settings: ['probes.notificationInterval'],
    causes: ['ecn.enabled'],
    when: marksNothing,
    because: 'without ECN no packet is marked',
  },
  {
    settings: ['probes.reorderInterval'],
    causes: ['routing.balancing'],
    when: ({ settings: { balancing } }) => balancing !== 'conweave',
    because: ({ settings: { balancing } }) => `${balancing} has no queues in which switches put packets in order`,
  },
  {
    settings: ['probes.pfcEvents'],
    causes: ['pfc.enabled', 'flowControl'],
    when: (situation) => pausesNothing(situation) && !hasProxies(situation),
    because: withoutPfc,
  },
  {
    settings: ['probes.pauses'],
    causes: ['pfc.enabled', 'flowControl'],
    when: (situation) => pausesNothing(situation) && !hasSfc(situation),
    because: withoutPfc,
  },
];

export const packetRules: readonly NoEffectRule[] = [
  ...generalRules,
  ...congestionRules,
  ...balancingRules,
  ...transportRules,
  ...markRules,
  ...lossRules,
  ...flowControlRules,
  ...probeRules,
  ...samplingRules,
  ...omnidmaRules,
];
