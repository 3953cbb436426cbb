// What is asked: the scenario with what it would take and what is wrong with it, where it comes from, and what runs it.

import { computed } from '@preact/signals';
import type { VNode } from 'preact';
import { formatSizeBytes } from '#weft/base/units.js';
import { diagnosticText, Editor } from './editor.js';
import { fabricSvg, hasShapeOf } from './fabric-lines.js';
import { FirstForm } from './first-form.js';
import { GivenFolders } from './given-folder.js';
import { look } from './looks.js';
import { Places } from './places.js';
import {
  diagnostics,
  type Example,
  failure,
  forecast,
  isLate,
  isLong,
  isRunning,
  isStopping,
  open,
  progress,
  run,
  runAsked,
  stopNow,
} from './state.js';

/** The gallery. */
export const examples = JSON.parse(document.getElementById('examples')!.textContent!) as readonly Example[];

function Gallery(): VNode {
  const choose = async (name: string): Promise<void> => {
    const found = examples.find((own) => own.name === name);
    if (found === undefined) return;
    open(found);
    await runAsked();
  };
  return (
    <label class="gallery">
      Examples{' '}
      <select data-testid="examples" onChange={(event) => void choose(event.currentTarget.value)}>
        <option value="">choose a question</option>
        {examples.map(({ name, question }) => (
          <option value={name}>
            {question} ({name})
          </option>
        ))}
      </select>
    </label>
  );
}

/** So many seconds in words. */
function durationText(seconds: number): string {
  if (seconds < 0.1) return 'a moment';
  if (seconds < 100) return `about ${Number(seconds.toPrecision(1))} s`;
  return seconds < 6000
    ? `about ${Math.round(seconds / 60)} minutes`
    : `about ${Number((seconds / 3600).toPrecision(2))} hours`;
}

function forecastText(): string {
  const found = forecast.value;
  if (found === null) return '';
  const { hosts, links, cpuSeconds, memoryBytes } = found;
  const cost =
    cpuSeconds === null || memoryBytes === null
      ? 'how long it takes is not known before'
      : `${durationText(cpuSeconds)} and ${formatSizeBytes(Math.round(memoryBytes / 1e6) * 1e6)}`;
  return `${hosts} hosts, ${links} links; ${cost}`;
}

/** Whether a file is what stands in the editor, or beside it; else it is said. */
function isScenario(file: string): boolean {
  return /\.ya?ml$/.test(file);
}

function Problems(): VNode | null {
  const lines = diagnostics.value;
  if (lines.length === 0 && failure.value === '') return null;
  return (
    <ul class="problems" data-testid="problems">
      {failure.value === '' ? null : <li class="error">{failure.value}</li>}
      {lines.map((own) => (
        <li class={own.severity}>
          {isScenario(own.file) ? '' : `${own.file}: `}
          {own.line > 0 ? `line ${own.line}: ` : ''}
          {diagnosticText(own)}
        </li>
      ))}
    </ul>
  );
}

const preview = computed(() => {
  const shape = forecast.value?.shape;
  const view = run.value?.view;
  return shape === undefined || (view !== undefined && hasShapeOf(shape, view)) ? null : shape;
});

/** The fabric of the text, where it is another than that of the run. */
function Preview(): VNode | null {
  const shape = preview.value;
  if (shape === null) return null;
  const { line } = look.value;
  const picture = fabricSvg(shape, look.value, () => ({ colour: line, width: 1 }));
  return (
    <figure class="preview" data-testid="preview">
      <div role="img" aria-label="the fabric of this text" dangerouslySetInnerHTML={{ __html: picture }} />
      <figcaption class="faint">The fabric of this text. {shape.note}</figcaption>
    </figure>
  );
}

export function Desk(): VNode {
  const share = progress.value?.share ?? null;
  return (
    <section class="desk" aria-label="scenario">
      <Places />
      <Gallery />
      <FirstForm />
      <GivenFolders />
      <Editor />
      <div class="actions">
        {isRunning.value ? (
          <button data-testid="stop" disabled={isStopping.value} onClick={stopNow}>
            {isStopping.value ? 'Stopping …' : 'Stop'}
          </button>
        ) : (
          <button class="main" data-testid="run" onClick={() => void runAsked()} title="Ctrl+Enter in the text">
            Run
          </button>
        )}
        <span class="faint" data-testid="forecast">
          {isLate.value ? 'looking at it …' : forecastText()}
        </span>
      </div>
      {isRunning.value ? (
        <progress aria-label="how far the run is" max={1} {...(share === null ? {} : { value: share })} />
      ) : null}
      {isLong.value && !isRunning.value ? (
        <p class="problems" role="alert">
          This run takes {durationText(forecast.value?.cpuSeconds ?? 0)} here. Fewer hosts, less traffic or{' '}
          <code>backend: fluid</code> take less. Press Run again to run it all the same: it can be stopped.
        </p>
      ) : null}
      <Problems />
      <Preview />
    </section>
  );
}
