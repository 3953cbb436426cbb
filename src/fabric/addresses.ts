// The identity of a node on the wire: the IPv4 address that the hash functions see.
// Source: SimAI's node-id numbering, 11.(id >> 8).(id & 255).1; beyond 65,535 nodes the first octet counts on, still
// without collision.

/**
 * IPv4 address of a node as an unsigned 32-bit integer in host order.
 * @param node node id, 0 .. 2^24
 */
export function ipv4OfNode(node: number): number {
  return (0x0b000001 + Math.floor(node / 256) * 0x10000 + (node % 256) * 0x100) >>> 0;
}

/** An address as eight hexadecimal digits, the form of SimAI's fct.txt. */
export function addressHex(address: number): string {
  return address.toString(16).padStart(8, '0');
}

/**
 * The node that an address names: the inverse of {@link ipv4OfNode}.
 * @returns -1 if no node of SimAI's numbering has this address
 */
export function nodeOfIpv4(address: number): number {
  const offset = address - 0x0b000001;
  if (offset < 0 || offset % 256 !== 0) return -1;
  return Math.floor(offset / 0x10000) * 256 + (Math.floor(offset / 256) % 256);
}
