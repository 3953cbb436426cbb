// When settings of transports, and settings that only some of them read, cannot change what a run does
// (scenario/no-effect-rules.ts says what such a rule promises).

import { sizeText } from '../../../base/quantity-text.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';

const usesTransport = ({ settings }: Situation): string => `transport.algorithm is ${settings.transport.algorithm}`;

export const transportRules: readonly NoEffectRule[] = [
  {
    settings: [
      'queuePair.acknowledgementInterval',
      'queuePair.acknowledgementDelay',
      'queuePair.goBackTo',
      'queuePair.chunk',
    ],
    causes: ['transport.algorithm'],
    when: ({ settings }) => settings.transport.algorithm !== 'go-back-n',
    because: usesTransport,
  },
  {
    settings: ['queuePair.acknowledgementDelay'],
    causes: ['queuePair.acknowledgementInterval'],
    when: ({ settings }) => settings.queuePair.acknowledgementInterval === 1,
    because: 'every packet is acknowledged at once',
  },
  {
    settings: ['queuePair.chunk'],
    causes: ['queuePair.goBackTo'],
    when: ({ settings }) => settings.queuePair.goBackTo !== 'chunk-start',
    because: ({ settings }) => `queuePair.goBackTo is ${settings.queuePair.goBackTo}`,
  },
  {
    settings: ['queuePair.goBackTo', 'queuePair.chunk'],
    causes: ['queuePair.goBackTo', 'queuePair.chunk', 'packet.payload'],
    when: ({ settings: { packet, queuePair } }) =>
      queuePair.goBackTo === 'chunk-start' && queuePair.chunk <= packet.payload,
    because: ({ settings }) => `a chunk of ${sizeText(settings.queuePair.chunk)} is one packet`,
  },
  {
    settings: ['queuePair.retries'],
    causes: ['queuePair.retransmissionTimeout'],
    when: ({ settings }) => settings.queuePair.retransmissionTimeout === 0,
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },
];
