// A sweep of this machine: what is best, its runs as a table that can be sorted, and its charts. A run that was kept opens by a
// click.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { SweepView, SweepViewRun } from '#weft/app/view/sweep-view.js';
import { Chart } from './charts.js';
import type { Machine, Place } from './machine.js';
import { openPlace, sweep } from './places.js';
import { isRunning, machine } from './state.js';

/** rows that are shown before more are asked for */
const fewRows = 40;

/** the figure by which runs are sorted, and how; null: as they were numbered */
const order = signal<{ readonly figure: number; readonly isDown: boolean } | null>(null);
const isWhole = signal(false);

/** Places of the runs in the order that is chosen: those without the figure come last. */
function sorted(runs: readonly SweepViewRun[]): number[] {
  const places = [...runs.keys()];
  const by = order.value;
  if (by === null) return places;
  const value = (place: number): number => runs[place]!.figures[by.figure]?.value ?? (by.isDown ? -Infinity : Infinity);
  return places.sort((a, b) => (by.isDown ? value(b) - value(a) : value(a) - value(b)) || a - b);
}

function Heads({ view }: { readonly view: SweepView }): VNode {
  const by = order.value;
  return (
    <tr>
      <th>run</th>
      {view.settings.map((path) => (
        <th>{path}</th>
      ))}
      <th>seed</th>
      {view.figureNames.map((name, figure) => {
        const isOn = by?.figure === figure;
        const next = !isOn ? { figure, isDown: false } : by.isDown ? null : { figure, isDown: true };
        return (
          <th aria-sort={isOn ? (by.isDown ? 'descending' : 'ascending') : 'none'}>
            <button onClick={() => (order.value = next)}>
              {name}
              {isOn ? (by.isDown ? ' ▼' : ' ▲') : ''}
            </button>
          </th>
        );
      })}
      <th>how it ended</th>
    </tr>
  );
}

/** Opens a run, and goes to what it says: that is far below a long table. */
async function openKept(own: Machine, place: Place): Promise<void> {
  await openPlace(own, place);
  requestAnimationFrame(() => document.querySelector('[data-testid=verdict]')?.scrollIntoView({ block: 'center' }));
}

export function Sweep(): VNode | null {
  const found = sweep.value;
  if (found === null || machine === null) return null;
  const own = machine;
  const { view, places } = found;
  const all = sorted(view.runs);
  const shown = isWhole.value ? all : all.slice(0, fewRows);
  const left = view.ended - shown.length;
  return (
    <section class="card" data-testid="sweep" aria-label="sweep">
      <h2>Sweep: {view.name}</h2>
      <p class="verdict">{view.verdict === '' ? 'No combination is the best by its figures.' : view.verdict}</p>
      <p class="faint">
        {view.ended} of {view.planned} runs have ended.{' '}
        {places.some((place) => place !== null)
          ? 'A run that has a number to press was kept, and opens.'
          : 'None was kept: weft sweep --keep-runs keeps the folder of each.'}
      </p>
      <div class="list">
        <table>
          <thead>
            <Heads view={view} />
          </thead>
          <tbody>
            {shown.map((place) => {
              const { run, values, seed, figures, outcome } = view.runs[place]!;
              const kept = places[place] ?? null;
              return (
                <tr class={kept !== null && kept.number === own.shownRun.value?.number ? 'on' : ''}>
                  <td>
                    {kept === null ? (
                      run
                    ) : (
                      <button disabled={isRunning.value} onClick={() => void openKept(own, kept)}>
                        {run}
                      </button>
                    )}
                  </td>
                  {values.map((value) => (
                    <td>{value}</td>
                  ))}
                  <td>{seed ?? ''}</td>
                  {figures.map((figure) => (
                    <td>{figure?.text ?? ''}</td>
                  ))}
                  <td>{outcome}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {left <= 0 ? null : (
        <p class="faint">
          {left} more are not shown.{' '}
          {shown.length < all.length ? <button onClick={() => (isWhole.value = true)}>Show {all.length}</button> : null}
        </p>
      )}
      <details open={own.shownRun.value === null}>
        <summary>Charts</summary>
        <div class="charts">
          {view.charts.map((figure) => (
            <Chart key={figure.id} view={null} figure={figure} />
          ))}
        </div>
      </details>
    </section>
  );
}
