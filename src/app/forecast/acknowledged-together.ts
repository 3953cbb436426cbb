// How many packets an acknowledgement answers on a plan's backend.

import { packetsPerAcknowledgement } from '../../backends/packet/packets-per-acknowledgement.js';
import type { Plan } from '../../scenario/plan.js';

/** Packets that one acknowledgement answers; Infinity: nothing is acknowledged. */
export function acknowledgedTogether({ backend, packet }: Pick<Plan, 'backend' | 'packet'>): number {
  return backend.acknowledges === false ? Infinity : packetsPerAcknowledgement(packet);
}
