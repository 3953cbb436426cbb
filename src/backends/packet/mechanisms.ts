// The catalogue of mechanisms: for each kind, implementations by the name that a scenario chooses them with. Nothing
// registers itself by being imported: whoever makes a network passes a catalogue, this one or one with more in it.

import { fail } from '../../base/fail.js';
import type { SettingGroup } from '../../base/settings.js';
import type { LossModel } from '../../engine/link-hazards.js';
import { AdaptiveBalancing } from './balancing/adaptive.js';
import { Conga, congaEffects, congaSettings } from './balancing/conga.js';
import { Conweave } from './balancing/conweave.js';
import { conweaveEffects, conweaveSettings } from './balancing/conweave-settings.js';
import { Drill, drillSettings } from './balancing/drill.js';
import { flowEcmp } from './balancing/flow-ecmp.js';
import { LetFlow, letflowSettings } from './balancing/letflow.js';
import { RandomSpray, RoundRobinSpray, spraySettings } from './balancing/spray.js';
import { EntropyPaths } from './balancing/entropy-paths.js';
import { entropyEffects, entropySettings, repsEffects, repsSettings } from './balancing/entropy-settings.js';
import { RandomEntropies } from './balancing/random-entropies.js';
import { RecycledEntropies } from './balancing/recycled-entropies.js';
import { dcqcn } from './congestion/dcqcn/dcqcn.js';
import { dctcp } from './congestion/dctcp/dctcp.js';
import { hpcc } from './congestion/hpcc/hpcc-entry.js';
import { hpccPint } from './congestion/hpcc/hpcc-pint-entry.js';
import { none } from './congestion/none.js';
import { nsccFor } from './congestion/nscc/nscc.js';
import { swift } from './congestion/swift/swift.js';
import { timely } from './congestion/timely/timely.js';
import { SourceFlowControl } from './flow-control/sfc/sfc.js';
import { sfcEffects, sfcRules } from './flow-control/sfc/sfc-rules.js';
import { sfcSettings } from './flow-control/sfc/sfc-settings.js';
import { PriorityFlowControl, type WaitingClock } from './flow-control/pfc.js';
import { gilbertElliott } from './loss/gilbert-elliott.js';
import { independentLosses } from './loss/independent.js';
import { patternLosses, sequenceLosses, timeLosses } from './loss/listed.js';
import { eventMixes, lossEvents } from './loss/loss-events.js';
import { PortLosses } from './loss/port-losses.js';
import { type CongestionMechanism, type Mechanism, ownSettings, type TransportMechanism } from './mechanism.js';
import type { BalancingParts, FlowControlParts, PacketParts } from './parts.js';
import type { Balancing, FlowControl } from './plug-ins.js';
import { packetSettings } from './settings.js';
import { GoBackN } from './transport/go-back-n.js';
import { Irn, irnSettings } from './transport/irn.js';
import { irnEffects, irnRules } from './transport/irn-rules.js';
import { OmniDma } from './transport/omnidma/omnidma.js';
import { omnidmaEffects, omnidmaRules } from './transport/omnidma/omnidma-rules.js';
import { omnidmaSettings, rnicSettings } from './transport/omnidma/omnidma-settings.js';
import { uecEffects, uecRules } from './transport/uec/uec-rules.js';
import { uecSettings } from './transport/uec/uec-settings.js';
import { Uec } from './transport/uec/uec.js';

type ByName<T> = Readonly<Record<string, T>>;

/** Mechanisms of every kind, by name. */
export interface Mechanisms {
  /** `transport.algorithm` */
  readonly transports: ByName<TransportMechanism>;
  /** `congestion.algorithm` */
  readonly congestionControls: ByName<CongestionMechanism>;
  /** `flowControl`, several at once */
  readonly flowControls: ByName<Mechanism<FlowControlParts, FlowControl>>;
  /** `routing.balancing` */
  readonly balancers: ByName<Mechanism<BalancingParts, Balancing>>;
  /** `loss.model` */
  readonly lossModels: ByName<Mechanism<PacketParts, LossModel>>;
}

/** What Weft has. */
export const mechanisms = {
  transports: {
    'go-back-n': {
      description: 'packets in order only; a gap sends the sender back to the first missing packet',
      inOrder: true,
      make: (parts) => new GoBackN(parts),
    },
    irn: {
      description: 'packets in any order; only what is missing is sent again',
      settings: { irn: irnSettings },
      noEffect: irnRules,
      effects: irnEffects,
      effectsIn: { scenario: 'lossy' },
      make: (parts) => new Irn(parts, ownSettings(parts.settings, 'irn', irnSettings)),
    },
    omnidma: {
      description:
        'out of order; what is missing is told as adamaps, kept in host memory, and sent before anything new',
      settings: { omnidma: omnidmaSettings, rnic: rnicSettings },
      noEffect: omnidmaRules,
      effects: omnidmaEffects,
      effectsIn: { scenario: 'lossy' },
      make: (parts) =>
        new OmniDma(parts, {
          omnidma: ownSettings(parts.settings, 'omnidma', omnidmaSettings),
          rnic: ownSettings(parts.settings, 'rnic', rnicSettings),
        }),
    },
    uec: {
      description: 'packets in any order, selective acknowledgements, trimmed packets, a window by delay or credits',
      settings: { uec: uecSettings },
      noEffect: uecRules,
      effects: uecEffects,
      make: (parts) => {
        const own = ownSettings(parts.settings, 'uec', uecSettings);
        return new Uec(parts, own, nsccFor(parts, own.targetDelay));
      },
    },
  },
  congestionControls: { dcqcn, dctcp, timely, hpcc, 'hpcc-pint': hpccPint, swift, none },
  flowControls: {
    pfc: {
      description: 'a switch pauses a priority of its upstream (IEEE 802.1Qbb)',
      make: (parts) => new PriorityFlowControl({ ...parts, clock: parts.clock as WaitingClock }),
    },
    sfc: {
      description: 'a switch tells the sources of what it queues to pause (IEEE P802.1Qdw)',
      settings: { sfc: sfcSettings },
      noEffect: sfcRules,
      effects: sfcEffects,
      effectsIn: { scenario: 'besideIncast', given: ['sfc.threshold=50kB', 'sfc.pause=20us'] },
      make: (parts) => new SourceFlowControl(parts, ownSettings(parts.settings, 'sfc', sfcSettings)),
    },
  },
  balancers: {
    ecmp: {
      description: 'a connection stays on the path that the hash of its header gives it',
      make: flowEcmp,
    },
    spray: {
      description: 'every data packet takes one of the next hops on its own, at random or in turn',
      settings: { spray: spraySettings },
      effects: { 'spray.order': { values: ['random', 'round-robin'], falls: 'retransmissions' } },
      effectsIn: { scenario: 'collision' },
      make: (parts) =>
        ownSettings(parts.settings, 'spray', spraySettings).order === 'random'
          ? new RandomSpray(parts)
          : new RoundRobinSpray(parts),
    },
    adaptive: {
      description: 'every data packet takes the next hop behind which least waits',
      make: (parts) => new AdaptiveBalancing(parts),
    },
    drill: {
      description: 'every data packet takes the shortest queue of some drawn at random and the best of the last time',
      settings: { drill: drillSettings },
      effects: {
        'drill.samples': { given: ['drill.memory=0'], values: ['1', '16'], falls: 'meanCompletion' },
        'drill.memory': { given: ['drill.samples=1'], values: ['0', '4'], falls: 'meanCompletion' },
      },
      effectsIn: { scenario: 'staggered' },
      make: (parts) => new Drill(parts),
    },
    letflow: {
      description: 'a flowlet stays on its way, and the next one takes another at random',
      settings: { letflow: letflowSettings },
      // every packet begins a flowlet
      effects: { 'letflow.flowletTimeout': { values: ['100us', '0us'], rises: 'retransmissions' } },
      effectsIn: { scenario: 'weaving' },
      make: (parts) => new LetFlow(parts),
    },
    conga: {
      description: 'a flowlet takes the least congested of some ways, by what the other end feeds back',
      settings: { conga: congaSettings },
      effects: congaEffects,
      effectsIn: { scenario: 'weaving' },
      make: (parts) => new Conga(parts),
    },
    conweave: {
      description: 'a queue pair leaves a way whose answers are late, and the last switch puts its packets in order',
      settings: { conweave: conweaveSettings },
      effects: conweaveEffects,
      effectsIn: { scenario: 'weaving' },
      make: (parts) => new Conweave(parts),
    },
    entropy: {
      description: 'every packet carries a random entropy, which switches hash in the place of its source port',
      settings: { entropy: entropySettings },
      effects: entropyEffects,
      effectsIn: { scenario: 'crowded', given: ['transport.algorithm=uec'] },
      make: (parts) =>
        new EntropyPaths(
          parts,
          new RandomEntropies(parts.seed, ownSettings(parts.settings, 'entropy', entropySettings).values),
        ),
    },
    reps: {
      description: 'the same, but entropies that came back unmarked are used again (REPS)',
      settings: { entropy: entropySettings, reps: repsSettings },
      effects: repsEffects,
      effectsIn: { scenario: 'crowded', given: ['transport.algorithm=uec'] },
      make: (parts) => {
        const { cache, freezing } = ownSettings(parts.settings, 'reps', repsSettings);
        const { values } = ownSettings(parts.settings, 'entropy', entropySettings);
        return new EntropyPaths(parts, new RecycledEntropies(parts, { values, places: cache, freezingPs: freezing }));
      },
    },
  },
  lossModels: {
    independent: {
      description: 'every packet on its own',
      make: (parts) => new PortLosses(parts, independentLosses),
    },
    burst: {
      description: 'some in a row',
      make: (parts) => new PortLosses(parts, lossEvents(eventMixes.burst)),
    },
    'high-frequency': {
      description: 'many of the next few',
      make: (parts) => new PortLosses(parts, lossEvents(eventMixes['high-frequency'])),
    },
    amazon: {
      description: 'single packets, bursts and a few frequent losses',
      make: (parts) => new PortLosses(parts, lossEvents(eventMixes.amazon)),
    },
    google: {
      description: 'frequent losses, single packets and a few bursts',
      make: (parts) => new PortLosses(parts, lossEvents(eventMixes.google)),
    },
    microsoft: {
      description: 'single packets, a few frequent losses and bursts',
      make: (parts) => new PortLosses(parts, lossEvents(eventMixes.microsoft)),
    },
    'gilbert-elliott': {
      description: 'a channel that is good or bad',
      make: (parts) => new PortLosses(parts, gilbertElliott),
    },
    sequence: {
      description: 'packets of flows that a file names',
      make: (parts) => new PortLosses(parts, sequenceLosses),
    },
    time: {
      description: 'the next packets of flows from times that a file names',
      make: (parts) => new PortLosses(parts, timeLosses),
    },
    trace: {
      description: 'packets by a pattern that a file holds',
      make: (parts) => new PortLosses(parts, patternLosses),
    },
  },
} as const satisfies Mechanisms;

/** The groups of settings of Weft's own mechanisms, by name. */
export type MechanismGroups = Together<GroupsOf<(typeof mechanisms)[keyof Mechanisms]>>;
type GroupsOf<List> = List extends unknown ? SettingsOf<List[keyof List]> : never;
type SettingsOf<Entry> = Entry extends { readonly settings: infer Groups } ? Groups : never;
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** A mechanism by its name. @throws InvariantError if there is none: scenarios are checked before (scenario/) */
export function mechanismNamed<T>(kind: string, list: ByName<T>, name: string): T {
  const found = Object.hasOwn(list, name) ? list[name] : undefined;
  return found ?? fail(`${kind} ${name} is not in the catalogue: ${Object.keys(list).join(', ')}`);
}

/**
 * The groups of settings of all mechanisms of a kind. @throws InvariantError if two have another one of the same name
 */
export function settingsOfKind(list: ByName<Mechanism<never, unknown>>): ByName<SettingGroup> {
  const groups: Record<string, SettingGroup> = {};
  for (const { settings = {} } of Object.values(list))
    for (const [name, group] of Object.entries(settings)) {
      if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
        fail(`a mechanism calls its settings ${JSON.stringify(name)}, which is no word`);
      if (Object.hasOwn(packetSettings, name) || (groups[name] ?? group) !== group)
        fail(`the group of settings ${name} of a mechanism stands twice`);
      groups[name] = group;
    }
  return groups;
}

/** The groups of settings of mechanisms of all kinds. @throws InvariantError if a name stands for two */
export function mechanismSettings(catalogue: Mechanisms): ByName<SettingGroup> {
  const groups: Record<string, SettingGroup> = {};
  for (const list of Object.values(catalogue) as ByName<Mechanism<never, unknown>>[])
    for (const [name, group] of Object.entries(settingsOfKind(list))) {
      if (Object.hasOwn(groups, name)) fail(`the group of settings ${name} of a mechanism stands twice`);
      groups[name] = group;
    }
  return groups;
}

/** What these groups are about, where mechanisms say it. */
export function mechanismTexts(catalogue: Mechanisms): ByName<string> {
  const lists = Object.values(catalogue) as ByName<Mechanism<never, unknown>>[];
  return Object.assign({}, ...lists.flatMap((list) => Object.values(list).map(({ groupTexts }) => groupTexts)));
}
