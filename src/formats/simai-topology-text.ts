// A fabric as a topology file of SimAI's form (simai-topology.ts reads it).
// Invariant: readTopology(writeTopology(fabric)) is the same fabric, column by column, when node kinds, rates and whole
// picoseconds are kept. Source: SimAI 1.6's topology generator. Format: docs/formats/simai-topology.md.

import { NodeKind, type Fabric } from '../fabric/fabric.js';

/**
 * Writes a fabric as SimAI's generator does: rates in Gbps, delays in ms, both as exact decimals, and a space at the
 * end of line 2. A fabric without a GPU type says NONE. Parallel links and more than 65,535 nodes can be written, but
 * SimAI itself does not read them.
 * @returns the file's text, ending in a newline
 */
export function writeTopology(fabric: Fabric): string {
  const nvswitches: number[] = [];
  const switches: number[] = [];
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] === NodeKind.nvswitch) nvswitches.push(node);
    else if (fabric.nodeKind[node] === NodeKind.switch) switches.push(node);
  }
  const gpuType = fabric.gpuType === '' ? 'NONE' : fabric.gpuType;
  const lines = [
    `${fabric.nodeCount} ${fabric.gpusPerServer} ${nvswitches.length} ${switches.length} ${fabric.linkCount} ${gpuType}`,
    [...nvswitches, ...switches].map((id) => `${id} `).join(''),
  ];
  const suffixes = new Map<number, Map<number, string>>();
  for (let link = 0; link < fabric.linkCount; link++) {
    const a = fabric.portNode[fabric.linkPorts[2 * link]!]!;
    const b = fabric.portNode[fabric.linkPorts[2 * link + 1]!]!;
    lines.push(
      `${a} ${b} ${rateAndDelay(suffixes, fabric.linkRateBps[link]!, fabric.linkLatencyPs[link]!)} ${fabric.linkErrorRate[link]!}`,
    );
  }
  lines.push('');
  return lines.join('\n');
}

function rateAndDelay(known: Map<number, Map<number, string>>, rateBps: number, latencyPs: number): string {
  let byLatency = known.get(rateBps);
  if (byLatency === undefined) known.set(rateBps, (byLatency = new Map()));
  let text = byLatency.get(latencyPs);
  if (text === undefined)
    byLatency.set(latencyPs, (text = `${topologyRateText(rateBps)} ${decimalShift(latencyPs)}ms`));
  return text;
}

/** A rate as topology files write it: exact, always in Gbps. 2.4e12 -> "2400Gbps" */
export function topologyRateText(rateBps: number): string {
  return `${decimalShift(rateBps)}Gbps`;
}

/** value x 10^-9 as exact decimal text of the number's shortest form; value at least 1 or 0, below 2^53 */
function decimalShift(value: number): string {
  const [whole, fraction = ''] = String(value).split('.') as [string, string?];
  const digits = whole.padStart(10, '0');
  const decimals = (digits.slice(-9) + fraction).replace(/0+$/, '');
  return decimals === '' ? digits.slice(0, -9) : `${digits.slice(0, -9)}.${decimals}`;
}
