// The settings of the balancers by entropy: those of both, and those of REPS alone.

export const entropySettings = {
  values: {
    kind: 'count',
    default: 65_536,
    minimum: 1,
    maximum: 65_536,
    description: 'different entropies that a sender draws from, from 0 on; 65536: 16 bits, as a UDP source port has',
  },
} as const;

export const repsSettings = {
  cache: {
    kind: 'count',
    default: 8,
    minimum: 1,
    maximum: 32,
    description: 'entropies of a queue pair that are kept for reuse (the paper: 8)',
  },
  freezing: {
    kind: 'time',
    default: '10ms',
    description:
      'how long a queue pair keeps to its entropies after a timeout and explores no others; 0 = it never does so',
  },
} as const;
