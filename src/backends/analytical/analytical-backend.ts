// The analytical backend as others see it: its settings, what it says of itself (backend-declaration.ts), how it is made.

import { choice, type SettingGroup, valuesOfGroup } from '../../base/settings.js';
import type { Backend } from '../backend.js';
import { AnalyticalNetwork } from './analytical-network.js';
import type { FoundProblem } from '../backend-declaration.js';
import { losslessProblems, packetGroups, rulesWithoutPackets } from '../without-packets.js';
import { costModels } from '../../collectives/closed-form.js';

const analyticalSettings = {
  collectives: choice(
    costModels,
    'steps',
    'time of a collective: the steps of its algorithm with latencies, hops and bytes, or its bytes over the ' +
      "bus bandwidth of the group, as its links give it or by the rules of SimAI's analytical program " +
      '(simai-busbw)',
  ),
} as const satisfies SettingGroup;

const noFailures: FoundProblem = {
  severity: 'error',
  code: 'backend-failures',
  at: [['failures', 'events']],
  message: 'the analytical backend cannot simulate failures: it times every flow alone, on the fabric as built',
  wanted: 'backend: fluid or packet, or a scenario without failures',
};

export const analyticalBackend: Backend = {
  name: 'analytical',
  description: 'every flow as if alone, and collectives by closed forms',
  groups: {
    analytical: {
      description: 'How long collectives take on the analytical backend',
      settings: analyticalSettings,
    },
  },
  reads: packetGroups,
  marksPackets: false,
  noEffectRules: [
    ...rulesWithoutPackets('analytical'),
    {
      settings: ['analytical.*'],
      causes: [],
      when: ({ hasCollectives }) => !hasCollectives,
      because: 'the scenario has no workload',
    },
    {
      settings: ['collectives.channels', 'collectives.pxn'],
      causes: ['analytical.collectives'],
      when: ({ given, backend }) =>
        backend === 'analytical' &&
        given.value(['analytical', 'collectives'], analyticalSettings.collectives) !== 'steps',
      because: 'models of bus bandwidth have no channels and no proxies',
    },
  ],
  problems: (use) => [
    ...(use.given.has(['failures', 'events']) ? [noFailures] : []),
    ...losslessProblems('analytical', use),
  ],
  tables: () => [],
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
