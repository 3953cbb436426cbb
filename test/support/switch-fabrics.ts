// Fabrics that are no trees, with random GUIDs and LIDs: links between switches by name of a shape, hosts on all or
// some switches.

import { RandomStream } from '../../src/base/random.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';

/** A fabric of switches in a drawn order, with GUIDs at random. @param hosts on each switch */
export function identifiedSwitches(
  hosts: readonly number[],
  links: readonly (readonly [number, number])[],
  draw: number,
): IdentifiedFabric {
  const random = new RandomStream(draw, 'guids');
  const builder = new FabricBuilder();
  const first = hosts.reduce((sum, own) => sum + own, 0);
  builder.addNodes(NodeKind.host, first);
  builder.addNodes(NodeKind.switch, hosts.length);
  let host = 0;
  hosts.forEach((own, at) => {
    for (let i = 0; i < own; i++) builder.addLink(host++, first + at, 100e9, 0);
  });
  for (const [a, b] of links) builder.addLink(first + a, first + b, 100e9, 0);
  const fabric = builder.build();
  const guid = BigUint64Array.from({ length: fabric.nodeCount }, () =>
    BigInt.asUintN(60, (BigInt(random.nextUint32()) << 32n) | BigInt(random.nextUint32())),
  );
  return {
    fabric,
    identity: {
      nodeName: Array.from({ length: fabric.nodeCount }, (_, node) => `n${node}`),
      nodeGuid: guid,
      portGuid: guid,
      lid: Uint16Array.from(guid, (_, node) => node + 1),
      radix: Uint8Array.from(guid, (_, node) => fabric.portOffset[node + 1]! - fabric.portOffset[node]!),
      portNumber: Uint8Array.from(fabric.portNode, (node, port) => port - fabric.portOffset[node]! + 1),
    },
  };
}

/** Links of a torus of given sides. */
export function torusLinks(sides: readonly number[]): [number, number][] {
  const count = sides.reduce((product, side) => product * side, 1);
  const links: [number, number][] = [];
  for (let at = 0; at < count; at++) {
    let stride = 1;
    for (const side of sides) {
      const place = Math.floor(at / stride) % side;
      const next = at + (((place + 1) % side) - place) * stride;
      if (side > 2 || next > at) links.push([at, next]);
      stride *= side;
    }
  }
  return links;
}

/** Links of a HyperX: switches of one line are all linked to each other. */
export function hyperxLinks(sides: readonly number[]): [number, number][] {
  const count = sides.reduce((product, side) => product * side, 1);
  const links: [number, number][] = [];
  for (let at = 0; at < count; at++) {
    let stride = 1;
    for (const side of sides) {
      const place = Math.floor(at / stride) % side;
      for (let other = place + 1; other < side; other++) links.push([at, at + (other - place) * stride]);
      stride *= side;
    }
  }
  return links;
}

/**
 * Links of a dragonfly+: groups of leaves and spines, every leaf with every spine of its group, groups joined by their
 * spines, a link for each pair of groups. @returns links, and which switches are leaves
 */
export function dragonflyPlusLinks(
  groups: number,
  leaves: number,
  spines: number,
): { links: [number, number][]; isLeaf: boolean[] } {
  const links: [number, number][] = [];
  const size = leaves + spines;
  for (let group = 0; group < groups; group++)
    for (let leaf = 0; leaf < leaves; leaf++)
      for (let spine = 0; spine < spines; spine++) links.push([group * size + leaf, group * size + leaves + spine]);
  for (let a = 0; a < groups; a++)
    for (let b = a + 1; b < groups; b++)
      links.push([a * size + leaves + ((b - a - 1) % spines), b * size + leaves + ((a - b - 1 + groups) % spines)]);
  return { links, isLeaf: Array.from({ length: groups * size }, (_, at) => at % size < leaves) };
}
