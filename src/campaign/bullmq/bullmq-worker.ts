// A worker of campaigns: takes jobs from the queue of its version and carries their tasks out in processes of its own
// (run-pool.ts), whose end is not this one's.
// Invariants: a task is one of a kind that travels, and reads what came with its campaign and nothing else; a job is
// answered whole or not at all, so that the queue gives it to another worker if this one ends; a worker that cannot keep
// files answers no more.

import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { fail } from '../../base/fail.js';
import { OutputError } from '../../storage/output-error.js';
import { portableData } from '../portable-data.js';
import { RunPool } from '../run-pool.js';
import { TaskStream } from '../task-stream.js';
import {
  announce,
  forgottenText,
  type CampaignRecord,
  keyPrefix,
  type Presence,
  presenceMs,
  queueName,
  readCampaign,
  readContent,
  RefusedTask,
  refused,
  whoIsThere,
  withdraw,
} from './campaign-record.js';
import { type Chunk, chunkResultText, readChunk, type TaskEnd } from './chunk.js';
import { ContentStore } from './content-store.js';
import { connectRedis, loadBullMq, type RedisAddress, withoutWaiting } from './redis.js';

/** Milliseconds after which the job of a worker that says nothing is another's. */
const lockMs = 10_000;
/** Times that a job may be taken over. */
const mostTakeovers = 2;

export interface WorkerOptions {
  readonly address: RedisAddress;
  readonly version: string;
  /** runs at the same time */
  readonly jobs: number;
  /** folder in which files are kept meanwhile; left out: the system's for temporary files */
  readonly store?: string | undefined;
  /** folders below which runs may put results */
  readonly roots: readonly string[];
  /** the module of a kind of task; null: it is none that travels */
  readonly moduleOf: (kind: string) => URL | null;
  /** Says something to whoever started the worker. */
  readonly say: (text: string) => void;
}

/** A pool for the tasks of one campaign. */
interface CampaignPool {
  readonly campaign: string;
  readonly pool: RunPool;
}

export class CampaignWorker {
  private readonly idle: CampaignPool[] = [];
  private readonly busy = new Set<CampaignPool>();
  private worker: Worker<Chunk, string> | null = null;
  private isStopping = false;
  private clock: NodeJS.Timeout | null = null;
  private readonly told = new Set<string>();
  private end: (failure: Error | null) => void = () => {};
  private readonly me: Presence;

  private constructor(
    private readonly options: WorkerOptions,
    private readonly redis: Redis,
    private readonly store: ContentStore,
  ) {
    this.me = { version: options.version, host: hostname(), pid: process.pid, jobs: options.jobs };
  }

  /** @throws InputError, OutputError */
  static async begin(options: WorkerOptions): Promise<CampaignWorker> {
    const store = await ContentStore.create(options.store);
    try {
      const { say, address } = options;
      const redis = await connectRedis(address, () => say('the connection to Redis was lost; waiting for it'));
      return new CampaignWorker(options, redis, store);
    } catch (error) {
      await store.remove();
      throw error;
    }
  }

  /** Carries jobs out until `stop`. @throws OutputError if files can be kept no more */
  async run(): Promise<void> {
    const { Worker } = await loadBullMq();
    const ended = new Promise<Error | null>((resolve) => (this.end = resolve));
    const { version, jobs } = this.options;
    this.worker = new Worker<Chunk, string>(queueName(version), (job, token) => this.carryOut(job, token), {
      connection: this.redis,
      prefix: keyPrefix,
      name: `${this.me.host} (process ${this.me.pid})`,
      concurrency: jobs,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: mostTakeovers,
    });
    // losses of the connection, which are told of by it
    this.worker.on('error', () => {});
    const show = (): void => void this.show().catch(() => {});
    this.clock = setInterval(show, presenceMs / 3);
    show();
    const failure = await ended;
    if (failure !== null) throw failure;
  }

  /** Gives back what is under way, and lets `run` end. */
  stop(): void {
    this.isStopping = true;
    for (const { pool } of this.busy) pool.stop();
    this.end(null);
  }

  /** Ends processes and connections, and removes the files. */
  async close(): Promise<void> {
    this.isStopping = true;
    if (this.clock !== null) clearInterval(this.clock);
    for (const { pool } of [...this.busy, ...this.idle]) pool.stop();
    await withoutWaiting(async () => this.worker?.close());
    await withoutWaiting(() => withdraw(this.redis, 'workers', this.me));
    for (const { pool } of [...this.busy, ...this.idle]) await pool.close();
    this.redis.disconnect();
    await this.store.remove();
  }

  /** Says that it is there, and who is there that it cannot work for. */
  private async show(): Promise<void> {
    await announce(this.redis, 'workers', this.me);
    for (const { version, host } of await whoIsThere(this.redis, 'campaigns')) {
      if (version === this.me.version || this.told.has(version)) continue;
      this.told.add(version);
      this.options.say(
        `a campaign of ${host} is refused: it is of weft ${version}, and this is weft ${this.me.version}; results of two versions may differ. Install weft ${version} to work for it`,
      );
    }
  }

  private async carryOut(job: Job<Chunk, string>, token: string | undefined): Promise<string> {
    const { WaitingError, UnrecoverableError } = await loadBullMq();
    try {
      const ends = await this.resultOf(readChunk(job.data));
      if (ends !== null) return ends;
    } catch (error) {
      if (error instanceof RefusedTask) throw new UnrecoverableError(error.message);
      // another worker may have room
      if (!(error instanceof OutputError)) throw error;
      this.end(error);
    }
    await job.moveToWait(token);
    throw new WaitingError();
  }

  /** What comes of a job; null: this worker ends. */
  private async resultOf(chunk: Chunk): Promise<string | null> {
    const own = await this.poolFor(chunk.campaign);
    this.busy.add(own);
    const startMs = performance.now();
    const ends: TaskEnd[] = [];
    const inputs = new Map(chunk.tasks.map(([place, input]) => [place, portableData(input)]));
    try {
      const stream = new TaskStream<unknown>({
        count: inputs.size,
        places: inputs.keys(),
        task: (place) => ({
          name: `task ${place}`,
          here: () => fail('a worker carries tasks out in other processes'),
          input: () => inputs.get(place),
        }),
        onResult: (place, result) => ends.push([place, { result }]),
        onError: (place, error) => ends.push([place, { error }]),
        onLost: (place, lost) => ends.push([place, { lost }]),
      });
      if (this.isStopping) return null;
      await own.pool.work(stream);
      stream.throwIfFailed();
      if (this.isStopping || ends.length < inputs.size) return null;
      this.idle.push(own);
      return chunkResultText({ wallMs: performance.now() - startMs, ends });
    } catch (error) {
      await own.pool.close();
      throw error;
    } finally {
      this.busy.delete(own);
    }
  }

  /** A pool whose processes know a campaign. @throws RefusedTask, OutputError */
  private async poolFor(campaign: string): Promise<CampaignPool> {
    const known = this.idle.findIndex((own) => own.campaign === campaign);
    if (known !== -1) return this.idle.splice(known, 1)[0]!;
    if (this.busy.size + this.idle.length >= this.options.jobs) await this.idle.shift()?.pool.close();
    const record = await readCampaign(this.redis, campaign);
    if (record === null) throw new Error(`${forgottenText} its campaign`);
    const module = this.options.moduleOf(record.kind);
    if (module === null) throw refused(`${record.kind} is no kind of task that may come from elsewhere`);
    if (record.version !== this.options.version)
      throw refused(`it is of weft ${record.version}, and this is weft ${this.options.version}`);
    const pool = new RunPool({
      processes: 1,
      leavesToWorkers: 'always',
      worthMs: 0,
      mostTaskMs: record.longestRunMs,
      module,
      shared: () => record.shared,
      reach: { places: await this.placesOf(record), roots: this.options.roots },
    });
    return { campaign, pool };
  }

  private async placesOf({ files }: CampaignRecord): Promise<Map<string, string>> {
    const places = new Map<string, string>();
    for (const [path, sha256] of files)
      places.set(
        path,
        await this.store.place(sha256, async () => {
          const content = await readContent(this.redis, sha256);
          if (content === null) throw new Error(`${forgottenText} the content of ${path}`);
          return content;
        }),
      );
    return places;
  }
}
