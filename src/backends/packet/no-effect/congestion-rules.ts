// When settings of congestion controls cannot change what a run does, and what settings of marks need to know of them.

import { rateText } from '../../../base/quantity-text.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import type { PacketSettings } from '../settings.js';
import { isUec, marksNothing, uecControl } from './situations.js';

type Algorithm = PacketSettings['congestion']['algorithm'];

/** Congestion controls that a group of parameters is for. */
export const controlsOf: Readonly<Record<string, readonly Algorithm[]>> = {
  dcqcn: ['dcqcn'],
  dctcp: ['dctcp'],
  timely: ['timely'],
  hpcc: ['hpcc', 'hpcc-pint'],
  pint: ['hpcc-pint'],
};

const parameters = Object.keys(controlsOf).map((group) => `${group}.*`);

export const hasUecWindow = (situation: Situation): boolean => ['nscc', 'both'].includes(uecControl(situation));

/** Nothing that a queue pair does follows its rate, which is that of its NIC with a transport of its own window. */
export const ignoresRate = (situation: Situation): boolean => !isUec(situation) && ignoresRateOfControl(situation);
const ignoresRateOfControl = ({ settings: { queuePair } }: Situation): boolean =>
  !queuePair.rateBound && (!queuePair.variableWindow || queuePair.window === 'unlimited');

export const congestionRules: readonly NoEffectRule[] = [
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
    because: 'the transport uec has a window of its own, and answers in queue 0',
  },
  {
    settings: ['packet.notification'],
    causes: ['transport.algorithm'],
    when: isUec,
    because: 'the transport uec sends no CNPs',
  },
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
];
