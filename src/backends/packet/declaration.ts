// What the packet backend says of itself (backend-declaration.ts).

import type { SettingGroup } from '../../base/settings.js';
import type { BackendDeclaration, DescribedGroup } from '../backend-declaration.js';
import { packetRules } from './no-effect-rules.js';
import { probeTables } from './probes/probes.js';
import { packetProblems } from './setting-problems.js';
import { packetSettings } from './settings.js';

/** What each group is about; for documentation and editors. */
const descriptions: Readonly<Record<keyof typeof packetSettings, string>> = {
  packet: "Packet sizes: a profile, and single sizes that replace the profile's",
  queuePair: 'How a NIC sends: priorities, window and pacing',
  congestion: 'Congestion control',
  dcqcn: 'Parameters of DCQCN',
  dctcp: 'Parameters of DCTCP',
  timely: 'Parameters of TIMELY',
  hpcc: 'Parameters of HPCC, also over PINT',
  pint: 'What HPCC over PINT carries in packets',
  ecn: 'Marking of packets in switches',
  pfc: 'Priority flow control of switches',
  switch: 'Switch hardware',
  probes: 'What is recorded beside flows and paths; everything is off unless it is asked for',
};

export const packetDeclaration: BackendDeclaration = {
  name: 'packet',
  description: 'every packet',
  groups: Object.fromEntries(
    Object.entries(packetSettings).map(([name, settings]: [string, SettingGroup]): [string, DescribedGroup] => [
      name,
      { description: descriptions[name as keyof typeof packetSettings], settings },
    ]),
  ),
  reads: [],
  noEffectRules: packetRules,
  problems: packetProblems,
  tables: ({ probes }) => probeTables(probes),
};
