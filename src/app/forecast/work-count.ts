// How much work a plan is, counted without simulating it: its sources hand out their transfers, and each is over at the
// moment at which it starts, so that what waits for it comes next.
// Invariants: a complete count has every transfer of the plan that a run without failures would have, because what
// sources send does not depend on how long it takes; packet-hops are those of a run that sends nothing twice. Time is
// only an order here. Not counted: pauses, notifications, what is sent again, transfers that the time decides about.

import { packetsPerAcknowledgement } from '../../backends/packet/packets-per-acknowledgement.js';
import { Float64List } from '../../base/columns.js';
import { TimeHeap } from '../../base/time-heap.js';
import { TransferSizes } from '../../flows/transfer-sizes.js';
import type { TransferSink } from '../../flows/work-source.js';
import type { RecordSink } from '../../records/schema.js';
import type { PathTracer } from '../../routing/path.js';
import type { Plan } from '../../scenario/plan.js';
import type { PlanWork } from '../plan-work.js';

/** Any source port does: all paths of a pair have the same length. */
export const somePort = 10_000;
export const roceV2Port = 4791;

/** For records that nobody wants. */
export const nowhere: RecordSink = { full: false, put: () => {}, drain: () => Promise.resolve() };

export class WorkCount implements TransferSink {
  flows = 0;
  payloadBytes = 0;
  /** links on the paths of all flows together */
  flowLinks = 0;
  /** links on the longest path of a flow */
  longestPath = 0;
  packets = 0;
  /** data and acknowledgements over links */
  packetHops = 0;
  /** most transfers that wait for others at one moment */
  mostTogether = 0;
  isComplete = false;
  /** what can be sent until the run ends */
  private readonly sizes: TransferSizes;
  private readonly payload: number;
  private readonly packetsPerAcknowledgement: number;
  private readonly path: Int32Array;
  /** transfers that are not over, in order of their starts, and which number each has */
  private readonly open = new TimeHeap();
  private readonly ids = new Float64List();
  private readonly free: number[] = [];

  constructor(
    plan: Plan,
    private readonly work: PlanWork,
    private readonly tracer: PathTracer,
  ) {
    this.sizes = new TransferSizes(plan.fabric, plan.stopPs);
    this.payload = plan.packet.packet.payload;
    this.packetsPerAcknowledgement = acknowledgedTogether(plan);
    this.path = new Int32Array(tracer.maxLength);
  }

  /** Whether all is counted: a part says nothing of the whole. */
  get isKnown(): boolean {
    return this.isComplete;
  }

  /** Share of the work that was counted, 0 to 1, as far as the sources know how much there is. */
  get share(): number {
    if (this.isComplete) return 1;
    const { source, jobs, programs } = this.work;
    if (programs !== null) return jobs === null ? programs.fraction : Math.min(jobs.fraction, programs.fraction);
    if (jobs !== null) return jobs.fraction;
    return Number.isFinite(source.total) && source.total > 0 ? this.flows / source.total : 0;
  }

  /**
   * Counts on. @param most steps (transfers and times of sources) to take
   * @returns false if the source must be refilled first, or all is counted
   */
  advance(most: number): boolean {
    const { source } = this.work;
    for (let i = 0; i < most; i++) {
      const nextPs = source.nextStartPs();
      if (Number.isNaN(nextPs)) return false;
      if (this.open.size > 0 && this.open.firstPs <= nextPs) {
        const startPs = this.open.firstPs;
        const key = this.open.pop();
        this.free.push(key);
        // the key may be another transfer's as soon as others are handed out
        const id = this.ids.values[key]!;
        source.transferSent?.(id, startPs, this);
        source.transferFinished?.(id, startPs, this);
      } else if (nextPs === Infinity) {
        this.isComplete = true;
        return false;
      } else source.expand(nextPs, this);
    }
    return true;
  }

  transfer(id: number, source: number, destination: number, sizeBytes: number, startPs: number): void {
    const links = this.tracer.trace(source, destination, somePort, roceV2Port, this.path);
    const sentBytes = Math.min(sizeBytes, this.sizes.mostBytes(source, startPs));
    const packets = Math.ceil(sentBytes / this.payload);
    this.flows++;
    this.payloadBytes += sentBytes;
    this.flowLinks += links;
    this.longestPath = Math.max(this.longestPath, links);
    this.packets += packets;
    this.packetHops += links * (packets + Math.ceil(packets / this.packetsPerAcknowledgement));
    if (this.work.source.transferFinished === undefined) return;
    const key = this.free.pop() ?? this.ids.length;
    if (key === this.ids.length) this.ids.push(id);
    else this.ids.values[key] = id;
    this.open.set(key, startPs);
    this.mostTogether = Math.max(this.mostTogether, this.open.size);
  }
}

/** Packets that one acknowledgement answers; Infinity: nothing is acknowledged. */
export function acknowledgedTogether({ backend, packet }: Pick<Plan, 'backend' | 'packet'>): number {
  return backend.acknowledges === false ? Infinity : packetsPerAcknowledgement(packet);
}
