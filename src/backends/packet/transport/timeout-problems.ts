// Timeouts that are given and shorter than the longest round trip: every packet of such a path is sent again before its
// acknowledgement can be there. Derived ones (auto) are longer by themselves (retransmission-waits.ts).
// Invariant: the round trip is that of an idle fabric without headers, the ACK's way back or queues, so what is warned
// of is too short whatever the load.

import { withForwardingLatency } from '../../../fabric/forwarding-latency.js';
import { formatTimePs } from '../../../base/units.js';
import { largestRoundTripPs } from '../../../routing/base-delay.js';
import { EqualCostRoutes } from '../../../routing/equal-cost.js';
import { PathTracer } from '../../../routing/path.js';
import type { FoundProblem, SettingPath, SettingsInUse } from '../../backend-declaration.js';
import { irnSettings } from './irn.js';
import { omnidmaSettings } from './omnidma/omnidma-settings.js';

/** Warnings about timeouts that are given; none if all are derived or long enough. */
export function timeoutProblems({ fabric, given, settings }: SettingsInUse): FoundProblem[] {
  const { queuePair, transport, packet } = settings;
  const algorithm = transport.algorithm as string;
  const timeouts: readonly (readonly [path: SettingPath, timeout: number | 'auto'])[] = [
    [['queuePair', 'retransmissionTimeout'], queuePair.retransmissionTimeout],
    ...(algorithm === 'irn' && queuePair.retransmissionTimeout !== 0
      ? [[['irn', 'lowTimeout'], given.value(['irn', 'lowTimeout'], irnSettings.lowTimeout)] as const]
      : []),
    ...(algorithm === 'omnidma'
      ? [[['omnidma', 'timeout'], given.value(['omnidma', 'timeout'], omnidmaSettings.timeout)] as const]
      : []),
  ];
  const fixed = timeouts.filter(([, timeout]) => timeout !== 'auto' && timeout > 0);
  if (fabric === null || fixed.length === 0) return [];
  const tracer = new PathTracer(
    new EqualCostRoutes(withForwardingLatency(fabric, settings.switch), 'descending-node-id'),
  );
  const roundTripPs = largestRoundTripPs(tracer, packet.payload);
  return fixed
    .filter(([, timeout]) => (timeout as number) < roundTripPs)
    .map(([path, timeout]) => ({
      severity: 'warning',
      code: 'timeout-below-round-trip',
      at: [path, ['packet', 'profile']],
      message:
        `${path.join('.')} (${formatTimePs(timeout as number)}) is shorter than the round trip of the longest ` +
        `path, ${formatTimePs(roundTripPs)}: what is sent over it is sent again before it can be acknowledged`,
      wanted: `more than ${formatTimePs(roundTripPs)}, or auto, which follows the round trip`,
    }));
}
