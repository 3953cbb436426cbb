// The timeline of ranks under the hands of whoever looks at it: a part of the time larger, moved by buttons or the
// pointer, and a search that leaves the bars of a rank or a phase in sight.
// Invariant: bars keep their places in time; the axis says which part is shown.

import { formatTimePs } from '#weft/base/units.js';
import { tickPs } from '#weft/report/timeline-figure.js';

const namespace = 'http://www.w3.org/2000/svg';
/** where the first row begins, and what lies right of the last moment (timeline-figure.ts) */
const [rowsFrom, rightMargin] = [60, 24];
const most = 4096;

/** Brings a panel to life. @param endPs what the right end stands for */
export function timelineDesk(panel: HTMLElement, endPs: number): void {
  const svg = panel.querySelector<SVGSVGElement>('.paper svg')!;
  const said = panel.querySelector<HTMLElement>('[data-found]')!;
  const axisLines = [...svg.querySelectorAll('line')];
  if (axisLines.length === 0 || endPs <= 0) return;
  const left = Number(axisLines[0]!.getAttribute('x1'));
  const width = svg.viewBox.baseVal.width - left - rightMargin;
  const axisY = Number(axisLines[0]!.getAttribute('y2'));
  const texts = [...svg.querySelectorAll('text')];
  const numbers = texts.filter((text) => text.hasAttribute('pointer-events'));
  const bars = [...svg.querySelectorAll('rect')].filter((rect) => Number(rect.getAttribute('y')) >= rowsFrom);
  const names = texts
    .filter((text) => text.getAttribute('text-anchor') === 'end' && Number(text.getAttribute('y')) > rowsFrom)
    .map((text) => ({ y: Number(text.getAttribute('y')), name: text.textContent }));
  for (const own of [...axisLines, ...texts.filter((text) => Number(text.getAttribute('y')) > axisY)]) own.remove();

  const frame = svg.appendChild(document.createElementNS(namespace, 'svg'));
  for (const [name, value] of Object.entries({ x: left, width, height: svg.viewBox.baseVal.height }))
    frame.setAttribute(name, String(value));
  const stretched = frame.appendChild(document.createElementNS(namespace, 'g'));
  stretched.append(...bars);
  const places = numbers.map((text) => Number(text.getAttribute('x')) - left);
  frame.append(...numbers);
  const axis = svg.insertBefore(document.createElementNS(namespace, 'g'), frame);
  let [from, times] = [0, 1];

  const draw = (): void => {
    from = Math.max(0, Math.min(from, width - width / times));
    stretched.setAttribute('transform', `scale(${times} 1) translate(${-left - from} 0)`);
    numbers.forEach((text, i) => text.setAttribute('x', String((places[i]! - from) * times)));
    axis.replaceChildren();
    const shownPs = endPs / times;
    const step = tickPs(shownPs);
    const firstPs = (from / width) * endPs;
    for (let timePs = Math.ceil(firstPs / step) * step; timePs <= firstPs + shownPs; timePs += step) {
      const x = String(left + ((timePs - firstPs) / shownPs) * width);
      const line = axis.appendChild(document.createElementNS(namespace, 'line'));
      for (const [name, value] of Object.entries({ x1: x, x2: x, y1: '60', y2: String(axisY), stroke: '#dddddd' }))
        line.setAttribute(name, value);
      const text = axis.appendChild(document.createElementNS(namespace, 'text'));
      for (const [name, value] of Object.entries({
        x,
        y: String(axisY + 16),
        'text-anchor': 'middle',
        fill: '#555555',
      }))
        text.setAttribute(name, value);
      text.textContent = timePs === 0 ? '0' : formatTimePs(timePs);
    }
  };
  const zoom = (factor: number, at = from + width / times / 2): void => {
    const before = times;
    times = Math.max(1, Math.min(most, times * factor));
    from = at - ((at - from) * before) / times;
    draw();
  };
  const move = (share: number): void => {
    from += (share * width) / times;
    draw();
  };
  const does: Readonly<Record<string, () => void>> = {
    in: () => zoom(2),
    out: () => zoom(0.5),
    left: () => move(-0.5),
    right: () => move(0.5),
    whole: () => zoom(0),
  };
  for (const button of panel.querySelectorAll<HTMLButtonElement>('[data-time]'))
    button.addEventListener('click', does[button.dataset['time']!]!);
  svg.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, from + ((event.clientX - box.left) / box.width) * (width / times));
    },
    { passive: false },
  );

  /** what is said of a bar: its row, and what it is */
  let words: string[] | null = null;
  const rowOf = (bar: SVGRectElement): string => {
    const y = Number(bar.getAttribute('y'));
    const below = names.filter((own) => own.y > y);
    return below.length === 0 ? '' : below.reduce((a, b) => (a.y <= b.y ? a : b)).name;
  };
  panel.querySelector<HTMLInputElement>('[data-search]')!.addEventListener('input', ({ target }) => {
    const wanted = (target as HTMLInputElement).value.trim().toLowerCase();
    words ??= bars.map((bar) => `${rowOf(bar)}: ${bar.textContent}`.toLowerCase());
    let found = 0;
    bars.forEach((bar, i) => {
      // a number ends where it ends: rank 1 is not rank 12
      const at = words![i]!.indexOf(wanted);
      const next = at < 0 ? '' : words![i]!.charAt(at + wanted.length);
      const is = wanted === '' || (at >= 0 && !(/\d$/.test(wanted) && /\d/.test(next)));
      bar.classList.toggle('dim', !is);
      if (is) found++;
    });
    said.textContent = wanted === '' ? '' : `${found} of ${bars.length} bars`;
  });
  draw();
}
