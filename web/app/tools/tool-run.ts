// A tool under way: a worker of its own, which ends with it.

import { signal, type Signal } from '@preact/signals';
import { diagnosticText } from '../editor.js';
import type { Tool, ToolAnswer, ToolAsked, ToolNews, ToolRequests, ToolResults } from './tool-protocol.js';

/** Asks a tool, one question after the other. */
export class ToolRun<T extends Tool> {
  readonly isRunning = signal(false);
  readonly news: Signal<readonly ToolNews[T][]> = signal([]);
  readonly result: Signal<ToolResults[T] | null> = signal(null);
  /** why there is no result */
  readonly problem = signal('');
  private worker: Worker | null = null;

  constructor(private readonly tool: T) {}

  /** Begins; what came before goes. */
  begin(request: ToolRequests[T]): void {
    this.stop();
    this.news.value = [];
    this.result.value = null;
    this.problem.value = '';
    this.isRunning.value = true;
    const worker = new Worker(new URL('tool-worker.js', import.meta.url), { type: 'module' });
    this.worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<ToolAnswer<T>>) => {
      if (data.kind === 'news') {
        this.news.value = [...this.news.value, data.news];
        return;
      }
      if (data.kind === 'ended') this.result.value = data.result;
      else this.problem.value = data.refusal.diagnostics.map(diagnosticText).join('\n') || data.refusal.text;
      this.stop();
    });
    worker.addEventListener('error', ({ message }) => {
      this.problem.value = message || 'the tab has no more memory for it';
      this.stop();
    });
    worker.postMessage({ tool: this.tool, request } satisfies ToolAsked<T>, []);
  }

  /** Ends what is under way; what was told stays. */
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.isRunning.value = false;
  }
}
