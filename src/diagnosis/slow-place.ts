// Where something is slow that nobody says is: found from how fast flows got on.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import { rateOf } from '../measurement/usual-rates.js';
import { lostBetween, type FlowProgress } from './flow-progress.js';
import type { ObservedFlows } from './observed-flows.js';
import { addToSum, sorted, sumOf } from './sums.js';

/**
 * A slow part: the least share of all unexplained loss that its flows have, the least share of their time that they lose
 * so, and the most of its link's rate that they ever made together.
 */
const leastCover = 0.5;
const leastRate = 0.3;
const mostPeak = 0.75;
/** Its flows lose at least this many times as much as they do by sharing. */
const leastContrast = 2;

/**
 * The port behind which something is slow: of a host that takes or sends slowly, or a link that is slower than it says or
 * loses packets. Its flows lose what no sharing explains, and never made its rate together; those that merely wait
 * behind them do at other times.
 * @param which flows @returns an output port; -1: there is none
 */
export function slowPlace(fabric: Fabric, flows: ObservedFlows, found: FlowProgress, which: Int32Array): number {
  const { portNeighbour, nodeKind } = fabric;
  const lost = new Map<number, number>();
  const whole = new Map<number, number>();
  const shared = new Map<number, number>();
  let allPs = 0;
  for (const flow of which) {
    const lostPs = lostBetween(flows, found, flow, 'made', 'shared');
    const sharedPs = lostBetween(flows, found, flow, 'shared', null);
    allPs += lostPs;
    for (let entry = flows.offsets[flow]!; entry < flows.offsets[flow + 1]!; entry++) {
      const port = flows.ports[entry]!;
      lost.set(port, (lost.get(port) ?? 0) + lostPs);
      shared.set(port, (shared.get(port) ?? 0) + sharedPs);
      whole.set(port, (whole.get(port) ?? 0) + flows.finishPs[flow]! - flows.startPs[flow]!);
    }
  }
  const peaks = peakRates(flows);
  let [best, bestScore] = [-1, 0];
  for (const [port, lostPs] of lost) {
    const peak = peaks.get(port)! / rateOf(fabric, port);
    const [cover, rate] = [lostPs / allPs, lostPs / whole.get(port)!];
    // many who share are enough of a cause where they lose much by that
    if (lostPs < leastContrast * shared.get(port)!) continue;
    if (peak > mostPeak || cover < leastCover || rate < leastRate) continue;
    const score = (1 - peak) * rate * cover;
    const isToHost = nodeKind[portNeighbour[port]!] === NodeKind.host;
    if (score > bestScore * (isToHost ? 0.95 : 1.05)) [best, bestScore] = [port, score];
  }
  return best;
}

/**
 * A port that loses packets, whose flows have at least half of what no sharing explains.
 * @param isLossy by output port @param which flows @returns an output port; -1: there is none
 */
export function lossyPlace(flows: ObservedFlows, found: FlowProgress, which: Int32Array, isLossy: Uint8Array): number {
  const lost = new Map<number, number>();
  let allPs = 0;
  for (const flow of which) {
    const lostPs = lostBetween(flows, found, flow, 'made', 'shared');
    allPs += lostPs;
    for (let entry = flows.offsets[flow]!; entry < flows.offsets[flow + 1]!; entry++) {
      const port = flows.ports[entry]!;
      if (isLossy[port] === 1) addToSum(lost, port, lostPs);
    }
  }
  const [worst] = sorted(lost);
  return worst !== undefined && sumOf(lost) >= leastCover * allPs ? worst[0] : -1;
}

/** By port: the highest rate that its flows made together, each at the mean rate of its life, bit/s. */
function peakRates({
  count,
  startPs,
  finishPs,
  wireBytes,
  offsets,
  ports,
  shares,
}: ObservedFlows): Map<number, number> {
  const now = new Map<number, number>();
  const peak = new Map<number, number>();
  const events = Array.from({ length: 2 * count }, (_, event) => event);
  const timeOf = (event: number): number => (event % 2 === 0 ? startPs : finishPs)[event >> 1]!;
  // ends before starts: who ends when another begins has not met it
  events.sort((a, b) => timeOf(a) - timeOf(b) || (b % 2) - (a % 2) || a - b);
  for (const event of events) {
    const flow = event >> 1;
    const rateBps = (8e12 * wireBytes[flow]!) / Math.max(1, finishPs[flow]! - startPs[flow]!);
    for (let entry = offsets[flow]!; entry < offsets[flow + 1]!; entry++) {
      const port = ports[entry]!;
      const sum = (now.get(port) ?? 0) + (event % 2 === 0 ? 1 : -1) * rateBps * shares[entry]!;
      now.set(port, sum);
      if (sum > (peak.get(port) ?? 0)) peak.set(port, sum);
    }
  }
  return peak;
}
