// What the analytical backend says of itself (backend-declaration.ts).

import type { BackendDeclaration, FoundProblem } from '../backend-declaration.js';
import { losslessProblems, packetGroups, rulesWithoutPackets } from '../without-packets.js';
import { analyticalSettings } from './settings.js';

const noFailures: FoundProblem = {
  severity: 'error',
  code: 'backend-failures',
  at: [['failures', 'events']],
  message: 'the analytical backend cannot simulate failures: it times every flow alone, on the fabric as built',
  wanted: 'backend: fluid or packet, or a scenario without failures',
};

export const analyticalDeclaration: BackendDeclaration = {
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
};
