// What waited at links over time: of each bin the longest queue at the sending port, as a part of the longest of the run.
// Invariants: no peak that was seen is lost; what waits is seen, however little. Memory: a byte a link and bin.
// Not modelled: what lay between two samples of the queues.

import { type Fabric, interfaceIndex } from '../../fabric/fabric.js';
import type { PortCourses } from '../../report/page/probe-series.js';

/** Queues of links by time. */
export interface QueueCourses {
  /** by link, bin by bin: 255 for `longestBytes`; empty: nobody looked at queues */
  readonly levels: Uint8Array;
  readonly longestBytes: number;
}

/** Where the bins of a view lie. */
interface ViewBins {
  readonly bins: number;
  readonly originPs: number;
  readonly endPs: number;
}

/** Puts queues into the bins of a view. @param ports sending ports of its links, in their order */
export function queueCourses(
  queues: PortCourses,
  fabric: Fabric,
  ports: Int32Array,
  { bins, originPs, endPs }: ViewBins,
): QueueCourses {
  const longestBytes = queues.peak;
  if (longestBytes === 0) return { levels: new Uint8Array(0), longestBytes };
  const levels = new Uint8Array(ports.length * bins);
  const binPs = Math.max(1, (endPs - originPs) / bins);
  ports.forEach((port, place) => {
    const series = queues.of(fabric.portNode[port]!, interfaceIndex(fabric, port));
    if (series === undefined) return;
    const { timesPs, values } = series.points(endPs, 0);
    for (const [part, bytes] of values.entries()) {
      if (bytes === 0) continue;
      const level = Math.max(1, Math.round((255 * bytes) / longestBytes));
      const first = Math.floor((series.fromPs + timesPs[part]! - originPs) / binPs);
      const next = series.fromPs + (timesPs[part + 1] ?? endPs - series.fromPs) - originPs;
      for (let bin = Math.max(0, first); bin < bins && (bin === first || bin * binPs < next); bin++)
        if (level > levels[place * bins + bin]!) levels[place * bins + bin] = level;
    }
  });
  return { levels, longestBytes };
}
