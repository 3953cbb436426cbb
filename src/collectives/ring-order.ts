// The order in which the rings of the channels visit the places of a communicator.
// Invariant: every ring visits every place once, and the places of a server one after the other (except in rank order).
// Sources: cross-rail: SimAI's rings (docs/models/simai.md#collectives). Rank order: communication-stack document
// (docs/SOURCES.md), "Ring Channel Construction": every channel begins elsewhere on the same cycle. Rail-aligned:
// NCCL's rings with NCCL_CROSS_NIC: what leaves a server by a NIC enters the next one on the same rail, and
// neighbouring servers use two rails in turn (alternating rings, NCCL 2.20). In servers whose GPUs are cabled to each
// other channels take ways that share no link (mesh-rings.ts).
// Not modelled: NCCL's search of rings over PCIe and NVLink topologies.

import type { Placement } from './communicator.js';
import { meshRings } from './mesh-rings.js';

export type RingLayout = 'cross-rail' | 'rail-aligned' | 'rank-order';

export interface RingOrders {
  readonly rankCount: number;
  readonly channelCount: number;
  /** place at position p of channel c: order[c * rankCount + p] */
  readonly order: Int32Array;
}

/** Lays out the rings of `channelCount` channels. */
export function ringOrders(layout: RingLayout, placement: Placement, channelCount: number): RingOrders {
  const { rankCount } = placement;
  const order = new Int32Array(channelCount * rankCount);
  const along = layout === 'rail-aligned' ? (meshOrder(placement) ?? railAligned) : layouts[layout];
  for (let channel = 0; channel < channelCount; channel++) order.set(along(placement, channel), channel * rankCount);
  return { rankCount, channelCount, order };
}

type LayOut = (placement: Placement, channel: number) => number[];

/** How rings go through servers whose GPUs are cabled to each other, where all have as many; null elsewhere. */
function meshOrder({ servers, isMeshed }: Placement): LayOut | null {
  const { length } = servers[0]!;
  if (!isMeshed || !servers.every((places) => places.length === length)) return null;
  if (servers.length > 1) return length % 2 === 0 ? zigzags : null;
  const rings = meshRings(length);
  if (rings.length === 0) return null;
  return (_placement, channel) => rings[channel % rings.length]!.map((at) => servers[0]![at]!);
}

/**
 * Channel c enters a server at GPU c and leaves it half a server further, at the rail where it enters the next one. The
 * n ways through a server use each of its n (n - 1) link directions once (E. J. Williams, "Experimental designs
 * balanced for the estimation of residual effects of treatments", Australian Journal of Scientific Research 2, 1949).
 */
function zigzags({ servers }: Placement, channel: number): number[] {
  return servers.flatMap((places, server) => {
    const { length } = places;
    const entry = channel + (server % 2) * (length / 2);
    return Array.from(places, (_, i) => {
      const step = i % 2 === 0 ? i / 2 : length - (i + 1) / 2;
      return places[(entry + step) % length]!;
    });
  });
}

const layouts: Readonly<Record<Exclude<RingLayout, 'rail-aligned'>, LayOut>> = {
  'rank-order': ({ rankCount }, channel) =>
    Array.from({ length: rankCount }, (_, position) => (position + channel) % rankCount),
  // enters every server at one local index and leaves it at the one before: every hop between servers changes the rail
  'cross-rail': ({ servers }, channel) =>
    servers.flatMap((places) => Array.from(places, (_, i) => places[(i + channel) % places.length]!)),
};

function railAligned(placement: Placement, channel: number): number[] {
  const { servers, railOf } = placement;
  const start = servers[0]![channel % servers[0]!.length]!;
  const ring: number[] = [];
  let entry = start;
  servers.forEach((places, server) => {
    const isLast = server === servers.length - 1;
    const next = servers[isLast ? 0 : server + 1]!;
    // the last server has to leave on the rail of the start, so the one before it must not enter the last one there
    const wanted = isLast
      ? [start]
      : candidates(next, channel).filter(
          (place) => server < servers.length - 2 || railOf[place] !== railOf[start] || next.length === 1,
        );
    const exits = wanted.map(
      (place) =>
        [place, places.find((own) => railOf[own] === railOf[place] && (own !== entry || places.length === 1))] as const,
    );
    const [nextEntry, exit] = exits.find(([, own]) => own !== undefined) ?? [
      wanted[0] ?? candidates(next, channel)[0]!,
      undefined,
    ];
    ring.push(...pathThrough(places, entry, exit));
    entry = nextEntry;
  });
  return ring;
}

/** Where a channel would enter a server, best first: its own index, then those below it. */
function candidates(places: Int32Array, channel: number): number[] {
  const { length } = places;
  return Array.from(places, (_, i) => places[(((channel - i) % length) + length) % length]!);
}

/** All places of a server from an entry on, ending at an exit if there is one. */
function pathThrough(places: Int32Array, entry: number, exit: number | undefined): number[] {
  const from = places.indexOf(entry);
  const path = Array.from(places, (_, i) => places[(from + i) % places.length]!);
  return exit === undefined || exit === entry ? path : [...path.filter((place) => place !== exit), exit];
}
