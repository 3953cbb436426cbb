// The settings of the balancers by entropy: those of both, and those of REPS alone.

import { count, time } from '../../../base/settings.js';
import type { SettingEffects } from '../mechanism.js';

export const entropySettings = {
  values: count(
    65_536,
    'different entropies that a sender draws from, from 0 on; 65536: 16 bits, as a UDP source port has',
    { minimum: 1, maximum: 65_536 },
  ),
} as const;

export const repsSettings = {
  cache: count(8, 'entropies of a queue pair that are kept for reuse (the paper: 8)', { minimum: 1, maximum: 32 }),
  freezing: time(
    '10ms',
    'how long a queue pair keeps to its entropies after a timeout and explores no others; 0 = it never does so',
  ),
} as const;

/** What shows the effect of the settings of both. */
export const entropyEffects: SettingEffects = { 'entropy.values': { values: ['65536', '1'], rises: 'meanCompletion' } };

/** What shows the effect of those of REPS. */
export const repsEffects: SettingEffects = {
  'reps.cache': {
    // three flows share a NIC, so that answers come before their senders' turns
    given: ['uec.acknowledgementInterval=0B', ...[1, 2].map((flow) => `traffic.transfers[${flow}].source=0`)],
    values: ['8', '1'],
    differs: 'fewer entropies that worked, or more old ones: either may be the better',
  },
  'reps.freezing': {
    scenario: 'spared',
    given: [
      // timeouts alone tell of losses
      'uec.reorderThreshold=1000000',
      'failures={ convergenceTime: 10ms, events: [ { at: 20us, link: "leaf[0]-spine[1]" } ] }',
      ...[0, 1, 2].map((flow) => `traffic.transfers[${flow}].size=8MB`),
    ],
    values: ['10ms', '0us'],
    rises: 'losses',
  },
};
