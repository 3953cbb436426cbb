// The closed form of a transfer alone, of which those of collectives are made: so many steps, each alpha + beta x
// bytes.

/** Sizes of packets: payload, header and gap of a data packet, an acknowledgement with its gap. */
export interface PacketSizes {
  readonly payloadBytes: number;
  readonly overheadBytes: number;
  readonly acknowledgementBytes: number;
}

/** Links of one kind in a row. */
export interface Way {
  readonly links: number;
  readonly rateBps: number;
  readonly latencyPs: number;
}

/**
 * Time of a transfer of whole packets, its last acknowledgement included (docs/models/validation.md, form 1).
 * @param isDuplex the sender acknowledges as many packets as it sends, over the same link
 */
export function transferPs(
  sizeBytes: number,
  { links, rateBps, latencyPs }: Way,
  { payloadBytes, overheadBytes, acknowledgementBytes }: PacketSizes,
  isDuplex: boolean,
): number {
  const linkPs = (bytes: number): number => (bytes * 8e12) / rateBps;
  const count = Math.ceil(sizeBytes / payloadBytes);
  const packetPs = linkPs(payloadBytes + overheadBytes);
  const betweenPs = packetPs + (isDuplex ? linkPs(acknowledgementBytes) : 0);
  return (count - 1) * betweenPs + links * (packetPs + latencyPs) + links * (linkPs(acknowledgementBytes) + latencyPs);
}
