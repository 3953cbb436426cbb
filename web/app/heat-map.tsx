// All links with traffic over the time that is shown, the one with the highest load first. A step in time moves a line above
// it and draws nothing. Invariant: what stands for many links or bins is the highest load of them.

import { computed, effect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import { formatSizeBytes } from '#weft/base/units.js';
import { shadeOf } from './fabric-lines.js';
import { look } from './looks.js';
import { levelsOf, quantity, type Sight, type TimeRange } from './state.js';

const mostRows = 240;
const mostColumns = 1024;

/** How many links share a row, and how many rows there are. */
function rowsOf({ links }: RunView): { readonly perRow: number; readonly rows: number } {
  const perRow = Math.max(1, Math.ceil(links.length / mostRows));
  return { perRow, rows: Math.ceil(links.length / perRow) };
}

/** Columns of the picture of so many bins: a column shows the highest load of its bins, so a burst is seen however short. */
function columnsOf(bins: number): number {
  return Math.min(bins, mostColumns);
}

/** The highest load of each row and column of what is shown, row by row. */
function highest(view: RunView, levels: Uint8Array, { from, to }: TimeRange): Uint8Array {
  const { perRow, rows } = rowsOf(view);
  const columns = columnsOf(to - from);
  const most = new Uint8Array(rows * columns);
  for (let place = 0; place < view.links.length; place++) {
    const target = Math.floor(place / perRow) * columns;
    const loads = levels.subarray(place * view.bins + from, place * view.bins + to);
    for (let column = 0, bin = 0; column < columns; column++) {
      const end = Math.floor(((column + 1) * loads.length) / columns);
      let own = most[target + column]!;
      for (; bin < end; bin++) if (loads[bin]! > own) own = loads[bin]!;
      most[target + column] = own;
    }
  }
  return most;
}

/** Where the line of the time stands. It moves without a layout or a painting of what is below. */
function nowStyle({ bin, range }: Sight): string {
  const { from, to } = range.value;
  return `transform: translateX(${(100 * (bin.value - from + 0.5)) / (to - from)}%)`;
}

export function HeatMap({ view, sight }: { readonly view: RunView; readonly sight: Sight }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { perRow, rows } = rowsOf(view);
  useEffect(
    () =>
      effect(() => {
        const shown = sight.range.value;
        const own = canvas.current!;
        own.width = columnsOf(shown.to - shown.from);
        own.height = Math.max(1, rows);
        const shades = look.value.load.map((colour) => {
          const value = Number.parseInt(colour.slice(1), 16);
          return 0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16);
        });
        const colours = Uint32Array.from({ length: 256 }, (_, load) => shades[shadeOf(load / 255)]!);
        const context = own.getContext('2d')!;
        const image = context.createImageData(own.width, own.height);
        new Uint32Array(image.data.buffer).set(
          Uint32Array.from(highest(view, levelsOf(view).links, shown), (load) => colours[load]!),
        );
        context.putImageData(image, 0, 0);
      }),
    [view, sight],
  );
  const pick = (event: MouseEvent): void => {
    const { left, top, width, height } = canvas.current!.getBoundingClientRect();
    const { from, to } = sight.range.value;
    const columns = columnsOf(to - from);
    const column = Math.max(0, Math.min(columns - 1, Math.floor(((event.clientX - left) / width) * columns)));
    const row = Math.max(0, Math.min(rows - 1, Math.floor(((event.clientY - top) / height) * rows)));
    // of the links and bins that stand there, where most was sent
    const first = from + Math.floor((column * (to - from)) / columns);
    const end = from + Math.floor(((column + 1) * (to - from)) / columns);
    const { links } = levelsOf(view);
    let best = row * perRow * view.bins + first;
    for (let place = row * perRow; place < Math.min(view.links.length, (row + 1) * perRow); place++)
      for (let at = place * view.bins + first; at < place * view.bins + end; at++)
        if (links[at]! > links[best]!) best = at;
    sight.choose(Math.floor(best / view.bins), best % view.bins);
  };
  const now = useMemo(() => computed(() => nowStyle(sight)), [sight]);
  const isWaiting = quantity.value === 'waiting' && view.linkQueues.length > 0;
  const places = [...new Set(sight.links.value.map((place) => Math.floor(place / perRow)))];
  return (
    <figure class="heat" data-testid="heat-map">
      <div
        class="map"
        role="img"
        aria-label={`${isWaiting ? 'queues' : 'loads'} of ${view.links.length} links over time, the one with the highest load first`}
        onClick={pick}
      >
        <canvas ref={canvas} style={{ height: `${Math.max(60, Math.min(240, rows * 6))}px` }} />
        <div class="now" style={now} />
        {places.map((row) => (
          <div class="row" style={{ top: `${(100 * (row + 0.5)) / rows}%` }} />
        ))}
      </div>
      <figcaption>
        {view.links.length} links that carried something, the one with the highest load first
        {perRow > 1 ? `; a row is the highest of ${perRow}` : ''}.{' '}
        {isWaiting
          ? `The darkest has the longest queue, ${formatSizeBytes(Math.round(view.longestQueueBytes))}. Queues are looked at now and then.`
          : 'Flows count as if each sent evenly over its time.'}
      </figcaption>
    </figure>
  );
}
