// The catalogue of mechanisms: for each kind, implementations by the name that a scenario chooses them with. Nothing
// registers itself by being imported: whoever makes a network passes a catalogue, this one or one with more in it.

import { fail } from '../../base/fail.js';
import type { SettingGroup, SettingValues } from '../../base/settings.js';
import { settingDefaults } from '../../base/settings.js';
import type { LossModel } from '../../engine/link-hazards.js';
import { AdaptiveBalancing } from './balancing/adaptive.js';
import { Conga, congaSettings } from './balancing/conga.js';
import { Conweave } from './balancing/conweave.js';
import { conweaveSettings } from './balancing/conweave-settings.js';
import { Drill, drillSettings } from './balancing/drill.js';
import { flowEcmp } from './balancing/flow-ecmp.js';
import { LetFlow, letflowSettings } from './balancing/letflow.js';
import { RandomSpray, RoundRobinSpray, spraySettings } from './balancing/spray.js';
import { EntropyPaths } from './balancing/entropy-paths.js';
import { entropySettings, repsSettings } from './balancing/entropy-settings.js';
import { RandomEntropies } from './balancing/random-entropies.js';
import { RecycledEntropies } from './balancing/recycled-entropies.js';
import { CompressedTelemetry } from './compressed-telemetry.js';
import { Dcqcn } from './congestion/dcqcn.js';
import { Dctcp } from './congestion/dctcp.js';
import { Hpcc } from './congestion/hpcc.js';
import { HpccPint } from './congestion/hpcc-pint.js';
import { NoCongestionControl } from './congestion/none.js';
import { Timely } from './congestion/timely.js';
import { SourceFlowControl } from './flow-control/sfc/sfc.js';
import { sfcSettings } from './flow-control/sfc/sfc-settings.js';
import { PriorityFlowControl, type WaitingClock } from './flow-control/pfc.js';
import { gilbertElliott } from './loss/gilbert-elliott.js';
import { independentLosses } from './loss/independent.js';
import { patternLosses, sequenceLosses, timeLosses } from './loss/listed.js';
import { eventMixes, lossEvents } from './loss/loss-events.js';
import { PortLosses } from './loss/port-losses.js';
import type { BalancingParts, CongestionParts, FlowControlParts, PacketParts, TransportParts } from './parts.js';
import type { Balancing, CongestionControl, FlowControl, PacketTelemetry, Transport } from './plug-ins.js';
import { packetSettings, type PacketSettings } from './settings.js';
import { Telemetry } from './telemetry.js';
import { GoBackN } from './transport/go-back-n.js';
import { Irn, irnSettings } from './transport/irn.js';
import { OmniDma } from './transport/omnidma/omnidma.js';
import { omnidmaSettings, rnicSettings } from './transport/omnidma/omnidma-settings.js';
import { uecSettings } from './transport/uec/uec-settings.js';
import { Uec } from './transport/uec/uec.js';

/** One implementation of a kind of mechanism. */
export interface Mechanism<Parts, Made> {
  /** what it is, in a line */
  readonly description: string;
  /** settings of its own, beside those of packetSettings, by group: they stand in the scenario under these names */
  readonly settings?: Readonly<Record<string, SettingGroup>>;
  make(parts: Parts): Made;
}

export interface TransportMechanism extends Mechanism<TransportParts, Transport> {
  /** it takes packets in order only, by PairWord.expectedPacket: a reorder buffer may stand before it */
  readonly inOrder?: true;
}

export interface CongestionMechanism extends Mechanism<CongestionParts, CongestionControl> {
  /** what packets bring back to it beyond a mark; left out: nothing */
  readonly telemetry?: (parts: PacketParts) => PacketTelemetry;
}

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

const stamps = ({ records, ports, tracer }: PacketParts): PacketTelemetry =>
  new Telemetry(records, ports, tracer.maxLength);

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
      make: (parts) => new Irn(parts, ownSettings(parts.settings, 'irn', irnSettings)),
    },
    omnidma: {
      description:
        'out of order; what is missing is told as adamaps, kept in host memory, and sent before anything new',
      settings: { omnidma: omnidmaSettings, rnic: rnicSettings },
      make: (parts) =>
        new OmniDma(parts, {
          omnidma: ownSettings(parts.settings, 'omnidma', omnidmaSettings),
          rnic: ownSettings(parts.settings, 'rnic', rnicSettings),
        }),
    },
    uec: {
      description: 'packets in any order, selective acknowledgements, trimmed packets, a window by delay or credits',
      settings: { uec: uecSettings },
      make: (parts) => new Uec(parts, ownSettings(parts.settings, 'uec', uecSettings)),
    },
  },
  congestionControls: {
    dcqcn: { description: 'rates by ECN marks, as RoCEv2 NICs have it', make: (parts) => new Dcqcn(parts) },
    dctcp: { description: 'rates by the share of marked packets', make: (parts) => new Dctcp(parts) },
    timely: {
      description: 'rates by the change of round-trip times',
      telemetry: stamps,
      make: (parts) => new Timely({ ...parts, telemetry: needed(parts.telemetry, Telemetry) }),
    },
    hpcc: {
      description: 'windows by telemetry of every switch on the way',
      telemetry: stamps,
      make: (parts) => new Hpcc({ ...parts, telemetry: needed(parts.telemetry, Telemetry) }),
    },
    'hpcc-pint': {
      description: 'HPCC by the largest utilisation of the way, in two bytes',
      telemetry: ({ records, ports, settings, largestRttPs }) =>
        new CompressedTelemetry(records, ports, settings.pint.logBase, largestRttPs()),
      make: (parts) => new HpccPint({ ...parts, telemetry: needed(parts.telemetry, CompressedTelemetry) }),
    },
    none: { description: 'line rate within the window', make: () => new NoCongestionControl() },
  },
  flowControls: {
    pfc: {
      description: 'a switch pauses a priority of its upstream (IEEE 802.1Qbb)',
      make: (parts) => new PriorityFlowControl({ ...parts, clock: parts.clock as WaitingClock }),
    },
    sfc: {
      description: 'a switch tells the sources of what it queues to pause (IEEE P802.1Qdw)',
      settings: { sfc: sfcSettings },
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
      make: (parts) => new Drill(parts),
    },
    letflow: {
      description: 'a flowlet stays on its way, and the next one takes another at random',
      settings: { letflow: letflowSettings },
      make: (parts) => new LetFlow(parts),
    },
    conga: {
      description: 'a flowlet takes the least congested of some ways, by what the other end feeds back',
      settings: { conga: congaSettings },
      make: (parts) => new Conga(parts),
    },
    conweave: {
      description: 'a queue pair leaves a way whose answers are late, and the last switch puts its packets in order',
      settings: { conweave: conweaveSettings },
      make: (parts) => new Conweave(parts),
    },
    entropy: {
      description: 'every packet carries a random entropy, which switches hash in the place of its source port',
      settings: { entropy: entropySettings },
      make: (parts) =>
        new EntropyPaths(
          parts,
          new RandomEntropies(parts.seed, ownSettings(parts.settings, 'entropy', entropySettings).values),
        ),
    },
    reps: {
      description: 'the same, but entropies that came back unmarked are used again (REPS)',
      settings: { reps: repsSettings },
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

/** A mechanism by its name. @throws InvariantError if there is none: scenarios are checked before (scenario/) */
export function mechanismNamed<T>(kind: string, list: ByName<T>, name: string): T {
  const found = Object.hasOwn(list, name) ? list[name] : undefined;
  return found ?? fail(`${kind} ${name} is not in the catalogue: ${Object.keys(list).join(', ')}`);
}

/** The names that all kinds of mechanism have their own settings under, and the settings. */
export function mechanismSettings(catalogue: Mechanisms): Readonly<Record<string, SettingGroup>> {
  const groups: Record<string, SettingGroup> = {};
  for (const list of Object.values(catalogue) as ByName<{ readonly settings?: ByName<SettingGroup> }>[])
    for (const { settings = {} } of Object.values(list))
      for (const [name, group] of Object.entries(settings)) {
        if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
          fail(`a mechanism calls its settings ${JSON.stringify(name)}, which is no word`);
        if (Object.hasOwn(packetSettings, name) || Object.hasOwn(groups, name))
          fail(`the group of settings ${name} of a mechanism stands twice`);
        groups[name] = group;
      }
  return groups;
}

/** The resolved values of a mechanism's own group of settings; the defaults where the scenario did not know the group. */
export function ownSettings<G extends SettingGroup>(
  settings: PacketSettings,
  name: string,
  group: G,
): SettingValues<G> {
  return (settings.own[name] ?? settingDefaults(group)) as SettingValues<G>;
}

function needed<T extends PacketTelemetry>(
  telemetry: PacketTelemetry | null,
  kind: abstract new (...parts: never[]) => T,
): T {
  return telemetry instanceof kind
    ? telemetry
    : fail(`a congestion control wants ${kind.name}, and its entry in the catalogue does not give it`);
}
