// The probes of a run: which of them its settings ask for, what they are told, and what they leave at the end.
// Invariant: a probe reads and never changes anything; a run gives the same flows with and without probes. Memory: one
// batch of each table, a few numbers for each port, queue pair and packet in flight. Rows go to the sink at once; while
// it is full the network takes no further sample, so what waits is at most the rows of one sample and of one slice of
// events.

import type { ProbeSummary } from '../../../execution/network-figures.js';
import { fail } from '../../../base/fail.js';
import type { Fabric } from '../../../fabric/fabric.js';
import {
  bandwidthTable,
  latencyHistogramTable,
  notificationTable,
  packetLatencyTable,
  pauseTable,
  pfcEventTable,
  portCounterTable,
  queueTable,
  rateTable,
  reorderTable,
} from '../../../records/probe-records.js';
import {
  adamapCacheTable,
  adamapEventTable,
  memoryUsageTable,
  rnicDmaOperationTable,
  rnicDmaStatisticsTable,
} from '../../../records/rnic-records.js';
import { packetLossTable } from '../../../records/loss-records.js';
import type { RecordSink, TableSchema, TableWriter } from '../../../records/schema.js';
import type { EventRecords } from '../../../engine/event-records.js';
import type { PacketGroup } from '../settings.js';
import { BandwidthProbe } from './bandwidth-probe.js';
import { LossProbe } from './loss-probe.js';
import { NotificationProbe } from './notification-probe.js';
import { PacketLatency } from './packet-latency.js';
import { PauseRows } from './pause-rows.js';
import { PauseTree } from './pause-tree.js';
import { PfcProbe } from './pfc-probe.js';
import { PortCounterRows } from './port-counter-rows.js';
import { PortCounters } from './port-counters.js';
import type { ProbeParts } from './probe-parts.js';
import { QueueProbe } from './queue-probe.js';
import { RateProbe } from './rate-probe.js';
import { ReorderProbe } from './reorder-probe.js';
import { RnicProbe } from './rnic-probe.js';
import { type SampledProbe, Sampling } from './sampling.js';

type ProbeSettings = PacketGroup<'probes'>;

/** The tables that the settings ask for, in the order of the documentation. */
export function probeTables(probes: ProbeSettings): TableSchema[] {
  return [
    ...(probes.queueInterval > 0 ? [queueTable] : []),
    ...(probes.bandwidthInterval > 0 ? [bandwidthTable] : []),
    ...(probes.reorderInterval > 0 ? [reorderTable] : []),
    ...(probes.rateInterval > 0 ? [rateTable] : []),
    ...(probes.notificationInterval > 0 ? [notificationTable] : []),
    ...(probes.packetLatency ? [packetLatencyTable, latencyHistogramTable] : []),
    ...(probes.pfcEvents ? [pfcEventTable] : []),
    ...(probes.pauses ? [pauseTable] : []),
    ...(probes.portCounters ? [portCounterTable] : []),
    ...(probes.packetLosses ? [packetLossTable] : []),
    ...rnicTables(probes),
  ];
}

/** Those about RNICs. */
function rnicTables(probes: ProbeSettings): TableSchema[] {
  return [
    ...(probes.rnicDmaOps ? [rnicDmaOperationTable] : []),
    ...(probes.rnicDmaStats ? [rnicDmaStatisticsTable] : []),
    ...(probes.memoryUsage ? [memoryUsageTable] : []),
    ...(probes.adamapCache ? [adamapCacheTable] : []),
    ...(probes.adamapEvents ? [adamapEventTable] : []),
  ];
}

/** Counters of all ports if a probe needs them, else null. */
export function countersFor({ bandwidthInterval, portCounters }: ProbeSettings, fabric: Fabric): PortCounters | null {
  return bandwidthInterval > 0 || portCounters ? new PortCounters(fabric.portCount) : null;
}

export interface ProbeWiring extends Omit<ProbeParts, 'sink'> {
  readonly records: EventRecords;
  readonly counters: PortCounters | null;
  readonly sink: RecordSink | null;
}

/** The probes that the settings ask for; null if they ask for none. */
export function probesFor(wiring: ProbeWiring): Probes | null {
  if (probeTables(wiring.settings.probes).length === 0) return null;
  const { sink } = wiring;
  return sink === null ? fail('probes without a sink') : new Probes({ ...wiring, sink });
}

export class Probes {
  /** packets at both ends of their way are its business; null: nobody's */
  readonly latency: PacketLatency | null;
  /** PFC frames that arrive are its business; null: nobody's */
  readonly frames: PfcProbe | null;
  /** what pauses what is its business; null: nobody's */
  readonly pauseTree: PauseTree | null;
  /** packets that do not arrive are its business; null: nobody's */
  readonly losses: LossProbe | null;
  /** what RNICs keep and move is its business; null: nobody's */
  readonly rnic: RnicProbe | null;
  private readonly sink: RecordSink;
  private readonly sampling: Sampling;
  /** queues in which balancing puts packets in order are its business; null: nobody's */
  readonly reorder: ReorderProbe | null;
  private readonly rates: RateProbe | null;
  private readonly notifications: NotificationProbe | null;
  private readonly pauses: PauseRows | null;
  private readonly portCounters: PortCounterRows | null;
  private readonly tables: readonly TableWriter[];

  constructor(parts: ProbeParts & ProbeWiring) {
    const {
      records,
      counters,
      sink,
      settings: { probes: settings },
    } = parts;
    const window = { startPs: settings.start, endPs: settings.end === 0 ? Infinity : settings.end };
    this.sink = sink;
    this.reorder = settings.reorderInterval > 0 ? new ReorderProbe(parts) : null;
    this.rates = settings.rateInterval > 0 ? new RateProbe(parts) : null;
    this.notifications = settings.notificationInterval > 0 ? new NotificationProbe(parts, window) : null;
    const sampled: ((SampledProbe & { readonly table: TableWriter }) | null)[] = [
      settings.queueInterval > 0 ? new QueueProbe(parts) : null,
      settings.bandwidthInterval > 0 && counters !== null ? new BandwidthProbe(parts, counters) : null,
      this.reorder,
      this.rates,
      this.notifications,
    ];
    this.rnic = rnicTables(settings).length > 0 ? new RnicProbe(parts, window) : null;
    this.sampling = new Sampling(
      [...sampled, this.rnic?.isSampled === true ? this.rnic : null].filter((probe) => probe !== null),
      window,
    );
    this.latency = settings.packetLatency ? new PacketLatency(parts, records, window) : null;
    this.frames = settings.pfcEvents || counters !== null ? new PfcProbe(parts, records, counters) : null;
    this.pauseTree = settings.pauses ? new PauseTree(parts.fabric.portCount) : null;
    this.pauses = this.pauseTree === null ? null : new PauseRows(parts, this.pauseTree);
    this.portCounters = settings.portCounters && counters !== null ? new PortCounterRows(parts, counters) : null;
    this.losses = settings.packetLosses ? new LossProbe(parts, records) : null;
    this.tables = [
      ...sampled.map((probe) => probe?.table ?? null),
      ...(this.latency?.tables ?? []),
      this.frames?.table ?? null,
      this.pauses?.table ?? null,
      this.portCounters?.table ?? null,
      this.losses?.table ?? null,
      ...(this.rnic?.tables ?? []),
    ].filter((table) => table !== null);
  }

  /** True if no more should be recorded before the sink has drained. */
  get isFull(): boolean {
    return this.sink.full;
  }

  /**
   * Takes the samples that are due before anything happens at a time.
   * @returns when the next is due, Infinity if none will be
   */
  sampleUntil(nowPs: number): number {
    return this.sampling.catchUp(nowPs);
  }

  /** A flow is about to end; its queue pair and slot are still its own. */
  flowFinished(pair: number): void {
    this.rates?.finished(pair);
    this.notifications?.finished(pair);
    this.latency?.finished(pair);
    this.rnic?.finished(pair);
  }

  /** The run has ended: the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.sampling.finish(nowPs);
    this.latency?.finish();
    this.pauses?.finish(nowPs);
    this.portCounters?.finish();
    for (const table of this.tables) table.flush();
  }

  /** What was recorded so far. */
  summary(): ProbeSummary {
    return {
      tables: this.tables.map(({ schema, total }) => ({ name: schema.name, rows: total })),
      latency: this.latency?.statistics() ?? null,
      pauses: this.pauses?.causes() ?? null,
      sampling: null,
    };
  }
}
