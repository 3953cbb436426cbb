// Why flows lost time, by the kind of link on which they did.
//   endpoint: the link of a host, which all share that send to it, or that it sends to at once
//   slow-part: a link below the rate of its kind (of most of its tier, in its direction)
//   routes: links between switches beside which others that could have stood in were free
//   interior: links between switches that no choice of path could have relieved
//   unshared: no link was shared enough to explain it (losses, pauses, marks, windows, ways of packets between switches)
// Invariant: causes add up to all that was lost.

import { NodeKind, type Fabric } from '../fabric/fabric.js';
import type { FabricIdentity } from '../fabric/identity.js';
import { linkNamer, type NamedLink } from '../fabric/named-link.js';
import type { LostPlace, LostTimeFigures } from './lost-time.js';
import { rateOf, usualTierRates } from './usual-rates.js';

export type LostCause = 'endpoint' | 'slow-part' | 'routes' | 'interior' | 'unshared';

export interface LostByCause {
  readonly cause: LostCause;
  readonly lostPs: number;
  readonly links: number;
  /** flows that lost most there */
  readonly flows: number;
}

/** A link on which flows lost time. */
export interface NamedPlace extends Omit<LostPlace, 'port'>, NamedLink {
  readonly cause: LostCause;
}

export interface LostTimeReport extends Pick<LostTimeFigures, 'lostPs' | 'alonePs'> {
  /** with the most first; those that cost nothing are left out */
  readonly causes: readonly LostByCause[];
  /** with the most first */
  readonly places: readonly NamedPlace[];
  /** links below the rate of most of their tier that flows have crossed */
  readonly slowLinks: readonly SlowLink[];
}

/** A link that is slow whoever crosses it. */
export interface SlowLink extends NamedLink {
  readonly rateBps: number;
  /** that most links of its tier have */
  readonly usualBps: number;
}

/** Links that are named. */
const mostPlaces = 10;

/** What was lost, and why. @param identity null: the fabric has no GUIDs */
export function lostTimeReport(
  fabric: Fabric,
  { lostPs, alonePs, unexplainedPs, places, crossed }: LostTimeFigures,
  identity: FabricIdentity | null,
): LostTimeReport {
  const usual = usualTierRates(fabric);
  const isSlow = (port: number): boolean => rateOf(fabric, port) < usual[port]!;
  const { portNode, portNeighbour, nodeKind } = fabric;
  const isHost = (node: number): boolean => nodeKind[node] === NodeKind.host;
  const namedLink = linkNamer(fabric, identity);
  const sums = new Map<LostCause, LostByCause>();
  const book = (cause: LostCause, ps: number, flows: number, links = 1): void => {
    if (ps <= 0) return;
    const own = sums.get(cause) ?? { lostPs: 0, links: 0, flows: 0 };
    sums.set(cause, { cause, lostPs: own.lostPs + ps, links: own.links + links, flows: own.flows + flows });
  };
  const named: NamedPlace[] = [];
  for (const { port, ...place } of places) {
    const [from, to] = [portNode[port]!, portNeighbour[port]!];
    const whole: LostCause | null = isSlow(port) ? 'slow-part' : isHost(from) || isHost(to) ? 'endpoint' : null;
    const { avoidablePs } = place;
    if (whole !== null) book(whole, place.lostPs, place.flows);
    else {
      const routed = avoidablePs > place.lostPs / 2;
      book('routes', avoidablePs, routed ? place.flows : 0, routed ? 1 : 0);
      book('interior', place.lostPs - avoidablePs, routed ? 0 : place.flows, routed ? 0 : 1);
    }
    if (named.length < mostPlaces)
      named.push({
        ...place,
        ...namedLink(port),
        cause: whole ?? (avoidablePs > place.lostPs / 2 ? 'routes' : 'interior'),
      });
  }
  book('unshared', unexplainedPs, 0, 0);
  const causes = [...sums.values()].sort((a, b) => b.lostPs - a.lostPs);
  const slowLinks = crossed
    .filter(isSlow)
    .map((port) => Object.assign(namedLink(port), { rateBps: rateOf(fabric, port), usualBps: usual[port]! }));
  return { lostPs, alonePs, causes, places: named, slowLinks };
}
