// The run that is shown beside the one before it, or one that the person keeps for that.

import { computed, effect, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import { formatTimePs } from '#weft/base/units.js';
import { type Change, type Comparison, compared, type TitledRun } from './comparison.js';
import { fabricSvg } from './fabric-lines.js';
import { FabricView } from './fabric-view.js';
import { HeatMap } from './heat-map.js';
import { look } from './looks.js';
import { besideSight, chooseFlow, chooseLink, isRunning, run, showAgain, shownText } from './state.js';

/** lines of the scenario that are shown */
const mostLines = 12;
/** change of a link that is drawn, as a share of the time */
const leastChange = 0.01;

const other = signal<TitledRun | null>(null);
const isKept = signal(false);
let shown: TitledRun | null = null;

effect(() => {
  const made = run.value;
  if (made === null || made === shown?.run) return;
  const isKeptNow = isKept.peek();
  if (!isKeptNow) other.value = shown === null ? null : { ...shown, title: 'the run before' };
  shown = { title: 'this run', text: shownText.peek(), run: made };
});

const comparison = computed<Comparison | null>(() => {
  const [before, made] = [other.value, run.value];
  if (before === null || made === null || before.run === made || shown === null) return null;
  return compared(before, shown);
});

/** From here on every run is compared with the one that is shown. */
function keep(): void {
  other.value = shown === null ? null : { ...shown, title: 'the run that you kept' };
  isKept.value = true;
}

function Changes({
  what,
  changes,
  choose,
}: {
  readonly what: string;
  readonly changes: readonly Change[];
  readonly choose: (place: number) => void;
}): VNode | null {
  if (changes.length === 0) return null;
  return (
    <div class="list">
      <table>
        <thead>
          <tr>
            <th>{what}</th>
            <th>before</th>
            <th>now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, place, before, after }) => (
            <tr>
              <td>
                <button onClick={() => choose(place)}>{name}</button>
              </td>
              <td>{formatTimePs(Math.round(before))}</td>
              <td>{formatTimePs(Math.round(after))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What keeps the run that is shown. */
export function KeepButton(): VNode | null {
  if (run.value === null) return null;
  const isThisKept = isKept.value && other.value?.run === run.value;
  return (
    <>
      <button data-testid="keep" disabled={isThisKept} onClick={keep}>
        {isThisKept ? 'This run is kept to compare with' : 'Keep this run to compare with'}
      </button>
      {isKept.value ? (
        <button data-testid="drop" onClick={() => (isKept.value = false)}>
          Forget the run that is kept
        </button>
      ) : null}
    </>
  );
}

/** Where on the fabric more is sent, and where less; and the run before over time, at the time that is shown. */
function Differences({ before, changes }: { readonly before: RunView; readonly changes: Float64Array | null }): VNode {
  const [isOpen, open] = useState(false);
  const sight = useMemo(() => besideSight(before), [before]);
  return (
    <>
      {changes === null ? (
        <p class="faint">The fabrics differ, so their loads are not drawn over each other.</p>
      ) : (
        <figure data-testid="difference">
          <div
            role="img"
            aria-label="where links send for longer than before, and where for less"
            dangerouslySetInnerHTML={{ __html: differenceSvg(run.value!.view, changes) }}
          />
          <figcaption class="faint">
            Whole lines send for longer than before, dashed ones for less; the wider, the more.
          </figcaption>
        </figure>
      )}
      <details onToggle={(event) => open(event.currentTarget.open)}>
        <summary>The run beside it over time</summary>
        {isOpen ? (
          <>
            <FabricView view={before} sight={sight} />
            <HeatMap view={before} sight={sight} />
          </>
        ) : null}
      </details>
    </>
  );
}

function differenceSvg(view: RunView, changes: Float64Array): string {
  const [less, , more] = look.value.signed;
  const { line } = look.value;
  return fabricSvg(view, look.value, (own) => {
    const change = changes[own]!;
    if (Math.abs(change) < leastChange) return { colour: line, width: 0.6 };
    const width = 1 + 4 * Math.min(1, Math.abs(change));
    return change > 0 ? { colour: more, width } : { colour: less, width, dashes: '5 3' };
  });
}

export function Beside(): VNode | null {
  const found = comparison.value;
  const before = other.value;
  // another scenario: nothing to compare
  if (found === null || before === null || found.matched === 0) return null;
  const isSame = before.run.digest === run.value?.digest;
  const { lines, matched, faster, slower, isPartial } = found;
  return (
    <section class="card" data-testid="comparison">
      <h2>Beside {before.title}</h2>
      <p class="verdict">{isSame ? 'Nothing changed: both runs are the same to the byte.' : found.verdict}</p>
      {lines.length === 0 ? null : (
        <pre class="changed" aria-label="lines of the scenario that differ">
          {lines.slice(0, mostLines).join('\n')}
          {lines.length > mostLines ? `\n${lines.length - mostLines} more lines differ` : ''}
        </pre>
      )}
      {isSame ? null : (
        <p class="faint">
          Of {matched} flows that both {isPartial ? 'list' : 'have'}, {faster} became faster and {slower} slower, by
          more than a hundredth. What changed most, and for how long links had something to send:
        </p>
      )}
      <div class="lists">
        <Changes what="flow" changes={found.flows} choose={chooseFlow} />
        <Changes what="link" changes={found.links} choose={chooseLink} />
      </div>
      {isSame ? null : <Differences before={before.run.view} changes={found.lineChanges} />}
      <div>
        <button disabled={isRunning.value} onClick={() => showAgain(before.run, before.text)}>
          Show {before.title}
        </button>
      </div>
    </section>
  );
}
