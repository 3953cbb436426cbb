// The fluid backend as others see it: its settings, what it says of itself (backend-declaration.ts), how it is made.

import { choice, type SettingGroup, valuesOfGroup } from '../../base/settings.js';
import type { PacketSettings } from '../packet/settings.js';
import type { Backend } from '../backend.js';
import { FluidNetwork } from './fluid-network.js';
import { failureProblems, losslessProblems, packetGroups, rulesWithoutPackets } from '../without-packets.js';
import { streamModes } from '../../collectives/streams.js';

const fluidSettings = {
  streams: choice(
    streamModes,
    'auto',
    'collectives of many steps as one stream from each place to each: far fewer transfers; selected: those whose ' +
      'paths do not matter; auto: always if the jobs have 1,024 ranks or more or would be ten million transfers step ' +
      'by step, selected if a million',
  ),
} as const satisfies SettingGroup;

function mostPartsOf({ queuePair }: PacketSettings): number {
  return queuePair.perFlow === 'auto' ? 2 : queuePair.perFlow;
}

export const fluidBackend: Backend = {
  name: 'fluid',
  description: 'flows as streams that share links max-min fairly',
  groups: { fluid: { description: 'How the fluid backend carries collectives out', settings: fluidSettings } },
  reads: packetGroups,
  marksPackets: false,
  noEffectRules: [
    ...rulesWithoutPackets('fluid'),
    {
      settings: ['fluid.*'],
      causes: [],
      when: ({ given }) => !given.has(['workload']) && !given.has(['jobs']),
      because: 'the scenario has no workload',
    },
  ],
  problems: (use) => [...losslessProblems('fluid', use), ...failureProblems('fluid', use)],
  tables: () => [],
  insteadOfPackets: 'flows as streams that share links max-min fairly; no packets, queues or losses',
  collectives: { kind: 'simulated', streams: (settings) => valuesOfGroup(settings, 'fluid', fluidSettings).streams },
  // the more links a flow has, the more flows it shares them with
  secondsOf: ({ flows, flowLinks }) => flows * 6e-6 + Math.max(0, flowLinks - flows) * 34e-6,
  counters: ['events', 'payloadBytesDelivered'],
  make: ({ fabric, tracer, shape, links, packet, paces }) => ({
    network: new FluidNetwork(fabric, tracer, { ...shape, paces, mostParts: mostPartsOf(packet) }, links),
  }),
};
