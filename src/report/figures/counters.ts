// The totals of a network, by name: what each counts, and how reports say it. A backend gives those that it counts;
// what does not happen in it is absent, not 0.
// Invariant: a counter that is not here is given all the same, with the unit that its name ends in; a test finds it.

import { formatSizeBytes, formatTimePs } from '../../base/units.js';
import type { NetworkCounters } from '../../execution/network.js';
import { counted, grouped } from '../text-style.js';
import { bytes, whole, timeNs, type FigureEntry, type FigureLook } from './figure.js';

type ByName = Readonly<Record<string, number>>;

interface Counter {
  readonly entry: FigureEntry<ByName>;
  /** its part of the line on the network; null: nothing to be said */
  readonly phrase?: (value: number, counters: NetworkCounters) => string | null;
}

function counter(
  key: string,
  says: string,
  look: FigureLook<ByName, number | null | undefined> = {},
  phrase?: Counter['phrase'],
): Counter {
  const made = key.endsWith('Ns') ? timeNs : key.endsWith('Bytes') || key.startsWith('payloadBytes') ? bytes : whole;
  const entry = made<ByName>(key, (counters) => counters[key], says, look);
  return phrase === undefined ? { entry } : { entry, phrase };
}

/** Of what a healthy network has none. */
const ifAny =
  (say: (value: number) => string) =>
  (value: number): string | null =>
    value > 0 ? say(value) : null;

/** What lost packets cost in time; null: no timer ran out. Without a loss nothing called for it. */
function timeoutsText(timeouts: number | null | undefined, counters: ByName): string | null {
  const { timeoutWaitNs = 0, longestTimeoutWaitNs = 0, packetsDropped = 0, packetsLost = 0 } = counters;
  if ((timeouts ?? 0) === 0) return null;
  const cost = `queue pairs stood still for ${formatTimePs(timeoutWaitNs * 1000)} in all, one of them for ${formatTimePs(longestTimeoutWaitNs * 1000)}`;
  const needless =
    packetsDropped + packetsLost > 0
      ? ''
      : '; nothing was lost: queuePair.retransmissionTimeout is shorter than packets wait here';
  return `${counted(timeouts!, 'retransmission timeout')}: ${cost}${needless}`;
}

/** Of which less is better, and of which a healthy network has none. */
const [fewer, none] = [{ lessIsBetter: true }, { lessIsBetter: true, hidesZero: true }] as const;
const first = { prominence: 'first' } as const;

const all: readonly Counter[] = [
  counter('events', 'steps that the simulation took'),
  counter('payloadBytesDelivered', 'payload that reached its receiver'),
  counter(
    'packetsDropped',
    'packets that found no room in the buffer of a switch',
    { label: 'Packets dropped', ...fewer, ...first },
    (value) => `${grouped(value)} dropped`,
  ),
  counter(
    'pauseFrames',
    'PFC frames that pause',
    { label: 'PFC pauses', ...fewer, ...first },
    (value, { pausesExpired = 0 }) =>
      `${counted(value, 'pause')}${pausesExpired > 0 ? ` (${grouped(pausesExpired)} ran out)` : ''}`,
  ),
  counter('ecnMarks', 'packets that a switch marked', { label: 'ECN marks', ...first }, (value) =>
    counted(value, 'ECN mark'),
  ),
  counter(
    'packetsLost',
    'packets lost on a link, by its error rate or its failure, or for want of a route',
    { label: 'Packets lost', ...fewer, ...first },
    ifAny((value) => `${grouped(value)} lost on links or for want of a route`),
  ),
  counter('packetsTrimmed', 'data packets that lost their payload in a switch, where they would have been dropped', {
    label: 'Packets trimmed',
    ...none,
  }),
  counter('retransmittedPackets', 'data packets that were sent again', {
    label: 'Packets sent again',
    ...none,
    ...first,
  }),
  counter(
    'retransmittedBytes',
    'payload that was sent again',
    { label: 'Payload sent again', ...none, ...first },
    ifAny((value) => `${formatSizeBytes(value)} sent again`),
  ),
  counter(
    'creditStalls',
    'times that a port had a packet, was free and had no [credits](../models/credit.md)',
    { label: 'Credit stalls', ...fewer },
    ifAny((value) => counted(value, 'credit stall')),
  ),
  counter('packetHops', 'link traversals by data and acknowledgement packets', {}, (value) =>
    counted(value, 'packet-hop'),
  ),
  counter('dataPacketsSent', 'data packets that left their senders'),
  counter('dataPacketsDelivered', 'data packets that reached their receivers'),
  counter('acknowledgementsSent', 'all that receivers send: ACKs, NACKs and CNPs'),
  counter('acknowledgementsDelivered', 'those of them that reached their senders'),
  counter('notifications', 'marks that receivers told their senders of'),
  counter('timeouts', 'retransmission timeouts: senders that waited for an acknowledgement in vain', {
    label: 'Timeouts',
    ...none,
    said: ['timeouts', timeoutsText],
  }),
  counter('timeoutWaitNs', 'how long queue pairs stood still before their timeouts, in all and at least'),
  counter('longestTimeoutWaitNs', 'the most of it of one queue pair', { label: 'Longest wait for timeouts', ...none }),
  counter('resumeFrames', 'PFC frames that end a pause'),
  counter('pauseRefreshes', 'pauses that were sent again because they would have run out'),
  counter('pausesExpired', 'pauses that ran out at the paused port'),
  counter('pauseFramesLost', 'flow-control frames lost on a link, by its error rate or its failure'),
  counter('duplicatePackets', 'data packets that their receiver had already'),
  counter('packetsOutOfOrder', 'data packets that overtook others of their flow'),
  counter('packetLatencyTotalNs', 'from the first bit at the sender to the last at the receiver, all packets together'),
  counter('packetLatencyLargestNs', 'the same of the slowest packet'),
  counter('peakPacketsInFlight', 'packets on links and in queues at the same time, at most'),
];

/** In the order in which reports say them. */
export const counterFigures: readonly FigureEntry<ByName>[] = all.map(({ entry }) => entry);

/** Counters as JSON has them: those of picoseconds in nanoseconds, as all times. */
export function countersObject(counters: NetworkCounters): ByName {
  return Object.fromEntries(
    Object.entries(counters).map(([name, value]) =>
      name.endsWith('Ps') ? [`${name.slice(0, -2)}Ns`, value / 1000] : [name, value],
    ),
  );
}

/** What a network of packets did, in one line. */
export function countersText(counters: NetworkCounters): string {
  const parts = all.flatMap(({ entry: { key }, phrase }) => {
    const value = counters[key];
    const part = value === undefined ? null : (phrase?.(value, counters) ?? null);
    return part === null ? [] : [part];
  });
  return (counters['packetHops'] === undefined ? [...parts, counted(counters.events, 'event')] : parts).join(', ');
}
