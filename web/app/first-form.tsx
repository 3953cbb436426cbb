// The questions of `weft init` as a form: how many GPUs, over which fabric, doing what. The answer is a scenario in the editor.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { FirstChoices, ScenarioAnswers } from '#weft/app/first-scenario.js';
import { RefusedError } from './engine.js';
import { diagnosticText } from './editor.js';
import { engine, isRunning, lookAhead, open } from './state.js';

const fabric = signal('leaf-spine');
const job = signal('allreduce');
const gpus = signal('64');
const size = signal('64MiB');
const choices = signal<FirstChoices | null>(null);
const said = signal('');

/** Asks for what there is to choose from, once. */
async function lookUp(): Promise<void> {
  choices.value ??= await engine.choices();
}

async function write(event: Event): Promise<void> {
  event.preventDefault();
  said.value = '';
  const answers: ScenarioAnswers = {
    gpus: Number(gpus.value),
    job: job.value,
    fabric: fabric.value,
    gpuType: null,
    size: size.value,
  };
  try {
    open({ text: await engine.first(answers), files: {} });
    await lookAhead();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const [first] = error.refusal.diagnostics;
    said.value = first === undefined ? error.message : diagnosticText(first);
  }
}

export function FirstForm(): VNode {
  const found = choices.value;
  return (
    <details
      class="first"
      data-testid="first"
      onToggle={(event) => {
        if (event.currentTarget.open) void lookUp();
      }}
    >
      <summary>Describe a new one</summary>
      {found === null ? (
        <p class="faint">Looking up what there is …</p>
      ) : (
        <form onSubmit={(event) => void write(event)}>
          <label>
            GPUs{' '}
            <input
              type="number"
              min={2}
              max={100_000}
              required
              value={gpus.value}
              onInput={(event) => (gpus.value = event.currentTarget.value)}
            />
          </label>
          <label>
            over{' '}
            <select value={fabric.value} onChange={(event) => (fabric.value = event.currentTarget.value)}>
              {found.fabrics.map((name) => (
                <option value={name}>{name}</option>
              ))}
            </select>
          </label>
          <label>
            doing{' '}
            <select value={job.value} onChange={(event) => (job.value = event.currentTarget.value)}>
              {[
                ['a collective', found.collectives] as const,
                ['transfers', found.patterns] as const,
                ['training of a model', found.models] as const,
              ].map(([kind, names]) => (
                <optgroup label={kind}>
                  {names.map((name) => (
                    <option value={name}>{name}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          </label>
          {found.models.includes(job.value) ? null : (
            <label>
              size{' '}
              <input
                required
                value={size.value}
                onInput={(event) => (size.value = event.currentTarget.value)}
                placeholder="64MiB"
              />
            </label>
          )}
          <button disabled={isRunning.value}>Write it</button>
        </form>
      )}
      {said.value === '' ? null : (
        <p class="problem" role="alert">
          {said.value}
        </p>
      )}
    </details>
  );
}
