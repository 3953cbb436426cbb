// The kinds of parameters that families have, in short.

import { count, fraction, type CountSetting, type FractionSetting } from '../../base/settings.js';
import { maxNodes } from '../fabric.js';

/** A whole number of things. */
export function howMany(description: string, preset: number, minimum = 1): CountSetting {
  return count(preset, description, { minimum, maximum: maxNodes });
}

export const errorRate: FractionSetting = fraction(0, 'share of packets that every link loses');
