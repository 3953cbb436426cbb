// Settings that change nothing because the backend has nothing that they are about: without packets there are no
// queues, marks, pauses, losses, windows or probes. What every backend reads (sizes of packets, latencies, queue pairs
// per flow, routing) is not listed.

import type { NoEffectRule, Situation } from './no-effect-rule.js';

const hasNoPackets = ({ backend }: Situation): boolean => backend !== 'packet';

/**
 * A rule for settings of the packet backend.
 * @param what the other backends do without, after "the fluid backend has"
 */
function ofPackets(settings: readonly string[], what: string): NoEffectRule {
  return {
    settings,
    causes: ['backend'],
    when: hasNoPackets,
    because: ({ backend }) => `the ${backend} backend has ${what}`,
  };
}

/** One rule for each group of settings. */
export const backendRules: readonly NoEffectRule[] = [
  {
    settings: ['analytical.*'],
    causes: ['backend'],
    when: ({ backend }) => backend !== 'analytical',
    because: ({ backend }) => `the ${backend} backend carries collectives out`,
  },
  {
    settings: ['fluid.*'],
    causes: ['backend'],
    when: ({ backend }) => backend !== 'fluid',
    because: ({ backend }) => `the ${backend} backend has no streams`,
  },
  ofPackets(
    ['congestion.algorithm', 'dcqcn.*', 'dctcp.*', 'timely.*', 'hpcc.*', 'pint.*'],
    'no congestion control: rates are what they are at once',
  ),
  ofPackets(['ecn.enabled', 'ecn.thresholds'], 'no queues in which packets could be marked'),
  ofPackets(['pfc.*'], 'no queues that could be paused'),
  ofPackets(['switch.buffer'], 'no queues that could fill a buffer'),
  ofPackets(
    [
      'priority',
      'acknowledgementPriority',
      'window',
      'variableWindow',
      'rateBound',
      'nackInterval',
      'notificationInterval',
      'notificationDelay',
      'acknowledgementInterval',
      'acknowledgementDelay',
      'goBackTo',
      'chunk',
      'retransmissionTimeout',
      'retries',
    ].map((name) => `queuePair.${name}`),
    'no packets that a NIC could order, hold back or repeat',
  ),
  ofPackets(['packet.notification', 'packet.pauseFrame'], 'no such packets'),
  ofPackets(['fabric.errorRate', 'failures.events[].errorRate'], 'no packets that could be lost'),
  ofPackets(['probes.*'], 'no packets and queues that probes could look at'),
];
