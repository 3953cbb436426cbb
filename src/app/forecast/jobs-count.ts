// What all jobs of a plan send together, counted without carrying them out.
// Invariants: as job-amount.ts: known as soon as something of every kind is counted, exact once it is complete.

import { acknowledgedTogether, roceV2Port, somePort } from './work-count.js';
import { type Amount, JobAmount } from '../../jobs/job-amount.js';
import type { PathTracer } from '../../routing/path.js';
import type { Plan } from '../../scenario/plan.js';
import { streamTimes } from '../make-network.js';

export class JobsCount {
  private readonly jobs: readonly JobAmount[];
  private known: Amount | null = null;

  /** @param tracer of the plan's fabric */
  constructor(plan: Plan, tracer: PathTracer) {
    const path = new Int32Array(tracer.maxLength);
    const parts = {
      fabric: plan.fabric,
      settings: plan.collectives,
      streams: streamTimes(plan, tracer),
      linksBetween: (source: number, destination: number) =>
        tracer.trace(source, destination, somePort, roceV2Port, path),
      payloadBytes: plan.packet.packet.payload,
      packetsPerAcknowledgement: acknowledgedTogether(plan),
    };
    this.jobs = plan.jobs.map((job) => new JobAmount(job, parts));
  }

  get isComplete(): boolean {
    return this.jobs.every((job) => job.isComplete);
  }

  get isKnown(): boolean {
    return this.jobs.every((job) => job.isKnown);
  }

  /** What the jobs send, as far as it is counted. */
  get amount(): Amount {
    return (this.known ??= amountOf(this.jobs.map(({ amount }) => amount)));
  }

  /** Counts on. @param most moves and messages to count @returns false if all is counted */
  advance(most: number): boolean {
    this.known = null;
    // what a job sends is known before the next is counted to its end
    const job = this.jobs.find(({ isKnown }) => !isKnown) ?? this.jobs.find(({ isComplete }) => !isComplete);
    job?.advance(most);
    return !this.isComplete;
  }

  /** About what the jobs send, in no time (job-amount.ts). @param most moves of a collective that are looked at */
  estimate(most: number): Amount {
    return amountOf(this.jobs.map((job) => job.estimate(most)));
  }
}

/** What several send together. */
export function amountOf(amounts: readonly Amount[]): Amount {
  const sums = { flows: 0, payloadBytes: 0, packets: 0, flowLinks: 0, packetHops: 0 };
  for (const amount of amounts) for (const key of Object.keys(sums) as (keyof Amount)[]) sums[key] += amount[key];
  return sums;
}

/** So many times an amount. */
export function scaled(amount: Amount, scale: number): Amount {
  const own = amountOf([amount]);
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, value * scale])) as unknown as Amount;
}
