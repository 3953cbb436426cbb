// The rates of the ports that queue and mark: those of switches. NVSwitches hold what waits and mark nothing.

import { NodeKind, type Fabric } from './fabric.js';

/** The rates of the ports of switches, not of NVSwitches, each once, ascending, in bits per second. */
export function switchRates(fabric: Fabric): number[] {
  const rates = new Set<number>();
  for (let port = 0; port < fabric.portCount; port++) {
    if (fabric.nodeKind[fabric.portNode[port]!] === NodeKind.switch)
      rates.add(fabric.linkRateBps[fabric.portLink[port]!]!);
  }
  return [...rates].sort((a, b) => a - b);
}
