// Losses that whoever runs the engine by hand decides instead of chance.

import type { PacketNetwork } from '#weft/backends/packet/packet-network.js';

/**
 * Decides which packets a network loses, in place of its links' error rates. Call it before the first event.
 * @param isLost is asked once for every packet that comes in by a port, PFC frames excepted
 */
export function loseArrivals(network: PacketNetwork, isLost: (packet: number, port: number) => boolean): void {
  (network as unknown as { hazards: { strikes: typeof isLost; isCut: () => boolean } | null }).hazards = {
    strikes: isLost,
    isCut: () => false,
  };
}
