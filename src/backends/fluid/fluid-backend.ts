// The fluid backend as others see it.

import { choice } from '../../base/settings.js';
import { streamModes, type StreamMode } from '../../collectives/streams.js';
import type { Backend } from '../backend.js';
import { FluidNetwork } from './fluid-network.js';

export const fluidBackend: Backend<{ readonly fluid: { readonly streams: StreamMode } }> = {
  name: 'fluid',
  description: 'flows as streams that share links max-min fairly',
  title: 'fluid',
  insteadOfPackets: 'flows as streams that share links max-min fairly; no packets, queues or losses',
  collectives: { kind: 'simulated', streams: ({ fluid }) => fluid.streams },
  withoutFailures: null,
  settings: {
    fluid: {
      streams: choice(
        streamModes,
        'auto',
        'collectives of many steps as one stream from each place to each: far fewer transfers; auto: if the jobs have 1,024 ranks or more',
      ),
    },
  },
  groupDescriptions: { fluid: 'How the fluid backend carries collectives out' },
  foreign: [{ settings: ['fluid.*'], elsewhere: 'has no streams' }],
  counters: ['events', 'payloadBytesDelivered'],
  tables: () => [],
  make: ({ fabric, tracer, shape, links }) => ({
    network: new FluidNetwork(fabric, tracer, shape, links),
    probeSummary: () => null,
  }),
};
