// What RNICs keep in host memory and move there: a row for each DMA operation, for what happens to adamaps, and for the
// caches of each flow at its end; samples of each host's DMA and of what it keeps.
// Invariant: a host has a row in a sample if anything is other than in its last one, or operations are under way.

import { grown } from '../../../base/columns.js';
import {
  AdamapCacheColumn,
  adamapCacheTable,
  AdamapEventColumn,
  adamapEventTable,
  adamapWords,
  MemoryUsageColumn,
  memoryUsageTable,
  RnicDmaOperationColumn,
  rnicDmaOperationTable,
  RnicDmaStatisticsColumn,
  rnicDmaStatisticsTable,
} from '../../../records/rnic-records.js';
import { TableWriter } from '../../../records/schema.js';
import { DmaOperation, type DmaSubmission } from '../nic/rnic-dma.js';
import {
  type AdamapColumns,
  AdamapEvent,
  type AdamapEvents,
  type RnicState,
  type RnicWatcher,
} from '../nic/rnic-watcher.js';
import type { ProbeParts } from './probe-parts.js';
import type { SampledProbe, TimeWindow } from './sampling.js';

/** The operations of a host of one direction that are not done, in order. */
class Pending {
  private donePs = new Float64Array(16);
  private bytes = new Float64Array(16);
  private first = 0;
  private end = 0;

  add(donePs: number, bytes: number): void {
    if (this.end === this.donePs.length) {
      if (this.first > this.end / 2) {
        this.donePs.copyWithin(0, this.first, this.end);
        this.bytes.copyWithin(0, this.first, this.end);
        this.end -= this.first;
        this.first = 0;
      } else {
        this.donePs = grown(this.donePs, 2 * this.end);
        this.bytes = grown(this.bytes, 2 * this.end);
      }
    }
    this.donePs[this.end] = donePs;
    this.bytes[this.end++] = bytes;
  }

  /** Tells of those that are done by a time, and forgets them. */
  settle(nowPs: number, done: (bytes: number) => void): void {
    for (; this.first < this.end && this.donePs[this.first]! <= nowPs; this.first++) done(this.bytes[this.first]!);
  }

  get lastPs(): number {
    return this.first < this.end ? this.donePs[this.end - 1]! : 0;
  }
}

/** The DMA of one host. */
class HostDma {
  submitted = 0;
  completed = 0;
  submittedBytes = 0;
  completedBytes = 0;
  reads = 0;
  waitPs = 0;
  maximumWaitPs = 0;
  maximumDepth = 0;
  /** submitted and completed at its last row */
  seen = '';
  readonly pending = [new Pending(), new Pending()] as const;

  settle(nowPs: number): void {
    for (const queue of this.pending)
      queue.settle(nowPs, (bytes) => {
        this.completed++;
        this.completedBytes += bytes;
      });
  }

  get depth(): number {
    return this.submitted - this.completed;
  }
}

export class RnicProbe implements RnicWatcher, SampledProbe {
  readonly operations: RnicWatcher['operations'];
  readonly events: AdamapEvents | null;
  readonly intervalPs: number;
  readonly tables: readonly TableWriter[];
  private readonly operationRows: TableWriter | null;
  private readonly statisticsRows: TableWriter | null;
  private readonly memoryRows: TableWriter | null;
  private readonly cacheRows: TableWriter | null;
  private readonly eventRows: TableWriter | null;
  private readonly hosts = new Map<number, HostDma>();
  /** entries of lists and tables of each node: now, and at its last row */
  private readonly kept: Float64Array;
  private readonly keptBefore: Float64Array;
  private state: RnicState | null = null;

  constructor(
    private readonly parts: ProbeParts,
    private readonly window: TimeWindow,
  ) {
    const { sink, fabric } = parts;
    const { probes } = parts.settings;
    this.intervalPs = probes.rnicInterval;
    this.operationRows = probes.rnicDmaOps ? new TableWriter(rnicDmaOperationTable, sink) : null;
    this.statisticsRows = probes.rnicDmaStats ? new TableWriter(rnicDmaStatisticsTable, sink) : null;
    this.memoryRows = probes.memoryUsage ? new TableWriter(memoryUsageTable, sink) : null;
    this.cacheRows = probes.adamapCache ? new TableWriter(adamapCacheTable, sink) : null;
    this.eventRows = probes.adamapEvents ? new TableWriter(adamapEventTable, sink) : null;
    this.tables = [this.operationRows, this.statisticsRows, this.memoryRows, this.cacheRows, this.eventRows].filter(
      (table) => table !== null,
    );
    this.kept = new Float64Array(2 * fabric.nodeCount);
    this.keptBefore = new Float64Array(2 * fabric.nodeCount);
    const wantsOperations = probes.rnicDmaOps || probes.rnicDmaStats;
    this.operations = wantsOperations ? { submitted: (submission) => this.submitted(submission) } : null;
    this.events = probes.adamapEvents
      ? { happened: (event, pair, maps, map) => this.happened(event, pair, maps, map) }
      : null;
  }

  /** Whether anything is to be looked at in regular samples. */
  get isSampled(): boolean {
    return this.statisticsRows !== null || this.memoryRows !== null;
  }

  observe(state: RnicState): void {
    this.state = state;
  }

  sample(timePs: number): boolean {
    if (this.memoryRows !== null) this.sampleMemory(timePs, this.memoryRows);
    return this.statisticsRows !== null && this.sampleDma(timePs, this.statisticsRows);
  }

  /** A flow ends: the number of its queue pair will be another's. */
  finished(pair: number): void {
    const caches = this.state?.caches ?? null;
    if (this.cacheRows === null || caches === null) return;
    const { columns, rows } = this.cacheRows;
    const { pairs } = this.parts;
    columns[AdamapCacheColumn.source]![rows] = pairs.source[pair]!;
    columns[AdamapCacheColumn.destination]![rows] = pairs.destination[pair]!;
    columns[AdamapCacheColumn.flow]![rows] = this.flowOf(pair);
    columns[AdamapCacheColumn.listLooks]![rows] = caches.listLooks.values[pair]!;
    columns[AdamapCacheColumn.listHits]![rows] = caches.listHits.values[pair]!;
    columns[AdamapCacheColumn.tableLooks]![rows] = caches.tableLooks.values[pair]!;
    columns[AdamapCacheColumn.tableHits]![rows] = caches.tableHits.values[pair]!;
    this.cacheRows.commit();
  }

  private submitted({ host, pair, operation, bytes, waitPs, servicePs, donePs }: DmaSubmission): void {
    const { nowPs } = this.parts.clock;
    const dma = this.hostOf(host);
    const isWrite = operation <= DmaOperation.listToTable;
    dma.settle(nowPs);
    dma.submitted++;
    dma.submittedBytes += bytes;
    if (!isWrite) dma.reads++;
    dma.waitPs += waitPs;
    dma.maximumWaitPs = Math.max(dma.maximumWaitPs, waitPs);
    dma.maximumDepth = Math.max(dma.maximumDepth, dma.depth);
    dma.pending[isWrite ? 1 : 0].add(donePs, bytes);
    if (this.operationRows === null || !this.isInWindow(nowPs)) return;
    const { columns, rows } = this.operationRows;
    columns[RnicDmaOperationColumn.time]![rows] = nowPs;
    columns[RnicDmaOperationColumn.host]![rows] = host;
    columns[RnicDmaOperationColumn.flow]![rows] = this.flowOf(pair);
    columns[RnicDmaOperationColumn.operation]![rows] = operation;
    columns[RnicDmaOperationColumn.bytes]![rows] = bytes;
    columns[RnicDmaOperationColumn.wait]![rows] = waitPs;
    columns[RnicDmaOperationColumn.service]![rows] = servicePs;
    columns[RnicDmaOperationColumn.backlog]![rows] = donePs - nowPs;
    columns[RnicDmaOperationColumn.depth]![rows] = dma.depth;
    this.operationRows.commit();
  }

  private happened(event: number, pair: number, maps: AdamapColumns, map: number): void {
    const { nowPs } = this.parts.clock;
    if (this.eventRows === null || !this.isInWindow(nowPs)) return;
    const { pairs } = this.parts;
    const { columns, rows } = this.eventRows;
    columns[AdamapEventColumn.time]![rows] = nowPs;
    columns[AdamapEventColumn.host]![rows] = (event === AdamapEvent.expanded ? pairs.source : pairs.destination)[pair]!;
    columns[AdamapEventColumn.flow]![rows] = this.flowOf(pair);
    columns[AdamapEventColumn.event]![rows] = event;
    columns[AdamapEventColumn.tier]![rows] = maps.tier[map]!;
    columns[AdamapEventColumn.nack]![rows] = maps.nack[map]!;
    columns[AdamapEventColumn.start]![rows] = maps.start[map]!;
    columns[AdamapEventColumn.length]![rows] = maps.length[map]!;
    for (let word = 0; word < adamapWords; word++)
      columns[AdamapEventColumn.bits + word]![rows] =
        word < maps.words ? maps.bitmap[map * maps.words + word]! >>> 0 : 0;
    this.eventRows.commit();
  }

  private sampleDma(timePs: number, table: TableWriter): boolean {
    let isBusy = false;
    for (const [host, dma] of this.hosts) {
      dma.settle(timePs);
      isBusy ||= dma.depth > 0;
      const seen = `${dma.submitted} ${dma.completed}`;
      if (seen === dma.seen && dma.depth === 0) continue;
      dma.seen = seen;
      const { columns, rows } = table;
      columns[RnicDmaStatisticsColumn.time]![rows] = timePs;
      columns[RnicDmaStatisticsColumn.host]![rows] = host;
      columns[RnicDmaStatisticsColumn.inFlight]![rows] = dma.depth;
      const lastPs = Math.max(dma.pending[0].lastPs, dma.pending[1].lastPs);
      columns[RnicDmaStatisticsColumn.backlog]![rows] = Math.max(0, lastPs - timePs);
      columns[RnicDmaStatisticsColumn.submitted]![rows] = dma.submitted;
      columns[RnicDmaStatisticsColumn.completed]![rows] = dma.completed;
      columns[RnicDmaStatisticsColumn.submittedBytes]![rows] = dma.submittedBytes;
      columns[RnicDmaStatisticsColumn.completedBytes]![rows] = dma.completedBytes;
      columns[RnicDmaStatisticsColumn.reads]![rows] = dma.reads;
      columns[RnicDmaStatisticsColumn.writes]![rows] = dma.submitted - dma.reads;
      columns[RnicDmaStatisticsColumn.meanWait]![rows] = dma.submitted === 0 ? 0 : dma.waitPs / dma.submitted;
      columns[RnicDmaStatisticsColumn.maximumWait]![rows] = dma.maximumWaitPs;
      columns[RnicDmaStatisticsColumn.maximumDepth]![rows] = dma.maximumDepth;
      table.commit();
    }
    return isBusy;
  }

  private sampleMemory(timePs: number, table: TableWriter): void {
    const { pairs } = this.parts;
    const { state, kept, keptBefore } = this;
    if (state === null) return;
    kept.fill(0);
    for (let pair = 0; pair < pairs.count; pair++) {
      if (pairs.slotOf(pair) < 0) continue;
      kept[2 * pairs.destination[pair]!]! += state.list.count(pair);
      kept[2 * pairs.destination[pair]! + 1]! += state.table.count(pair);
    }
    for (let at = 0; at < kept.length; at += 2) {
      if (kept[at] === keptBefore[at] && kept[at + 1] === keptBefore[at + 1]) continue;
      const { columns, rows } = table;
      columns[MemoryUsageColumn.time]![rows] = timePs;
      columns[MemoryUsageColumn.host]![rows] = at / 2;
      columns[MemoryUsageColumn.list]![rows] = kept[at]!;
      columns[MemoryUsageColumn.table]![rows] = kept[at + 1]!;
      table.commit();
    }
    keptBefore.set(kept);
  }

  private hostOf(host: number): HostDma {
    let dma = this.hosts.get(host);
    if (dma === undefined) this.hosts.set(host, (dma = new HostDma()));
    return dma;
  }

  private flowOf(pair: number): number {
    const slot = this.parts.pairs.slotOf(pair);
    return slot < 0 ? -1 : this.parts.frontier().id[slot]!;
  }

  private isInWindow(timePs: number): boolean {
    return timePs >= this.window.startPs && timePs <= this.window.endPs;
  }
}
