// All links with traffic over all of the time, the one with the highest load first. Drawn once; a step in time moves a line
// above it. Where there are more links than rows, a row shows the highest load of its links.

import { effect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import { loadClass } from '#weft/report/page/look.js';
import { look } from './looks.js';
import { bin, chooseLink, selection } from './state.js';

const mostRows = 240;

/** How many links share a row, and how many rows there are. */
function rowsOf({ links }: RunView): { readonly perRow: number; readonly rows: number } {
  const perRow = Math.max(1, Math.ceil(links.length / mostRows));
  return { perRow, rows: Math.ceil(links.length / perRow) };
}

export function HeatMap({ view }: { readonly view: RunView }): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { perRow, rows } = rowsOf(view);
  useEffect(
    () =>
      effect(() => {
        const context = canvas.current!.getContext('2d')!;
        const image = context.createImageData(view.bins, Math.max(1, rows));
        const pixels = new Uint32Array(image.data.buffer);
        const shades = look.value.load.map((colour) => {
          const value = Number.parseInt(colour.slice(1), 16);
          return 0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16);
        });
        const shadeOf = Uint32Array.from({ length: 256 }, (_, load) => shades[loadClass(load / 255 - 0.002)]!);
        for (let row = 0; row < rows; row++)
          for (let at = 0; at < view.bins; at++) {
            let most = 0;
            for (let place = row * perRow; place < Math.min(view.links.length, (row + 1) * perRow); place++)
              most = Math.max(most, view.linkLoads[place * view.bins + at]!);
            pixels[row * view.bins + at] = shadeOf[most]!;
          }
        context.putImageData(image, 0, 0);
      }),
    [view],
  );
  const pick = (event: MouseEvent): void => {
    const { left, top, width, height } = canvas.current!.getBoundingClientRect();
    const at = Math.floor(((event.clientX - left) / width) * view.bins);
    const row = Math.floor(((event.clientY - top) / height) * rows);
    let best = row * perRow;
    for (let place = best; place < Math.min(view.links.length, (row + 1) * perRow); place++)
      if (view.linkLoads[place * view.bins + at]! > view.linkLoads[best * view.bins + at]!) best = place;
    chooseLink(best, Math.max(0, Math.min(view.bins - 1, at)));
  };
  const places = selectedRows(view, perRow);
  return (
    <figure class="heat" data-testid="heat-map">
      <div
        class="map"
        role="img"
        aria-label={`loads of ${view.links.length} links over time, the highest first`}
        onClick={pick}
      >
        <canvas
          ref={canvas}
          width={view.bins}
          height={Math.max(1, rows)}
          style={{ height: `${Math.max(60, Math.min(240, rows * 6))}px` }}
        />
        <div class="now" style={{ left: `${(100 * (bin.value + 0.5)) / view.bins}%` }} />
        {places.map((row) => (
          <div class="row" style={{ top: `${(100 * (row + 0.5)) / rows}%` }} />
        ))}
      </div>
      <figcaption>
        {view.links.length} links that carried something, the one with the highest load first
        {perRow > 1 ? `; a row is the highest of ${perRow}` : ''}. Flows count as if each sent evenly over its time.
      </figcaption>
    </figure>
  );
}

function selectedRows(view: RunView, perRow: number): number[] {
  const own = selection.value;
  const places = own === null ? [] : own.kind === 'link' ? [own.place] : (view.flows[own.place]?.links ?? []);
  return [...new Set(places.map((place) => Math.floor(place / perRow)))];
}
