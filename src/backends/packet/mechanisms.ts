// The catalogue of mechanisms: for each kind, implementations by the name that a scenario chooses them with. Nothing
// registers itself by being imported: whoever makes a network passes a catalogue, this one or one with more in it.

import { fail } from '../../base/fail.js';
import type { SettingGroup, SettingValues } from '../../base/settings.js';
import { settingDefaults } from '../../base/settings.js';
import type { LossModel } from '../../engine/link-hazards.js';
import { EcmpBalancing } from './balancing/ecmp.js';
import { SourceRoutedEcmp } from './balancing/ecmp-source-routes.js';
import { HopByHopEcmp } from './balancing/ecmp-by-hop.js';
import { CompressedTelemetry } from './compressed-telemetry.js';
import { Dcqcn } from './congestion/dcqcn.js';
import { Dctcp } from './congestion/dctcp.js';
import { Hpcc } from './congestion/hpcc.js';
import { HpccPint } from './congestion/hpcc-pint.js';
import { NoCongestionControl } from './congestion/none.js';
import { Timely } from './congestion/timely.js';
import { PriorityFlowControl, type WaitingClock } from './flow-control/pfc.js';
import { IndependentLosses } from './loss/independent.js';
import type { CongestionParts, FlowControlParts, PacketParts, TransportParts } from './parts.js';
import type { Balancing, CongestionControl, FlowControl, PacketTelemetry, Transport } from './plug-ins.js';
import { packetSettings, type PacketSettings } from './settings.js';
import { Telemetry } from './telemetry.js';
import { GoBackN } from './transport/go-back-n.js';

/** One implementation of a kind of mechanism. */
export interface Mechanism<Parts, Made> {
  /** what it is, in a line */
  readonly description: string;
  /** settings of its own, beside those of packetSettings, by group: they stand in the scenario under these names */
  readonly settings?: Readonly<Record<string, SettingGroup>>;
  make(parts: Parts): Made;
}

export interface CongestionMechanism extends Mechanism<CongestionParts, CongestionControl> {
  /** what packets bring back to it beyond a mark; left out: nothing */
  readonly telemetry?: (parts: PacketParts) => PacketTelemetry;
}

type ByName<T> = Readonly<Record<string, T>>;

/** Mechanisms of every kind, by name. */
export interface Mechanisms {
  /** `transport.algorithm` */
  readonly transports: ByName<Mechanism<TransportParts, Transport>>;
  /** `congestion.algorithm` */
  readonly congestionControls: ByName<CongestionMechanism>;
  /** `flowControl`, several at once */
  readonly flowControls: ByName<Mechanism<FlowControlParts, FlowControl>>;
  /** `routing.balancing` */
  readonly balancers: ByName<Mechanism<PacketParts, Balancing>>;
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
      make: (parts) => new GoBackN(parts),
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
  },
  balancers: {
    ecmp: {
      description: 'a connection stays on the path that the hash of its header gives it',
      // the same choices at the cost of a hash per hop, where routes or source ports change while packets are under way
      make: (parts) =>
        parts.pathsMayChange
          ? new HopByHopEcmp(parts)
          : SourceRoutedEcmp.fits(parts.tracer)
            ? new SourceRoutedEcmp(parts)
            : new EcmpBalancing(parts),
    },
  },
  lossModels: {
    independent: {
      description: "every packet on its own, with its link's error rate",
      make: ({ links, seed }) => new IndependentLosses(links, seed),
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
