// The kinds of parameters that families have, in short.

import type { CountSetting, FractionSetting, RateSetting, TimeSetting } from '../../base/settings.js';
import { maxNodes } from '../fabric.js';

/** A whole number of things. */
export function count(description: string, defaultCount: number, minimum = 1): CountSetting {
  return { kind: 'count', default: defaultCount, minimum, maximum: maxNodes, description };
}

export function rate(description: string, defaultRate: string): RateSetting {
  return { kind: 'rate', default: defaultRate, description };
}

export function time(description: string, defaultTime: string): TimeSetting {
  return { kind: 'time', default: defaultTime, description };
}

export const errorRate: FractionSetting = {
  kind: 'fraction',
  default: 0,
  description: 'share of packets that every link loses',
};
