// A packet network put together: all its parts by name. The loop works with them, checks and probes look at them.

import type { PacketSampler } from '../../sampling/packet-sampler.js';
import type { EventWheel } from '../../engine/event-wheel.js';
import type { LinkHazards } from '../../engine/link-hazards.js';
import type { ControlPackets } from './control-packets.js';
import type { Devices } from './devices.js';
import type { FlowTable } from './flow-table.js';
import type { HostPauses } from './host-pauses.js';
import type { Nic } from './nic/nic.js';
import type { Rates } from './nic/rates.js';
import type { SenderPacing } from './nic/sender-pacing.js';
import type { SlowReceivers } from './nic/slow-receivers.js';
import type { Windows } from './nic/windows.js';
import type { PacketFates } from './packet-fates.js';
import type { PacketParts } from './parts.js';
import type { Balancing, CongestionControl, FlowControl, Transport } from './plug-ins.js';
import type { Probes } from './probes/probes.js';
import type { PortMeter } from './probes/port-meter.js';
import type { EcnMarking } from './switch/marking.js';
import type { PauseWatchdog } from './switch/pause-watchdog.js';
import type { Trimming } from './switch/trimming.js';
import type { InOrderDelivery } from './transport/in-order-delivery.js';

/** What the network is, put together. */
export interface PacketNetworkParts extends PacketParts {
  readonly wheel: EventWheel;
  readonly flows: FlowTable;
  readonly probes: Probes | null;
  readonly control: ControlPackets;
  readonly fates: PacketFates;
  readonly balancing: Balancing;
  readonly nic: Nic;
  /** null: no sender has a rate of its own */
  readonly pacing: SenderPacing | null;
  readonly windows: Windows;
  readonly rates: Rates;
  readonly congestion: CongestionControl;
  readonly transport: Transport;
  /** null: switches drop what finds no room */
  readonly trimming: Trimming | null;
  /** the reorder buffers of hosts; null: there are none */
  readonly inOrder: InOrderDelivery | null;
  /** null: packets carry no samples */
  readonly sampler: PacketSampler | null;
  readonly devices: Devices;
  /** all flow controls at work, as one */
  readonly flowControl: FlowControl;
  readonly hostPauses: HostPauses;
  /** hosts with a receive buffer that they drain slowly; null: there are none */
  readonly slowReceivers: SlowReceivers | null;
  /** null: nobody watches paused ports of switches */
  readonly watchdog: PauseWatchdog | null;
  readonly marking: EcnMarking;
  /** null: every packet that is sent arrives */
  readonly hazards: LinkHazards | null;
  /** sees every arrival, for tests; null: nobody */
  readonly onArrival: ((packet: number, port: number) => void) | null;
  /** null: nobody asks for the rates of ports */
  readonly meter: PortMeter | null;
}
