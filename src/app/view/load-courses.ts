// What links carried over time: the bytes of each finished flow, spread evenly over its time on every link of its way, in
// equal bins. A link that carries all that it can has the value 255.
// Invariant: the bytes of all bins of a link are those of CarriedLoads, to rounding. Memory: twice a byte a link with traffic
// and bin, and 12 bytes a flow and link of its way, while they are counted; then a byte a link and bin.
// Not modelled: when within its time a flow sent. Probes of a run know (docs/models/probes.md).

import type { CarriedLoads, PortCrossings } from '../../report/page/carried-loads.js';
import type { FlowColumns } from '../../report/page/flow-columns.js';

/** Bins of a view at most, and at least; links and bins at most, between which it has as many as fit. */
const mostBins = 4096;
const leastBins = 512;
const mostCells = 1 << 26;

/** Loads of links by time. */
export interface LoadCourses {
  readonly binPs: number;
  readonly bins: number;
  readonly originPs: number;
  /** sending ports that carried something, the one with the highest load first */
  readonly ports: Int32Array;
  /** by place in `ports`, bin by bin: share of what the link could carry, 255 for all of it */
  readonly loads: Uint8Array;
}

/** How many bins the courses of so many links have. */
export function binsFor(links: number): number {
  let bins = mostBins;
  while (bins > leastBins && links * bins > mostCells) bins /= 2;
  return bins;
}

/** Counts what links carried in each bin. @param endPs of the last bin */
export function loadCourses(loads: CarriedLoads, flows: FlowColumns, endPs: number): LoadCourses {
  const { fabric } = loads;
  const used = [...fabric.portNode.keys()].filter((port) => loads.bytes[port]! > 0);
  const bins = binsFor(used.length);
  const originPs = flows.count === 0 ? 0 : flows.originPs;
  const binPs = Math.max(1, (endPs - originPs) / bins);
  const crossings = loads.crossings();
  const spans = spansOf(flows, originPs, binPs);
  const peaks = new Float64Array(used.length);
  const found = new Uint8Array(used.length * bins);
  const course = new Float64Array(bins);
  for (const [row, port] of used.entries()) {
    putCourse(course, crossings, port, spans);
    const mostBytes = (fabric.linkRateBps[fabric.portLink[port]!]! * binPs) / 8e12;
    let peak = 0;
    for (let bin = 0; bin < bins; bin++) {
      const share = course[bin]! / mostBytes;
      // what is there is seen, however little
      if (share <= 1e-6) continue;
      if (share > peak) peak = share;
      found[row * bins + bin] = share >= 1 ? 255 : Math.max(1, Math.round(255 * share));
    }
    peaks[row] = peak;
  }
  const order = [...used.keys()].sort((a, b) => peaks[b]! - peaks[a]! || a - b);
  const ordered = new Uint8Array(found.length);
  order.forEach((row, place) => ordered.set(found.subarray(row * bins, (row + 1) * bins), place * bins));
  return { binPs, bins, originPs, ports: Int32Array.from(order, (row) => used[row]!), loads: ordered };
}

/** Of each flow, where among the bins it begins and ends, in turn. */
function spansOf({ count, startPs, finishPs }: FlowColumns, originPs: number, binPs: number): Float64Array {
  const spans = new Float64Array(2 * count);
  for (let flow = 0; flow < count; flow++) {
    const from = Math.max(0, (startPs.values[flow]! - originPs) / binPs);
    spans[2 * flow] = from;
    spans[2 * flow + 1] = Math.max(from, (finishPs.values[flow]! - originPs) / binPs);
  }
  return spans;
}

/** Bytes of a link by bin. Of a flow that fills bins only its ends are put; the sum over bins before does the rest. */
function putCourse(
  course: Float64Array,
  { begin, flows, bytes }: PortCrossings,
  port: number,
  spans: Float64Array,
): void {
  const bins = course.length;
  const changes = new Float64Array(bins + 1);
  course.fill(0);
  for (let i = begin[port]!; i < begin[port + 1]!; i++) {
    const from = spans[2 * flows[i]!]!;
    const to = spans[2 * flows[i]! + 1]!;
    const [first, last] = [Math.min(bins - 1, Math.floor(from)), Math.min(bins - 1, Math.floor(to))];
    if (first === last) {
      course[first]! += bytes[i]!;
      continue;
    }
    const perBin = bytes[i]! / (to - from);
    course[first]! += perBin * (first + 1 - from);
    course[last]! += perBin * (to - last);
    changes[first + 1]! += perBin;
    changes[last]! -= perBin;
  }
  let standing = 0;
  for (let bin = 0; bin < bins; bin++) course[bin]! += standing += changes[bin]!;
}
