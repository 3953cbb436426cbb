// A fabric some of whose links between switches have failed: what is left of it, with the same nodes, names and port
// numbers.
// Invariant: exactly the rounded share of the links between switches is missing, drawn without repetition from the
// stream 'failed links' of the seed; links of hosts stay. Parallel links fail one by one. Not modelled: switches that
// fail.

import { RandomStream } from '../base/random.js';
import { FabricBuilder, NodeKind, type Fabric } from './fabric.js';
import type { FabricIdentity } from './identity.js';

/**
 * Takes links away.
 * @param share from 0 to 1
 * @returns the fabric and how many links failed, of how many between switches
 */
export function failLinks(
  { fabric, identity }: { fabric: Fabric; identity: FabricIdentity },
  share: number,
  seed: number,
): { fabric: Fabric; identity: FabricIdentity; failed: number; links: number } {
  const { linkCount, linkPorts, portNode, nodeKind } = fabric;
  const inner: number[] = [];
  for (let link = 0; link < linkCount; link++)
    if (
      nodeKind[portNode[linkPorts[2 * link]!]!] !== NodeKind.host &&
      nodeKind[portNode[linkPorts[2 * link + 1]!]!] !== NodeKind.host
    )
      inner.push(link);
  const failed = Math.round(share * inner.length);
  const random = new RandomStream(seed, 'failed links');
  const gone = new Uint8Array(linkCount);
  for (let i = 0; i < failed; i++) {
    const other = i + random.nextBelow(inner.length - i);
    const link = inner[other]!;
    inner[other] = inner[i]!;
    inner[i] = link;
    gone[link] = 1;
  }
  return { ...withoutLinks(fabric, identity, gone), failed, links: inner.length };
}

/** The same nodes with the links that are left. @param gone 1 for links that are not */
function withoutLinks(
  fabric: Fabric,
  identity: FabricIdentity,
  gone: Uint8Array,
): { fabric: Fabric; identity: FabricIdentity } {
  const builder = new FabricBuilder();
  for (let node = 0; node < fabric.nodeCount; node++) builder.addNode(fabric.nodeKind[node] as NodeKind);
  const numbers: number[] = [];
  for (let link = 0; link < fabric.linkCount; link++) {
    if (gone[link] === 1) continue;
    const [a, b] = [fabric.linkPorts[2 * link]!, fabric.linkPorts[2 * link + 1]!];
    builder.addLink(fabric.portNode[a]!, fabric.portNode[b]!, fabric.linkRateBps[link]!, fabric.linkLatencyPs[link]!);
    numbers.push(identity.portNumber[a]!, identity.portNumber[b]!);
  }
  const rest = builder.build(numbers);
  const portNumber = new Uint8Array(rest.portCount);
  numbers.forEach((number, end) => {
    portNumber[rest.linkPorts[end]!] = number;
  });
  return { fabric: rest, identity: { ...identity, portNumber } };
}
