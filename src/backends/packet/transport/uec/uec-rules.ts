// When settings cannot change what a run with the transport uec does.

import { valuesOfGroup } from '../../../../base/settings.js';
import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
import { uecSettings } from './uec-settings.js';

const isUec = ({ settings }: Situation): boolean => settings.transport.algorithm === 'uec';
const controlOf = ({ settings }: Situation): string => valuesOfGroup(settings.own, 'uec', uecSettings).control;

/** What is without effect if the control is another one: a setting of the one. */
const onlyFor = (setting: string, controls: readonly string[]): NoEffectRule => ({
  settings: [setting],
  causes: ['uec.control'],
  when: (situation) => !controls.includes(controlOf(situation)),
  because: (situation) => `uec.control is ${controlOf(situation)}`,
});

export const uecRules: readonly NoEffectRule[] = [
  onlyFor('uec.targetDelay', ['nscc', 'both']),
  onlyFor('uec.firstCredit', ['rccc', 'both']),
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
];
