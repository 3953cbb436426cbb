// The settings of the balancers by entropy: those of both, and those of REPS alone.

import { count, time } from '../../../base/settings.js';

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
