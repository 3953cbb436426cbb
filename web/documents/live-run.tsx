// The small run of a mechanism's page: the engine's worker is loaded when somebody asks for it.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { formatTimePs } from '#weft/base/units.js';
import type { ViewedRun } from '#weft/app/view/view-scenario.js';
import { Engine, RefusedError } from '../app/engine.js';

/** What a page offers to run. */
interface LiveRequest {
  /** what to look for in it */
  readonly shows: string;
  readonly text: string;
  /** texts of files that it names, by path */
  readonly files: Readonly<Record<string, string>>;
  /** opens it in the application */
  readonly link: string;
}

const engine = new Engine();
const made = signal<ViewedRun | null>(null);
/** what is going on, or went wrong */
const said = signal('');
const isRunning = signal(false);

async function run({ text, files }: LiveRequest): Promise<void> {
  isRunning.value = true;
  said.value = 'Simulating …';
  try {
    made.value = await engine.run({ text, file: 'scenario.yaml', files }, ({ share }) => {
      if (share !== null) said.value = `Simulating: ${Math.floor(share * 100)} %`;
    });
    said.value = '';
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    said.value = error.message;
  } finally {
    isRunning.value = false;
  }
}

/** The run of a page. */
export function LiveRun({ own }: { readonly own: LiveRequest }): VNode {
  const json = made.value?.json;
  return (
    <aside class="panel" aria-label="a run of this">
      <p>
        <b>Try it.</b> {own.shows}.
      </p>
      <div class="tools">
        <button data-testid="live-run" disabled={isRunning.value} onClick={() => void run(own)}>
          Run it here
        </button>
        <a href={own.link} data-testid="live-open">
          Open it in the application
        </a>
      </div>
      <div role="status" data-testid="live-result">
        {said.value === '' ? null : <p class="faint">{said.value}</p>}
        {json === undefined || made.value === null ? null : (
          <>
            <p>{String(json['verdict'])}</p>
            <p class="faint">
              {String(json['outcome'])}: {String(json['finished'])} of {String(json['flows'])} flows after{' '}
              {formatTimePs(Math.round(Number(json['simulatedNs']) * 1000))} · digest {made.value.digest.slice(0, 12)}
            </p>
          </>
        )}
      </div>
      <details>
        <summary>The scenario</summary>
        <pre tabIndex={0}>
          <code>{own.text}</code>
        </pre>
      </details>
    </aside>
  );
}
