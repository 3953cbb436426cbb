// How a packet network is put together: which part is made from which, in the one order in which that works.
// Nothing here runs per packet or event.

import { Alarms } from '../../engine/alarms.js';
import { EventWheel } from '../../engine/event-wheel.js';
import { LinkHazards } from '../../engine/link-hazards.js';
import { fail } from '../../base/fail.js';
import type { Fabric } from '../../fabric/fabric.js';
import { hasForwardingLatency } from '../../fabric/forwarding-latency.js';
import { withReceiveSpeed } from '../../fabric/receive-speed.js';
import { LinkStates } from '../../fabric/link-states.js';
import type { SenderPaces } from '../../execution/sender-paces.js';
import type { RecordSink } from '../../records/schema.js';
import { type LargestDelays, largestDelays } from '../../routing/base-delay.js';
import type { PathTracer } from '../../routing/path.js';
import { samplerFor } from '../../sampling/packet-sampler.js';
import { TakenPaths } from './balancing/taken-paths.js';
import { ControlPackets } from './control-packets.js';
import { Devices } from './devices.js';
import { combined } from './flow-control/several.js';
import { FlowTable } from './flow-table.js';
import { HostPauses } from './host-pauses.js';
import type { TransportMechanism } from './mechanism.js';
import { type Mechanisms, mechanismNamed, mechanisms } from './mechanisms.js';
import { Rates } from './nic/rates.js';
import { SenderPacing } from './nic/sender-pacing.js';
import { type ReceiveBuffer, SlowReceivers } from './nic/slow-receivers.js';
import { TurnTakingNic } from './nic/turn-taking-nic.js';
import { Windows } from './nic/windows.js';
import { PacketFates } from './packet-fates.js';
import { PacketNetwork } from './packet-network.js';
import { PacketPool } from './packets.js';
import { PairAlarms } from './pair-alarms.js';
import type { PacketParts } from './parts.js';
import type { Balancing, Transport } from './plug-ins.js';
import { Ports } from './ports.js';
import { MeteredPorts, PortCounters } from './probes/port-counters.js';
import { PortMeter } from './probes/port-meter.js';
import { countersFor, probesFor } from './probes/probes.js';
import { bothWatchers, SampleWatcher } from './probes/sample-watcher.js';
import { QueuePairs } from './queue-pairs.js';
import type { PacketSettings } from './settings.js';
import { SideColumns } from './side-columns.js';
import { isLossless } from './switch/headroom.js';
import { EcnMarking } from './switch/marking.js';
import { Nvswitches } from './switch/nvswitches.js';
import { PauseWatchdog } from './switch/pause-watchdog.js';
import { SharedBuffer } from './switch/shared-buffer.js';
import { InOrderDelivery } from './transport/in-order-delivery.js';
import { type SwitchParts, Switches } from './switch/switches.js';
import { Trimming } from './switch/trimming.js';
import { ToldTransport } from './told-transport.js';

export interface PacketNetworkRequest {
  /** with the forwarding latencies of the settings (fabric/forwarding-latency.ts) */
  readonly fabric: Fabric;
  readonly tracer: PathTracer;
  readonly settings: PacketSettings;
  readonly seed: number;
  /** a wheel of another width or size: never affects results */
  readonly wheel?: EventWheel;
  /** given if links change during the run; linkChanged and routesChanged say when */
  readonly links?: LinkStates;
  /** flows may be moved (Network.reroute) although no link changes; left out: only if links are given */
  readonly pathsMayChange?: boolean;
  /** somebody will ask for the rates of ports (Network.portRates) */
  readonly countsPorts?: boolean;
  /** senders with a rate of their own; left out: none has one */
  readonly paces?: SenderPaces;
  /** by node: hosts with a receive buffer that they drain slowly; left out: there are none */
  readonly receiveBuffers?: ReadonlyMap<number, ReceiveBuffer>;
  /** what the names in the settings mean; left out: Weft's own mechanisms */
  readonly catalogue?: Mechanisms;
  /** sees every arrival, for tests: packet, port it came in by */
  readonly onArrival?: (packet: number, port: number) => void;
  /** where probes and samples are written: needed if the settings ask for any */
  readonly sink?: RecordSink;
  /** whose a transfer is, by its number (sampling/packet-sampler.ts); left out: nobody's */
  readonly owners?: (transfer: number) => number;
}

/** Makes a network from a fabric, routes and settings. @throws InvariantError if they contradict each other */
export function makePacketNetwork(request: PacketNetworkRequest): PacketNetwork {
  const { tracer, settings, seed, wheel = new EventWheel(), catalogue = mechanisms } = request;
  const buffers = request.receiveBuffers ?? noReceiveBuffers;
  const fabric = withoutSlowLinks(request.fabric, buffers);
  if (!hasForwardingLatency(fabric, settings.switch)) fail('the fabric has not the latencies of the settings');
  const { records } = wheel;
  const alarms = new Alarms(wheel);
  const packets = new PacketPool(records);
  const pairs = new QueuePairs();
  const flows = new FlowTable({ pairs, clock: wheel });
  const links = request.links ?? new LinkStates(fabric);
  const probed = countersFor(settings.probes, fabric);
  const counted = probed ?? (request.countsPorts === true ? new PortCounters(fabric.portCount) : null);
  const portsParts = { fabric, wheel, alarms, gapBytes: settings.packet.gap, responsePs: settings.pfc.responseTime };
  const ports = counted === null ? new Ports(portsParts) : new MeteredPorts(portsParts, counted);
  let delays: LargestDelays | null = null;
  const largest = (): LargestDelays => (delays ??= largestDelays(tracer, settings.packet.payload));
  const parts: PacketParts = {
    fabric,
    tracer,
    settings,
    seed,
    clock: wheel,
    alarms,
    pairAlarms: new PairAlarms(alarms, pairs),
    records,
    packets,
    pairs,
    columns: new SideColumns(records, pairs),
    ports,
    buffer: new SharedBuffer(fabric, settings),
    flowOf: (pair) => flows.idOf(pair),
    links,
    pathsMayChange: request.pathsMayChange === true || request.links !== undefined,
    largestRttPs: () => largest().roundTripPs,
    largestBdpBytes: () => largest().bdpBytes,
  };
  const congestionMechanism = mechanismNamed(
    'congestion control',
    catalogue.congestionControls,
    settings.congestion.algorithm,
  );
  const telemetry = congestionMechanism.telemetry?.(parts) ?? null;
  const probes = probesFor({ ...parts, frontier: () => flows.frontier, sink: request.sink ?? null, counters: probed });
  flows.watch(probes);
  const control = new ControlPackets({ ...parts, telemetry });
  const fates = new PacketFates({ records, packets, pairs, control, counted, probe: probes?.losses ?? null });
  const flowControlNames = namesOfFlowControls(settings);
  const chosen = mechanismNamed('balancing', catalogue.balancers, settings.balancing).make({
    ...parts,
    control,
    signature: ~flowControlNames.length,
  });
  probes?.reorder?.use(chosen.reorder ?? null);
  const balancing = chosen.paths === 'fixed' ? chosen : new TakenPaths(parts, chosen, flows);
  const pacing = request.paces === undefined ? null : new SenderPacing(request.paces, pairs, settings);
  const sampling = samplingOf(parts, request);
  const watcher = bothWatchers(probes?.latency ?? null, sampling);
  const nic = new TurnTakingNic({ ...parts, balancing, telemetry, watcher, pacing, flowEnds: flows });
  const windows = new Windows(parts, pacing);
  const rates = new Rates({ pairs, ports, windows, nic });
  const congestion = congestionMechanism.make({ ...parts, telemetry, rates });
  const losses = mechanismNamed('loss model', catalogue.lossModels, settings.loss.model).make(parts);
  const mayLose =
    request.links !== undefined || losses.always === true || fabric.linkErrorRate.some((errorRate) => errorRate > 0);
  const paths = chosen.feedback ?? null;
  const switchesTrim = settings.switch.trimming && !isLossless(settings);
  const transportMechanism: TransportMechanism = mechanismNamed(
    'transport',
    catalogue.transports,
    settings.transport.algorithm,
  );
  const made: Transport = transportMechanism.make({
    ...parts,
    nic,
    congestion,
    rnicWatcher: probes?.rnic ?? null,
    mayLosePackets: mayLose || !isLossless(settings),
    switchesTrim,
    paths,
  });
  const told = paths === null ? made : new ToldTransport(records, made, paths);
  const inOrder =
    transportMechanism.inOrder === true && settings.reorder.buffer > 0 ? new InOrderDelivery(parts, told) : null;
  const transport: Transport = inOrder ?? told;
  const trimming =
    switchesTrim && made.readsTrimmed === true ? new Trimming(records, settings.switch.trimmedPacket) : null;
  probes?.losses?.use(made.labels ?? null, losses.seenAt === undefined ? null : (port) => losses.seenAt!(port));
  nic.use(transport);
  sampling?.use(nic);
  const devices = new Devices(fabric);
  const pauseWatcher = probes?.pauseTree ?? null;
  const hostPauses = new HostPauses(parts);
  const slowReceivers =
    buffers.size === 0
      ? null
      : new SlowReceivers({ ...parts, buffers, nic, owner: devices, signature: ~(flowControlNames.length + 1) });
  const flowControls = flowControlNames.map((name, index) =>
    mechanismNamed('flow control', catalogue.flowControls, name).make({
      ...parts,
      nic,
      control,
      owner: devices,
      signature: ~index,
      pauseWatcher,
      hostPauses,
    }),
  );
  checkCounters(transport, [...flowControls, chosen]);
  const owners = chosen.owner === undefined ? flowControls : [...flowControls, chosen.owner];
  fates.use(slowReceivers === null ? owners : [...flowControls, chosen.owner ?? slowReceivers, slowReceivers]);
  const flowControl = combined(slowReceivers === null ? flowControls : [...flowControls, slowReceivers]);
  const marking = new EcnMarking(fabric, settings, seed);
  const { watchdog: action } = settings.pfc;
  const watchdog =
    action === 'off' ? null : new PauseWatchdog({ ...parts, fates, flowControl, owner: devices }, action);
  const switchParts: SwitchParts = {
    ...parts,
    flowControl,
    marking,
    balancing,
    telemetry,
    fates,
    nic,
    counted,
    trimming,
    sampling,
    watchdog,
  };
  const switches = new Switches(switchParts);
  chosen.holding?.use(switches);
  flowControl.stops?.use(switches);
  devices.use(nic, switches, new Nvswitches(switchParts, switches));
  return new PacketNetwork({
    ...parts,
    wheel,
    flows,
    probes,
    sampler: sampling?.sampler ?? null,
    control,
    fates,
    balancing,
    nic,
    pacing,
    windows,
    rates,
    congestion,
    transport,
    trimming,
    inOrder,
    devices,
    flowControl,
    hostPauses,
    slowReceivers,
    watchdog,
    marking,
    hazards: mayLose ? new LinkHazards(links, ports, losses) : null,
    onArrival: request.onArrival ?? null,
    meter: request.countsPorts === true && counted !== null ? new PortMeter(counted) : null,
  });
}

/** What tells the sampler of packets, if the settings ask for samples; else null. */
function samplingOf(parts: PacketParts, { sink, owners }: PacketNetworkRequest): SampleWatcher | null {
  if (parts.settings.sampling.variant === 'off') return null;
  const sampler = samplerFor({
    ...parts,
    settings: parts.settings.sampling,
    routes: () => parts.tracer.routes,
    owners: owners ?? null,
    sink: sink ?? fail('samples without a sink'),
  });
  return sampler === null ? null : new SampleWatcher({ ...parts, sampler });
}

/** Links to hosts that drain a buffer of their own are as fast as they are built. */
function withoutSlowLinks(fabric: Fabric, buffers: ReadonlyMap<number, ReceiveBuffer>): Fabric {
  if (buffers.size === 0) return fabric;
  return withReceiveSpeed(
    fabric,
    fabric.nodeReceiveSpeed.map((speed, node) => (buffers.has(node) ? 1 : speed)),
  );
}

const noReceiveBuffers: ReadonlyMap<number, ReceiveBuffer> = new Map();

/** The flow controls at work: `pfc.enabled: false` takes PFC out of the list. */
function namesOfFlowControls({ flowControl, pfc }: PacketSettings): readonly string[] {
  return flowControl.filter((name) => name !== 'pfc' || pfc.enabled);
}

/** Counters have one owner each, but those of pauses, which several flow controls may make. */
function checkCounters(transport: Transport, others: readonly Pick<Balancing, 'counters'>[]): void {
  const own = new Set([...Object.keys(transport.counters), ...networkCounterNames]);
  for (const { counters = {} } of others)
    for (const name of Object.keys(counters))
      if (own.has(name)) fail(`a mechanism counts ${name}, which is not its own`);
}

const networkCounterNames = [
  'events',
  'packetHops',
  'packetsDropped',
  'packetsTrimmed',
  'packetsLost',
  'ecnMarks',
  'peakPacketsInFlight',
];
