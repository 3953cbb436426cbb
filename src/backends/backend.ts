// What a backend is to everybody else: a value that says what it is called, what can be set about it, what it cannot do,
// and how its network is made. Nobody asks for a backend by its name; who needs to know something asks for the property.
// Invariant: a plan's settings for its backend were resolved from the descriptor's own groups.

import type { SettingGroup } from '../base/settings.js';
import type { CostModel } from '../collectives/closed-form.js';
import type { StreamMode } from '../collectives/streams.js';
import type { Network } from '../execution/network.js';
import type { Fabric } from '../fabric/fabric.js';
import type { LinkStates } from '../fabric/link-states.js';
import type { RecordSink, TableSchema } from '../records/schema.js';
import type { PacketShape } from '../routing/lone-transfer.js';
import type { PathTracer } from '../routing/path.js';
import type { ProbeSummary } from './packet/probes/probes.js';

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
  /** of every random stream */
  readonly seed: number;
  /** bytes of packets on a link */
  readonly shape: PacketShape;
  /** where probes write */
  readonly sink: RecordSink;
  /** bucket width of an event wheel in picoseconds, a power of two, which never affects results; null: its own */
  readonly wheelWidthPs: number | null;
}

/** A network, and what its probes came to: null without probes. */
export interface MadeNetwork {
  readonly network: Network;
  readonly probeSummary: () => ProbeSummary | null;
}

/** How the collectives of jobs come about. `Settings`: the values of the backend's own groups. */
export type CollectiveMeans<Settings> =
  | {
      readonly kind: 'simulated';
      /** whether collectives of many steps are sent as streams; left out: never */
      streams?(settings: Settings): StreamMode;
    }
  | {
      /** nothing is sent: a formula says how long they take */
      readonly kind: 'closed-form';
      model(settings: Settings): CostModel;
    };

/** Settings that mean nothing on other backends. */
export interface ForeignSettings {
  /** paths; `dcqcn.*` is every setting of a group, `[]` every item of a list */
  readonly settings: readonly string[];
  /** what other backends do instead, after "the fluid backend " */
  readonly elsewhere: string;
}

/**
 * A level of detail at which a run may be simulated. `Settings`: the values of its own groups, by group and name, in
 * picoseconds, bytes, bit/s, numbers, flags and words; who only passes them on need not know more than that it is an
 * object.
 */
export interface Backend<Settings extends object = object> {
  /** as scenarios write it */
  readonly name: string;
  /** one line: what is simulated */
  readonly description: string;
  /** how it is called in the title of a table */
  readonly title: string;
  /** of a network that has no packets, what the report says in their place; null: it has packets */
  readonly insteadOfPackets: string | null;
  readonly collectives: CollectiveMeans<Settings>;
  /** why links cannot fail; null: they can */
  readonly withoutFailures: string | null;
  /** its own groups of settings by name, and what each is about */
  readonly settings: Readonly<Record<string, SettingGroup>>;
  readonly groupDescriptions: Readonly<Record<string, string>>;
  /** which of its settings do nothing elsewhere; the others matter to every backend */
  readonly foreign: readonly ForeignSettings[];
  /** paths of other backends' foreign settings that it reads as well */
  readonly alsoReads?: readonly string[];
  /** names of the counters that its network has */
  readonly counters: readonly string[];
  /** the tables that a run writes beside those of every run */
  tables(settings: Settings): readonly TableSchema[];
  make(parts: NetworkParts, settings: Settings): MadeNetwork;
}

/** Whether a network counts packets, has queues, marks, pauses and losses. */
export function hasPackets(backend: Backend): boolean {
  return backend.insteadOfPackets === null;
}
