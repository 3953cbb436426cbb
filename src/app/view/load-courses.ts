// What links carried over time: the bytes of each finished flow, spread evenly over its time on every link of its way, in
// equal bins. A link that carries all that it can has the value 255.
// Invariant: the bytes of all bins of a link are those of CarriedLoads, to rounding. Memory: twice a byte a link with traffic
// and bin, and 12 bytes a flow and link of its way, while they are counted; then a byte a link and bin.
// Not modelled: when within its time a flow sent. Probes of a run know (docs/models/probes.md).

import type { CarriedLoads } from '../../report/page/carried-loads.js';
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

/** Flows by the port that they crossed. */
interface Crossings {
  /** of the port's row, where its flows begin; one more at the end */
  readonly begin: Uint32Array;
  readonly flow: Uint32Array;
  readonly bytes: Float64Array;
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
  const crossings = crossingsOf(used, loads, flows.count);
  const peaks = new Float64Array(used.length);
  const found = new Uint8Array(used.length * bins);
  const course = new Float64Array(bins);
  const binOf = (timePs: number): number => Math.max(0, (timePs - originPs) / binPs);
  for (const [row, port] of used.entries()) {
    putCourse(course, crossings, row, flows, binOf);
    const mostBytes = (fabric.linkRateBps[fabric.portLink[port]!]! * binPs) / 8e12;
    for (let bin = 0; bin < bins; bin++) {
      const share = course[bin]! / mostBytes;
      if (share > peaks[row]!) peaks[row] = share;
      // what is there is seen, however little
      found[row * bins + bin] = share > 1e-6 ? Math.max(1, Math.min(255, Math.round(255 * share))) : 0;
    }
  }
  const order = [...used.keys()].sort((a, b) => peaks[b]! - peaks[a]! || a - b);
  const ordered = new Uint8Array(found.length);
  order.forEach((row, place) => ordered.set(found.subarray(row * bins, (row + 1) * bins), place * bins));
  return { binPs, bins, originPs, ports: Int32Array.from(order, (row) => used[row]!), loads: ordered };
}

function crossingsOf(used: readonly number[], loads: CarriedLoads, flowCount: number): Crossings {
  const rowOf = new Int32Array(loads.fabric.portCount).fill(-1);
  used.forEach((port, row) => (rowOf[port] = row));
  const begin = new Uint32Array(used.length + 1);
  for (let flow = 0; flow < flowCount; flow++)
    loads.forEachPort(flow, (port) => {
      if (rowOf[port]! >= 0) begin[rowOf[port]! + 1]!++;
    });
  for (let row = 0; row < used.length; row++) begin[row + 1]! += begin[row]!;
  const next = begin.slice();
  const [flowOf, bytesOf] = [new Uint32Array(begin[used.length]!), new Float64Array(begin[used.length]!)];
  for (let flow = 0; flow < flowCount; flow++)
    loads.forEachPort(flow, (port, sizeBytes) => {
      if (rowOf[port]! < 0) return;
      const at = next[rowOf[port]!]!++;
      flowOf[at] = flow;
      bytesOf[at] = sizeBytes;
    });
  return { begin, flow: flowOf, bytes: bytesOf };
}

/** Bytes of a link by bin. Of a flow that fills bins only its ends are put; the sum over bins before does the rest. */
function putCourse(
  course: Float64Array,
  { begin, flow, bytes }: Crossings,
  row: number,
  { startPs, finishPs }: FlowColumns,
  binOf: (timePs: number) => number,
): void {
  const bins = course.length;
  const changes = new Float64Array(bins + 1);
  course.fill(0);
  for (let i = begin[row]!; i < begin[row + 1]!; i++) {
    const from = binOf(startPs.values[flow[i]!]!);
    const to = Math.max(from, binOf(finishPs.values[flow[i]!]!));
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
