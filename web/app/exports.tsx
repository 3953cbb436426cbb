// What the page shows, as files: tables as CSV, pictures as PNG and SVG, figures as JSON, the scenario as YAML. Nothing
// leaves the machine.

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import type { ViewedRun } from '#weft/app/view/view-scenario.js';
import { csvCell } from '#weft/report/page/figure-csv.js';
import { saveFile } from '../report/save-file.js';
import { fabricSvg, lineWidth, shadeOf } from './fabric-lines.js';
import { look } from './looks.js';
import { bin, levelsOf, run, shownText } from './state.js';

const said = signal('');

function csvOf(head: readonly string[], rows: Iterable<readonly (string | number)[]>): string {
  let text = `${head.join(',')}\n`;
  for (const row of rows) text += `${row.map(csvCell).join(',')}\n`;
  return text;
}

function* linkRows({ view }: ViewedRun): Generator<(string | number)[]> {
  const { links, linkLoads, bins, originPs, endPs } = view;
  for (const [place, name] of links.entries()) {
    let [most, sum, peak] = [0, 0, 0];
    for (let bin = 0; bin < bins; bin++) {
      const load = linkLoads[place * bins + bin]!;
      sum += load;
      if (load > most) [most, peak] = [load, bin];
    }
    yield [name, most / 255, sum / 255 / bins, originPs + (peak * (endPs - originPs)) / bins];
  }
}

function flowsCsv({ view }: ViewedRun): string {
  return csvOf(
    ['flow', 'source', 'destination', 'sizeBytes', 'startPs', 'finishPs', 'slowdown', 'links'],
    view.flows.map((own) => [
      own.flow,
      own.source,
      own.destination,
      own.sizeBytes,
      own.startPs,
      own.finishPs,
      own.slowdown,
      own.links.map((place) => view.links[place]).join('; '),
    ]),
  );
}

function pausesCsv({ view }: ViewedRun): string {
  return csvOf(
    ['link', 'beginPs', 'endPs', 'cause', 'depth'],
    view.pauses.map(({ link, beginPs, endPs, cause, depth }) => [link, beginPs, endPs, cause, depth]),
  );
}

/** The fabric at the time that is shown. */
function fabricNow({ view }: ViewedRun): string {
  const { lines } = levelsOf(view);
  return fabricSvg(view, look.value, (line) => {
    const share = lines[line * view.bins + bin.value]! / 255;
    return { colour: look.value.load[shadeOf(share)]!, width: lineWidth(share) };
  });
}

function heatPng(): Promise<Blob | null> {
  const canvas = document.querySelector<HTMLCanvasElement>('[data-testid=heat-map] canvas');
  return new Promise((done) => (canvas === null ? done(null) : canvas.toBlob(done, 'image/png')));
}

/** Hands a file to the person. */
async function save(name: string, made: string | Promise<Blob | null>): Promise<void> {
  const blob = typeof made === 'string' ? new Blob([made], { type: 'text/plain;charset=utf-8' }) : await made;
  if (blob === null) {
    said.value = `${name} could not be drawn`;
    return;
  }
  saveFile(name, blob);
  said.value = `${name} is saved`;
}

interface SavedFile {
  readonly name: string;
  readonly what: string;
  readonly make: (made: ViewedRun) => string | Promise<Blob | null>;
  readonly isThere?: (made: ViewedRun) => boolean;
}

const savedFiles: readonly SavedFile[] = [
  { name: 'scenario.yaml', what: 'the scenario', make: () => shownText.value },
  { name: 'summary.json', what: 'all figures', make: ({ json }) => `${JSON.stringify(json, null, 2)}\n` },
  { name: 'flows.csv', what: 'flows that are listed', make: flowsCsv },
  {
    name: 'links.csv',
    what: 'links: highest and mean load',
    make: (made) => csvOf(['link', 'highestLoad', 'meanLoad', 'highestAtPs'], linkRows(made)),
  },
  { name: 'pauses.csv', what: 'the longest pauses', make: pausesCsv, isThere: ({ view }) => view.pauses.length > 0 },
  { name: 'fabric.svg', what: 'the fabric at this time', make: fabricNow },
  { name: 'links.png', what: 'links over time', make: heatPng },
  {
    name: 'ranks.svg',
    what: 'what each rank did',
    make: ({ view }) => view.timeline ?? '',
    isThere: ({ view }) => view.timeline !== null,
  },
];

export function Exports(): VNode | null {
  const made = run.value;
  if (made === null) return null;
  return (
    <details class="exports" data-testid="exports">
      <summary>Save as files</summary>
      <p>
        {savedFiles
          .filter(({ isThere }) => isThere?.(made) ?? true)
          .map(({ name, what, make }) => (
            <button title={what} onClick={() => void save(name, make(made))}>
              {name}
            </button>
          ))}
      </p>
      <p class="faint" role="status">
        {said.value}
      </p>
    </details>
  );
}
