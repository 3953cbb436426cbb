// The rates that links really had during a run: as built, as failures left them, and as fast as hosts take what arrives.

import type { ObservedFlows } from '../../diagnosis/observed-flows.js';
import { LinkChangeKind, LinkStates } from '../../fabric/link-states.js';
import { portSpeed } from '../../fabric/receive-speed.js';
import type { Plan } from '../../scenario/plan.js';

/** By output port: the mean of its rates while flows were under way, bit/s. One that was down all the time as built. */
export function portRates({ fabric, failures }: Plan, { startPs, finishPs }: ObservedFlows): Float64Array {
  const fromPs = startPs.reduce((a, b) => Math.min(a, b), Infinity);
  const toPs = finishPs.reduce((a, b) => Math.max(a, b), 0);
  const meanBps = toPs > fromPs && failures.changes.count > 0 ? meanRates(fabric, failures, fromPs, toPs) : null;
  return Float64Array.from({ length: fabric.portCount }, (_, port) => {
    const link = fabric.portLink[port]!;
    return (meanBps?.[link] || fabric.linkRateBps[link]!) * portSpeed(fabric, port);
  });
}

/** By output port: 1 where its link lost packets during the run, and others do not, or lose fewer. */
export function lossyPorts({ fabric, failures: { changes } }: Plan): Uint8Array {
  const sorted = fabric.linkErrorRate.slice().sort();
  const usual = sorted[sorted.length >> 1] ?? 0;
  const isLossy = Uint8Array.from(fabric.linkErrorRate, (rate) => (rate > usual ? 1 : 0));
  for (let i = 0; i < changes.count; i++)
    if (changes.kind[i] === LinkChangeKind.errorRate && changes.value[i]! > usual) isLossy[changes.link[i]!] = 1;
  return Uint8Array.from(fabric.portLink, (link) => isLossy[link]!);
}

/** By link: mean rate between two times; while it is down 0. */
function meanRates(fabric: Plan['fabric'], { changes }: Plan['failures'], fromPs: number, toPs: number): Float64Array {
  const states = new LinkStates(fabric);
  const sums = new Float64Array(fabric.linkCount);
  let nowPs = fromPs;
  const until = (nextPs: number): void => {
    const share = (Math.max(nowPs, Math.min(toPs, nextPs)) - nowPs) / (toPs - fromPs);
    nowPs = Math.max(nowPs, Math.min(toPs, nextPs));
    if (share > 0) sums.forEach((_, link) => (sums[link]! += share * states.rateBps[link]! * states.isUp[link]!));
  };
  for (let i = 0; i < changes.count; i++) {
    until(changes.timePs[i]!);
    states.apply(changes, i, changes.timePs[i]!);
  }
  until(toPs);
  return sums;
}
