// What the credit backend says of itself (backend-declaration.ts).

import { sizeText } from '../../base/quantity-text.js';
import { formatRateBps } from '../../base/units.js';
import { LinkChangeKind } from '../../fabric/link-states.js';
import { portRateBps } from '../../fabric/receive-speed.js';
import type { BackendDeclaration, FoundProblem, NoEffectRule, SettingsInUse } from '../backend-declaration.js';
import { type Lacks, losslessProblems, packetGroups, rulesWithoutPackets } from '../without-packets.js';
import { drawnLevels } from './lane-assignment.js';
import { samplingTables } from '../../sampling/packet-sampler.js';
import { pollingProblems, pollingRules } from '../polling/polling-rules.js';
import { pollTables, readsLanes } from '../polling/polling-settings.js';
import { samplingRules } from '../sampling-rules.js';
import { neededBytes, reachedRateBps } from './link-buffers.js';
import { creditSettings } from './settings.js';

const lacks: Lacks = {
  congestion: 'no congestion control: credits alone hold senders back',
  marks: 'no marks',
  repeats: 'no losses, so nothing is repeated',
  balancing: 'two balancings, ecmp and adaptive',
  reordering: 'receivers that take packets in any order',
  pauses: 'credits in place of pause frames',
  buffers: 'a buffer for each lane of each port (credit.buffer) in place of a shared one',
  queuePairs: 'no windows, acknowledgements or timeouts: a NIC gives its queue pairs turns',
  frames: 'no CNPs or PFC frames',
  losses: 'no losses: its links repeat what is damaged by themselves',
  probes: 'no probes',
  replays: 'no replay of phases',
};

/** Rules about settings of packets that credits do without, of balancing those that it does not know. */
const lackRules = rulesWithoutPackets('credit', lacks).map((rule) =>
  rule.settings.includes('routing.balancing') ? withoutAdaptive(rule) : rule,
);

/** A rule about balancing, but for the one that chooses for every packet. */
function withoutAdaptive({ settings, causes, when, because }: NoEffectRule): NoEffectRule {
  return {
    settings,
    causes,
    when: (use, path) => use.settings.balancing !== 'adaptive' && when(use, path),
    because,
  };
}

const ownRules: readonly NoEffectRule[] = [
  {
    settings: ['credit.adaptiveRule'],
    causes: ['routing.balancing'],
    when: ({ settings }) => settings.balancing !== 'adaptive',
    because: ({ settings }) => `routing.balancing is ${settings.balancing}`,
  },
];

/** A link that fails loses nothing here: what that would cost is not shown. */
function failureProblems({ failures }: SettingsInUse): FoundProblem[] {
  if (!(failures?.changes.kind ?? []).some((kind) => kind === LinkChangeKind.down)) return [];
  return [
    {
      severity: 'warning',
      code: 'backend-losses',
      at: [['backend'], ['failures', 'events']],
      message:
        'links fail during the run; on the credit backend what is on them arrives, so no sender waits for a timeout',
      hint: 'backend: packet shows what lost packets cost',
    },
  ];
}

/** Credits for less than a packet would hold it for ever; for less than a round trip they hold links back. */
function bufferProblems({ given, settings, fabric }: SettingsInUse): FoundProblem[] {
  const { buffer, switching, acceptance, returnLatency } = given.group(['credit'], creditSettings);
  if (buffer === 'auto') return [];
  const { payload, header, gap } = settings.packet;
  const packetBytes = payload + header + gap;
  if (buffer < packetBytes)
    return [
      {
        severity: 'error',
        code: 'credit-buffer',
        at: [
          ['credit', 'buffer'],
          ['packet', 'payload'],
        ],
        message: `a packet of ${packetBytes} B never has the credits to be sent: a lane's buffer takes ${buffer} B`,
        wanted: `a buffer of ${packetBytes} B or more`,
      },
    ];
  if (fabric === null) return [];
  const round = {
    fullBytes: packetBytes,
    headerBytes: header,
    cutsThrough: switching === 'cut-through',
    acceptsAtOutput: acceptance !== 'input-buffer',
    returnLatencyPs: returnLatency,
  };
  let most = 0;
  let held = 0;
  let worst = -1;
  let least = 1;
  for (let port = 0; port < fabric.portCount; port++) {
    const needed = neededBytes(fabric, port, round);
    if (needed <= buffer) continue;
    held++;
    most = Math.max(most, needed);
    const share = reachedRateBps(fabric, port, round, buffer) / portRateBps(fabric, port);
    if (share < least) [least, worst] = [share, port];
  }
  if (worst < 0) return [];
  const reached = formatRateBps(reachedRateBps(fabric, worst, round, buffer));
  return [
    {
      severity: 'warning',
      code: 'credit-buffer-below-round-trip',
      at: [['credit', 'buffer']],
      message:
        `credit.buffer of ${sizeText(buffer)} is less than links send in a round trip of its credits: a lane ` +
        `reaches at most ${reached} of ${formatRateBps(portRateBps(fabric, worst))}, and needs ${sizeText(most)}`,
      got: `${held} of ${fabric.portCount} directions of links are held back`,
      wanted: `${sizeText(most)} or more`,
      hint: 'credit.buffer: auto gives every link what it needs',
    },
  ];
}

/** Levels, and what there is of them beside the lanes. */
function lanesOf({ given }: Pick<SettingsInUse, 'given'>) {
  const { lanes, levels, sl2vl, laneQueues } = given.group(['credit'], creditSettings);
  const areListed = given.has(['routing', 'serviceLevels']);
  return {
    lanes,
    sl2vl,
    laneQueues,
    areListed,
    levels: drawnLevels({ lanes, levels }),
    areMapped: given.has(['routing', 'sl2vl']),
  };
}

/** Every level needs a lane. */
function levelProblems(use: SettingsInUse): FoundProblem[] {
  const { lanes, levels, sl2vl, areListed, areMapped } = lanesOf(use);
  if (areListed || areMapped || sl2vl !== 'identity' || levels <= lanes) return [];
  return [
    {
      severity: 'error',
      code: 'level-without-lane',
      at: [
        ['credit', 'levels'],
        ['credit', 'lanes'],
      ],
      message: `service level ${lanes} has no lane: credit.sl2vl is identity`,
      got: `${levels} levels on ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`,
      wanted: 'credit.lanes of as many, or credit.sl2vl: modulo or random',
    },
  ];
}

const laneRules: readonly NoEffectRule[] = [
  {
    settings: ['credit.levels', 'credit.sl2vl', 'credit.laneQueues'],
    causes: ['credit.lanes'],
    when: (situation) => lanesOf(situation).lanes === 1,
    because: 'there is one lane',
  },
  {
    settings: ['credit.levels'],
    causes: ['routing.serviceLevels'],
    when: (situation) => lanesOf(situation).areListed,
    because: 'a file lists the service levels',
  },
  {
    settings: ['credit.sl2vl'],
    causes: ['routing.sl2vl'],
    when: (situation) => lanesOf(situation).areMapped,
    because: 'a file lists the lanes of service levels',
  },
  {
    settings: ['credit.lanes', 'credit.levels', 'credit.sl2vl'],
    causes: ['credit.laneQueues'],
    when: (situation) => lanesOf(situation).laneQueues === 'shared' && !readsLanes(situation.settings.polling),
    because: 'lanes only count, and nothing reads the counters (polling.lanes)',
  },
];

export const creditDeclaration: BackendDeclaration = {
  name: 'credit',
  description: 'packets that wait for credits on virtual lanes, as on InfiniBand; none is dropped',
  groups: { credit: { description: 'How the credit backend holds packets back', settings: creditSettings } },
  reads: packetGroups,
  marksPackets: false,
  hasLanes: true,
  noEffectRules: [...laneRules, ...lackRules, ...ownRules, ...samplingRules, ...pollingRules],
  problems: (use) => [
    ...bufferProblems(use),
    ...levelProblems(use),
    ...losslessProblems('credit', use),
    ...failureProblems(use),
    ...pollingProblems(use),
  ],
  tables: ({ sampling, polling }) => [...samplingTables(sampling), ...pollTables(polling)],
};
