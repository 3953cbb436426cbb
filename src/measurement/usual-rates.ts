// What rate links of a kind usually have: a link below it is slow whoever crosses it.

import type { Fabric } from '../fabric/fabric.js';
import { linkTiers } from '../fabric/link-tiers.js';

/** By output port: the rate that most links of its tier have, in its direction; of several such the highest. */
export function usualTierRates(fabric: Fabric): Float64Array {
  const { tierOf, tiers } = linkTiers(fabric);
  const counts = tiers.map(() => new Map<number, number>());
  for (let port = 0; port < fabric.portCount; port++) {
    const own = counts[tierOf[port]!]!;
    const rateBps = rateOf(fabric, port);
    own.set(rateBps, (own.get(rateBps) ?? 0) + 1);
  }
  const usual = counts.map((own) => [...own].sort(([a, m], [b, n]) => n - m || b - a)[0]?.[0] ?? 0);
  return Float64Array.from(tierOf, (tier) => usual[tier]!);
}

/** Rate of an output port's link, bit/s. */
export function rateOf({ linkRateBps, portLink }: Fabric, port: number): number {
  return linkRateBps[portLink[port]!]!;
}
