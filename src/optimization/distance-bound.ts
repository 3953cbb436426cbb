// Bounds for fabrics that are no trees. Every unit of traffic crosses at least as many links as its ends are apart, so
// that the worst link carries at least the mean of that over all links, by capacity. And where all flows are multiples
// of an amount and links between switches have one rate, so are the loads of routes that split none.
// Invariant: true of all routes, whatever their ways.

import { ShortestHops } from '../routing/port-hops.js';
import type { LeafTraffic } from './leaf-traffic.js';
import { interSwitchPorts, loadPerTraffic } from './table-loads.js';

/** No routes, split or not, have a smaller largest load between switches. */
export function distanceBound({ tree, offset, leaf, weight }: LeafTraffic): number {
  const { fabric, hostLeaf } = tree;
  const between = interSwitchPorts(tree);
  const worth = loadPerTraffic(fabric);
  let capacity = 0;
  for (let port = 0; port < between.length; port++) if (between[port] === 1) capacity += 1 / worth[port]!;
  if (capacity === 0) return 0;
  const ways = new ShortestHops(fabric);
  const leaves = tree.switches[0]!;
  let target = -1;
  let crossed = 0;
  for (let rank = 0; rank + 1 < offset.length; rank++) {
    if (offset[rank] === offset[rank + 1]) continue;
    if (hostLeaf[rank] !== target) ways.towards((target = hostLeaf[rank]!));
    for (let flow = offset[rank]!; flow < offset[rank + 1]!; flow++)
      crossed += weight[flow]! * ways.least[leaves[leaf[flow]!]!]!;
  }
  return crossed / capacity;
}

/** What loads between switches are multiples of if no flow is split; 0 if nothing is known. */
export function loadStep({ tree, weight }: LeafTraffic): number {
  const between = interSwitchPorts(tree);
  const worths = new Set(loadPerTraffic(tree.fabric).filter((_, port) => between[port] === 1));
  if (worths.size !== 1 || weight.length === 0) return 0;
  let common = 0;
  for (const own of weight) {
    if (!Number.isSafeInteger(own)) return 0;
    common = greatestCommonDivisor(common, own);
  }
  return common * [...worths][0]!;
}

/** A bound rounded up to a load that there can be. @param step what loads are multiples of; 0 = not known */
export function roundedUp(bound: number, step: number): number {
  return step === 0 ? bound : Math.max(bound, Math.ceil(bound / step - 1e-6) * step);
}

function greatestCommonDivisor(a: number, b: number): number {
  for (; b !== 0;) [a, b] = [b, a % b];
  return a;
}
