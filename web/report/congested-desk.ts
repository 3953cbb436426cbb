// What a congested-fraction plot shows of the window and the job that are chosen, and what it says of a link.

import { frameText, markName } from '#weft/report/page/congested-html.js';
import { packetsText } from '#weft/report/page/congested-picture.js';
import type { CongestedDesk } from '#weft/report/page/congested-plots.js';
import { cellClass, markWidth, shadeOf } from '#weft/report/page/congested-scale.js';

/** Brings a panel to life. */
export function congestedDesk(panel: HTMLElement, { links, slices }: CongestedDesk): void {
  const svg = panel.querySelector<SVGSVGElement>('svg.congested')!;
  const said = panel.querySelector<HTMLElement>('.said')!;
  const frame = panel.querySelector<HTMLElement>('[data-frame]')!;
  const slice = panel.querySelector<HTMLSelectElement>('[data-slice]');
  const slider = panel.querySelector<HTMLInputElement>('[data-window]');
  const idle = said.textContent;
  const marks: SVGElement[] = [];
  for (const element of svg.querySelectorAll<SVGElement>('[data-mark]'))
    marks[Number(element.dataset['mark'])] = element;
  const middle = marks.map((element) =>
    element instanceof SVGRectElement ? element.x.baseVal.value + element.width.baseVal.value / 2 : 0,
  );
  const shown = () => slices[Number(slice?.value ?? 0)]!.frames[Number(slider?.value ?? 0)]!;

  const paint = (): void => {
    const { packetsPerPixel, traffic, percent } = shown();
    const shades = traffic.map((packets, mark) => shadeOf((packets * percent[mark]!) / 100, packets));
    frame.textContent = frameText(shown());
    said.textContent = idle;
    marks.forEach((element, mark) => {
      if (packetsPerPixel === null) {
        element.setAttribute('class', cellClass(traffic[mark]!, shades[mark]!));
        return;
      }
      const width = markWidth(traffic[mark]!, packetsPerPixel, links[mark >> 1]!.room);
      if (element instanceof SVGRectElement) {
        element.setAttribute('class', `b${shades[mark]!}`);
        element.setAttribute('width', String(width));
        element.setAttribute('x', String(middle[mark]! - width / 2));
      } else {
        element.setAttribute('class', `m l${shades[mark]!}`);
        element.setAttribute('stroke-width', String(width));
      }
    });
    if (packetsPerPixel === null) return;
    // the darkest above the others, all below the boxes
    const boxes = svg.querySelector('[data-box]');
    const order = marks.map((_, mark) => mark).sort((a, b) => shades[a]! - shades[b]! || a - b);
    for (const mark of order) svg.insertBefore(marks[mark]!, boxes);
  };
  const show = (mark: number | null): void => {
    for (const element of svg.querySelectorAll('.on')) element.classList.remove('on');
    if (mark === null) {
      said.textContent = idle;
      return;
    }
    const { traffic, percent } = shown();
    const [own, other] = [mark, mark ^ 1].map(
      (way) =>
        `${markName(links[way >> 1]!, way)}: ${packetsText(traffic[way]!, (traffic[way]! * percent[way]!) / 100)}`,
    );
    marks[mark]!.classList.add('on');
    said.textContent = `${own!}. Back, ${other!}.`;
  };

  slice?.addEventListener('change', paint);
  slider?.addEventListener('input', paint);
  svg.addEventListener('pointerover', ({ target }) => {
    const own = (target as Element).closest<SVGElement>('[data-mark]')?.dataset['mark'];
    if (own !== undefined) show(Number(own));
  });
  svg.addEventListener('pointerleave', () => show(null));
  for (const row of panel.querySelectorAll<HTMLElement>('[data-show-mark]')) {
    const mark = Number(row.dataset['showMark']);
    for (const event of ['pointerenter', 'focus']) row.addEventListener(event, () => show(mark));
    for (const event of ['pointerleave', 'blur']) row.addEventListener(event, () => show(null));
  }
}
