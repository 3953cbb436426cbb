// What the drawing of a fabric says to pointer and keyboard: loads of a line, flows of a box, the way of a flow.

import { formatSizeBytes, formatTimePs } from '#weft/base/units.js';
import type { FabricPicture, LineLoad, PicturedFlow } from '#weft/report/page/fabric-picture.js';
import { numberText } from '#weft/report/page/figures.js';

/** Flows that a line's text names. */
const mostNamed = 6;

/** Brings a panel to life. */
export function fabricDesk(panel: HTMLElement, picture: FabricPicture): void {
  const svg = panel.querySelector<SVGSVGElement>('svg.fabric')!;
  const said = panel.querySelector<HTMLElement>('.said')!;
  const idle = said.textContent;
  const lines = new Map(
    [...svg.querySelectorAll<SVGGElement>('[data-line]')].map((g) => [Number(g.dataset['line']), g]),
  );
  const boxes = new Map([...svg.querySelectorAll<SVGGElement>('[data-box]')].map((g) => [Number(g.dataset['box']), g]));

  const show = (shown: ReadonlySet<number> | null, text: string | null): void => {
    const on = new Set<number>();
    for (const [index, line] of lines) {
      const isOn = shown?.has(index) === true;
      line.classList.toggle('on', isOn);
      line.classList.toggle('dim', shown !== null && !isOn);
      if (isOn) {
        on.add(picture.lines[index]!.from);
        on.add(picture.lines[index]!.to);
      }
    }
    for (const [index, box] of boxes) box.classList.toggle('boxon', on.has(index));
    said.textContent = text ?? idle;
  };

  const showLine = (index: number): void => {
    const { from, to, links, up, down } = picture.lines[index]!;
    const [low, high] = [picture.names[from]!, picture.names[to]!];
    const over = picture.flows.filter(({ lines: own }) => own.includes(index));
    const shown = new Set([index, ...over.flatMap(({ lines: own }) => own)]);
    show(
      shown,
      `${low} to ${high}${links > 1 ? ` (${links} links)` : ''}: ${loadText(up)}. Back: ${loadText(down)}.${over.length === 0 ? '' : ` Of the slowest flows: ${named(over)}.`}`,
    );
  };
  const showFlow = (index: number): void => {
    const flow = picture.flows[index]!;
    show(
      new Set(flow.lines),
      `Flow ${flow.flow}, host ${flow.source} to ${flow.destination}, ${formatSizeBytes(flow.sizeBytes)}, source port ${flow.sourcePort}: ${formatTimePs(flow.completionPs)}, ${numberText(flow.slowdown, 3)} x the time alone, by ${flow.through}.`,
    );
  };
  const showBox = (index: number): void => {
    const own = picture.lines.flatMap(({ from, to }, line) => (from === index || to === index ? [line] : []));
    const over = picture.flows.filter((flow) => flow.lines.some((line) => own.includes(line)));
    let [sent, received] = [0, 0];
    for (const line of own) {
      const { from, up, down } = picture.lines[line]!;
      sent += from === index ? up.bytes : down.bytes;
      received += from === index ? down.bytes : up.bytes;
    }
    show(
      new Set([...own, ...over.flatMap((flow) => flow.lines)]),
      `${picture.names[index]!}: sends ${formatSizeBytes(Math.round(sent))}, receives ${formatSizeBytes(Math.round(received))} over ${own.length} lines.${over.length === 0 ? '' : ` Of the slowest flows: ${named(over)}.`}`,
    );
  };

  svg.addEventListener('pointerover', ({ target }) => {
    const element = target as Element;
    const line = element.closest<SVGGElement>('[data-line]');
    const box = element.closest<SVGGElement>('[data-box]');
    if (line !== null) showLine(Number(line.dataset['line']));
    else if (box !== null) showBox(Number(box.dataset['box']));
  });
  svg.addEventListener('pointerleave', () => show(null, null));
  for (const row of panel.querySelectorAll<HTMLElement>('[data-show-flow],[data-show-line]')) {
    const { showFlow: flow, showLine: line } = row.dataset;
    const begin = (): void => {
      row.classList.add('chosen');
      if (flow === undefined) showLine(Number(line));
      else showFlow(Number(flow));
    };
    const end = (): void => {
      row.classList.remove('chosen');
      show(null, null);
    };
    row.addEventListener('pointerenter', begin);
    row.addEventListener('focus', begin);
    row.addEventListener('pointerleave', end);
    row.addEventListener('blur', end);
  }
}

function loadText({ load, bytes, flows, lostPs, lost, sharers }: LineLoad): string {
  if (bytes === 0) return 'idle';
  const contention =
    lostPs === 0
      ? ''
      : `, flows lost ${formatTimePs(lostPs)} here (${numberText(lost, 3)} % of their time alone), up to ${sharers} at once`;
  return `${numberText(load, 3)} % of capacity, ${formatSizeBytes(Math.round(bytes))}, ${flows} ${flows === 1 ? 'flow' : 'flows'}${contention}`;
}

function named(flows: readonly PicturedFlow[]): string {
  const texts = flows
    .slice(0, mostNamed)
    .map(({ flow, source, destination }) => `${flow} (${source} to ${destination})`);
  return `${texts.join(', ')}${flows.length > mostNamed ? ` and ${flows.length - mostNamed} more` : ''}`;
}
