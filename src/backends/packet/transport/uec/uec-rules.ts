// When settings cannot change what a run with the transport uec does, and runs in which they do.

import { valuesOfGroup } from '../../../../base/settings.js';
import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
import type { SettingEffects } from '../../mechanism.js';
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

/** What shows the effect of its settings. */
export const uecEffects: SettingEffects = {
  'uec.control': {
    scenario: 'pressure',
    given: ['pfc.enabled=false', 'switch.dropThreshold=0.1', 'ecn.enabled=true'],
    values: ['nscc', 'none'],
    rises: 'drops',
  },
  'uec.acknowledgementInterval': { scenario: 'crossed', values: ['16KiB', '0B'], rises: 'acknowledgements' },
  'uec.targetDelay': { values: ['20us', '1us'], falls: 'marks' },
  'uec.maximumWindow': {
    scenario: 'pressure',
    given: ['switch.buffer=4MB'],
    values: ['1.5', '8'],
    rises: 'inFlight',
  },
  'uec.firstCredit': { scenario: 'pressure', given: ['uec.control=rccc'], values: ['1', '0.1'], falls: 'inFlight' },
  'uec.reorderThreshold': {
    scenario: 'collision',
    given: ['routing.balancing=spray', 'pfc.enabled=false'],
    values: ['1', '100'],
    falls: 'retransmissions',
  },
};
