// Settings of the packet backend that change nothing on others, because those have nothing that the settings are about:
// no queues, marks, pauses, losses, windows or probes. What every backend reads (sizes of packets, latencies, queue
// pairs per flow, routing) is not listed.

import { LinkChangeKind } from '../fabric/link-states.js';
import type { FoundProblem, NoEffectRule, SettingsInUse } from './backend-declaration.js';
import { mechanisms, settingsOfKind } from './packet/mechanisms.js';
import { patternsOf } from './packet/no-effect/unchosen.js';
import { packetSettings } from './packet/settings.js';

/** Groups of which these backends read some settings: the rules say which they do not. */
export const packetGroups: readonly string[] = [
  ...Object.keys(packetSettings),
  ...Object.keys(settingsOfKind(mechanisms.congestionControls)),
];

/** Settings of the packet backend by what they are about. */
const settingsAbout = {
  congestion: ['congestion.algorithm', ...patternsOf(mechanisms.congestionControls)],
  marks: ['ecn.enabled', 'ecn.thresholds'],
  repeats: ['transport.algorithm', 'irn.*', 'omnidma.*', 'rnic.*'],
  balancing: ['routing.balancing'],
  reordering: ['reorder.*'],
  pauses: ['pfc.*', 'sfc.*', 'flowControl'],
  buffers: ['switch.buffer', 'switch.dropThreshold', 'switch.trimming', 'switch.trimmedPacket'],
  queuePairs: [
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
  frames: ['packet.notification', 'packet.pauseFrame'],
  losses: ['fabric.errorRate', 'failures.events[].errorRate', 'loss.*', 'loss.places', 'loss.file'],
  probes: ['probes.*'],
  samples: ['sampling.*'],
  polls: ['polling.*'],
  replays: ['fastForward.*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Why a backend has no use for settings, after "the fluid backend has", by what they are about; left out: it has one.
 */
export type Lacks = Readonly<Partial<Record<keyof typeof settingsAbout, string>>>;

/** What a backend lacks that has no packets. */
const noPackets: Lacks = {
  congestion: 'no congestion control: a flow has its rate from the start',
  marks: 'no queues in which packets could be marked',
  repeats: 'no packets that could be repeated',
  balancing: 'no packets that could take ways of their own',
  reordering: 'no packets that could come out of order',
  pauses: 'no queues that could be paused',
  buffers: 'no queues, so no buffer fills',
  queuePairs: 'no packets that a NIC could order, hold back or repeat',
  frames: 'no CNPs or PFC frames',
  losses: 'no packets that could be lost',
  probes: 'no packets or queues for probes to record',
  samples: 'no packets that could carry samples',
  polls: 'no packets that ports could count',
  replays: 'no packets of phases that it could replay',
};

/** Settings of the packet backend that have no effect on another one. @param lacks left out: it has no packets */
export function rulesWithoutPackets(name: string, lacks: Lacks = noPackets): readonly NoEffectRule[] {
  return (Object.keys(lacks) as (keyof typeof settingsAbout)[]).map((about) => ({
    settings: settingsAbout[about],
    causes: ['backend'],
    when: ({ backend }) => backend === name,
    because: ({ backend }) => `the ${backend} backend has ${lacks[about]}`,
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
