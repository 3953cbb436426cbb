// The charts of the run's report, drawn by what draws them there, as soon as they are scrolled to. Of a chart along the run
// the time that is shown is marked, and a click goes to a time.

import { effect } from '@preact/signals';
import type { EChartsType } from 'echarts/core';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RunView } from '#weft/app/view/run-view.js';
import type { Figure } from '#weft/report/page/figures.js';
import { look } from './looks.js';
import { binOfTime, goTo, timePs } from './state.js';

type FigureDesk = typeof import('../report/figure-desk.js');

/** pixels of the window beside what is seen in which charts are drawn already */
const nearPx = 300;
/** what `savedKinds` of the desk has: that is loaded later */
const savedKinds: FigureDesk['savedKinds'] = ['png', 'svg', 'csv'];

/** The chart library, which is larger than all of the page: loaded by the first chart that is looked at. */
function desk(): Promise<FigureDesk> {
  return import('../report/figure-desk.js');
}

/** Resolves once an element is near what is seen. @returns what ends the waiting */
function whenNear(element: Element, then: () => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      then();
    },
    { rootMargin: `${nearPx}px` },
  );
  observer.observe(element);
  return () => observer.disconnect();
}

/** Marks the time that is shown in a chart along the run, and lets a click choose it. @returns what ends that */
function followTime(chart: EChartsType, mark: HTMLElement, view: RunView | null, figure: Figure): () => void {
  const along = 'x' in figure ? figure.x.time : undefined;
  mark.hidden = true;
  if (along === undefined || view === null) return () => {};
  chart.getZr().on('click', ({ offsetX, offsetY }: { offsetX: number; offsetY: number }) => {
    if (!chart.containPixel('grid', [offsetX, offsetY])) return;
    const value = chart.convertFromPixel({ xAxisIndex: 0 }, offsetX) as unknown as number;
    goTo(binOfTime(view, along.fromPs + value * along.unitPs));
  });
  return effect(() => {
    const value = (timePs.value - along.fromPs) / along.unitPs;
    const left = chart.convertToPixel({ xAxisIndex: 0 }, value) as unknown as number;
    mark.hidden = !Number.isFinite(left) || value < 0;
    mark.style.transform = `translateX(${left}px)`;
  });
}

/** @property view the run whose time a chart is marked with; null: it is of none */
export function Chart({ view, figure }: { readonly view: RunView | null; readonly figure: Figure }): VNode {
  const plot = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = plot.current!;
    let chart: EChartsType | null = null;
    let end = (): void => {};
    let isOver = false;
    const draw = async (): Promise<void> => {
      const { drawFigure } = await desk();
      if (isOver) return;
      end();
      chart?.dispose();
      chart = drawFigure(place, figure, look.peek(), Math.max(280, place.clientWidth));
      end = followTime(chart, mark.current!, view, figure);
    };
    const endWaiting = whenNear(place, () => void draw());
    const endLook = effect(() => {
      void look.value;
      if (chart !== null) void draw();
    });
    let width = place.clientWidth;
    const resized = new ResizeObserver(() => {
      if (place.clientWidth === width) return;
      width = place.clientWidth;
      if (chart !== null) void draw();
    });
    resized.observe(place);
    return () => {
      isOver = true;
      endWaiting();
      endLook();
      resized.disconnect();
      end();
      chart?.dispose();
    };
  }, [figure, view]);
  const save = async (kind: string): Promise<void> => (await desk()).saveFigure(figure, kind, look.peek());
  return (
    <figure class="chart" data-testid={`chart-${figure.id}`}>
      <h3>{figure.title}</h3>
      <p class="faint">{figure.note}</p>
      <div class="along">
        <div class="plot" ref={plot} role="img" aria-label={`${figure.title}. ${figure.note}`} />
        <div class="now" ref={mark} hidden />
      </div>
      <div class="save" role="group" aria-label={`save: ${figure.title}`}>
        {savedKinds.map((kind) => (
          <button onClick={() => void save(kind)}>{kind.toUpperCase()}</button>
        ))}
      </div>
    </figure>
  );
}

export function Charts({ view }: { readonly view: RunView }): VNode {
  return (
    <>
      {view.congestion.map(({ title, svg, reading }) => (
        <section class="card">
          <h2>{title}</h2>
          <p class="faint">{reading}</p>
          <div class="paper" dangerouslySetInnerHTML={{ __html: svg }} />
        </section>
      ))}
      {view.sections.map(({ id, title, figures }) => (
        <section class="card charts" data-testid={`charts-${id}`}>
          <h2>{title}</h2>
          {figures.map((figure) => (
            <Chart key={figure.id} view={view} figure={figure} />
          ))}
        </section>
      ))}
    </>
  );
}
