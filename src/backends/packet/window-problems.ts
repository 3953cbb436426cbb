// Windows that do not suit the rest: none where the congestion control counts on one, and one that is smaller than what
// is under way on an idle path.
// Invariant: the round trip is that of an idle fabric, so a window that is told of holds flows back whatever the load.

import { formatRateBps } from '../../base/units.js';
import { sizeText } from '../../base/quantity-text.js';
import { withForwardingLatency } from '../../fabric/forwarding-latency.js';
import { largestRoundTripPs } from '../../routing/base-delay.js';
import { EqualCostRoutes } from '../../routing/equal-cost.js';
import { PathTracer } from '../../routing/path.js';
import type { FoundProblem, SettingsInUse } from '../backend-declaration.js';
import { mechanismNamed, type Mechanisms } from './mechanisms.js';

const at = [['queuePair', 'window']];

/** Warnings about the window; none if it suits the rest. */
export function windowProblems(use: SettingsInUse, catalogue: Mechanisms): FoundProblem[] {
  const { transport, queuePair } = use.settings;
  // uec has windows of its own
  if (transport.algorithm === 'uec') return [];
  return queuePair.window === 'unlimited' ? withoutWindow(use, catalogue) : belowRoundTrip(use);
}

/** HPCC computes windows, and rates from them: Li et al., SIGCOMM 2019, 3.2. */
function withoutWindow(
  { settings: { congestion, queuePair } }: SettingsInUse,
  { congestionControls }: Mechanisms,
): FoundProblem[] {
  const { algorithm } = congestion;
  const { wantsWindow = false } = mechanismNamed('congestion control', congestionControls, algorithm);
  if (!queuePair.rateBound || !wantsWindow) return [];
  return [
    {
      severity: 'warning',
      code: 'control-without-window',
      at,
      message:
        `${algorithm} controls what is in flight, and queuePair.window: unlimited leaves it the rate alone: ` +
        'links stay below what they carry with a window, and flows share them unevenly',
      hint: 'queuePair.window: max-bdp, the default',
    },
  ];
}

/** A size that is less than the slowest host's link sends in the round trip of the longest path. */
function belowRoundTrip({ fabric, settings }: SettingsInUse): FoundProblem[] {
  const { queuePair, packet } = settings;
  const { window } = queuePair;
  if (fabric === null || typeof window !== 'number' || fabric.hosts.length === 0) return [];
  const tracer = new PathTracer(
    new EqualCostRoutes(withForwardingLatency(fabric, settings.switch), 'descending-node-id'),
  );
  const roundTripPs = largestRoundTripPs(tracer, packet.payload);
  let slowestBps = Infinity;
  for (const host of fabric.hosts)
    for (let port = fabric.portOffset[host]!; port < fabric.portOffset[host + 1]!; port++)
      slowestBps = Math.min(slowestBps, fabric.linkRateBps[fabric.portLink[port]!]!);
  const reachedBps = (window * 8e12) / roundTripPs;
  if (!(reachedBps < slowestBps)) return [];
  const needed = Math.ceil((slowestBps * roundTripPs) / 8e12 / packet.payload) * packet.payload;
  return [
    {
      severity: 'warning',
      code: 'window-below-round-trip',
      at,
      message:
        `queuePair.window of ${sizeText(window)} is less than a round trip takes: over the longest path a queue ` +
        `pair reaches at most ${formatRateBps(reachedBps)} of ${formatRateBps(slowestBps)}, and needs ` +
        `${sizeText(needed)}`,
      wanted: `${sizeText(needed)} or more, or max-bdp, which follows the fabric`,
    },
  ];
}
