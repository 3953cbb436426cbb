// A figure of reports as a chart of the page, in its look and at its width.

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LineFigure } from '#weft/report/page/figures.js';
import { drawFigure } from '../../report/figure-desk.js';
import { look } from '../looks.js';

/** Draws lines; whoever cannot see them has the title and the note, and the table beside. */
export function LineChart({ figure }: { readonly figure: LineFigure }): VNode {
  const home = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const own = look.value;
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(home.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const chart = drawFigure(home.current!, figure, own, width);
    return () => chart.dispose();
  }, [figure, width, own]);
  return (
    <figure class="chart">
      <figcaption>
        {figure.title} <span class="faint">{figure.note}</span>
      </figcaption>
      <div ref={home} role="img" aria-label={`${figure.title}. ${figure.note}`} />
    </figure>
  );
}
