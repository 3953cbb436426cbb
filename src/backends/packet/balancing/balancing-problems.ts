// Balancers that cannot work with what else a scenario chooses: warnings, with the figure that shows it.

import type { FoundProblem, SettingsInUse } from '../../backend-declaration.js';
import { isEqualCost, shortestWaysBranch } from '../../../routing/next-hop-choice.js';
import type { PacketSettings } from '../settings.js';

/** Balancers that put the packets of a connection out of order, burst or no burst. */
const sprays: ReadonlySet<string> = new Set(['spray', 'adaptive', 'drill', 'entropy', 'reps']);

/** Warnings about the balancing of a scenario; none, if it suits the rest. */
export function balancingProblems(use: SettingsInUse): FoundProblem[] {
  return [hasChoice(use) ? outOfOrder(use.settings) : null, controlled(use)].filter((problem) => problem !== null);
}

/** Whether switches have several next hops: tables leave one, and then nothing comes out of order by choice. */
function hasChoice({ given, fabric }: SettingsInUse): boolean {
  return (
    isEqualCost(given.text(['routing', 'algorithm']) ?? 'equal-cost') && (fabric === null || shortestWaysBranch(fabric))
  );
}

/** The figures: examples/leaf-spine-128/lossless.yaml (test/golden/leaf-spine-128.slow.test.ts). */
function outOfOrder({ balancing, transport, reorder, queuePair }: PacketSettings): FoundProblem | null {
  if (!sprays.has(balancing) || transport.algorithm !== 'go-back-n' || reorder.buffer > 0) return null;
  return {
    severity: 'warning',
    code: 'go-back-n-out-of-order',
    at: [
      ['routing', 'balancing'],
      ['transport', 'algorithm'],
    ],
    message:
      `go-back-N takes packets for lost that ${balancing} puts out of order, and goes back: in ` +
      'examples/leaf-spine-128 flows take on average 6 times as long as alone and more, with a reorder buffer ' +
      '1.2 times',
    ...(queuePair.goBackTo === 'missing-packet'
      ? {}
      : {
          wanted:
            `queuePair.goBackTo: missing-packet; with ${queuePair.goBackTo} a flow goes on only if all packets ` +
            'from there on come in order, and gives up once it has sent its message 1,000 times without getting ' +
            'further',
        }),
    hint: 'reorder.buffer: 1MB, or a transport that takes packets out of order (transport.algorithm: irn)',
  };
}

/** A controller gives flows source ports, by which switches hash. */
function controlled({ given, settings: { balancing } }: SettingsInUse): FoundProblem | null {
  if (balancing === 'ecmp' || given.text(['controller', 'enabled']) !== 'true') return null;
  return {
    severity: 'warning',
    code: 'controller-without-hash',
    at: [
      ['controller', 'enabled'],
      ['routing', 'balancing'],
    ],
    message: `the controller chooses paths by source ports, and with routing.balancing: ${balancing} data does not take the path of its hash`,
    hint: 'routing.balancing: ecmp',
  };
}
