// Packet formats: the sizes of the packets on the wire, as sets that belong together. The catalogue's defaults are
// those of rocev2. rocev2, byte by byte: Ethernet 14 + FCS 4, IPv4 20, UDP 8, base transport header 12, ICRC 4 make 62
// around the payload, which an MTU limits to 4096; an AETH of 4 in place of the payload makes an ACK of 66, 16 reserved
// bytes a CNP of 78; a PFC frame is the shortest Ethernet frame, 64. Preamble 8 and inter-frame gap 12 use the link,
// but no buffer. Source: InfiniBand Architecture Specification 1.4, 5.2 and annex A17; IEEE 802.3, 4.2. simai: the
// sizes of SimAI's shipped configuration (docs/models/simai.md#packets), which sends packets back to back. How a switch
// sets headroom apart goes with it: rocev2 as IEEE 802.1Qbb wants it, which loses nothing; simai as SimAI does, whose
// figures are to be met; when senders send again (transport/retransmission-waits.ts), where simai keeps the one time
// with which its figures were compared, as SimAI has none; the queue pairs of a flow, of which SimAI hashes one; and
// HPCC's additive increase (additive-increase.ts), where simai has the constant of SimAI's conf. Not modelled: RETH (16
// more bytes on the first packet of a write), VLAN tags (4), IPv6 (20),
// jumbo preambles of other media.

/**
 * Sizes as a scenario writes them: most payload, headers of a data packet, ACK or NACK, CNP, PFC frame, link time
 * around every frame.
 */
export const packetProfiles = {
  rocev2: {
    payload: '4096B',
    header: '62B',
    acknowledgement: '66B',
    notification: '78B',
    pauseFrame: '64B',
    gap: '20B',
  },
  simai: { payload: '9000B', header: '52B', acknowledgement: '60B', notification: '60B', pauseFrame: '43B', gap: '0B' },
} as const;

/** Headroom of priority flow control, and how fast a pause is obeyed. */
export const flowControlProfiles = {
  rocev2: { headroom: 'cable', responseTime: '614.4ns' },
  simai: { headroom: 'delays', responseTime: '0us' },
} as const;

/**
 * When a sender without progress sends again: by what a packet can take at most, or after the time set for SimAI; how
 * many queue pairs a flow has, and how these find the ports of their NIC (routing/nic-ports.ts): as NCCL bonds ports, or
 * one, hashed.
 */
export const senderProfiles = {
  rocev2: { retransmissionTimeout: 'auto', perFlow: 'auto', portChoice: 'in-turn' },
  simai: { retransmissionTimeout: '16ms', perFlow: 1, portChoice: 'hash' },
} as const;

/** HPCC's additive increase: by the rule of its paper, or SimAI's constant. */
export const hpccProfiles = {
  rocev2: { additiveIncrease: 'auto' },
  simai: { additiveIncrease: '50Mbps' },
} as const;

export type PacketProfile = keyof typeof packetProfiles;

/** The largest MTU of InfiniBand and RoCE: no NIC puts more payload into a packet. */
export const largestRoceMtuBytes = 4096;
