/**
 * `@weft-sim/weft/extend`: what mechanisms and levels of detail of others are made from. Pass them where a plan is
 * made; the plan carries them to its run.
 *
 * ```ts
 * import { planFromText, simulate } from '@weft-sim/weft';
 * const mechanisms = { lossModels: { 'every-hundredth': { description: 'one in a hundred', make: () => new Hundredth()
 * } } }; await simulate(await planFromText('… loss: { model: every-hundredth } …', { mechanisms }));
 * ```
 *
 * A mechanism has a name, which scenarios choose it by, a description, settings of its own if it wants some, and
 * `make`, which is given the parts of the network. A level of detail is a `Backend`: what it declares to whoever makes
 * plans, and how its network is made. What is written per packet belongs in columns, as in Weft's own.
 *
 * Invariant: younger than the other entries, and closer to the engine: it may change with any version before 1.0.
 *
 * @module @weft-sim/weft/extend
 */

export type { HostPause } from '../execution/network-figures.js';
export { fail } from '../base/fail.js';
export { RandomStream } from '../base/random.js';
export type { GroupValues, Setting, SettingGroup, SettingValues } from '../base/settings.js';
export { valuesOfGroup } from '../base/settings.js';
export type { BackendDeclaration } from '../backends/backend-declaration.js';
export type { Backend, CollectiveMeans, FastForwardMode, MadeNetwork, NetworkParts } from '../backends/backend.js';
export type { DescribeTransfer, TransferLabel } from '../records/transfer-label.js';
export { builtInBackends } from '../backends/catalogue.js';
export {
  type CongestionMechanism,
  type Mechanism,
  ownSettings,
  type SettingEffect,
  type TransportMechanism,
} from '../backends/packet/mechanism.js';
export { type Mechanisms, mechanisms } from '../backends/packet/mechanisms.js';
export type { ControlPackets } from '../backends/packet/control-packets.js';
export type { HostPauseLog, HostPauses } from '../backends/packet/host-pauses.js';
export type { PacketPool } from '../backends/packet/packets.js';
export type { PairAlarms } from '../backends/packet/pair-alarms.js';
export type { Ports } from '../backends/packet/ports.js';
export type { QueuePairs } from '../backends/packet/queue-pairs.js';
export type { SideColumns } from '../backends/packet/side-columns.js';
export type { SharedBuffer } from '../backends/packet/switch/shared-buffer.js';
export type { FlowEnds } from '../backends/packet/parts.js';
export type {
  ControlOwner,
  FlowControlCounters,
  HeldReceiver,
  PacketHolding,
  PacketLabels,
  PacketStops,
  PacketWatcher,
  PathFeedback,
  PauseListener,
  PauseWatcher,
  ReorderState,
  PortOwner,
} from '../backends/packet/plug-ins.js';
export type { DmaSubmission, DmaWatcher } from '../backends/packet/nic/rnic-dma.js';
export type { AdamapColumns, AdamapEvents, RnicState, RnicWatcher } from '../backends/packet/nic/rnic-watcher.js';
export type { Clock } from '../engine/event-wheel.js';
export type { LinkStates } from '../fabric/link-states.js';
export type { Nic, SendGate } from '../backends/packet/nic/nic.js';
export { packetBackendWith } from '../backends/packet/packet-backend.js';
export { bytesShift, Kind, kindMask, markBit, PacketWord, queueShift } from '../backends/packet/packets.js';
export type {
  BalancingParts,
  CongestionParts,
  FlowControlParts,
  NicParts,
  PacketParts,
  TransportParts,
} from '../backends/packet/parts.js';
export {
  arrivedHere,
  type Balancing,
  type CongestionControl,
  type FlowControl,
  held,
  noRoute,
  type PacketTelemetry,
  type SendControl,
  type Transport,
  type TransportCounters,
} from '../backends/packet/plug-ins.js';
export { PairWord } from '../backends/packet/queue-pairs.js';
export { type Alarm, Alarms } from '../engine/alarms.js';
export { EventLoop } from '../engine/event-loop.js';
export { EventRecords } from '../engine/event-records.js';
export { EventWheel } from '../engine/event-wheel.js';
export type { LossModel } from '../engine/link-hazards.js';
export type { Admission, AdmissionParts, MakeAdmission } from '../execution/admission.js';
export { destinationPort, firstSourcePort, heldBack } from '../execution/admission.js';
export type { Frontier } from '../execution/frontier.js';
export type { Driver, Network, NetworkCounters, RunState, Verdict } from '../execution/network.js';
export { portLatencyPs } from '../fabric/forwarding-latency.js';
export { portRateBps } from '../fabric/receive-speed.js';
export { linkBytes } from '../routing/base-delay.js';
export { type LaneAssignment, type LaneMap } from '../routing/lane-maps.js';
export { PathTracer } from '../routing/path.js';
export { type ServiceLevels } from '../routing/service-levels.js';
export { type Additions, cataloguesWith } from './additions.js';
