// The settings of HPCC, which HPCC over PINT shares. Defaults are SimAI's, but the additive increase is derived.

import type { SettingGroup, SettingValues } from '../../../../base/settings.js';
import { inSimai } from '../../packet-profiles.js';

export const hpccSettings = {
  targetUtilisation: {
    kind: 'fraction',
    default: 0.95,
    minimum: 0.01,
    description: 'share of a link that is aimed at',
  },
  maxStage: {
    kind: 'count',
    default: 0,
    minimum: 0,
    maximum: 1000,
    description: 'additive steps in a row before a multiplicative one',
  },
  additiveIncrease: inSimai('50Mbps', {
    kind: 'rate',
    default: 'auto',
    orAuto: true,
    description:
      "added at every step, for fairness; auto: the paper's rule, line rate of the sender x (1 - targetUtilisation) / expectedFlows",
  }),
  expectedFlows: {
    kind: 'count',
    default: 8,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'N of additiveIncrease auto: flows that are expected to share a link; more of them leave a standing queue, far fewer share slowly',
  },
  minimumRate: { kind: 'rate', default: '100Mbps', description: 'a rate never falls below' },
  multiRate: {
    kind: 'flag',
    default: false,
    description: 'a reference rate for each link of the path; the lowest rules',
  },
  fastReact: {
    kind: 'flag',
    default: true,
    description: 'react to every acknowledgement, not only once per round trip',
  },
} as const satisfies SettingGroup;

/** The resolved values. */
export type HpccSettings = SettingValues<typeof hpccSettings>;
