// The hash that spreads flows over equal-cost paths: MurmurHash3_x86_32 (Appleby, public domain) of the 12 bytes
// source address, destination address, source port | destination port << 16, all little-endian.
// Used by every switch (seed: its node id), by the sending NIC and by the central controller: one implementation.

/** Seed of the sending NIC's choice among its ports: ns-3's default hash seed. */
export const nicSeed = 0x8badf00d;

/**
 * Hash of one direction of a connection.
 * @param sourceAddress IPv4 address as a 32-bit integer in host order, as is `destinationAddress`
 * @param ports source port + 65536 x destination port
 * @param seed 32-bit seed
 * @returns an unsigned 32-bit integer
 */
export function ecmpHash(sourceAddress: number, destinationAddress: number, ports: number, seed: number): number {
  let h = block(seed | 0, sourceAddress | 0);
  h = block(h, destinationAddress | 0);
  h = block(h, ports | 0) ^ 12;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function block(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  let h = hash ^ Math.imul(k, 0x1b873593);
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}
