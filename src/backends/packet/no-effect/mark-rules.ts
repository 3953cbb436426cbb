// When marks, what follows from them, and windows that follow a rate cannot change what a run does.

import { rateText } from '../../../base/quantity-text.js';
import { switchRates } from '../../../fabric/switch-rates.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import { thresholdSettings } from '../ecn-thresholds.js';
import type { Mechanisms } from '../mechanisms.js';
import { controlOf, ignoresRate } from './congestion-rules.js';
import { hasUecWindow, isUec, marksNothing, uecControl } from './situations.js';

type Controls = Mechanisms['congestionControls'];

/** REPS learns of marks from packets, whatever the congestion control makes of them. */
const ignoresMarks = (controls: Controls, situation: Situation): boolean => {
  if (situation.settings.balancing === 'reps') return false;
  return isUec(situation) ? !hasUecWindow(situation) : controlOf(controls, situation).readsMarks !== true;
};
/** Marks cost nothing on the way back: they ride on ACKs. */
const hasNoCnps = ({ settings }: Situation): boolean => settings.queuePair.notificationDelay === 0;

const onlyCounted = (controls: Controls, situation: Situation): string => {
  if (isUec(situation))
    return `with uec.control ${uecControl(situation)} nobody reacts to marks; they are only counted`;
  return controlOf(controls, situation).sets === undefined
    ? 'without congestion control nobody reacts to marks; they are only counted'
    : `${situation.settings.congestion.algorithm} does not react to marks; they are only counted`;
};

/**
 * Every queue pair has the rate of its NIC, always. Failures may move it to another NIC, or slow one down, between two
 * of its packets.
 */
const keepsRate = (controls: Controls, situation: Situation): boolean =>
  situation.failures.changes.count === 0 &&
  !isUec(situation) &&
  (controlOf(controls, situation).sets === undefined ||
    (!ignoresMarks(controls, situation) && marksNothing(situation)));

/** The rules about marks and about what follows a rate, by what the entries of congestion controls say. */
export function markRules(controls: Controls): NoEffectRule[] {
  const unread = {
    causes: ['congestion.algorithm'],
    when: (situation: Situation) => ignoresMarks(controls, situation) && hasNoCnps(situation),
    because: (situation: Situation) => onlyCounted(controls, situation),
  };
  const unfollowed = {
    causes: ['queuePair.rateBound', 'queuePair.variableWindow', 'queuePair.window'],
    when: (situation: Situation) => ignoresRate(controls, situation) && hasNoCnps(situation),
    because: 'neither pacing nor the window follows the rate, so marks are only counted',
  };
  return [
    { settings: ['ecn.thresholds'], causes: ['ecn.enabled'], when: marksNothing, because: 'ecn.enabled is false' },
    {
      ...unread,
      settings: ['ecn.enabled'],
      // who switches off what nobody reads has said what holds
      when: (situation) => situation.settings.ecn.enabled && unread.when(situation),
      evenIfDefault: true,
    },
    { ...unread, settings: ['ecn.thresholds'] },
    { ...unfollowed, settings: ['ecn.enabled', 'ecn.thresholds'] },
    ...thresholdRules,
    {
      settings: ['queuePair.variableWindow'],
      causes: ['congestion.algorithm'],
      when: (situation) => !isUec(situation) && controlOf(controls, situation).sets === 'window',
      because: ({ settings }) => `${settings.congestion.algorithm} sets the window itself`,
    },
    {
      settings: ['queuePair.variableWindow', 'queuePair.rateBound'],
      causes: ['congestion.algorithm', 'ecn.enabled'],
      when: (situation) => keepsRate(controls, situation),
      because: (situation) =>
        controlOf(controls, situation).sets === undefined
          ? `congestion.algorithm is ${situation.settings.congestion.algorithm}, and every sender keeps the rate of its NIC`
          : 'without ECN every sender keeps the rate of its NIC',
    },
    {
      settings: ['queuePair.notificationInterval', 'queuePair.notificationDelay', 'packet.notification'],
      causes: ['ecn.enabled'],
      when: marksNothing,
      because: 'without ECN no packet is marked',
    },
    { ...unread, settings: ['queuePair.notificationInterval'] },
    { ...unfollowed, settings: ['queuePair.notificationInterval'] },
    {
      settings: ['packet.notification'],
      causes: ['queuePair.notificationDelay'],
      when: hasNoCnps,
      because: 'there are no CNPs without queuePair.notificationDelay',
    },
  ];
}

const thresholdRules: readonly NoEffectRule[] = [
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
];
