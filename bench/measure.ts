// One workload, measured in this process: CPU seconds of the simulation alone (fabric, routes and transfers are made
// before the clock starts), and those of making the routes.

import { makePacketNetwork } from '#weft/backends/packet/packet-network.js';
import { defaultPacketSettings, type PacketSettings } from '#weft/backends/packet/settings.js';
import { CountedPorts } from '#weft/execution/admission.js';
import { Executor } from '#weft/execution/executor.js';
import { Frontier } from '#weft/execution/frontier.js';
import type { RunState } from '#weft/execution/network.js';
import { CompletionTimes } from '#weft/measurement/completion.js';
import { EqualCostRoutes } from '#weft/routing/equal-cost.js';
import { mostQueuePairs } from '#weft/routing/nic-ports.js';
import { PathTracer } from '#weft/routing/path.js';
import type { Workload } from './workloads.js';

export interface Measurement {
  readonly name: string;
  readonly hosts: number;
  readonly packetHops: number;
  readonly events: number;
  readonly cpuSeconds: number;
  readonly packetHopsPerCpuSecond: number;
  /** making the routes: the next hops of every switch to every host */
  readonly routesCpuSeconds: number;
  readonly peakRssMb: number;
  readonly flows: number;
  readonly finishedFlows: number;
  readonly ecnMarks: number;
  readonly pauseFrames: number;
  readonly packetsDropped: number;
  readonly peakPacketsInFlight: number;
  readonly simulatedUs: number;
}

/**
 * sampled once in this time with every probe on: SimAI's interval for queue pairs; that of its queues and bandwidths is
 * 10 ms
 */
const probeIntervalPs = 100e6;

/** How a workload is run. */
export interface MeasureOptions {
  /** share of its packets; 1 is the whole workload */
  readonly scale: number;
  /** every probe on; else none */
  readonly probes: boolean;
}

function benchSettings({ probes }: MeasureOptions): PacketSettings {
  // packets as the reference prototype has them: 4096 B and headers of 52 B back to back, two priorities,
  // acknowledgements before data
  const settings = defaultPacketSettings('simai');
  const compared = {
    ...settings,
    packet: { ...settings.packet, payload: 4096 },
    queuePair: { ...settings.queuePair, acknowledgementPriority: 0 },
  };
  if (!probes) return compared;
  const intervals = {
    queueInterval: probeIntervalPs,
    bandwidthInterval: probeIntervalPs,
    rateInterval: probeIntervalPs,
    notificationInterval: probeIntervalPs,
  };
  return {
    ...compared,
    probes: {
      ...settings.probes,
      ...intervals,
      packetLatency: true,
      pfcEvents: true,
      pauses: true,
      portCounters: true,
    },
  };
}

/**
 * Runs a workload to its end, as often as it asks for.
 * @throws Error if a self-check of a run fails
 */
export function measure(workload: Workload, options: MeasureOptions): Measurement {
  let measured = measureOnce(workload, options);
  for (let run = 1; run < (options.scale === 1 ? (workload.repeats ?? 1) : 1); run++)
    measured = together(measured, measureOnce(workload, options));
  return measured;
}

/** Two runs of the same workload as one: work and time add up. */
function together(a: Measurement, b: Measurement): Measurement {
  const packetHops = a.packetHops + b.packetHops;
  const cpuSeconds = a.cpuSeconds + b.cpuSeconds;
  return {
    ...b,
    packetHops,
    events: a.events + b.events,
    cpuSeconds,
    packetHopsPerCpuSecond: Math.round(packetHops / cpuSeconds),
    routesCpuSeconds: Math.min(a.routesCpuSeconds, b.routesCpuSeconds),
  };
}

function measureOnce(workload: Workload, options: MeasureOptions): Measurement {
  const fabric = workload.fabric();
  const source = workload.transfers(fabric.hosts.length, options.scale);
  const settings = benchSettings(options);
  const sink = { full: false, put: () => {}, drain: () => Promise.resolve() };
  const routesStart = process.cpuUsage();
  const routes = new EqualCostRoutes(fabric, 'descending-node-id');
  const routesCpuSeconds = secondsSince(routesStart);
  const tracer = new PathTracer(routes);
  const network = makePacketNetwork({ fabric, tracer, settings, seed: 1, sink });
  const frontier = new Frontier();
  const executor = new Executor({
    tracer,
    source,
    network,
    frontier,
    admission: new CountedPorts(frontier, fabric.nodeCount),
    sink,
    completions: new CompletionTimes(),
    sendLatencyPs: 0,
    queuePairsPerFlow: mostQueuePairs(null, settings.queuePair),
    payloadBytes: settings.packet.payload,
    overheadBytes: settings.packet.header + settings.packet.gap,
  });
  const start = process.cpuUsage();
  let state: RunState = 'running';
  while (state === 'running') state = executor.advance(100_000);
  executor.close();
  const cpuSeconds = secondsSince(start);
  for (const verdict of executor.verdicts(state))
    if (!verdict.ok) throw new Error(`${workload.name}: ${verdict.name}: ${verdict.detail}`);
  const { packetHops, events, ecnMarks, pauseFrames, packetsDropped, peakPacketsInFlight } = network.counters;
  return {
    name: workload.name,
    hosts: fabric.hosts.length,
    packetHops,
    events,
    cpuSeconds,
    packetHopsPerCpuSecond: Math.round(packetHops / cpuSeconds),
    routesCpuSeconds,
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    flows: executor.started,
    finishedFlows: executor.finishedCount,
    ecnMarks,
    pauseFrames,
    packetsDropped,
    peakPacketsInFlight,
    simulatedUs: executor.lastFinishPs / 1e6,
  };
}

function secondsSince(start: NodeJS.CpuUsage): number {
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e6;
}
