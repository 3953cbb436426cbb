// When settings of source flow control cannot change what a run does, and runs in which they do.

import { valuesOfGroup } from '../../../../base/settings.js';
import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
import type { SettingEffects } from '../../mechanism.js';
import { sfcSettings } from './sfc-settings.js';

const sfcReaction = ({ settings }: Situation): string => valuesOfGroup(settings.own, 'sfc', sfcSettings).reaction;

export const sfcRules: readonly NoEffectRule[] = [
  {
    settings: ['sfc.per'],
    causes: ['sfc.reaction'],
    when: (situation) => sfcReaction(situation) === 'proxy',
    because: 'sfc.reaction is proxy, which pauses priorities',
  },
  {
    settings: ['sfc.bridgeShare'],
    causes: ['sfc.reaction'],
    when: (situation) => sfcReaction(situation) !== 'bridge',
    because: (situation) => `sfc.reaction is ${sfcReaction(situation)}: no edge switch holds packets`,
  },
];

/** What shows the effect of its settings, where switches tell sources from 50 kB on to pause for 20 us. */
export const sfcEffects: SettingEffects = {
  'sfc.reaction': { values: ['end-station', 'bridge'], rises: 'sfcPacketsHeld' },
  'sfc.per': { values: ['flow', 'priority'], rises: 'meanCompletion' },
  // what is slowed leaves the edge switch meanwhile, and less is held
  'sfc.bridgeShare': { given: ['sfc.reaction=bridge'], values: ['0', '0.5'], falls: 'sfcHeldPeakBytes' },
  'sfc.at': { values: ['egress', 'ingress'], falls: 'sfcMessages' },
  'sfc.threshold': { values: ['50kB', '200kB'], falls: 'sfcMessages' },
  // a queue that stays congested for longer lets its sources go later
  'sfc.hysteresis': { given: ['sfc.earlyResume=true'], values: ['0B', '40kB'], rises: 'meanCompletion' },
  'sfc.minimumInterval': { values: ['1us', '20us'], falls: 'sfcMessages' },
  'sfc.buildTime': { values: ['1us', '10us'], rises: 'inFlight' },
  'sfc.reactionTime': { values: ['1us', '10us'], rises: 'inFlight' },
  'sfc.pause': { values: ['5us', '50us'], rises: 'meanCompletion' },
  'sfc.refresh': { given: ['sfc.pause=1us'], values: ['false', 'true'], rises: 'sfcRefreshes' },
  'sfc.earlyResume': { values: ['false', 'true'], rises: 'sfcPausesResumed' },
  'sfc.message': {
    values: ['110B', '1024B'],
    differs: 'a longer message comes later, by the time of its bytes on each link',
  },
};
