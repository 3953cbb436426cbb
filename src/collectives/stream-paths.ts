// Whether the streams of a collective (streams.ts) are held back where its steps are, whatever paths hashes choose.
// Steps have source ports, and so paths, of their own: good and bad ones in turn. A stream keeps one, and a collective
// is as slow as its worst stream (docs/models/fluid.md: a third too slow over four spines).
// Invariant: true means that hosts' own links set the pace: paths without a choice, or links between switches so much
// faster than a NIC that four streams have to meet before they are slowed.
// Not modelled: how likely it is that many more meet; other jobs' traffic.

import { portRateBps } from '../fabric/receive-speed.js';
import type { PathTracer } from '../routing/path.js';
import type { Communicator } from './communicator.js';
import { emptyMove } from './schedule.js';
import type { StreamedSchedule } from './streams.js';

/** so many times the NIC's rate is enough between switches */
const headroom = 4;
const sourcePort = 10_000;
const destinationPort = 100;

/** True if the paths of a collective's streams do not matter. */
export function keepsPace(streams: StreamedSchedule, { nodes }: Communicator, tracer: PathTracer): boolean {
  const { fabric } = tracer;
  const path = new Int32Array(tracer.maxLength);
  const move = emptyMove();
  for (let number = 0; number < streams.streamCount; number++) {
    streams.describe(number, move);
    const source = nodes[move.source]!;
    const destination = nodes[move.destination]!;
    if (!tracer.hasChoice(source, destination)) continue;
    const length = tracer.trace(source, destination, sourcePort, destinationPort, path);
    // of two NICs or two of its ports a stream would take one
    const first = fabric.portOffset[source]!;
    if (tracer.routes.sourcePorts(source, destination, new Int32Array(fabric.portOffset[source + 1]! - first)) > 1)
      return false;
    const leastBps = headroom * portRateBps(fabric, path[0]!);
    for (let hop = 1; hop + 1 < length; hop++) if (portRateBps(fabric, path[hop]!) < leastBps) return false;
  }
  return true;
}
