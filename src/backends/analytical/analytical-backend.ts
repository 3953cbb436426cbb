// The analytical backend as others see it.

import { valuesOfGroup } from '../../base/settings.js';
import type { Backend } from '../backend.js';
import { AnalyticalNetwork } from './analytical-network.js';
import { analyticalDeclaration } from './declaration.js';
import { analyticalSettings } from './settings.js';

export const analyticalBackend: Backend = {
  ...analyticalDeclaration,
  insteadOfPackets: 'every flow as if alone on its path; no sharing, no packets',
  collectives: {
    kind: 'closed-form',
    model: (settings) => valuesOfGroup(settings, 'analytical', analyticalSettings).collectives,
  },
  secondsOf: ({ flows, ranks, operations }) =>
    flows * 30e-6 + (0.05 * flows) / (flows + 100) + ranks * 130e-6 + operations * 25e-6,
  counters: ['events', 'payloadBytesDelivered'],
  make: ({ fabric, tracer, shape, paces }) => ({ network: new AnalyticalNetwork(fabric, tracer, shape, paces) }),
};
