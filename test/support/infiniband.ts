// The captured InfiniBand files of the reference folder, and fat trees with the identity that their levels give them.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { FabricBuilder, type NodeKind } from '../../src/fabric/fabric.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { generatedIdentity } from '../../src/fabric/identity.js';
import type { IdentifiedFabric } from '../../src/formats/subnet-records.js';
import { referencePath } from '../reference.js';

/** A file of reference/infiniband, unpacked if it ends in .gz. */
export function infinibandText(...path: string[]): string {
  const bytes = readFileSync(referencePath('infiniband', ...path)!);
  return (path.at(-1)!.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** A generated fat tree with names, GUIDs and LIDs. */
export function identifiedTree(name: string, given: Readonly<Record<string, unknown>> = {}): IdentifiedFabric {
  const fabric = generateFabric(name, given);
  return { fabric, identity: generatedIdentity(fabric, recogniseFatTree(fabric).tree!.nodeLevel)! };
}

/**
 * The same nodes without the links that `drop` chooses by the names of their lower and upper ends; ports keep their
 * numbers.
 */
export function damaged(
  { fabric, identity }: IdentifiedFabric,
  drop: (low: string, high: string, link: number) => boolean,
): IdentifiedFabric {
  const builder = new FabricBuilder();
  for (let node = 0; node < fabric.nodeCount; node++) builder.addNode(fabric.nodeKind[node] as NodeKind);
  const numbers: number[] = [];
  for (let link = 0; link < fabric.linkCount; link++) {
    const [a, b] = [fabric.linkPorts[2 * link]!, fabric.linkPorts[2 * link + 1]!];
    const [low, high] = [fabric.portNode[a]!, fabric.portNode[b]!];
    if (drop(identity.nodeName[low]!, identity.nodeName[high]!, link)) continue;
    builder.addLink(low, high, fabric.linkRateBps[link]!, fabric.linkLatencyPs[link]!);
    numbers.push(identity.portNumber[a]!, identity.portNumber[b]!);
  }
  const rest = builder.build(numbers);
  const portNumber = new Uint8Array(rest.portCount);
  numbers.forEach((number, end) => {
    portNumber[rest.linkPorts[end]!] = number;
  });
  return { fabric: rest, identity: { ...identity, portNumber } };
}

/** The same without hosts that have no link, as discovery does not find them. */
export function withoutUnlinked({ fabric, identity }: IdentifiedFabric): IdentifiedFabric {
  const kept = Array.from({ length: fabric.nodeCount }, (_, node) => node).filter(
    (node) => fabric.portOffset[node]! < fabric.portOffset[node + 1]!,
  );
  const builder = new FabricBuilder();
  const idOf = new Map(kept.map((node) => [node, builder.addNode(fabric.nodeKind[node] as NodeKind)]));
  const numbers: number[] = [];
  for (let link = 0; link < fabric.linkCount; link++) {
    const [a, b] = [fabric.linkPorts[2 * link]!, fabric.linkPorts[2 * link + 1]!];
    builder.addLink(
      idOf.get(fabric.portNode[a]!)!,
      idOf.get(fabric.portNode[b]!)!,
      fabric.linkRateBps[link]!,
      fabric.linkLatencyPs[link]!,
    );
    numbers.push(identity.portNumber[a]!, identity.portNumber[b]!);
  }
  const rest = builder.build(numbers);
  const portNumber = new Uint8Array(rest.portCount);
  numbers.forEach((number, end) => {
    portNumber[rest.linkPorts[end]!] = number;
  });
  const { nodeName, nodeGuid, portGuid, lid, radix } = identity;
  return {
    fabric: rest,
    identity: {
      nodeName: kept.map((node) => nodeName[node]!),
      nodeGuid: BigUint64Array.from(kept, (node) => nodeGuid[node]!),
      portGuid: BigUint64Array.from(kept, (node) => portGuid[node]!),
      lid: Uint16Array.from(kept, (node) => lid[node]!),
      radix: Uint8Array.from(kept, (node) => radix[node]!),
      portNumber,
    },
  };
}

/** Entries `switch GUID, port GUID, port` of a dump in either form. */
export function entriesByGuid(dump: string): string[] {
  const found: string[] = [];
  let own = '';
  for (const line of dump.split('\n')) {
    own = /^Unicast lids .* guid (0x[0-9a-f]+)/.exec(line)?.[1] ?? own;
    const match = /^0x[0-9a-f]+ (\d+) .*portguid (0x[0-9a-f]+)/.exec(line);
    if (match !== null) found.push(`${own} ${match[2]} ${Number(match[1])}`);
  }
  return found.sort();
}
