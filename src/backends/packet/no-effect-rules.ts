// When a setting of the packet backend cannot change what a run does (scenario/no-effect-rules.ts says what such a rule
// promises): what is said of the backend as a whole, and the rules of no-effect/ by subject. Of several rules that hold
// for a setting the first is told.

import { resolveSetting, type Setting } from '../../base/settings.js';
import { packetLossTable } from '../../records/loss-records.js';
import { pauseTable, pfcEventTable, portCounterTable } from '../../records/probe-records.js';
import { adamapCacheTable } from '../../records/rnic-records.js';
import type { NoEffectRule } from '../backend-declaration.js';
import { pollingRules } from '../polling/polling-rules.js';
import { samplingRules } from '../sampling-rules.js';
import { type Mechanisms, mechanismSettings } from './mechanisms.js';
import { congestionRules } from './no-effect/congestion-rules.js';
import { flowControlRules } from './no-effect/flow-control-rules.js';
import { lossRules } from './no-effect/loss-rules.js';
import { markRules } from './no-effect/mark-rules.js';
import { hasProxies, hasSfc, marksNothing, pausesNothing, withoutPfc } from './no-effect/situations.js';
import { transportRules } from './no-effect/transport-rules.js';
import { chosenSettings, unchosenRules } from './no-effect/unchosen.js';
import { probeTables } from './probes/probes.js';
import { groupWithProfile, hasProfiles } from './packet-profiles.js';
import { packetSettings, type PacketSettings } from './settings.js';

/** A setting that the packet profile gives if it is not given itself. */
interface OfProfile {
  readonly path: readonly [group: string, name: string];
  readonly setting: Setting;
}

/** All of them; where settings are given, those that count: not those of a mechanism that is not chosen. */
function settingsOfProfile(catalogue: Mechanisms, settings?: PacketSettings): readonly OfProfile[] {
  const groups = settings === undefined ? mechanismSettings(catalogue) : chosenSettings(catalogue, settings);
  return Object.entries({ ...packetSettings, ...groups }).flatMap(([group, list]) =>
    Object.entries<Setting>(list).flatMap(([name, setting]) =>
      hasProfiles(setting) ? [{ path: [group, name] as const, setting }] : [],
    ),
  );
}

/**
 * Every setting that the profile gives is given, and none has the profile's value: in the resolved scenario of a run
 * all of them stand beside the profile that gave them.
 */
function profileRule(catalogue: Mechanisms): NoEffectRule {
  return {
    settings: ['packet.profile'],
    causes: ['congestion.algorithm', ...settingsOfProfile(catalogue).map(({ path }) => path.join('.'))],
    when: ({ given, settings: { packet }, settings }) =>
      settingsOfProfile(catalogue, settings).every(({ path, setting }) => {
        const profiled = groupWithProfile({ setting }, packet.profile).setting;
        return given.has(path) && given.value(path, setting) !== resolveSetting(profiled, profiled.default);
      }),
    because: 'every setting that the profile gives is given, with another value',
  };
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
];

const reorderRules: readonly NoEffectRule[] = [
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
    settings: ['probes.queueSamples'],
    causes: ['probes.queueInterval'],
    when: ({ settings }) => settings.probes.queueInterval === 0,
    because: 'probes.queueInterval is 0',
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

/** The rules of the packet backend with mechanisms of a catalogue. */
export function packetRulesOf(catalogue: Mechanisms): readonly NoEffectRule[] {
  const { congestionControls, transports, flowControls, balancers, lossModels } = catalogue;
  const others = [balancers, transports, flowControls, lossModels].flatMap((list) => Object.values(list));
  return [
    ...generalRules,
    profileRule(catalogue),
    ...unchosenRules(catalogue),
    ...congestionRules(congestionControls),
    ...others.flatMap(({ noEffect = [] }) => noEffect),
    ...reorderRules,
    ...transportRules,
    ...markRules(congestionControls),
    ...lossRules,
    ...flowControlRules,
    ...probeRules,
    ...samplingRules,
    ...pollingRules,
  ];
}
