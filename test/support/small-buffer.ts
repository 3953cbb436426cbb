// Switch buffers of next to nothing, so that priority flow control has work to do.

import { setApartBytes } from '../../src/backends/packet/switch/headroom.js';
import type { PacketSettings } from '../../src/backends/packet/settings.js';
import { NodeKind, type Fabric } from '../../src/fabric/fabric.js';

/** The settings with a buffer of a pool of so many bytes beyond what the largest switch sets apart. */
export function withPool(fabric: Fabric, settings: PacketSettings, poolBytes: number): PacketSettings {
  let most = 0;
  for (let node = 0; node < fabric.nodeCount; node++) {
    if (fabric.nodeKind[node] === NodeKind.host) continue;
    let bytes = 0;
    for (let port = fabric.portOffset[node]!; port < fabric.portOffset[node + 1]!; port++)
      bytes += setApartBytes(fabric, port, settings);
    most = Math.max(most, bytes);
  }
  return { ...settings, switch: { ...settings.switch, buffer: most + poolBytes } };
}
