// What links carried over time: the bytes of each finished flow, spread evenly over its time on every link of its way, in
// equal bins. A link that carries all that it can has the value 255.
// Invariant: the bytes of all bins of a link are those of CarriedLoads, to rounding. Memory: 4 bytes a link with traffic and
// bin while they are counted, and one behind it.
// Not modelled: when within its time a flow sent. Probes of a run know (docs/models/probes.md).

import type { CarriedLoads } from '../../report/page/carried-loads.js';
import type { FlowColumns } from '../../report/page/flow-columns.js';

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

/** Counts what links carried in each bin. @param bins how many @param endPs of the last one */
export function loadCourses(loads: CarriedLoads, flows: FlowColumns, bins: number, endPs: number): LoadCourses {
  const { fabric } = loads;
  const originPs = flows.count === 0 ? 0 : flows.originPs;
  const binPs = Math.max(1, (endPs - originPs) / bins);
  const used = [...fabric.portNode.keys()].filter((port) => loads.bytes[port]! > 0);
  const rowOf = new Int32Array(fabric.portCount).fill(-1);
  used.forEach((port, row) => (rowOf[port] = row));
  // bytes of each bin, but for the bins that a flow fills: there its bytes per bin, where they begin and end
  const bytes = new Float32Array(used.length * bins);
  const changes = new Float32Array(used.length * (bins + 1));
  for (let flow = 0; flow < flows.count; flow++) {
    const from = Math.max(0, (flows.startPs.values[flow]! - originPs) / binPs);
    const to = Math.max(from, (flows.finishPs.values[flow]! - originPs) / binPs);
    const first = Math.min(bins - 1, Math.floor(from));
    const last = Math.min(bins - 1, Math.floor(to));
    loads.forEachPort(flow, (port, sizeBytes) => {
      const row = rowOf[port]!;
      if (first === last) {
        bytes[row * bins + first]! += sizeBytes;
        return;
      }
      const perBin = sizeBytes / (to - from);
      bytes[row * bins + first]! += perBin * (first + 1 - from);
      bytes[row * bins + last]! += perBin * (to - last);
      changes[row * (bins + 1) + first + 1]! += perBin;
      changes[row * (bins + 1) + last]! -= perBin;
    });
  }
  const peaks = new Float32Array(used.length);
  for (const [row, port] of used.entries()) {
    const most = (fabric.linkRateBps[fabric.portLink[port]!]! * binPs) / 8e12;
    let standing = 0;
    for (let bin = 0; bin < bins; bin++) {
      standing += changes[row * (bins + 1) + bin]!;
      const share = (bytes[row * bins + bin]! + standing) / most;
      bytes[row * bins + bin] = share;
      peaks[row] = Math.max(peaks[row]!, share);
    }
  }
  const order = [...used.keys()].sort((a, b) => peaks[b]! - peaks[a]! || a - b);
  const shares = new Uint8Array(used.length * bins);
  order.forEach((row, place) => {
    for (let bin = 0; bin < bins; bin++) {
      const share = bytes[row * bins + bin]!;
      // what is there is seen, however little
      shares[place * bins + bin] = share > 1e-6 ? Math.max(1, Math.min(255, Math.round(255 * share))) : 0;
    }
  });
  return { binPs, bins, originPs, ports: Int32Array.from(order, (row) => used[row]!), loads: shares };
}
