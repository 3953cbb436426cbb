// Settings that change nothing on backends without packets, because those have nothing that the settings are about: no
// queues, marks, pauses, losses, windows or probes. What every backend reads (sizes of packets, latencies, queue pairs
// per flow, routing) is not listed.

import { LinkChangeKind } from '../fabric/link-states.js';
import type { FoundProblem, NoEffectRule, SettingsInUse } from './backend-declaration.js';
import { packetSettings } from './packet/settings.js';

/** Groups of which these backends read some settings: the rules say which they do not. */
export const packetGroups: readonly string[] = Object.keys(packetSettings);

/** What settings of the packet backend are about, after "the fluid backend has". */
const missing: readonly (readonly [settings: readonly string[], what: string])[] = [
  [
    ['congestion.algorithm', 'dcqcn.*', 'dctcp.*', 'timely.*', 'hpcc.*', 'pint.*'],
    'no congestion control: a flow has its rate from the start',
  ],
  [['ecn.enabled', 'ecn.thresholds'], 'no queues in which packets could be marked'],
  [['transport.algorithm', 'irn.*', 'omnidma.*', 'rnic.*'], 'no packets that could be repeated'],
  [['routing.balancing'], 'no packets that could take ways of their own'],
  [['reorder.*'], 'no packets that could come out of order'],
  [['pfc.*', 'sfc.*', 'flowControl'], 'no queues that could be paused'],
  [
    ['switch.buffer', 'switch.dropThreshold', 'switch.trimming', 'switch.trimmedPacket'],
    'no queues, so no buffer fills',
  ],
  [
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
  ],
  [['packet.notification', 'packet.pauseFrame'], 'no CNPs or PFC frames'],
  [
    ['fabric.errorRate', 'failures.events[].errorRate', 'loss.*', 'loss.places', 'loss.file'],
    'no packets that could be lost',
  ],
  [['probes.*'], 'no packets or queues for probes to record'],
  [['fastForward.*'], 'no packets of phases that it could replay'],
];

/** Settings that have no effect on a backend without packets. */
export function rulesWithoutPackets(name: string): readonly NoEffectRule[] {
  return missing.map(([settings, what]) => ({
    settings,
    causes: ['backend'],
    when: ({ backend }) => backend === name,
    because: ({ backend }) => `the ${backend} backend has ${what}`,
  }));
}

/** A warning if links lose packets: without packets none is lost. Of losses that a scenario gives a rule tells. */
export function losslessProblems(backend: string, { given, fabric }: SettingsInUse): FoundProblem[] {
  const isLossy = fabric?.linkErrorRate.some((errorRate) => errorRate > 0) ?? false;
  if (!isLossy || given.has(['fabric', 'errorRate'])) return [];
  return [
    {
      severity: 'warning',
      code: 'backend-lossless',
      at: [['backend']],
      message: `the fabric has links that lose packets; the ${backend} backend has no packets, so none is lost`,
    },
  ];
}

/**
 * A warning if links fail under way: the time that senders wait for a retransmission timeout may be most of what a
 * failure costs, and without packets none of them waits.
 */
export function failureProblems(backend: string, { failures }: SettingsInUse): FoundProblem[] {
  const { kind, timePs } = failures?.changes ?? { kind: [], timePs: [] };
  for (let i = 0; i < kind.length; i++) {
    if (kind[i] !== LinkChangeKind.down || timePs[i] === 0) continue;
    return [
      {
        severity: 'warning',
        code: 'backend-losses',
        at: [['backend'], ['failures', 'events']],
        message: `links fail during the run; the ${backend} backend has no packets, so none is lost and no sender waits for a retransmission timeout`,
        hint: 'backend: packet shows what lost packets cost; it is often more than the failure itself',
      },
    ];
  }
  return [];
}
