// When settings of source flow control cannot change what a run does.

import { valuesOfGroup } from '../../../../base/settings.js';
import type { NoEffectRule, Situation } from '../../../backend-declaration.js';
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
