// What this machine has: run folders and scenarios that were named to `weft ui`.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { RefusedError } from './engine.js';
import type { Machine, Place, PlacedSweep, PlacedText } from './machine.js';
import { failure, forecast, isRunning, lookAhead, machine, open, runNow, showRun } from './state.js';

/** a scenario that takes less runs as soon as it is opened, in CPU seconds */
const quickSeconds = 10;

/** the sweep that is shown */
export const sweep = signal<PlacedSweep | null>(null);

/** Opens something of the machine: shows a run, or puts a scenario into the editor and runs it if that is quick. */
export async function openPlace(own: Machine, place: Place): Promise<void> {
  if (place.kind === 'run') {
    const found: PlacedText[] = [];
    const made = await showRun(
      () => own.open(place, (scenario) => found.push(scenario)),
      () => found[0]?.text,
    );
    if (made !== null && found[0] !== undefined) own.scenario.value = found[0].place;
    return;
  }
  if (place.kind === 'sweep') {
    try {
      sweep.value = await own.openSweep(place);
    } catch (error) {
      tell(error);
    }
    return;
  }
  try {
    open({ text: await own.textOf(place), files: {} });
    own.scenario.value = place;
  } catch (error) {
    tell(error);
    return;
  }
  await lookAhead();
  const seconds = forecast.value?.cpuSeconds ?? null;
  if (seconds !== null && seconds < quickSeconds) await runNow();
}

/** What a page of `weft ui` begins with: the first that was named. @returns whether there is any */
export async function openFirst(own: Machine): Promise<boolean> {
  try {
    const [first] = await own.look();
    if (first === undefined) return false;
    await openPlace(own, first);
  } catch (error) {
    tell(error);
  }
  return true;
}

function tell(error: unknown): void {
  if (!(error instanceof RefusedError)) throw error;
  failure.value = error.message;
}

export function Places(): VNode | null {
  if (machine === null) return null;
  const own = machine;
  const [places, run, scenario] = [own.places.value, own.shownRun.value, own.scenario.value];
  const again = (): void => void own.look().catch(tell);
  return (
    <section class="places" aria-label="on this machine" data-testid="places">
      <h2>On this machine</h2>
      {places.length === 0 ? (
        <p class="faint">Nothing was named: weft ui RUN SCENARIO shows runs and scenarios.</p>
      ) : null}
      <ul>
        {places.map((place) => (
          <li>
            <button
              disabled={isRunning.value}
              onClick={() => void openPlace(own, place)}
              {...([run?.number, scenario?.number].includes(place.number) ? { 'aria-current': 'true' } : {})}
            >
              {place.path}
            </button>{' '}
            <span class="faint">{place.kind}</span>
          </li>
        ))}
      </ul>
      <p class="faint">
        <button onClick={again}>Look again</button>
        {own.unlisted.value === 0 ? '' : ` ${own.unlisted.value} more are not listed: name their folders.`}
      </p>
    </section>
  );
}
