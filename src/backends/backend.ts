// What a backend is to everybody else: what it declares to whoever makes plans (backend-declaration.ts), what its runs
// are like, and how its network is made. Nobody asks for a backend by its name; who needs to know something asks for
// the property.
// Invariant: a network counts exactly what its backend names; a plan's settings were resolved from the groups that the
// backends of its catalogue bring.

import type { HostPause, ProbeSummary, Unmarked, WatchdogFigures } from '../execution/network-figures.js';
import type { GroupValues } from '../base/settings.js';
import type { CostModel } from '../collectives/closed-form.js';
import type { StreamMode } from '../collectives/streams.js';
import type { Network } from '../execution/network.js';
import type { Fabric } from '../fabric/fabric.js';
import type { LinkStates } from '../fabric/link-states.js';
import type { SenderPaces } from '../execution/sender-paces.js';
import type { RecordSink } from '../records/schema.js';
import type { DescribeTransfer } from '../records/transfer-label.js';
import type { LaneAssignment } from '../routing/lane-maps.js';
import type { PacketShape } from '../routing/lone-transfer.js';
import type { PathTracer } from '../routing/path.js';
import type { BackendDeclaration } from './backend-declaration.js';
import type { PacketSettings } from './packet/settings.js';

/** Values of groups of settings by name, in picoseconds, bytes, bit/s, numbers, flags and words. */
type AllSettings = Readonly<Record<string, GroupValues>>;

/** What a network is made of. */
export interface NetworkParts {
  /** with the forwarding times of its switches */
  readonly fabric: Fabric;
  /** the routes in force, which failures may change */
  readonly tracer: PathTracer;
  /** given if links change during the run: `linkChanged` and `routesChanged` say when; else null */
  readonly links: LinkStates | null;
  /** whether `routesChanged` or `reroute` may ever be called */
  readonly pathsMayChange: boolean;
  /** whether `portRates` may ever be called */
  readonly countsPorts: boolean;
  /** of every random stream */
  readonly seed: number;
  /** bytes of packets on a link */
  readonly shape: PacketShape;
  /** values of every group that a backend brings, this one's among them; `valuesOfGroup` gives them their types */
  readonly settings: AllSettings;
  /** those of packets, which all backends share */
  readonly packet: PacketSettings;
  /** senders with a rate of their own; null: none has one */
  readonly paces: SenderPaces | null;
  /** what files say of service levels and lanes; null or left out: nothing */
  readonly lanes?: Partial<LaneAssignment> | null;
  /** what transfers are part of; null: nobody knows */
  readonly describe: DescribeTransfer | null;
  /** where probes write */
  readonly sink: RecordSink;
  /** bucket width of an event wheel in picoseconds, a power of two, which never affects results; null: its own */
  readonly wheelWidthPs: number | null;
}

/**
 * A network; what its probes came to, null or left out without probes; why no packet was marked, null or left out where
 * that is no question; how hosts were paused, left out where nobody is.
 */
export interface MadeNetwork {
  readonly network: Network;
  readonly probeSummary?: () => ProbeSummary | null;
  readonly unmarked?: () => Unmarked | null;
  readonly hostPauses?: () => readonly HostPause[];
  /** what the watchdog over paused ports did; left out or null: there is none */
  readonly watchdog?: () => WatchdogFigures | null;
}

/** How much phases of a job may differ and still repeat, in picoseconds; of how many replays one is a sample. */
export interface FastForwardMode {
  readonly tolerancePs: number;
  readonly sampleEvery: number;
  /** transfers by which a long phase measures its rate before it leaps over a steady stretch; 0: none does */
  readonly leapTransfers: number;
}

/** How the collectives of jobs come about. */
export type CollectiveMeans =
  | {
      readonly kind: 'simulated';
      /** whether collectives of many steps are sent as streams; left out: never */
      readonly streams?: (settings: AllSettings) => StreamMode;
      /** how phases that repeat are replayed (jobs/fast-forward), null: all are sent; left out: always */
      readonly fastForward?: (settings: AllSettings) => FastForwardMode | null;
    }
  | {
      /** nothing is sent: a formula says how long they take */
      readonly kind: 'closed-form';
      readonly model: (settings: AllSettings) => CostModel;
    };

/** How much there is to do in a run. */
export interface CountedWork {
  readonly flows: number;
  /** links on the paths of all flows together */
  readonly flowLinks: number;
  readonly packetHops: number;
  /** ranks of all jobs, and operations of those that are carried out */
  readonly ranks: number;
  readonly operations: number;
}

/** A level of detail at which a run may be simulated. */
export interface Backend extends BackendDeclaration {
  /** what the report says in place of packets, after the name; null: it has packets */
  readonly insteadOfPackets: string | null;
  readonly collectives: CollectiveMeans;
  /** whether what arrives is acknowledged, as the settings of packets say; left out: it is */
  readonly acknowledges?: boolean;
  /** names of the counters that its network has, `events` and `payloadBytesDelivered` among them */
  readonly counters: readonly string[];
  /**
   * CPU seconds for so much work on the reference machine of docs/models/forecast.md, beside what starting takes; left
   * out: nobody knows
   */
  readonly secondsOf?: (work: CountedWork) => number;
  make(parts: NetworkParts): MadeNetwork;
}
