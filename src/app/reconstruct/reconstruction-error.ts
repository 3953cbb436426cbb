// How far reconstructed traffic is from what was sent.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { TrafficColumn, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { ReconstructedJob } from '../../report/reconstruct/reconstruction-text.js';

/** |x - truth| / |truth|, of pairs of hosts, and of what each leaf sends to each host, which is all that routes need. */
export function errorsOf(
  sent: TrafficMatrix,
  found: TrafficMatrix,
  { tree }: RoutedFabric,
): { readonly relativeError: number; readonly leafError: number } {
  const { hostCount } = sent;
  const [truth, own] = [new TrafficColumn(hostCount), new TrafficColumn(hostCount)];
  const difference = new Float64Array(hostCount);
  const whole = new Float64Array(hostCount);
  const sums = { pairs: 0, truth: 0, leaves: 0, leafTruth: 0 };
  for (let to = 0; to < hostCount; to++) {
    difference.fill(0);
    whole.fill(0);
    sent.toDestination(to, truth);
    found.toDestination(to, own);
    for (let i = 0; i < truth.length; i++) whole[truth.sources[i]!] = truth.weights[i]!;
    difference.set(whole);
    for (let i = 0; i < own.length; i++) difference[own.sources[i]!]! -= own.weights[i]!;
    const byLeaf = new Map<number, { difference: number; whole: number }>();
    for (let from = 0; from < hostCount; from++) {
      if (whole[from] === 0 && difference[from] === 0) continue;
      sums.pairs += square(difference[from]!);
      sums.truth += square(whole[from]!);
      const leaf = tree.hostLeaf[from]!;
      const entry = byLeaf.get(leaf) ?? { difference: 0, whole: 0 };
      entry.difference += difference[from]!;
      entry.whole += whole[from]!;
      byLeaf.set(leaf, entry);
    }
    for (const entry of byLeaf.values()) {
      sums.leaves += square(entry.difference);
      sums.leafTruth += square(entry.whole);
    }
  }
  return { relativeError: ratio(sums.pairs, sums.truth), leafError: ratio(sums.leaves, sums.leafTruth) };
}

/** The error within a job. @param sent null: it is not known */
export function jobErrors(
  { name, hosts }: AllocatedJob,
  sent: TrafficMatrix | null,
  found: TrafficMatrix,
): ReconstructedJob {
  const own = new TrafficColumn(found.hostCount);
  const isOfJob = new Uint8Array(found.hostCount);
  for (const rank of hosts) isOfJob[rank] = 1;
  const difference = new Float64Array(found.hostCount);
  let [error, whole, foundPairs] = [0, 0, 0];
  for (const to of hosts) {
    difference.fill(0);
    found.toDestination(to, own);
    for (let i = 0; i < own.length; i++) {
      if (isOfJob[own.sources[i]!] === 1) foundPairs++;
      difference[own.sources[i]!] = -own.weights[i]!;
    }
    if (sent === null) continue;
    sent.toDestination(to, own);
    for (let i = 0; i < own.length; i++) {
      if (isOfJob[own.sources[i]!] === 0) continue;
      difference[own.sources[i]!]! += own.weights[i]!;
      whole += square(own.weights[i]!);
    }
    for (const rank of hosts) error += square(difference[rank]!);
  }
  return { name, ranks: hosts.length, foundPairs, relativeError: sent === null ? null : ratio(error, whole) };
}

function square(value: number): number {
  return value * value;
}

function ratio(error: number, size: number): number {
  return size === 0 ? 0 : Math.sqrt(error / size);
}
