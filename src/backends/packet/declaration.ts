// What the packet backend says of itself (backend-declaration.ts).

import type { ChoiceSetting, SettingGroup } from '../../base/settings.js';
import type { BackendDeclaration, DescribedGroup } from '../backend-declaration.js';
import { samplingTables } from '../../sampling/packet-sampler.js';
import { pollTables } from '../polling/polling-settings.js';
import { type Mechanisms, mechanismSettings, mechanismTexts, settingsOfKind } from './mechanisms.js';
import { packetRulesOf } from './no-effect-rules.js';
import { probeTables } from './probes/probes.js';
import { packetProblems } from './setting-problems.js';
import { defaultPacketChoices, packetSettings } from './settings.js';

/** What each group is about; for documentation and editors. */
const groupTexts: Readonly<Record<keyof typeof packetSettings, string>> = {
  packet: "Packet sizes: a profile, and single sizes that replace the profile's",
  queuePair: 'How a NIC sends: priorities, window and pacing',
  transport: 'How data gets there reliably',
  congestion: 'Congestion control',
  ecn: 'Marking of packets in switches',
  pfc: 'Priority flow control of switches',
  reorder: 'What receiving hosts put in order, of what took different ways',
  loss: 'Losses beside those of error rates: which packets are lost, how many, and where',
  switch: 'Switch hardware',
  fastForward: 'Phases of jobs that repeat are not simulated again',
  sampling: 'Packets that carry a sample of the links on their way (docs/models/reservoir-sampling.md)',
  polling: 'Port counters read at intervals, as monitors of a fabric do (docs/models/port-counters.md)',
  probes: 'What is recorded beside flows and paths; everything is off unless it is asked for',
};

/**
 * The packet backend with mechanisms of a catalogue: scenarios choose among their names, and may hold their settings.
 */
export function packetDeclarationWith(catalogue: Mechanisms): BackendDeclaration {
  // the parameters of congestion controls stand behind the word that chooses one
  const { packet, queuePair, transport, congestion, ...others } = packetSettings;
  const groups: Readonly<Record<string, SettingGroup>> = {
    packet,
    queuePair,
    transport: { algorithm: oneOf(transport.algorithm, catalogue.transports) },
    congestion: { algorithm: oneOf(congestion.algorithm, catalogue.congestionControls) },
    ...settingsOfKind(catalogue.congestionControls),
    ...others,
    loss: { ...others.loss, model: oneOf(others.loss.model, catalogue.lossModels) },
    ...mechanismSettings(catalogue),
  };
  const texts: Readonly<Record<string, string>> = { ...groupTexts, ...mechanismTexts(catalogue) };
  return {
    name: 'packet',
    description: 'every packet',
    groups: Object.fromEntries(
      Object.entries(groups).map(([name, settings]): [string, DescribedGroup] => [
        name,
        { description: texts[name] ?? `Parameters of ${name}`, settings },
      ]),
    ),
    topSettings: {
      flowControl: {
        kind: 'names',
        choices: Object.keys(catalogue.flowControls),
        default: defaultPacketChoices.flowControl,
        description: `flow controls at work, in any number: ${described(catalogue.flowControls)}`,
      },
    },
    routingSettings: {
      balancing: {
        kind: 'choice',
        choices: Object.keys(catalogue.balancers),
        default: defaultPacketChoices.balancing,
        description: `which of the ways a packet takes: ${described(catalogue.balancers)}`,
      },
    },
    reads: [],
    marksPackets: true,
    noEffectRules: packetRulesOf(catalogue),
    problems: (use) => packetProblems(use, catalogue),
    tables: ({ probes, sampling, polling }) => [
      ...probeTables(probes),
      ...samplingTables(sampling),
      ...pollTables(polling),
    ],
  };
}

function oneOf(setting: ChoiceSetting, list: Readonly<Record<string, unknown>>): ChoiceSetting {
  return { ...setting, choices: Object.keys(list) };
}

function described(list: Readonly<Record<string, { readonly description: string }>>): string {
  return Object.entries(list)
    .map(([name, { description }]) => `${name}, ${description}`)
    .join('; ');
}
