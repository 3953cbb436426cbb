// The plug-ins by name, and the parts of the network that they are made from. Nothing registers itself by being
// imported.

import { fail } from '../../base/fail.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { PathTracer } from '../../routing/path.js';
import { RandomStream } from '../../base/random.js';
import { CompressedTelemetry } from './compressed-telemetry.js';
import { EcmpBalancing } from './balancing/ecmp.js';
import { HopByHopEcmp } from './balancing/ecmp-by-hop.js';
import { Dcqcn } from './congestion/dcqcn.js';
import { Dctcp } from './congestion/dctcp.js';
import { Hpcc } from './congestion/hpcc.js';
import { HpccPint } from './congestion/hpcc-pint.js';
import { NoCongestionControl } from './congestion/none.js';
import { Timely } from './congestion/timely.js';
import type { EventRecords } from './event-records.js';
import type { Clock, EventWheel } from './event-wheel.js';
import { PriorityFlowControl } from './flow-control/pfc.js';
import type { PacketPool } from './packets.js';
import type {
  Balancing,
  CongestionControl,
  FlowControl,
  PacketTelemetry,
  PauseWatcher,
  RateControl,
  Transport,
  TransportHost,
} from './plug-ins.js';
import type { Ports } from './ports.js';
import type { QueuePairs } from './queue-pairs.js';
import type { PacketSettings } from './settings.js';
import type { SharedBuffer } from './shared-buffer.js';
import { Telemetry } from './telemetry.js';
import { GoBackN } from './transport/go-back-n.js';

/** What every plug-in may build on. */
export interface PacketParts {
  readonly fabric: Fabric;
  readonly tracer: PathTracer;
  readonly settings: PacketSettings;
  readonly seed: number;
  readonly clock: Clock;
  readonly records: EventRecords;
  readonly packets: PacketPool;
  readonly pairs: QueuePairs;
  readonly ports: Ports;
  readonly buffer: SharedBuffer;
  /** null unless the congestion control wants it */
  readonly telemetry: PacketTelemetry | null;
  /** the largest base round trip of the fabric, in picoseconds; computed when asked for */
  readonly largestRttPs: () => number;
}

type Algorithm = PacketSettings['congestion']['algorithm'];

/** Congestion controls by their name in `congestion.algorithm`. */
export const congestionControls: Readonly<
  Record<Algorithm, (parts: PacketParts, control: RateControl) => CongestionControl>
> = {
  dcqcn: ({ settings, pairs, clock }, control) => new Dcqcn(settings, pairs, control, clock),
  dctcp: ({ settings, pairs, records }, control) => new Dctcp(settings, pairs, records, control),
  timely: ({ settings, pairs, records, telemetry, clock }, control) =>
    new Timely(settings, pairs, records, needed(telemetry, Telemetry), control, clock),
  hpcc: ({ settings, pairs, records, ports, telemetry, largestRttPs }, control) =>
    new Hpcc(settings, pairs, records, ports, needed(telemetry, Telemetry), control, largestRttPs()),
  'hpcc-pint': ({ settings, pairs, records, telemetry, seed }, control) =>
    new HpccPint(
      settings,
      pairs,
      records,
      needed(telemetry, CompressedTelemetry),
      new RandomStream(seed, 'pint'),
      control,
    ),
  none: () => new NoCongestionControl(),
};

type MakeTelemetry = (parts: Omit<PacketParts, 'telemetry'>) => PacketTelemetry;

const stamps: MakeTelemetry = ({ records, ports, tracer }) => new Telemetry(records, ports, tracer.maxLength);

/** What packets bring back to them beyond a mark; null: nothing. */
export const telemetries: Readonly<Record<Algorithm, MakeTelemetry | null>> = {
  dcqcn: null,
  dctcp: null,
  timely: stamps,
  hpcc: stamps,
  'hpcc-pint': ({ records, ports, settings, largestRttPs }) =>
    new CompressedTelemetry(records, ports, settings.pint.logBase, largestRttPs()),
  none: null,
};

function needed<T extends PacketTelemetry>(
  telemetry: PacketTelemetry | null,
  kind: abstract new (...parts: never[]) => T,
): T {
  return telemetry instanceof kind
    ? telemetry
    : fail(`a congestion control wants ${kind.name}, and the table of telemetries does not give it`);
}

export const transports = {
  'go-back-n': (
    { settings, pairs, packets, records, clock }: PacketParts,
    congestion: CongestionControl,
    host: TransportHost,
  ): Transport => new GoBackN(settings, pairs, packets, records, congestion, host, clock),
};

export const flowControls = {
  /** @param resumed called when a queue of a port may send again */
  pfc: (
    { fabric, settings, buffer, ports, packets, records }: PacketParts,
    wheel: EventWheel,
    watcher: PauseWatcher | null,
    resumed: (port: number) => void,
  ): FlowControl => new PriorityFlowControl(fabric, settings, buffer, ports, packets, records, wheel, watcher, resumed),
};

export const balancers = {
  ecmp: ({ tracer, pairs, records }: PacketParts): Balancing => new EcmpBalancing(tracer, pairs, records),
  /** the same choices, for routes that change during the run */
  'ecmp-by-hop': ({ tracer, pairs, records }: PacketParts): Balancing => new HopByHopEcmp(tracer, pairs, records),
};
