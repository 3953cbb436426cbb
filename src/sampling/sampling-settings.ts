// The settings of reservoir sampling (docs/models/reservoir-sampling.md).

import { count, flag, size, time, choice, type SettingGroup, type SettingValues } from '../base/settings.js';
import { type MultiplierName } from './link-hash.js';

const samplingVariants = ['off', 'standard', 'one-bit'] as const;
const congestionCriteria = ['queue', 'threshold', 'probability'] as const;
const randomSources = ['generator', 'lfsr'] as const;
const multiplierNames = ['B5E4DC75', '127BE738'] as const satisfies readonly MultiplierName[];

export const samplingSettings = {
  variant: choice(
    samplingVariants,
    'off',
    'what a packet carries of the links on its way: nothing, the name of one of them (standard), or a hash of it (one-bit)',
  ),
  every: count(1, 'one packet in so many carries a sample: a host draws one of each so many that it sends', {
    minimum: 1,
    maximum: 1_000_000,
  }),
  congested: choice(
    congestionCriteria,
    'queue',
    'when a link is congested for a packet. queue: more waits than there are credits for (packet backend: ' +
      'anything waits); threshold: `threshold` waits; probability: with probability waiting / threshold',
  ),
  threshold: size(
    '100KiB',
    'bytes that wait at an output port, as for ECN: for `congested: threshold` and `probability`',
    { minimum: 1 },
  ),
  hosts: flag(
    true,
    "hosts say whether their own link is congested: others of its senders wait, or it was held back; false: they can't",
  ),
  window: time('0us', 'counts are written and begun anew after each such time; 0 = once, at the end'),
  rankClasses: count(
    8,
    'traffic is told apart by the classes of the ranks at its ends: neighbours, so many classes a job; 1 = not by ranks',
    { minimum: 1, maximum: 256 },
  ),
  hopCount: choice(
    ['field', 'time-to-live'],
    'field',
    'how a receiver knows the links of a path: by a field of hopBits that saturates, or by the time to live of IP',
  ),
  hopBits: count(3, 'bits of the field for the hop count less one: 3 in InfiniBand, 4 in the DS field of IP', {
    minimum: 1,
    maximum: 8,
  }),
  identifier: choice(
    ['32-bit', '16-bit'],
    '32-bit',
    'the random identifier of a packet that the hash takes: 16 bits fit into the identification of IPv4',
  ),
  multiplier: choice(multiplierNames, 'B5E4DC75', 'g of the hash, in hexadecimal digits'),
  randomness: choice(
    randomSources,
    'generator',
    'what switches draw from: a good generator, or a shift register of 16 bits per port with one fresh bit per packet (lfsr)',
  ),
  exact: flag(false, 'record beside it what every port really forwarded, and how much of that was congested'),
} as const satisfies SettingGroup;

/** Resolved values. */
export type SamplingSettings = SettingValues<typeof samplingSettings>;
