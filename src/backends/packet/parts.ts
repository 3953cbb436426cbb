// What mechanisms are made from: the parts of a network, by name. Each kind of mechanism gets what stands before it
// when a network is put together (network-parts.ts); nobody needs to know the order.

import type { Alarms } from '../../engine/alarms.js';
import type { EventRecords } from '../../engine/event-records.js';
import type { Clock } from '../../engine/event-wheel.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { LinkStates } from '../../fabric/link-states.js';
import type { PathTracer } from '../../routing/path.js';
import type { ControlPackets } from './control-packets.js';
import type { HostPauses } from './host-pauses.js';
import type { Nic } from './nic/nic.js';
import type { SenderPacing } from './nic/sender-pacing.js';
import type { RnicWatcher } from './nic/rnic-watcher.js';
import type { PacketPool } from './packets.js';
import type { PairAlarms } from './pair-alarms.js';
import type {
  Balancing,
  CongestionControl,
  PacketTelemetry,
  PacketWatcher,
  PathFeedback,
  PauseWatcher,
  PortOwner,
  SendControl,
} from './plug-ins.js';
import type { Ports } from './ports.js';
import type { QueuePairs } from './queue-pairs.js';
import type { PacketSettings } from './settings.js';
import type { SharedBuffer } from './switch/shared-buffer.js';
import type { SideColumns } from './side-columns.js';

/** What every mechanism may build on; one object, because any mechanism may need any part of the network. */
export interface PacketParts {
  readonly fabric: Fabric;
  /** the routes in force */
  readonly tracer: PathTracer;
  readonly settings: PacketSettings;
  /** of the run; random numbers come from a named stream of it (base/random.ts) */
  readonly seed: number;
  readonly clock: Clock;
  readonly alarms: Alarms;
  readonly pairAlarms: PairAlarms;
  readonly records: EventRecords;
  readonly packets: PacketPool;
  readonly pairs: QueuePairs;
  readonly columns: SideColumns;
  readonly ports: Ports;
  readonly buffer: SharedBuffer;
  /** The number of the transfer that a queue pair carries; -1 once it has finished. */
  readonly flowOf: (pair: number) => number;
  /** what state links are in now */
  readonly links: LinkStates;
  /** paths of connections may change during the run: links fail, or flows are moved */
  readonly pathsMayChange: boolean;
  /** the largest base round trip of the fabric, in picoseconds; computed once, when it or the next is asked for */
  readonly largestRttPs: () => number;
  /** the largest bandwidth-delay product of the fabric, in bytes */
  readonly largestBdpBytes: () => number;
}

export interface BalancingParts extends PacketParts {
  /** sends packets that are routed and belong to no queue pair */
  readonly control: ControlPackets;
  /** what stands in PacketWord.pair of the control packets of this balancing */
  readonly signature: number;
}

export interface NicParts extends PacketParts {
  readonly balancing: Balancing;
  /** null unless the congestion control wants it */
  readonly telemetry: PacketTelemetry | null;
  /** null unless somebody measures packets */
  readonly watcher: PacketWatcher | null;
  /** null: no sender has a rate of its own */
  readonly pacing: SenderPacing | null;
  readonly flowEnds: FlowEnds;
}

/** Is told when the last byte of a flow is acknowledged. */
export interface FlowEnds {
  /** whether somebody wants to know when the last packet of a flow leaves */
  readonly tellsSent: boolean;
  flowSent(pair: number): void;
  flowFinished(pair: number): void;
}

export interface CongestionParts extends PacketParts {
  /** null unless the control asked for one (mechanisms.ts) */
  readonly telemetry: PacketTelemetry | null;
  readonly rates: SendControl;
}

export interface TransportParts extends PacketParts {
  /** links fail or lose packets, or switches drop them: a sender without progress may have lost one */
  readonly mayLosePackets: boolean;
  /** switches that have no room for a data packet send its header on, if the transport reads it */
  readonly switchesTrim: boolean;
  /** who wants to know of timeouts; null: nobody */
  readonly paths: PathFeedback | null;
  readonly nic: Nic;
  readonly congestion: CongestionControl;
  /** sees what RNICs keep in host memory and move there; null: nobody does */
  readonly rnicWatcher: RnicWatcher | null;
}

export interface FlowControlParts extends PacketParts {
  readonly nic: Nic;
  /** sends packets that are routed and belong to no queue pair */
  readonly control: ControlPackets;
  /** serves a port again whose queue may send again */
  readonly owner: PortOwner;
  /** what stands in PacketWord.pair of the frames and control packets of this flow control */
  readonly signature: number;
  /** sees what is paused and why; null: nobody does */
  readonly pauseWatcher: PauseWatcher | null;
  /** the log of pauses of hosts: whoever pauses hosts tells it, under its own name */
  readonly hostPauses: HostPauses;
}
