// The analytical backend as others see it.

import { choice } from '../../base/settings.js';
import { costModels, type CostModel } from '../../collectives/closed-form.js';
import type { Backend } from '../backend.js';
import { AnalyticalNetwork } from './analytical-network.js';

export const analyticalBackend: Backend<{ readonly analytical: { readonly collectives: CostModel } }> = {
  name: 'analytical',
  description: 'every flow as if alone, and collectives by closed forms',
  title: 'analytical',
  insteadOfPackets: 'every flow as if alone, a lower bound; no sharing, no packets',
  collectives: { kind: 'closed-form', model: ({ analytical }) => analytical.collectives },
  withoutFailures: 'it times every flow by itself on the fabric as built',
  settings: {
    analytical: {
      collectives: choice(
        costModels,
        'steps',
        'time of a collective: the steps of its algorithm with latencies, hops and bytes, or its bytes over the bus bandwidth of the group',
      ),
    },
  },
  groupDescriptions: { analytical: 'How long collectives take on the analytical backend' },
  foreign: [{ settings: ['analytical.*'], elsewhere: 'carries collectives out' }],
  counters: ['events', 'payloadBytesDelivered'],
  tables: () => [],
  make: ({ fabric, tracer, shape }) => ({
    network: new AnalyticalNetwork(fabric, tracer, shape),
    probeSummary: () => null,
  }),
};
