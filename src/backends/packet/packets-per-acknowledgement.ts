// How many data packets an acknowledgement answers, as far as settings say: what forecasts count acknowledgements by.
// Marks, losses and senders that wait for their window make more of them.

import { ownSettings } from './mechanism.js';
import type { PacketSettings } from './settings.js';
import { uecSettings } from './transport/uec/uec-settings.js';

/** Data packets for an acknowledgement, 1 or more; of a transport that this package does not have: as go-back-N. */
export function packetsPerAcknowledgement(settings: PacketSettings): number {
  const { packet, queuePair, transport } = settings;
  switch (transport.algorithm) {
    case 'irn':
    case 'omnidma':
      return 1;
    case 'uec': {
      const { acknowledgementInterval } = ownSettings(settings, 'uec', uecSettings);
      return Math.max(1, Math.ceil(acknowledgementInterval / (packet.payload + packet.header)));
    }
    default:
      return queuePair.acknowledgementInterval;
  }
}
