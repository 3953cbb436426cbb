// How long collectives take whose moves leave at once: all-to-all and send-receive, and all-to-all gathered at proxies.
// Invariant: the longest move beside what else goes by its hosts (move-times.ts); between gathering, sending and
// scattering nothing overlaps.
// Source: docs/models/analytical.md. Not modelled: contention within the fabric, overlap of the three.

import type { Communicator } from './communicator.js';
import type { MoveTimes } from './move-times.js';
import { nicProxy } from './proxies.js';
import { emptyMove, type Schedule } from './schedule.js';
import { strideOver } from './sampled-moves.js';

/**
 * All moves leave at once, in picoseconds.
 * @param schedule one whose moves wait for nothing
 */
export function atOncePs(schedule: Schedule, times: MoveTimes): number {
  const { moveCount } = schedule;
  const move = emptyMove();
  const each = (visit: () => void): void => {
    for (let number = 0; number < moveCount; number++) {
      schedule.describe(number, move);
      if (move.source !== move.destination && move.sizeBytes > 0) visit();
    }
  };
  each(() => times.load(move.source, move.destination, move.sizeBytes));
  let longestPs = 0;
  each(() => (longestPs = Math.max(longestPs, times.sharedPs(move.source, move.destination, move.sizeBytes))));
  return longestPs;
}

/**
 * Every place sends every other one its block, all at once, in picoseconds: the same at all places of servers of one
 * size.
 */
export function evenAllToAllPs(
  { rankCount, servers, serverOf }: Communicator,
  times: MoveTimes,
  sizeBytes: number,
): number {
  const blockBytes = Math.ceil(sizeBytes / rankCount);
  for (let place = 0; place < rankCount; place++) {
    const own = servers[serverOf[place]!]!;
    const other = serverOf[place] === 0 ? servers[1]?.[0] : servers[0]![0];
    const neighbour = own.length === 1 ? undefined : own[0] === place ? own[1]! : own[0]!;
    // one way each: what the peer has to carry is counted when it is the place's turn
    if (neighbour !== undefined) loadBothWays(times, place, neighbour, blockBytes, own.length - 1);
    if (other !== undefined) loadBothWays(times, place, other, blockBytes, rankCount - own.length);
  }
  const stride = strideOver(rankCount * rankCount);
  let longestPs = 0;
  for (let pair = 0; pair < rankCount * rankCount; pair += stride)
    longestPs = Math.max(longestPs, times.sharedPs(Math.floor(pair / rankCount), pair % rankCount, blockBytes));
  return longestPs;
}

/** What a place sends and receives, at that place alone. */
function loadBothWays(times: MoveTimes, place: number, peer: number, blockBytes: number, count: number): void {
  times.loadAt(place, peer, 0, blockBytes, count);
  times.loadAt(place, peer, 1, blockBytes, count);
}

/**
 * Gathered at the proxies of a server, sent between servers as one flow per proxy, scattered if a proxy stands for
 * others; beside it the blocks of a server's own. In picoseconds.
 */
export function aggregatedPs(communicator: Communicator, times: MoveTimes, sizeBytes: number): number {
  const { rankCount, servers } = communicator;
  const blockBytes = Math.ceil(sizeBytes / rankCount);
  const proxiesOf = servers.map((places) => [...new Set(Array.from(places, (place) => nicProxy(communicator, place)))]);
  let mostPs = 0;
  servers.forEach((places, server) => {
    const proxies = proxiesOf[server]!;
    const to = servers[(server + 1) % servers.length]!;
    const others = servers.length - 1;
    const flowBytes = Math.ceil((places.length * to.length * blockBytes) / proxies.length);
    const gatherBytes = Math.ceil((to.length * blockBytes) / proxies.length);
    const scatterBytes = proxies.length < places.length ? places.length * blockBytes : 0;
    if (to !== places)
      for (const proxy of proxies)
        for (const direction of [0, 1] as const) times.loadAt(proxy, to[0]!, direction, flowBytes, others);
    if (places.length === 1) {
      mostPs = Math.max(mostPs, times.sharedPs(proxies[0]!, to[0]!, flowBytes));
      return;
    }
    // every place sends the others of its server their blocks, and the proxies what they gather; a proxy receives it
    const [proxy, neighbour] = [proxies[0]!, places.find((place) => place !== proxies[0])!];
    times.loadAt(proxy, neighbour, 1, blockBytes, places.length - 1);
    times.loadAt(proxy, neighbour, 1, gatherBytes, others * (places.length - 1));
    const insidePs = times.sharedPs(neighbour, proxy, Math.max(blockBytes, others > 0 ? gatherBytes : 0));
    mostPs = Math.max(
      mostPs,
      insidePs +
        (others === 0
          ? 0
          : times.sharedPs(proxy, proxiesOf[(server + 1) % servers.length]![0]!, flowBytes) +
            times.lonePs(proxy, neighbour, scatterBytes)),
    );
  });
  return mostPs;
}
