// What the fluid backend says of itself (backend-declaration.ts).

import type { BackendDeclaration } from '../backend-declaration.js';
import { failureProblems, losslessProblems, packetGroups, rulesWithoutPackets } from '../without-packets.js';
import { fluidSettings } from './settings.js';

export const fluidDeclaration: BackendDeclaration = {
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
};
