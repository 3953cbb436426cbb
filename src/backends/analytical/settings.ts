// The settings that the analytical backend brings.

import { choice, type SettingGroup } from '../../base/settings.js';
import { costModels } from '../../collectives/closed-form.js';

export const analyticalSettings = {
  collectives: choice(
    costModels,
    'steps',
    'time of a collective: the steps of its algorithm with latencies, hops and bytes, or its bytes over the ' +
      "bus bandwidth of the group, as its links give it or by the rules of SimAI's analytical program " +
      '(simai-busbw)',
  ),
} as const satisfies SettingGroup;
