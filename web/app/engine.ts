// The page's side of the worker: questions as promises.

import type { FirstChoices, ScenarioAnswers } from '#weft/app/first-scenario.js';
import type { Schema } from '#weft/app/view/scenario-hints.js';
import type { ViewedRun, ViewForecast, ViewRequest } from '#weft/app/view/view-scenario.js';
import type { ViewRefusal } from '#weft/app/view/view-refusal.js';
import type { Answer, Asked, GivenRun, RunProgress } from './protocol.js';

/** A scenario was refused, or its run failed. */
export class RefusedError extends Error {
  constructor(readonly refusal: ViewRefusal) {
    super(refusal.diagnostics.map(({ message }) => message).join('; ') || refusal.text);
  }
}

/** after which a worker that was asked to stop is ended, in milliseconds */
const stopPatienceMs = 2000;

interface Waiting {
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
  readonly onProgress: (progress: RunProgress) => void;
}

/** Simulates in a worker. */
export class Engine {
  private worker: Worker | null = null;
  private number = 0;
  private ownSchema: Promise<Schema> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  /** until it is heard that somebody wants to stop */
  private deaf: ReturnType<typeof setTimeout> | undefined;

  /** Begins to load the worker. */
  warm(): void {
    this.begin();
  }

  /** Runs a scenario. @throws RefusedError */
  async run(request: ViewRequest, onProgress: (progress: RunProgress) => void): Promise<ViewedRun> {
    const answer = await this.ask((number) => ({ kind: 'run', number, request }), onProgress);
    if (answer.kind !== 'ran') throw new Error(`the worker answered ${answer.kind}`);
    return answer.run;
  }

  /** What a scenario would take. @throws RefusedError */
  async forecast(request: ViewRequest): Promise<ViewForecast> {
    const answer = await this.ask((number) => ({ kind: 'forecast', number, request }));
    if (answer.kind !== 'forecast') throw new Error(`the worker answered ${answer.kind}`);
    return answer.forecast;
  }

  /** Reads a run of a person's folder. @param files by their names in it @throws RefusedError */
  async open(folder: string, files: ReadonlyMap<string, Blob>): Promise<GivenRun> {
    const answer = await this.ask((number) => ({ kind: 'open', number, folder, files }));
    if (answer.kind !== 'opened') throw new Error(`the worker answered ${answer.kind}`);
    return answer.given;
  }

  /** The schema of scenarios, made once. */
  schema(): Promise<Schema> {
    this.ownSchema ??= this.ask((number) => ({ kind: 'schema', number })).then((answer) => {
      if (answer.kind !== 'schema') throw new Error(`the worker answered ${answer.kind}`);
      return answer.schema;
    });
    return this.ownSchema;
  }

  /** What a first scenario may be of. */
  async choices(): Promise<FirstChoices> {
    const answer = await this.ask((number) => ({ kind: 'choices', number }));
    if (answer.kind !== 'choices') throw new Error(`the worker answered ${answer.kind}`);
    return answer.choices;
  }

  /** A scenario of some answers. @throws RefusedError */
  async first(answers: ScenarioAnswers): Promise<string> {
    const answer = await this.ask((number) => ({ kind: 'first', number, answers }));
    if (answer.kind !== 'first') throw new Error(`the worker answered ${answer.kind}`);
    return answer.text;
  }

  /** The run under way ends as soon as it can, with what it has; after a while without. */
  stop(): void {
    const { worker } = this;
    this.deaf ??= setTimeout(() => {
      // a scenario that is being read, or planned, lets no message in
      if (worker === this.worker) this.lose('it was stopped before it had a result');
    }, stopPatienceMs);
    worker?.postMessage({ kind: 'stop' } satisfies Asked, []);
  }

  /** It is heard that somebody wants to stop. */
  private heard(): void {
    clearTimeout(this.deaf);
    this.deaf = undefined;
  }

  private ask(
    make: (number: number) => Asked,
    onProgress: (progress: RunProgress) => void = () => {},
  ): Promise<Answer> {
    const number = this.number++;
    return new Promise((settle, fail) => {
      this.waiting.set(number, { settle, fail, onProgress });
      const worker = this.begin();
      worker.postMessage(make(number), []);
    });
  }

  private begin(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(new URL('engine-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.take(data));
    worker.addEventListener('error', ({ message }) => this.lose(message));
    this.worker = worker;
    return worker;
  }

  private take(answer: Answer): void {
    if (answer.kind === 'stopping') {
      this.heard();
      return;
    }
    const waiting = this.waiting.get(answer.number);
    if (waiting === undefined) return;
    if (answer.kind === 'progress') {
      waiting.onProgress(answer.progress);
      return;
    }
    this.waiting.delete(answer.number);
    if (answer.kind === 'refused') waiting.fail(new RefusedError(answer.refusal));
    else waiting.settle(answer);
  }

  /** The worker has died, of memory perhaps: whoever waits is told, and the next question begins another. */
  private lose(message: string): void {
    this.heard();
    this.worker?.terminate();
    this.worker = null;
    const text = `the simulation ended: ${message || 'the tab has no more memory for it'}`;
    for (const { fail } of this.waiting.values()) fail(new RefusedError({ diagnostics: [], text }));
    this.waiting.clear();
  }
}
