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
import { type LargestDelays, largestDelays } from '../../routing/base-delay.js';
import type { NetworkParts } from '../backend.js';
import { samplerFor } from '../../sampling/packet-sampler.js';
import { PortPoller } from '../polling/port-poller.js';
import { TakenPaths } from './balancing/taken-paths.js';
import { ControlPackets } from './control-packets.js';
import { Devices } from './devices.js';
import { combined } from './flow-control/several.js';
import { FlowTable } from './flow-table.js';
import { HostPauses } from './host-pauses.js';
import { type Mechanisms, mechanismNamed, mechanisms } from './mechanisms.js';
import { Rates } from './nic/rates.js';
import { SenderPacing } from './nic/sender-pacing.js';
import { SlowReceivers } from './nic/slow-receivers.js';
import { TurnTakingNic } from './nic/turn-taking-nic.js';
import { Windows } from './nic/windows.js';
import { PacketFates } from './packet-fates.js';
import { PacketPool } from './packets.js';
import { PairAlarms } from './pair-alarms.js';
import type { PacketParts } from './parts.js';
import type { Balancing, Transport } from './plug-ins.js';
import { Ports } from './ports.js';
import { PolledPorts } from './probes/polled-ports.js';
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

/** What a packet network is made from. */
export interface PacketNetworkRequest
  extends
    Pick<NetworkParts, 'fabric' | 'tracer' | 'seed'>,
    Partial<Pick<NetworkParts, 'links' | 'pathsMayChange' | 'countsPorts' | 'paces' | 'describe' | 'sink'>> {
  readonly settings: PacketSettings;
  /** a wheel of another width or size: never affects results */
  readonly wheel?: EventWheel;
  /** what the names in the settings mean; left out: Weft's own mechanisms */
  readonly catalogue?: Mechanisms;
  /** sees every arrival, for tests: packet, port it came in by */
  readonly onArrival?: (packet: number, port: number) => void;
}

/** Makes the parts of a network, by name. @throws InvariantError if fabric, routes and settings contradict each other */
export function makeParts(request: PacketNetworkRequest) {
  const entries = entriesOf(request.settings, request.catalogue ?? mechanisms);
  const base = makeBase(request);
  const watching = makeWatchers(base, request, entries);
  const sending = makeSenders(base, watching, request, entries);
  const receiving = makeTransport(base, watching, sending, request, entries);
  const holding = makeFlowControls(base, watching, sending, receiving, entries);
  const switching = makeSwitches(base, watching, sending, receiving, holding);
  const { counted, polled, fabric } = base;
  return {
    ...base,
    ...watching,
    ...sending,
    ...receiving,
    ...holding,
    ...switching,
    /** null: packets carry no samples */
    sampler: sending.sampling?.sampler ?? null,
    /** sees every arrival; null: nobody */
    onArrival: onArrivalOf(request, polled),
    /** null: nobody polls counters */
    poller:
      polled === null
        ? null
        : new PortPoller({
            fabric,
            settings: request.settings.polling,
            ports: polled,
            sink: request.sink ?? fail('polled counters without a sink'),
          }),
    /** null: nobody asks for the rates of ports */
    meter: request.countsPorts === true && counted !== null ? new PortMeter(counted) : null,
  };
}

/** The parts: the loop works with them, checks and probes look at them. Each of the functions below makes some. */
export type PacketNetworkParts = ReturnType<typeof makeParts>;

/** The mechanisms that the settings choose. */
function entriesOf(settings: PacketSettings, catalogue: Mechanisms) {
  // `pfc.enabled: false` takes PFC out of the list
  const controlling = settings.flowControl.filter((name) => name !== 'pfc' || settings.pfc.enabled);
  return {
    congestion: mechanismNamed('congestion control', catalogue.congestionControls, settings.congestion.algorithm),
    balancing: mechanismNamed('balancing', catalogue.balancers, settings.balancing),
    losses: mechanismNamed('loss model', catalogue.lossModels, settings.loss.model),
    transport: mechanismNamed('transport', catalogue.transports, settings.transport.algorithm),
    flowControls: controlling.map((name) => mechanismNamed('flow control', catalogue.flowControls, name)),
  };
}
type Entries = ReturnType<typeof entriesOf>;

/** What every mechanism may build on. */
function makeBase(request: PacketNetworkRequest) {
  const { tracer, settings, seed, wheel = new EventWheel() } = request;
  const fabric = withoutSlowLinks(request.fabric, settings);
  if (!hasForwardingLatency(fabric, settings.switch)) fail('the fabric has not the latencies of the settings');
  const { records } = wheel;
  const alarms = new Alarms(wheel);
  const pairs = new QueuePairs();
  const flows = new FlowTable({ pairs, clock: wheel });
  const links = request.links ?? null;
  const probed = countersFor(settings.probes, fabric);
  const isPolled = settings.polling.interval > 0;
  const counted = probed ?? (request.countsPorts === true || isPolled ? new PortCounters(fabric.portCount) : null);
  const portsParts = { fabric, wheel, alarms, gapBytes: settings.packet.gap, responsePs: settings.pfc.responseTime };
  const polled = counted !== null && isPolled ? new PolledPorts(portsParts, counted, settings) : null;
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
    packets: new PacketPool(records),
    pairs,
    columns: new SideColumns(records, pairs),
    ports: polled ?? (counted === null ? new Ports(portsParts) : new MeteredPorts(portsParts, counted)),
    buffer: new SharedBuffer(fabric, settings),
    flowOf: (pair) => flows.idOf(pair),
    links: links ?? new LinkStates(fabric),
    pathsMayChange: request.pathsMayChange === true || links !== null,
    largestRttPs: () => largest().roundTripPs,
    largestBdpBytes: () => largest().bdpBytes,
  };
  return { ...parts, wheel, flows, probed, counted, polled };
}
type Base = ReturnType<typeof makeBase>;

/** What looks at packets, and where those go that do not arrive. */
function makeWatchers(base: Base, request: PacketNetworkRequest, { congestion }: Entries) {
  const { flows, probed: counters } = base;
  const telemetry = congestion.telemetry?.(base) ?? null;
  const probes = probesFor({ ...base, frontier: () => flows.frontier, sink: request.sink ?? null, counters });
  flows.watch(probes);
  const control = new ControlPackets({ ...base, telemetry });
  return { telemetry, probes, control, fates: new PacketFates({ ...base, control, probe: probes?.losses ?? null }) };
}
type Watching = ReturnType<typeof makeWatchers>;

/** The ways of packets, and who sends them how fast. */
function makeSenders(base: Base, watching: Watching, request: PacketNetworkRequest, entries: Entries) {
  const { probes, telemetry, control } = watching;
  const { flows, pairs } = base;
  const chosen = entries.balancing.make({ ...base, control, signature: ~entries.flowControls.length });
  probes?.reorder?.use(chosen.reorder ?? null);
  const balancing = chosen.paths === 'fixed' ? chosen : new TakenPaths(base, chosen, flows);
  const { paces = null } = request;
  const pacing = paces === null ? null : new SenderPacing(paces, pairs, base.settings);
  const sampling = samplingOf(base, request);
  const watcher = bothWatchers(probes?.latency ?? null, sampling);
  const nic = new TurnTakingNic({ ...base, balancing, telemetry, watcher, pacing, flowEnds: flows });
  base.polled?.useNic(nic);
  const windows = new Windows(base, pacing);
  const rates = new Rates({ ...base, windows, nic });
  const congestion = entries.congestion.make({ ...base, telemetry, rates });
  return { chosen, balancing, pacing, sampling, nic, windows, rates, congestion };
}
type Sending = ReturnType<typeof makeSenders>;

/** What makes sending reliable, and what loses packets. */
function makeTransport(
  base: Base,
  { probes }: Watching,
  { chosen, nic, congestion, sampling }: Sending,
  request: PacketNetworkRequest,
  entries: Entries,
) {
  const { fabric, settings, records, links, ports } = base;
  const losses = entries.losses.make(base);
  const linksFail = (request.links ?? null) !== null;
  const mayLose = linksFail || losses.always === true || fabric.linkErrorRate.some((errorRate) => errorRate > 0);
  const paths = chosen.feedback ?? null;
  const switchesTrim = settings.switch.trimming && !isLossless(settings);
  const made = entries.transport.make({
    ...base,
    nic,
    congestion,
    rnicWatcher: probes?.rnic ?? null,
    mayLosePackets: mayLose || !isLossless(settings),
    switchesTrim,
    paths,
  });
  const told = paths === null ? made : new ToldTransport(records, made, paths);
  const isBuffered = entries.transport.inOrder === true && settings.reorder.buffer > 0;
  const inOrder = isBuffered ? new InOrderDelivery(base, told) : null;
  const transport: Transport = inOrder ?? told;
  const trims = switchesTrim && made.readsTrimmed === true;
  probes?.losses?.use(made.labels ?? null, losses.seenAt === undefined ? null : (port) => losses.seenAt!(port));
  nic.use(transport);
  sampling?.use(nic);
  return {
    transport,
    inOrder,
    trimming: trims ? new Trimming(records, settings.switch.trimmedPacket) : null,
    /** null: every packet that is sent arrives */
    hazards: mayLose ? new LinkHazards(links, ports, losses) : null,
  };
}
type Receiving = ReturnType<typeof makeTransport>;

/** Who holds senders back, as one. */
function makeFlowControls(
  base: Base,
  { probes, control, fates }: Watching,
  { chosen, nic }: Sending,
  { transport }: Receiving,
  entries: Entries,
) {
  const { fabric, settings } = base;
  const devices = new Devices(fabric);
  const pauseWatcher = probes?.pauseTree ?? null;
  const hostPauses = new HostPauses(base);
  const signature = ~(entries.flowControls.length + 1);
  const slowReceivers =
    settings.receiveBuffers.size === 0 ? null : new SlowReceivers({ ...base, nic, owner: devices, signature });
  const flowControls = entries.flowControls.map((entry, index) =>
    entry.make({ ...base, nic, control, owner: devices, signature: ~index, pauseWatcher, hostPauses }),
  );
  checkCounters(transport, [...flowControls, chosen]);
  const owners = chosen.owner === undefined ? flowControls : [...flowControls, chosen.owner];
  fates.use(slowReceivers === null ? owners : [...flowControls, chosen.owner ?? slowReceivers, slowReceivers]);
  const flowControl = combined(slowReceivers === null ? flowControls : [...flowControls, slowReceivers]);
  return { devices, hostPauses, slowReceivers, flowControl };
}
type Holding = ReturnType<typeof makeFlowControls>;

/** The switches, and who owns which port. */
function makeSwitches(base: Base, watching: Watching, sending: Sending, receiving: Receiving, holding: Holding) {
  const { fabric, settings, seed } = base;
  const { devices, flowControl } = holding;
  const { nic, chosen } = sending;
  const marking = new EcnMarking(fabric, settings, seed);
  const { watchdog: action } = settings.pfc;
  const watchdog =
    action === 'off' ? null : new PauseWatchdog({ ...base, ...watching, flowControl, owner: devices }, action);
  const parts: SwitchParts = { ...base, ...watching, ...sending, ...receiving, flowControl, marking, watchdog };
  const switches = new Switches(parts);
  chosen.holding?.use(switches);
  flowControl.stops?.use(switches);
  devices.use(nic, switches, new Nvswitches(parts, switches));
  return { marking, watchdog };
}

/** Who sees what arrives: polled counters, and tests. */
function onArrivalOf({ onArrival }: PacketNetworkRequest, polled: PolledPorts | null) {
  if (polled === null) return onArrival ?? null;
  return (packet: number, port: number): void => {
    polled.arrived(packet, port);
    onArrival?.(packet, port);
  };
}

/** What tells the sampler of packets, if the settings ask for samples; else null. */
function samplingOf(parts: PacketParts, { sink, describe = null }: PacketNetworkRequest): SampleWatcher | null {
  if (parts.settings.sampling.variant === 'off') return null;
  const sampler = samplerFor({
    ...parts,
    settings: parts.settings.sampling,
    routes: () => parts.tracer.routes,
    describe,
    sink: sink ?? fail('samples without a sink'),
  });
  return sampler === null ? null : new SampleWatcher({ ...parts, sampler });
}

/** Links to hosts that drain a buffer of their own are as fast as they are built. */
function withoutSlowLinks(fabric: Fabric, { receiveBuffers: buffers }: PacketSettings): Fabric {
  if (buffers.size === 0) return fabric;
  return withReceiveSpeed(
    fabric,
    fabric.nodeReceiveSpeed.map((speed, node) => (buffers.has(node) ? 1 : speed)),
  );
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
