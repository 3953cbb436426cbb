// The probes of a run: which of them its settings ask for, when they look, and what they leave at the end.
// Invariant: a probe reads and never changes anything; a run gives the same flows with and without probes.
// Memory: one batch of each table, a few numbers for each port and queue pair. Rows go to the sink at once; while it is full the network
// takes no further sample, so what waits is at most the rows of one sample and of one slice of events.

import type { TableSchema, TableWriter } from '../../../records/schema.js';
import { bandwidthTable, queueTable, rateTable } from '../../../records/probe-records.js';
import type { PacketGroup } from '../settings.js';
import { BandwidthProbe } from './bandwidth-probe.js';
import type { PortCounters } from './port-counters.js';
import type { ProbeParts } from './probe-parts.js';
import { QueueProbe } from './queue-probe.js';
import { RateProbe } from './rate-probe.js';
import { type SampledProbe, Sampling } from './sampling.js';

type ProbeSettings = PacketGroup<'probes'>;

/** The tables that the settings ask for, in the order of the documentation. */
export function probeTables(probes: ProbeSettings): TableSchema[] {
  return [
    ...(probes.queueInterval > 0 ? [queueTable] : []),
    ...(probes.bandwidthInterval > 0 ? [bandwidthTable] : []),
    ...(probes.rateInterval > 0 ? [rateTable] : []),
  ];
}

/** Whether the settings need what ports sent to be counted. */
export function needsCounters({ bandwidthInterval }: ProbeSettings): boolean {
  return bandwidthInterval > 0;
}

/** How many rows a table of the probes got. */
export interface ProbeTableRows {
  readonly name: string;
  readonly rows: number;
}

/** What the probes of a run recorded. */
export interface ProbeSummary {
  readonly tables: readonly ProbeTableRows[];
}

export class Probes {
  private readonly sampling: Sampling;
  private readonly rates: RateProbe | null;
  private readonly tables: readonly TableWriter[];

  /** @param counters what the ports count; needed if `needsCounters` */
  constructor(
    private readonly parts: ProbeParts,
    counters: PortCounters | null,
  ) {
    const { probes: settings } = parts.settings;
    const sampled: (SampledProbe & { readonly table: TableWriter })[] = [];
    if (settings.queueInterval > 0) sampled.push(new QueueProbe(parts));
    if (settings.bandwidthInterval > 0 && counters !== null) sampled.push(new BandwidthProbe(parts, counters));
    this.rates = settings.rateInterval > 0 ? new RateProbe(parts) : null;
    if (this.rates !== null) sampled.push(this.rates);
    this.sampling = new Sampling(sampled, settings.start, settings.end === 0 ? Infinity : settings.end);
    this.tables = sampled.map(({ table }) => table);
  }

  /** True if no more should be recorded before the sink has drained. */
  get isFull(): boolean {
    return this.parts.sink.full;
  }

  /** Takes the samples that are due before anything happens at a time. @returns when the next is due, Infinity if none will be */
  sampleUntil(nowPs: number): number {
    return this.sampling.catchUp(nowPs);
  }

  /** A flow is about to end; its queue pair and slot are still its own. */
  flowFinished(pair: number): void {
    this.rates?.finished(pair);
  }

  /** The run has ended: the last rows go out. Call it once. */
  finish(nowPs: number): void {
    this.sampling.finish(nowPs);
    for (const table of this.tables) table.flush();
  }

  /** What was recorded so far. */
  summary(): ProbeSummary {
    return { tables: this.tables.map(({ schema, total }) => ({ name: schema.name, rows: total })) };
  }
}
