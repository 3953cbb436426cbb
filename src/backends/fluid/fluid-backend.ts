// The fluid backend as others see it.

import { valuesOfGroup } from '../../base/settings.js';
import type { PacketSettings } from '../packet/settings.js';
import type { Backend } from '../backend.js';
import { fluidDeclaration } from './declaration.js';
import { FluidNetwork } from './fluid-network.js';
import { fluidSettings } from './settings.js';

function mostPartsOf({ queuePair }: PacketSettings): number {
  return queuePair.perFlow === 'auto' ? 2 : queuePair.perFlow;
}

export const fluidBackend: Backend = {
  ...fluidDeclaration,
  insteadOfPackets: 'flows as streams that share links max-min fairly; no packets, queues or losses',
  collectives: { kind: 'simulated', streams: (settings) => valuesOfGroup(settings, 'fluid', fluidSettings).streams },
  // the more links a flow has, the more flows it shares them with
  secondsOf: ({ flows, flowLinks }) => flows * 6e-6 + Math.max(0, flowLinks - flows) * 34e-6,
  counters: ['events', 'payloadBytesDelivered'],
  make: ({ fabric, tracer, shape, links, packet, paces }) => ({
    network: new FluidNetwork(fabric, tracer, { ...shape, paces, mostParts: mostPartsOf(packet) }, links),
  }),
};
