// PXN: a GPU hands what it sends over the network to another GPU of its server, by NVLink, so that it leaves by the NIC
// of the receiver's rail; GPUs without a NIC share those of their neighbours on both sides. Here: which GPU stands in
// for which.
// Sources: NCCL 2.12 release notes (PXN); SimAI's two hops (docs/models/simai.md#collectives); communication-stack
// document (docs/SOURCES.md), "PXN Optimization".
// Not modelled: NICs behind a PCIe switch that GPUs share without NVLink.

import type { Placement } from './communicator.js';

/** The place whose NIC a place uses: its own, else that of a neighbour; the NICs of a server are shared out evenly. */
export function nicProxy({ nicOwners, servers, serverOf, localOf }: Placement, place: number): number {
  const server = serverOf[place]!;
  const owners = nicOwners[server]!;
  if (owners.length === 0 || owners.includes(place)) return place;
  return owners[Math.floor((localOf[place]! * owners.length) / servers[server]!.length)]!;
}

/**
 * The way from one place to another: directly within a server; between servers by the NIC of the sender's server that
 * is on the rail of the receiver's NIC.
 * @returns the places on the way, both ends included: 2 to 4
 */
export function networkWay(placement: Placement, source: number, destination: number): number[] {
  const { serverOf, railOf, nicOwners } = placement;
  if (serverOf[source] === serverOf[destination]) return [source, destination];
  const enters = nicProxy(placement, destination);
  const sameRail = nicOwners[serverOf[source]!]!.find((owner) => railOf[owner] === railOf[enters]);
  const leaves = sameRail ?? nicProxy(placement, source);
  return [source, leaves, enters, destination].filter((place, i, way) => i === 0 || place !== way[i - 1]);
}
