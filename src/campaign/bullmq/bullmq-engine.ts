// The engine `bullmq`: tasks go as jobs through a queue in Redis to workers on any machines (bullmq-worker.ts).
// Invariants: a task belongs to one job at a time, and what another job says of it is not heard, so it counts once; what
// workers did while nobody listened is found by the same campaign's next call; whatever Redis forgets is put there again;
// few jobs are in the queue at a time, so that memory does not grow with the tasks.
// Source: BullMQ takes jobs of workers that say nothing over; how often a task is tried is up to its source.

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Job, Queue, QueueEvents } from 'bullmq';
import type { Redis } from 'ioredis';
import { LostWorkerError } from '../lost-worker.js';
import { portableText } from '../portable-data.js';
import type { PortableWork, TaskEngine } from '../task-engine.js';
import type { TaskSource } from '../task-source.js';
import { mostTries } from '../task-stream.js';
import {
  announce,
  forgottenText,
  isPublished,
  keptSeconds,
  keyPrefix,
  type Presence,
  publishCampaign,
  queueName,
  refusedText,
  removeCampaign,
  whoIsThere,
  withdraw,
} from './campaign-record.js';
import { type Chunk, type ChunkResult, mostTasks, readChunk, readChunkResult } from './chunk.js';
import { connectRedis, loadBullMq, type RedisAddress, withoutWaiting } from './redis.js';
import { StragglerNotes } from './straggler-notes.js';

/** Milliseconds that a job's tasks shall take together, so that the way through the queue costs little. */
const chunkMs = 1000;
/** Milliseconds between two looks at what the queue has. */
const lookEveryMs = 2000;
/** Jobs in the queue for each task that workers carry out at a time, and while none is known. */
const jobsPerSlot = 3;
const firstJobs = 8;

export interface BullMqOptions {
  readonly work: PortableWork;
  /** as of EngineWork */
  readonly identity: string;
  readonly address: RedisAddress;
  readonly version: string;
  readonly longestRunMs: number | undefined;
  readonly note: (text: string) => void;
}

/** A job in the queue. */
interface OpenJob {
  readonly places: number[];
  /** when something was last heard of it, in milliseconds of this process */
  heardMs: number;
  /** whether the queue has it */
  isThere: boolean;
}

export class BullMqEngine implements TaskEngine {
  private readonly open = new Map<string, OpenJob>();
  /** of an earlier call: jobs that are still there, by the places of their tasks */
  private readonly earlier = new Map<number, Job<Chunk, string>>();
  private readonly earlierJobs = new Set<string>();
  /** tasks whose job failed: each goes alone, so that it drags no other with it */
  private readonly alone = new Set<number>();
  private readonly campaign: string;
  private readonly me: Presence;
  private readonly stragglers: StragglerNotes;
  private source: TaskSource | null = null;
  private isStopping = false;
  private jobs = 0;
  private hasLooked = false;
  private nextLookMs = 0;
  private slots = 0;
  private ended = 0;
  private endedMs = 0;
  private wake: () => void = () => {};
  private failure: { readonly error: unknown } | null = null;
  private readonly told = new Set<string>();

  private constructor(
    private readonly options: BullMqOptions,
    private readonly redis: Redis,
    private readonly queue: Queue<Chunk, string>,
    private readonly events: QueueEvents,
  ) {
    const { version, work, identity } = options;
    const content = portableText([version, work.kind, work.shared(), work.files, identity]);
    this.campaign = createHash('sha256').update(content).digest('hex').slice(0, 32);
    this.me = { version, host: hostname(), pid: process.pid, jobs: 0 };
    this.stragglers = new StragglerNotes(options.note);
    events.on('completed', ({ jobId, returnvalue }) => this.hearResult(jobId, returnvalue as unknown));
    events.on('failed', ({ jobId, failedReason }) => this.hearFailure(jobId, failedReason));
    events.on('active', ({ jobId }) => this.hear(jobId));
  }

  /** @throws InputError if Redis cannot be used */
  static async begin(options: BullMqOptions): Promise<BullMqEngine> {
    const { Queue, QueueEvents } = await loadBullMq();
    const redis = await connectRedis(options.address, () =>
      options.note('the connection to Redis was lost; waiting for it'),
    );
    const queue = new Queue<Chunk, string>(queueName(options.version), { connection: redis, prefix: keyPrefix });
    const events = new QueueEvents(queue.name, { connection: redis, prefix: keyPrefix });
    // losses of the connection, which are told of by it
    queue.on('error', () => {});
    events.on('error', () => {});
    return new BullMqEngine(options, redis, queue, events);
  }

  async work(source: TaskSource): Promise<void> {
    this.source = source;
    if (this.isStopping) source.close();
    const clock = setInterval(() => this.wake(), lookEveryMs);
    try {
      await this.untilStopped(this.findEarlier());
      while (!source.isSettled && !this.isStopping && this.failure === null) {
        if (performance.now() >= this.nextLookMs) {
          this.nextLookMs = performance.now() + lookEveryMs;
          await this.untilStopped(this.look());
          continue;
        }
        const added = this.fill(source);
        if (added === 0 && !source.isSettled) await new Promise<void>((resolve) => (this.wake = resolve));
        else await this.untilStopped(new Promise((resolve) => setImmediate(resolve)));
      }
      // what is under way goes on, and is found by the next call
      for (const { places } of this.open.values()) for (const place of places) source.giveBack(place);
      if (this.failure !== null) throw this.failure.error;
    } finally {
      clearInterval(clock);
      this.source = null;
    }
  }

  stop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    this.source?.close();
    this.wake();
  }

  async close(): Promise<void> {
    const isWhole = this.open.size === 0 && !this.isStopping;
    await withoutWaiting(async () => {
      await withdraw(this.redis, 'campaigns', this.me);
      // nobody waits for those any more; what runs is let run
      for (const id of [...this.open.keys(), ...this.earlierJobs]) await this.queue.remove(id).catch(() => 0);
      if (isWhole) await removeCampaign(this.redis, this.campaign);
    });
    await withoutWaiting(() => this.events.close());
    await withoutWaiting(() => this.queue.close());
    this.redis.disconnect();
  }

  /** Waits for Redis, but not longer than until `stop`. */
  private async untilStopped(work: Promise<unknown>): Promise<void> {
    const stopped = new Promise<void>((resolve) => (this.wake = () => void (this.isStopping && resolve())));
    await Promise.race([work, stopped]);
  }

  /** Takes note of jobs that an earlier call of the same campaign left. */
  private async findEarlier(): Promise<void> {
    if (this.hasLooked) return;
    this.hasLooked = true;
    const jobs = await this.queue.getJobs(['completed', 'failed', 'active', 'waiting', 'delayed']);
    for (const job of jobs) {
      // gone since
      if ((job as Job | undefined) === undefined || job.data.campaign !== this.campaign) continue;
      this.earlierJobs.add(job.id!);
      for (const [place] of readChunk(job.data).tasks) if (!this.earlier.has(place)) this.earlier.set(place, job);
    }
  }

  /** Puts jobs into the queue. @returns how many */
  private fill(source: TaskSource): number {
    const most = this.slots === 0 ? firstJobs : jobsPerSlot * this.slots;
    let added = 0;
    while (this.open.size < most) {
      const places = this.takeSome(source);
      if (places === null) break;
      added++;
      if (places.length > 0) this.add(source, places);
    }
    return added;
  }

  /** Tasks for a job; none: the one that was taken is in an earlier one; null: there is no task. */
  private takeSome(source: TaskSource): number[] | null {
    const meanMs = this.ended === 0 ? chunkMs : this.endedMs / this.ended;
    const share = Math.ceil(source.left / (2 * Math.max(1, this.slots)));
    const most = Math.max(1, Math.min(mostTasks, Math.round(chunkMs / Math.max(1, meanMs)), share));
    const places: number[] = [];
    while (places.length < most) {
      const place = source.take();
      if (place === null) break;
      const job = this.earlier.get(place);
      if (job !== undefined) {
        this.earlier.delete(place);
        this.adopt(job, place);
        if (places.length === 0) return [];
      } else {
        places.push(place);
        if (this.alone.has(place)) break;
      }
    }
    return places.length === 0 ? null : places;
  }

  private add(source: TaskSource, places: number[]): void {
    const id = `${this.campaign}-${process.pid.toString(36)}${Date.now().toString(36)}-${this.jobs++}`;
    const job: OpenJob = { places, heardMs: performance.now(), isThere: false };
    this.open.set(id, job);
    const chunk: Chunk = {
      campaign: this.campaign,
      tasks: places.map((place) => [place, portableText(source.task(place).input())]),
    };
    this.queue
      .add('tasks', chunk, {
        jobId: id,
        attempts: 1,
        removeOnComplete: { age: keptSeconds },
        removeOnFail: { age: keptSeconds },
      })
      .then(
        () => {
          job.isThere = true;
          job.heardMs = performance.now();
        },
        (error: unknown) => this.fail(error),
      );
  }

  /** A task that a job of an earlier call has. */
  private adopt(job: Job<Chunk, string>, place: number): void {
    const id = job.id!;
    const known = this.open.get(id);
    if (known === undefined) this.open.set(id, { places: [place], heardMs: -Infinity, isThere: true });
    else known.places.push(place);
    this.earlierJobs.delete(id);
    if (job.finishedOn !== undefined) this.nextLookMs = 0;
  }

  /** Looks at what the queue has of each job that was not heard of, and who is there. */
  private async look(): Promise<void> {
    const { work, version, longestRunMs } = this.options;
    if (!(await isPublished(this.redis, this.campaign, work.files)))
      await publishCampaign(this.redis, this.campaign, work, { version, longestRunMs });
    await announce(this.redis, 'campaigns', this.me);
    await this.countWorkers();
    const { Job } = await loadBullMq();
    for (const [id, open] of this.open) {
      if (!open.isThere || performance.now() - open.heardMs < lookEveryMs) continue;
      const job = await Job.fromId<Chunk, string>(this.queue, id);
      if (!this.open.has(id)) continue;
      open.heardMs = performance.now();
      if (job === undefined) {
        this.open.delete(id);
        for (const place of open.places) this.source?.giveBack(place);
      } else if (job.finishedOn === undefined) {
        this.stragglers.look(id, open.places, job, this.ended === 0 ? null : this.endedMs / this.ended);
      } else if (job.failedReason) this.hearFailure(id, job.failedReason);
      else this.hearResult(id, job.returnvalue);
    }
  }

  private async countWorkers(): Promise<void> {
    const { version } = this.options;
    const workers = await whoIsThere(this.redis, 'workers');
    const own = workers.filter((worker) => worker.version === version);
    this.slots = own.reduce((sum, { jobs }) => sum + jobs, 0);
    for (const worker of workers)
      if (worker.version !== version)
        this.tellOnce(
          `the worker ${worker.host} (process ${worker.pid}) gets no runs: it is weft ${worker.version}, and this is ${version}`,
        );
    if (own.length === 0) this.tellOnce('no worker is there; runs begin once one is: weft worker --redis URL');
  }

  private tellOnce(text: string): void {
    if (this.told.has(text)) return;
    this.told.add(text);
    this.options.note(text);
  }

  private hear(id: string): void {
    const open = this.open.get(id);
    if (open !== undefined) open.heardMs = performance.now();
  }

  private hearResult(id: string, text: unknown): void {
    const result = readChunkResult(text);
    if (result === null) this.hearFailure(id, 'its result cannot be read');
    else this.settle(id, result);
  }

  private settle(id: string, { ends, wallMs }: ChunkResult): void {
    const { source } = this;
    const open = this.takeOut(id);
    if (open === null || source === null) return;
    const left = new Set(open.places);
    this.ended += ends.length;
    this.endedMs += wallMs;
    for (const [place, outcome] of ends) {
      // one that is told twice, or was not asked for
      if (!left.delete(place)) continue;
      this.alone.delete(place);
      if ('lost' in outcome) {
        const { how, isFinal } = outcome.lost;
        // the worker has tried as often as is worth it
        const all = isFinal ? how : `${how}, ${mostTries} times`;
        source.lose(place, new LostWorkerError(source.task(place).name, all, true));
      } else source.settle(place, outcome);
    }
    for (const place of left) source.giveBack(place);
    this.wake();
  }

  private hearFailure(id: string, reason: string): void {
    const { source } = this;
    const open = this.takeOut(id);
    if (open === null || source === null) return;
    const [place, ...others] = open.places;
    const isForgotten = reason.startsWith(forgottenText);
    if (isForgotten) this.nextLookMs = 0;
    else for (const one of open.places) this.alone.add(one);
    // it is not known which of several it was
    if (isForgotten || others.length > 0) for (const one of open.places) source.giveBack(one);
    else if (place !== undefined) {
      const isFinal = reason.startsWith(refusedText);
      source.lose(place, new LostWorkerError(source.task(place).name, `ended at a worker: ${reason}`, isFinal));
    }
    this.wake();
  }

  /** A job has ended: it is taken out of the queue. @returns null if it is none of those that are waited for */
  private takeOut(id: string): OpenJob | null {
    const open = this.open.get(id) ?? null;
    if (open === null) return null;
    this.open.delete(id);
    this.stragglers.forget(id);
    this.queue.remove(id).catch(() => {});
    return open;
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.wake();
  }
}
