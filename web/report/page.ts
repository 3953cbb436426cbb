// The program of a report's page: draws its charts, light or dark and for print, saves them, and lights up paths on the
// fabric. Reads the data that stands in the page; fetches nothing.

import type { EChartsType } from 'echarts/core';
import type { Figure } from '#weft/report/page/figures.js';
import { darkLook, lightLook, type Look } from '#weft/report/page/look.js';
import type { PageData } from '#weft/report/page/page-shell.js';
import { drawFigure, saveFigure } from './figure-desk.js';
import { timelineDesk } from './timeline-desk.js';
import { congestedDesk } from './congested-desk.js';
import { fabricDesk } from './fabric-desk.js';

const root = document.documentElement;
const data = JSON.parse(document.getElementById('data')!.textContent!) as PageData;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
/** width of charts on paper, in pixels */
const printedWidth = 640;
const drawn = new Map<HTMLElement, EChartsType>();
let isPrinting = false;

function look(): Look {
  if (isPrinting) return lightLook;
  const chosen = root.dataset['look'];
  return (chosen === undefined ? prefersDark.matches : chosen === 'dark') ? darkLook : lightLook;
}

function figureOf(element: HTMLElement): Figure {
  return data.figures[Number(element.dataset['figure'])]!;
}

function draw(element: HTMLElement): void {
  const plot = element.querySelector<HTMLElement>('.plot')!;
  const width = isPrinting ? printedWidth : Math.max(280, plot.clientWidth);
  drawn.get(element)?.dispose();
  drawn.set(element, drawFigure(plot, figureOf(element), look(), width, isPrinting));
}

const figures = [...document.querySelectorAll<HTMLElement>('figure[data-figure]')];

/** All charts: at once for print, else one after the other, so that the page can be used meanwhile. */
function drawAll(): void {
  if (isPrinting) {
    figures.forEach(draw);
    return;
  }
  const left = figures.slice();
  const next = (): void => {
    const element = left.shift();
    if (element === undefined) {
      performance.mark('drawn');
      root.dataset['drawn'] = String(figures.length);
      return;
    }
    draw(element);
    setTimeout(next, 0);
  };
  next();
}

for (const element of figures)
  for (const button of element.querySelectorAll<HTMLButtonElement>('[data-save]'))
    button.addEventListener('click', () => saveFigure(figureOf(element), button.dataset['save']!, look()));

const switchLook = document.getElementById('look')!;
function nameLook(): void {
  switchLook.textContent = look().isDark ? 'Light' : 'Dark';
}
switchLook.addEventListener('click', () => {
  root.dataset['look'] = look().isDark ? 'light' : 'dark';
  nameLook();
  drawAll();
});
prefersDark.addEventListener('change', () => {
  nameLook();
  drawAll();
});
document.getElementById('print')!.addEventListener('click', () => window.print());

function printing(is: boolean): void {
  if (isPrinting === is) return;
  isPrinting = is;
  for (const details of document.querySelectorAll('details')) {
    if (is && !details.open) {
      details.open = true;
      details.dataset['closed'] = '';
    } else if (!is && details.dataset['closed'] !== undefined) {
      details.open = false;
      delete details.dataset['closed'];
    }
  }
  drawAll();
}
window.addEventListener('beforeprint', () => printing(true));
window.addEventListener('afterprint', () => printing(false));
matchMedia('print').addEventListener('change', ({ matches }) => printing(matches));

let width = window.innerWidth;
let waiting = 0;
window.addEventListener('resize', () => {
  if (window.innerWidth === width || isPrinting) return;
  width = window.innerWidth;
  clearTimeout(waiting);
  waiting = window.setTimeout(drawAll, 120);
});

nameLook();
for (const panel of document.querySelectorAll<HTMLElement>('[data-timeline]'))
  timelineDesk(panel, Number(panel.dataset['end']));
for (const panel of document.querySelectorAll<HTMLElement>('[data-congested]')) {
  const desk = data.congestion[Number(panel.dataset['congested'])];
  if (desk !== undefined) congestedDesk(panel, desk);
}
for (const panel of document.querySelectorAll<HTMLElement>('[data-fabric]')) {
  const picture = data.drawings[Number(panel.dataset['fabric'])];
  if (picture !== null && picture !== undefined) fabricDesk(panel, picture);
}
drawAll();
