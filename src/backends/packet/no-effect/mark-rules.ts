// When marks, what follows from them, and windows that follow a rate cannot change what a run does.

import { rateText } from '../../../base/quantity-text.js';
import { switchRates } from '../../../fabric/switch-rates.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import { thresholdSettings } from '../ecn-thresholds.js';
import type { PacketSettings } from '../settings.js';
import { hasUecWindow, ignoresRate } from './congestion-rules.js';
import { isUec, marksNothing, uecControl } from './situations.js';

/** Congestion controls that slow down when an acknowledgement tells of a mark. */
const reactsToMarks: Readonly<Record<PacketSettings['congestion']['algorithm'], boolean>> = {
  dcqcn: true,
  dctcp: true,
  timely: false,
  hpcc: false,
  'hpcc-pint': false,
  none: false,
};

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

const onlyCounted = (situation: Situation): string => {
  const { settings } = situation;
  if (isUec(situation))
    return `with uec.control ${uecControl(situation)} nobody reacts to marks; they are only counted`;
  return settings.congestion.algorithm === 'none'
    ? 'without congestion control nobody reacts to marks; they are only counted'
    : `${settings.congestion.algorithm} does not react to marks; they are only counted`;
};

/**
 * Every queue pair has the rate of its NIC, always. Failures may move it to another NIC, or slow one down, between two
 * of its packets.
 */
const keepsRate = (situation: Situation): boolean =>
  situation.failures.changes.count === 0 &&
  !isUec(situation) &&
  (situation.settings.congestion.algorithm === 'none' || (!ignoresMarks(situation) && marksNothing(situation)));

export const markRules: readonly NoEffectRule[] = [
  { settings: ['ecn.thresholds'], causes: ['ecn.enabled'], when: marksNothing, because: 'ecn.enabled is false' },
  {
    settings: ['ecn.enabled'],
    causes: ['congestion.algorithm'],
    // who switches off what nobody reads has said what holds
    when: (situation) => situation.settings.ecn.enabled && ignoresMarksAltogether(situation),
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
];
