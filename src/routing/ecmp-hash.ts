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
  return hashOfPorts(hashOfAddresses(sourceAddress, destinationAddress, seed), scrambled(ports));
}

/** The part of the hash that all ports of a pair of hosts share. Parameters as of `ecmpHash`. */
export function hashOfAddresses(sourceAddress: number, destinationAddress: number, seed: number): number {
  return block(block(seed | 0, scrambled(sourceAddress)), scrambled(destinationAddress));
}

/**
 * The hash of its two parts.
 * @param addresses of hashOfAddresses
 * @param ports of `scrambled`, of source port + 65536 x destination port
 * @returns an unsigned 32-bit integer
 */
export function hashOfPorts(addresses: number, ports: number): number {
  let h = block(addresses, ports) ^ 12;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The part of the hash that is one word's alone. */
export function scrambled(word: number): number {
  const k = Math.imul(word | 0, 0xcc9e2d51);
  return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
}

function block(hash: number, scrambledWord: number): number {
  let h = hash ^ scrambledWord;
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}
