// When settings of polled counters change nothing, and which cannot work together, on every backend that counts.

import { timeText } from '../../base/quantity-text.js';
import type { FoundProblem, NoEffectRule, SettingsInUse } from '../backend-declaration.js';
import { pollingSettings } from './polling-settings.js';

export const pollingRules: readonly NoEffectRule[] = [
  {
    settings: Object.keys(pollingSettings)
      .filter((name) => name !== 'interval')
      .map((name) => `polling.${name}`),
    causes: ['polling.interval'],
    when: ({ settings }) => settings.polling.interval === 0,
    because: 'no counters are read (polling.interval is 0)',
  },
];

/** A round has to end before the next one begins. */
export function pollingProblems({ settings }: Pick<SettingsInUse, 'settings'>): FoundProblem[] {
  const { interval, spread } = settings.polling;
  if (interval === 0 || spread <= interval) return [];
  return [
    {
      severity: 'error',
      code: 'polling-spread',
      at: [
        ['polling', 'spread'],
        ['polling', 'interval'],
      ],
      message: 'the last node of a round would be read after the first one of the next',
      got: `a round of ${timeText(spread)} every ${timeText(interval)}`,
      wanted: 'polling.spread of polling.interval or less',
    },
  ];
}
