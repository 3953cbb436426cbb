// The settings of HPCC, which HPCC over PINT shares. Defaults are SimAI's, but the additive increase is derived.

import { count, flag, fraction, rate, type SettingGroup, type SettingValues } from '../../../../base/settings.js';
import { inSimai } from '../../packet-profiles.js';

export const hpccSettings = {
  targetUtilisation: fraction(0.95, 'share of a link that is aimed at', { minimum: 0.01 }),
  maxStage: count(0, 'additive steps in a row before a multiplicative one', { minimum: 0, maximum: 1000 }),
  additiveIncrease: inSimai(
    '50Mbps',
    rate(
      'auto',
      "added at every step, for fairness; auto: the paper's rule, line rate of the sender x (1 - targetUtilisation) / expectedFlows",
      { orAuto: true },
    ),
  ),
  expectedFlows: count(
    8,
    'N of additiveIncrease auto: flows that are expected to share a link; more of them leave a standing queue, far fewer share slowly',
    { minimum: 1, maximum: 1_000_000 },
  ),
  minimumRate: rate('100Mbps', 'a rate never falls below'),
  multiRate: flag(false, 'a reference rate for each link of the path; the lowest rules'),
  fastReact: flag(true, 'react to every acknowledgement, not only once per round trip'),
} as const satisfies SettingGroup;

/** The resolved values. */
export type HpccSettings = SettingValues<typeof hpccSettings>;
