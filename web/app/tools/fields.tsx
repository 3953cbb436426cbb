// What panels of tools are set by, and what they show of a tool that works.

import type { Signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type { ToolRun } from './tool-run.js';
import type { Tool } from './tool-protocol.js';

/** A number on a slider, with its unit in words. */
export function Slider({
  label,
  value,
  from,
  to,
  step,
  text,
}: {
  readonly label: string;
  readonly value: Signal<number>;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly text: (value: number) => string;
}): VNode {
  return (
    <label class="slider">
      <span>{label}</span>
      <input
        type="range"
        min={from}
        max={to}
        step={step}
        value={value.value}
        aria-valuetext={text(value.value)}
        onInput={(event) => (value.value = Number(event.currentTarget.value))}
      />
      <output>{text(value.value)}</output>
    </label>
  );
}

/** One of several words. */
export function Choice({
  label,
  value,
  options,
}: {
  readonly label: string;
  readonly value: Signal<string>;
  readonly options: readonly (readonly [name: string, text: string])[];
}): VNode {
  return (
    <label>
      {label}{' '}
      <select value={value.value} onChange={(event) => (value.value = event.currentTarget.value)}>
        {options.map(([name, text]) => (
          <option value={name}>{text}</option>
        ))}
      </select>
    </label>
  );
}

/** Begins a tool, or ends it, and says how it goes. */
export function RunLine<T extends Tool>({
  run,
  begin,
  said,
}: {
  readonly run: ToolRun<T>;
  readonly begin: () => void;
  readonly said: string;
}): VNode {
  return (
    <>
      <div class="actions">
        {run.isRunning.value ? (
          <button onClick={() => run.stop()}>Stop</button>
        ) : (
          <button class="main" data-testid="tool-run" onClick={begin}>
            Compute
          </button>
        )}
        <span class="faint" role="status">
          {said}
        </span>
      </div>
      {run.problem.value === '' ? null : (
        <p class="problem" role="alert">
          {run.problem.value}
        </p>
      )}
    </>
  );
}

/** Names and figures, a row each. */
export function Figures({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }): VNode {
  return (
    <table class="figures" data-testid="tool-figures">
      <tbody>
        {rows.map(([name, figure]) => (
          <tr>
            <th scope="row">{name}</th>
            <td>{figure}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
