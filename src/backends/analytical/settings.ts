// The settings that the analytical backend brings.

import { choice, type SettingGroup } from '../../base/settings.js';
import { costModels } from '../../collectives/closed-form.js';

export const analyticalSettings = {
  collectives: choice(
    costModels,
    'steps',
    'time of a collective: the steps of its algorithm with latencies, hops and bytes, or its bytes over the bus bandwidth of the group',
  ),
} as const satisfies SettingGroup;
