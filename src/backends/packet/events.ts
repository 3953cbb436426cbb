// What can happen in the packet backend. An event code is `id << eventBits | kind`; ids below 2^27.

export const eventBits = 4;
export const eventMask = 15;

export const Event = {
  /** no id: the packet in this very record has reached the other end of its link, with its last bit */
  arrival: 0,
  /** id: port; its transmission has ended and something waits */
  portFree: 1,
  /** id: queue pair; its next packet is due */
  pace: 2,
  /** id: queue pair; the congestion control asked to be called */
  congestionDecrease: 3,
  congestionIncrease: 4,
  /** id: token of the executor */
  wake: 5,
  /** no id: time to look for senders without progress */
  timeout: 6,
  /** id: queue pair; packets may have waited long enough for their ACK */
  acknowledgement: 7,
  /** id: queue pair; its receiver's delay before a notification has ended */
  notification: 8,
  /** id: port x 8 + queue; a pause runs out there, or is to be sent again */
  pauseExpiry: 9,
  pauseRefresh: 10,
} as const;
