// When settings of reservoir sampling change nothing, on every backend whose packets carry samples.

import { samplingSettings } from '../sampling/sampling-settings.js';
import type { NoEffectRule } from './backend-declaration.js';

export const samplingRules: readonly NoEffectRule[] = [
  {
    settings: Object.keys(samplingSettings)
      .filter((name) => name !== 'variant')
      .map((name) => `sampling.${name}`),
    causes: ['sampling.variant'],
    when: ({ settings }) => settings.sampling.variant === 'off',
    because: 'packets carry no samples (sampling.variant is off)',
  },
  {
    settings: ['sampling.rankClasses'],
    causes: [],
    when: ({ given }) => !given.has(['workload']) && !given.has(['jobs']),
    because: 'nothing that is sent has ranks (there is no workload)',
  },
  {
    settings: ['sampling.threshold'],
    causes: ['sampling.congested'],
    when: ({ settings }) => settings.sampling.congested === 'queue',
    because: 'sampling.congested is queue',
  },
  {
    settings: ['sampling.identifier', 'sampling.multiplier'],
    causes: ['sampling.variant'],
    when: ({ settings }) => settings.sampling.variant === 'standard',
    because: 'the standard variant carries no hash',
  },
  {
    settings: ['sampling.hopBits'],
    causes: ['sampling.hopCount'],
    when: ({ settings }) => settings.sampling.hopCount === 'time-to-live',
    because: 'the hop count is known by the time to live',
  },
];
