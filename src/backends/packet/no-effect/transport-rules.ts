// When settings of transports, and settings that only some of them read, cannot change what a run does
// (scenario/no-effect-rules.ts says what such a rule promises).

import { sizeText } from '../../../base/quantity-text.js';
import type { NoEffectRule, Situation } from '../../backend-declaration.js';
import { irnSettings } from '../transport/irn.js';

/** The transport that a group of parameters is for. */
const transportOf: Readonly<Record<string, string>> = { irn: 'irn', uec: 'uec' };

const usesTransport = ({ settings }: Situation): string => `transport.algorithm is ${settings.transport.algorithm}`;

export const transportRules: readonly NoEffectRule[] = [
  ...Object.entries(transportOf).map(([group, transport]): NoEffectRule => ({
    settings: [`${group}.*`],
    causes: ['transport.algorithm'],
    when: ({ settings }) => settings.transport.algorithm !== transport,
    because: usesTransport,
  })),
  {
    settings: ['irn.nackThreshold'],
    causes: ['irn.recovery'],
    when: ({ given }) => given.value(['irn', 'recovery'], irnSettings.recovery) === 'rewind',
    because: 'irn.recovery is rewind, and the first NACK begins it',
  },
  {
    settings: ['irn.fewPackets'],
    causes: ['irn.lowTimeout', 'queuePair.retransmissionTimeout'],
    when: ({ given, settings: { queuePair } }) =>
      given.value(['irn', 'lowTimeout'], irnSettings.lowTimeout) === queuePair.retransmissionTimeout &&
      queuePair.retransmissionTimeout !== 'auto',
    because: 'both retransmission timeouts are the same',
  },
  {
    settings: ['irn.lowTimeout'],
    causes: ['irn.fewPackets'],
    when: ({ given }) => given.value(['irn', 'fewPackets'], irnSettings.fewPackets) === 0,
    because: 'irn.fewPackets is 0, and no sender has fewer packets in flight',
  },
  {
    settings: ['irn.lowTimeout', 'irn.fewPackets'],
    causes: ['queuePair.retransmissionTimeout'],
    when: ({ settings }) => settings.queuePair.retransmissionTimeout === 0,
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },
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
    settings: ['queuePair.nackInterval'],
    causes: ['transport.algorithm', 'irn.recovery'],
    when: ({ given, settings }) =>
      settings.transport.algorithm === 'irn' && given.value(['irn', 'recovery'], irnSettings.recovery) === 'selective',
    because: 'IRN answers every packet behind a gap with a NACK',
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
