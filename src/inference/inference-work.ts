// Requests as work for the executor: their keys and values leave as prefill has them, and what arrives makes requests
// finish.
// Invariants: transfers of request i have the numbers firstId + i x perRequest + group x ranks + place; they start in
// order of time, ties in order of number.

import { fail } from '../base/fail.js';
import { SourceInMemory } from '../flows/source-forms.js';
import type { TransferSink } from '../flows/work-source.js';
import { CompletionTimes } from '../measurement/completion.js';
import { RequestColumn, requestTable } from '../records/request-records.js';
import { type RecordSink, TableWriter } from '../records/schema.js';
import { decodeInstance, type Inference, type PrefillSchedule, schedulePrefill, transferGroups } from './inference.js';
import type { InferenceReport } from './inference-report.js';

export class InferenceWork extends SourceInMemory {
  readonly total: number;
  unfinished: number;
  private readonly ranks: number;
  private readonly groups: number;
  private readonly perRequest: number;
  private readonly schedule: PrefillSchedule;
  /**
   * requests of each prefill instance in order, and of the one under way: its place in that list, and its next group
   */
  private readonly queues: readonly number[][];
  private readonly at: Int32Array;
  private readonly group: Int32Array;
  /** by request: transfers that have not finished */
  private readonly remaining: Int32Array;
  private finishedCount = 0;
  private cacheBytes = 0;
  private shareSum = 0;
  private shareCount = 0;
  private leastShare = Infinity;
  private readonly wait = new CompletionTimes();
  private readonly prefill = new CompletionTimes();
  private readonly exposed = new CompletionTimes();
  private readonly transfers = new CompletionTimes();
  private readonly firstToken = new CompletionTimes();
  private readonly whole = new CompletionTimes();
  private readonly rows: TableWriter;

  /**
   * @param nicRateOf rate of the fastest NIC of a host, bit/s
   * @param firstId number of the first transfer
   */
  constructor(
    private readonly inference: Inference,
    private readonly nicRateOf: (host: number) => number,
    sink: RecordSink,
    private readonly firstId = 0,
  ) {
    super();
    const { requests, prefill } = inference;
    this.ranks = prefill[0]!.length;
    this.groups = transferGroups(inference);
    this.perRequest = this.ranks * this.groups;
    this.total = requests.count * this.perRequest;
    this.unfinished = this.total;
    this.schedule = schedulePrefill(requests, prefill.length);
    const queues: number[][] = prefill.map(() => []);
    for (let request = 0; request < requests.count; request++) queues[this.schedule.instance[request]!]!.push(request);
    this.queues = queues;
    this.at = new Int32Array(prefill.length);
    this.group = new Int32Array(prefill.length);
    this.remaining = new Int32Array(requests.count).fill(this.perRequest);
    this.rows = new TableWriter(requestTable, sink);
  }

  nextStartPs(): number {
    let nextPs = Infinity;
    for (let instance = 0; instance < this.queues.length; instance++) nextPs = Math.min(nextPs, this.nextOf(instance));
    return nextPs;
  }

  expand(nowPs: number, sink: TransferSink): void {
    for (let nextPs = this.nextStartPs(); nextPs <= nowPs; nextPs = this.nextStartPs()) {
      // of those that are ready at this time the request with the lowest number
      let first = -1;
      for (let instance = 0; instance < this.queues.length; instance++) {
        if (this.nextOf(instance) === nextPs && (first < 0 || this.requestOf(instance) < this.requestOf(first)))
          first = instance;
      }
      this.send(first, nextPs, sink);
    }
  }

  transferFinished(id: number, nowPs: number): void {
    const number = id - this.firstId;
    const request = Math.floor(number / this.perRequest);
    const place = number % this.ranks;
    const group = Math.floor((number % this.perRequest) / this.ranks);
    const takenPs = nowPs - this.readyPs(request, group);
    const host = this.inference.prefill[this.schedule.instance[request]!]![place]!;
    const share = (this.groupBytes(request, group) * 8e12) / takenPs / this.nicRateOf(host);
    this.transfers.add(takenPs);
    this.shareSum += share;
    this.shareCount++;
    this.leastShare = Math.min(this.leastShare, share);
    this.unfinished--;
    const left = --this.remaining[request]!;
    if (left < 0) fail(`transfer ${id} of request ${request} finished twice`);
    if (left === 0) this.requestArrived(request, nowPs);
  }

  /** What it came to; hands the last records over. Call it once, when the run has ended. */
  report(): InferenceReport {
    this.rows.flush();
    const { inference } = this;
    return {
      requests: inference.requests.count,
      finished: this.finishedCount,
      prefillInstances: inference.prefill.length,
      decodeInstances: inference.decode.length,
      ranks: this.ranks,
      cacheBytes: this.cacheBytes,
      wait: this.wait.statistics(),
      prefill: this.prefill.statistics(),
      exposedTransfer: this.exposed.statistics(),
      transfer: this.transfers.statistics(),
      timeToFirstToken: this.firstToken.statistics(),
      request: this.whole.statistics(),
      nicShare:
        this.shareCount === 0
          ? { mean: 0, least: 0 }
          : { mean: this.shareSum / this.shareCount, least: this.leastShare },
    };
  }

  private send(instance: number, nowPs: number, sink: TransferSink): void {
    const { inference, ranks } = this;
    const request = this.requestOf(instance);
    const group = this.group[instance]!;
    const sizeBytes = this.groupBytes(request, group);
    const sources = inference.prefill[instance]!;
    const destinations = inference.decode[decodeInstance(inference, request)]!;
    const id = this.firstId + request * this.perRequest + group * ranks;
    for (let place = 0; place < ranks; place++)
      sink.transfer(
        id + place,
        sources[place]!,
        destinations[(place + inference.railShift) % ranks]!,
        sizeBytes,
        nowPs,
        inference.trafficClass,
      );
    if (group + 1 < this.groups) {
      this.group[instance] = group + 1;
    } else {
      this.group[instance] = 0;
      this.at[instance]!++;
    }
  }

  private requestOf(instance: number): number {
    return this.queues[instance]![this.at[instance]!]!;
  }

  private nextOf(instance: number): number {
    return this.at[instance]! < this.queues[instance]!.length
      ? this.readyPs(this.requestOf(instance), this.group[instance]!)
      : Infinity;
  }

  /** When the last layer of a group is computed. */
  private readyPs(request: number, group: number): number {
    const { requests, layerCount, layersPerTransfer } = this.inference;
    const layers = Math.min(layerCount, (group + 1) * layersPerTransfer);
    return this.schedule.startPs[request]! + Math.round((requests.prefillPs[request]! * layers) / layerCount);
  }

  /** Bytes of a group that a rank sends. */
  private groupBytes(request: number, group: number): number {
    const { requests, layerCount, layersPerTransfer, cacheBytesPerTokenAndLayer } = this.inference;
    const layers = Math.min(layerCount, (group + 1) * layersPerTransfer) - group * layersPerTransfer;
    return layers * requests.promptTokens[request]! * cacheBytesPerTokenAndLayer;
  }

  private requestArrived(request: number, nowPs: number): void {
    const { inference, schedule, ranks } = this;
    const { requests, layerCount, decodeStepPs } = inference;
    const arrivalPs = requests.arrivalPs[request]!;
    const startPs = schedule.startPs[request]!;
    const endPs = startPs + requests.prefillPs[request]!;
    const finishPs = nowPs + requests.outputTokens[request]! * decodeStepPs;
    const cacheBytes = layerCount * requests.promptTokens[request]! * inference.cacheBytesPerTokenAndLayer * ranks;
    this.finishedCount++;
    this.cacheBytes += cacheBytes;
    this.wait.add(startPs - arrivalPs);
    this.prefill.add(requests.prefillPs[request]!);
    this.exposed.add(nowPs - endPs);
    this.firstToken.add(nowPs + decodeStepPs - arrivalPs);
    this.whole.add(finishPs - arrivalPs);
    const { columns, rows } = this.rows;
    columns[RequestColumn.request]![rows] = request;
    columns[RequestColumn.prefillInstance]![rows] = schedule.instance[request]!;
    columns[RequestColumn.decodeInstance]![rows] = decodeInstance(inference, request);
    columns[RequestColumn.promptTokens]![rows] = requests.promptTokens[request]!;
    columns[RequestColumn.outputTokens]![rows] = requests.outputTokens[request]!;
    columns[RequestColumn.cache]![rows] = cacheBytes;
    columns[RequestColumn.firstFlow]![rows] = this.firstId + request * this.perRequest;
    columns[RequestColumn.flows]![rows] = this.perRequest;
    columns[RequestColumn.arrival]![rows] = arrivalPs;
    columns[RequestColumn.prefillStart]![rows] = startPs;
    columns[RequestColumn.prefillEnd]![rows] = endPs;
    columns[RequestColumn.cacheArrived]![rows] = nowPs;
    columns[RequestColumn.firstToken]![rows] = nowPs + decodeStepPs;
    columns[RequestColumn.finish]![rows] = finishPs;
    this.rows.commit();
  }
}
