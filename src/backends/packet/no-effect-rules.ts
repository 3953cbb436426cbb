// Long because it is one table.
// When a setting of the packet backend cannot change what a run does (scenario/no-effect-rules.ts says what such a rule
// promises).

import { type SettingGroup, settingDefaults, valuesOfGroup } from '../../base/settings.js';
import { rateText, sizeText } from '../../base/quantity-text.js';
import { NodeKind } from '../../fabric/fabric.js';
import { switchRates } from '../../fabric/switch-rates.js';
import { packetLossTable } from '../../records/loss-records.js';
import { pauseTable, pfcEventTable, portCounterTable } from '../../records/probe-records.js';
import { adamapCacheTable } from '../../records/rnic-records.js';
import type { NoEffectRule, Situation } from '../backend-declaration.js';
import { sfcSettings } from './flow-control/sfc/sfc-settings.js';
import { type EventMix, eventMixes } from './loss/loss-events.js';
import { isLossless } from './switch/headroom.js';
import { probeTables } from './probes/probes.js';
import { thresholdSettings } from './ecn-thresholds.js';
import { packetSettings, packetSettingsOf, profileValues, type PacketSettings } from './settings.js';
import { transportRules } from './transport-rules.js';
import { uecSettings } from './transport/uec/uec-settings.js';
import { omnidmaRules } from './transport/omnidma/omnidma-rules.js';

type Algorithm = PacketSettings['congestion']['algorithm'];

/** Congestion controls that slow down when an acknowledgement tells of a mark. */
const reactsToMarks: Readonly<Record<Algorithm, boolean>> = {
  dcqcn: true,
  dctcp: true,
  timely: false,
  hpcc: false,
  'hpcc-pint': false,
  none: false,
};

/** Congestion controls that a group of parameters is for. */
const controlsOf: Readonly<Record<string, readonly Algorithm[]>> = {
  dcqcn: ['dcqcn'],
  dctcp: ['dctcp'],
  timely: ['timely'],
  hpcc: ['hpcc', 'hpcc-pint'],
  pint: ['hpcc-pint'],
};

const parameters = Object.keys(controlsOf).map((group) => `${group}.*`);

const isUec = ({ settings }: Situation): boolean => settings.transport.algorithm === 'uec';
const uecControl = (situation: Situation): string => valuesOfGroup(situation.settings.own, 'uec', uecSettings).control;
const hasUecWindow = (situation: Situation): boolean => ['nscc', 'both'].includes(uecControl(situation));
/** REPS learns of marks from packets, whatever the congestion control makes of them. */
const ignoresMarks = (situation: Situation): boolean => {
  const { settings } = situation;
  if (settings.balancing === 'reps') return false;
  return isUec(situation) ? !hasUecWindow(situation) : !reactsToMarks[settings.congestion.algorithm];
};
/** Marks cost nothing on the way back: they ride on ACKs. */
const hasNoCnps = ({ settings }: Situation): boolean => settings.queuePair.notificationDelay === 0;
/** Neither a sender nor a link is the busier for a mark. */
const ignoresMarksAltogether = (situation: Situation): boolean => ignoresMarks(situation) && hasNoCnps(situation);
const ignoresRateAndMarks = (situation: Situation): boolean => ignoresRate(situation) && hasNoCnps(situation);
const marksNothing = ({ settings }: Situation): boolean => !settings.ecn.enabled;
const hasSfc = ({ settings }: Situation): boolean => settings.flowControl.includes('sfc');
const sfcReaction = ({ settings }: Situation): string => valuesOfGroup(settings.own, 'sfc', sfcSettings).reaction;
/** Proxies of source flow control send PFC frames of their own. */
const hasProxies = (situation: Situation): boolean => hasSfc(situation) && sfcReaction(situation) === 'proxy';
const pausesNothing = ({ settings }: Situation): boolean => !settings.pfc.enabled;
const withoutPfc = ({ settings }: Situation): string =>
  settings.flowControl.includes('pfc') ? 'pfc.enabled is false' : 'flowControl has no pfc';
const onlyCounted = (situation: Situation): string => {
  const { settings } = situation;
  if (isUec(situation))
    return `with uec.control ${uecControl(situation)} nobody reacts to marks; they are only counted`;
  return settings.congestion.algorithm === 'none'
    ? 'without congestion control nobody reacts to marks; they are only counted'
    : `${settings.congestion.algorithm} does not react to marks; they are only counted`;
};

/** Nothing that a queue pair does follows its rate, which is that of its NIC with a transport of its own window. */
const ignoresRate = (situation: Situation): boolean => !isUec(situation) && ignoresRateOfControl(situation);
const ignoresRateOfControl = ({ settings: { queuePair } }: Situation): boolean =>
  !queuePair.rateBound && (!queuePair.variableWindow || queuePair.window === 'unlimited');

/**
 * Every queue pair has the rate of its NIC, always. Failures may move it to another NIC, or slow one down, between two
 * of its packets.
 */
const keepsRate = (situation: Situation): boolean =>
  situation.failures.changes.count === 0 &&
  !isUec(situation) &&
  (situation.settings.congestion.algorithm === 'none' || (!ignoresMarks(situation) && marksNothing(situation)));

/** Loss models that a setting is for, where it is not for all. */
const lossModelsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['burstLength', 'burstSpread'].map((name) => [name, modelsWith('burst')])),
  ...Object.fromEntries(
    ['frequentWindow', 'frequentLeast', 'frequentMost'].map((name) => [name, modelsWith('frequent')]),
  ),
  ...Object.fromEntries(['badToGood', 'lossInBad', 'lossInGood'].map((name) => [name, ['gilbert-elliott']])),
};

/** Models of events that have events of a kind. */
function modelsWith(kind: keyof EventMix): string[] {
  return Object.entries(eventMixes).flatMap(([name, mix]) => (mix[kind] > 0 ? [name] : []));
}

/** One of Weft's own, not one of another catalogue that has settings of its own. */
const hasOwnLossModel = ({ settings }: Situation): boolean =>
  (packetSettings.loss.model.choices as readonly string[]).includes(settings.loss.model);

/** Losses by a rate, and none that is above 0. */
const hasNoRate = ({ settings: { loss, losses } }: Situation): boolean =>
  !isListed(loss.model) && (losses.rates === null ? loss.rate === 0 : losses.rates.every((rate) => rate === 0));

/** A file names the losses. */
const isListed = (model: string): boolean => model === 'sequence' || model === 'time' || model === 'trace';

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

export const packetRules: readonly NoEffectRule[] = [
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
  ...Object.entries(controlsOf).map(([group, algorithms]): NoEffectRule => ({
    settings: [`${group}.*`],
    causes: ['congestion.algorithm'],
    when: ({ settings }) => !algorithms.includes(settings.congestion.algorithm),
    because: ({ settings }) => `congestion.algorithm is ${settings.congestion.algorithm}`,
  })),
  {
    settings: ['uec.targetDelay'],
    causes: ['uec.control'],
    when: (situation) => !hasUecWindow(situation),
    because: (situation) => `uec.control is ${uecControl(situation)}`,
  },
  {
    settings: ['uec.firstCredit'],
    causes: ['uec.control'],
    when: (situation) => !['rccc', 'both'].includes(uecControl(situation)),
    because: (situation) => `uec.control is ${uecControl(situation)}`,
  },
  {
    settings: ['congestion.algorithm', ...parameters],
    causes: ['transport.algorithm'],
    when: isUec,
    because: 'the transport uec has a congestion control of its own (uec.control)',
  },
  {
    settings: [
      'acknowledgementPriority',
      'window',
      'variableWindow',
      'rateBound',
      'nackInterval',
      'notificationInterval',
      'notificationDelay',
    ].map((name) => `queuePair.${name}`),
    causes: ['transport.algorithm'],
    when: isUec,
    because: 'the transport uec has a window of its own, and answers every packet at once in queue 0',
  },
  {
    settings: ['packet.notification'],
    causes: ['transport.algorithm'],
    when: isUec,
    because: 'the transport uec sends no CNPs',
  },
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
  ...transportRules,
  {
    settings: ['hpcc.multiRate'],
    causes: ['congestion.algorithm'],
    when: ({ settings }) => settings.congestion.algorithm === 'hpcc-pint',
    because: 'with HPCC over PINT packets carry one figure for the whole path',
  },
  {
    settings: ['hpcc.expectedFlows'],
    causes: ['hpcc.additiveIncrease', 'packet.profile'],
    when: ({ settings }) => settings.hpcc.additiveIncrease !== 'auto',
    because: ({ settings }) => `hpcc.additiveIncrease is ${rateText(settings.hpcc.additiveIncrease as number)}`,
  },
  {
    settings: ['dcqcn.*', 'dctcp.*'],
    causes: ['ecn.enabled'],
    when: marksNothing,
    because: 'without ECN no packet is marked and no rate changes',
  },
  {
    settings: ['dcqcn.alphaInterval'],
    causes: ['dcqcn.gain'],
    when: ({ settings }) => settings.dcqcn.gain === 0,
    because: 'dcqcn.gain is 0, and alpha stays 1',
  },
  {
    settings: ['congestion.algorithm', ...parameters],
    causes: ['queuePair.rateBound', 'queuePair.variableWindow', 'queuePair.window'],
    when: ignoresRate,
    because: 'neither pacing nor the window follows the rate',
  },

  { settings: ['ecn.thresholds'], causes: ['ecn.enabled'], when: marksNothing, because: 'ecn.enabled is false' },
  {
    settings: ['ecn.enabled'],
    causes: ['congestion.algorithm'],
    when: ignoresMarksAltogether,
    because: onlyCounted,
    evenIfDefault: true,
  },
  {
    settings: ['ecn.thresholds'],
    causes: ['congestion.algorithm'],
    when: ignoresMarksAltogether,
    because: onlyCounted,
  },
  {
    settings: ['ecn.enabled', 'ecn.thresholds'],
    causes: ['queuePair.rateBound', 'queuePair.variableWindow', 'queuePair.window'],
    when: ignoresRateAndMarks,
    because: 'neither pacing nor the window follows the rate, so marks are only counted',
  },
  {
    settings: ['ecn.enabled', 'ecn.thresholds'],
    causes: ['fabric'],
    when: ({ fabric }) => switchRates(fabric).length === 0,
    because: 'the fabric has no switches that mark packets',
  },
  {
    settings: ['ecn.thresholds[]'],
    causes: ['fabric'],
    when: ({ given, fabric }, path) =>
      !switchRates(fabric).includes(given.value([...path, 'rate'], thresholdSettings.rate)),
    because: ({ given }, path) =>
      `no switch port has ${rateText(given.value([...path, 'rate'], thresholdSettings.rate))}`,
  },

  {
    settings: ['queuePair.variableWindow'],
    causes: ['queuePair.window'],
    when: ({ settings }) => settings.queuePair.window === 'unlimited',
    because: 'the window is unlimited',
  },
  {
    settings: ['queuePair.variableWindow', 'queuePair.rateBound'],
    causes: ['congestion.algorithm', 'ecn.enabled'],
    when: keepsRate,
    because: ({ settings }) =>
      settings.congestion.algorithm === 'none'
        ? 'congestion.algorithm is none, and every sender keeps the rate of its NIC'
        : 'without ECN every sender keeps the rate of its NIC',
  },
  {
    settings: ['queuePair.notificationInterval', 'queuePair.notificationDelay', 'packet.notification'],
    causes: ['ecn.enabled'],
    when: marksNothing,
    because: 'without ECN no packet is marked',
  },
  {
    settings: ['queuePair.notificationInterval'],
    causes: ['congestion.algorithm'],
    when: ignoresMarksAltogether,
    because: onlyCounted,
  },
  {
    settings: ['queuePair.notificationInterval'],
    causes: ['queuePair.rateBound', 'queuePair.variableWindow', 'queuePair.window'],
    when: ignoresRateAndMarks,
    because: 'neither pacing nor the window follows the rate, so marks are only counted',
  },
  {
    settings: ['packet.notification'],
    causes: ['queuePair.notificationDelay'],
    when: hasNoCnps,
    because: 'there are no CNPs without queuePair.notificationDelay',
  },
  {
    settings: ['queuePair.acknowledgementDelay'],
    causes: ['queuePair.acknowledgementInterval'],
    when: ({ settings }) => settings.queuePair.acknowledgementInterval === 1,
    because: 'every packet is acknowledged at once',
  },
  {
    settings: ['queuePair.chunk'],
    causes: ['queuePair.goBackTo'],
    when: ({ settings }) => settings.queuePair.goBackTo !== 'chunk-start',
    because: ({ settings }) => `queuePair.goBackTo is ${settings.queuePair.goBackTo}`,
  },
  {
    settings: ['queuePair.goBackTo', 'queuePair.chunk'],
    causes: ['queuePair.goBackTo', 'queuePair.chunk', 'packet.payload'],
    when: ({ settings: { packet, queuePair } }) =>
      queuePair.goBackTo === 'chunk-start' && queuePair.chunk <= packet.payload,
    because: ({ settings }) => `a chunk of ${sizeText(settings.queuePair.chunk)} is one packet`,
  },
  {
    settings: ['queuePair.retries'],
    causes: ['queuePair.retransmissionTimeout'],
    when: ({ settings }) => settings.queuePair.retransmissionTimeout === 0,
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },

  {
    settings: Object.keys(packetSettings.loss)
      .filter((name) => name !== 'rate')
      .map((name) => `loss.${name}`),
    causes: ['loss.rate'],
    when: (situation) => hasOwnLossModel(situation) && hasNoRate(situation),
    because: 'loss.rate is 0',
  },
  ...Object.entries(lossModelsOf).map(([name, models]): NoEffectRule => ({
    settings: [`loss.${name}`],
    causes: ['loss.model'],
    when: (situation) => hasOwnLossModel(situation) && !models.includes(situation.settings.loss.model),
    because: ({ settings }) => `loss.model is ${settings.loss.model}`,
  })),
  {
    settings: ['loss.rate'],
    causes: ['loss.model'],
    when: ({ settings }) => isListed(settings.loss.model),
    because: ({ settings }) => `loss.model ${settings.loss.model} takes what loss.file names`,
  },
  {
    settings: ['loss.at', 'loss.places'],
    causes: ['loss.model'],
    when: ({ settings }) => isListed(settings.loss.model) && settings.loss.model !== 'trace',
    because: 'loss.file names the switches',
  },
  {
    settings: ['loss.at'],
    causes: ['loss.places'],
    when: ({ settings }) => settings.losses.rates !== null,
    because: 'loss.places says where',
  },
  {
    settings: ['loss.file'],
    causes: ['loss.model'],
    when: (situation) => hasOwnLossModel(situation) && !isListed(situation.settings.loss.model),
    because: ({ settings }) => `loss.model is ${settings.loss.model}`,
  },
  {
    settings: ['loss.model', 'loss.rate', 'loss.packets'],
    causes: ['fabric', 'loss.at'],
    when: (situation) =>
      hasOwnLossModel(situation) &&
      situation.settings.losses.rates === null &&
      situation.settings.loss.at === 'switches' &&
      !situation.fabric.nodeKind.includes(NodeKind.switch),
    because: 'the fabric has no switches, at whose ports packets could be lost',
  },
  {
    settings: ['pfc.enabled'],
    causes: ['flowControl'],
    when: ({ settings }) => !settings.flowControl.includes('pfc'),
    because: withoutPfc,
  },
  {
    settings: ['sfc.*'],
    causes: ['flowControl'],
    when: (situation) => !hasSfc(situation),
    because: 'flowControl has no sfc',
  },
  {
    settings: ['sfc.per'],
    causes: ['sfc.reaction'],
    when: (situation) => sfcReaction(situation) === 'proxy',
    because: 'sfc.reaction is proxy, which pauses priorities',
  },
  {
    settings: ['packet.pauseFrame', 'pfc.responseTime'],
    causes: ['pfc.enabled', 'flowControl'],
    when: (situation) => pausesNothing(situation) && !hasProxies(situation),
    because: withoutPfc,
  },
  {
    settings: [
      'pfc.threshold',
      'pfc.thresholdShift',
      'pfc.staticThreshold',
      'pfc.headroom',
      'pfc.headroomDelays',
      'pfc.resumeOffset',
      'pfc.pauseTime',
      'pfc.reserve',
    ],
    causes: ['pfc.enabled', 'flowControl'],
    when: pausesNothing,
    because: withoutPfc,
  },
  {
    settings: ['switch.dropThreshold'],
    causes: ['pfc.enabled'],
    when: ({ settings }) => isLossless(settings),
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    causes: ['pfc.enabled'],
    when: ({ settings }) => isLossless(settings),
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    causes: ['transport.algorithm'],
    when: (situation) => !isUec(situation),
    because: ({ settings }) => `the transport ${settings.transport.algorithm} does not read trimmed packets`,
  },
  {
    settings: ['switch.trimmedPacket'],
    causes: ['switch.trimming'],
    when: ({ settings }) => !settings.switch.trimming,
    because: 'switch.trimming is false',
  },
  // NVSwitches hold what waits, however much it is
  {
    settings: [
      'switch.buffer',
      'switch.dropThreshold',
      'switch.trimming',
      'switch.trimmedPacket',
      'packet.pauseFrame',
      'pfc.*',
    ],
    causes: ['fabric'],
    when: ({ fabric }) => switchRates(fabric).length === 0,
    because: 'the fabric has no switches that use PFC',
  },
  {
    settings: ['sfc.*'],
    causes: ['fabric'],
    when: ({ fabric }) => switchRates(fabric).length === 0,
    because: 'the fabric has no switches that tell sources to pause',
  },
  {
    settings: ['pfc.headroomDelays'],
    causes: ['pfc.headroom'],
    when: ({ settings }) => settings.pfc.headroom === 'cable',
    because: 'pfc.headroom is cable',
  },
  {
    settings: ['pfc.thresholdShift'],
    causes: ['pfc.threshold'],
    when: ({ settings }) => settings.pfc.threshold === 'static',
    because: 'pfc.threshold is static',
  },
  {
    settings: ['pfc.staticThreshold'],
    causes: ['pfc.threshold'],
    when: ({ settings }) => settings.pfc.threshold === 'dynamic',
    because: 'pfc.threshold is dynamic',
  },
  {
    settings: ['switch.latency'],
    causes: ['fabric'],
    when: ({ fabric }) => !fabric.nodeKind.includes(NodeKind.switch),
    because: 'the fabric has no switches',
  },
  {
    settings: ['switch.nvswitchLatency'],
    causes: ['fabric'],
    when: ({ fabric }) => !fabric.nodeKind.includes(NodeKind.nvswitch),
    because: 'the fabric has no NVSwitches',
  },

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
  ...omnidmaRules,
];
