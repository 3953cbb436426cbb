// What every page of a report has: one HTML file that needs nothing else. Style, figures and the program that draws
// them are in it, and its policy forbids it to fetch anything. A page without charts has no program.
// Invariants: titles and notes are escaped here, whatever else is put in is markup that its maker has escaped; data of
// the program can end no element; the same parts give the same text, byte for byte.

import { escaped } from '../svg-text.js';
import type { CongestedDesk } from './congested-plots.js';
import type { FabricPicture } from './fabric-picture.js';
import type { Figure } from './figures.js';
import { pageStyle } from './page-style.js';

/** The program of the page, as the build made it. */
export interface PageProgram {
  readonly script: string;
  /** of the script, as a content security policy names it: sha256-... */
  readonly hash: string;
  /** name, version and licence of what is in it */
  readonly packages: readonly string[];
}

/** What the program of the page reads. */
export interface PageData {
  readonly figures: readonly Figure[];
  readonly drawings: readonly (FabricPicture | null)[];
  readonly congestion: readonly CongestedDesk[];
}

/** A part of a page: markup under a heading; left out if there is none. */
interface PagePart {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}

/** What a page consists of. */
export interface PageContent {
  readonly title: string;
  /** below the title */
  readonly head: string;
  /** beside and below it */
  readonly legend: string;
  readonly parts: readonly PagePart[];
  readonly weftVersion: string;
  readonly data: PageData;
}

const tools =
  '<div class="tools"><button type="button" id="look" title="light or dark">Dark</button>' +
  '<button type="button" id="print">Print</button></div>\n';

const noScript =
  '<noscript><p class="noscript">The charts of this report are drawn by the program in it: allow scripts for this ' +
  'file. Nothing is fetched from anywhere.</p></noscript>\n';

/** The page. @param program null: there are no charts, and nothing runs in it */
export function pageDocument(
  { title, head, legend, parts: all, weftVersion, data }: PageContent,
  program: PageProgram | null,
): string {
  const parts = all.filter(({ html }) => html !== '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; ${program === null ? '' : `script-src '${program.hash}'; `}img-src data: blob:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="generator" content="Weft">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>${pageStyle()}</style>
</head>
<body>
<a class="skip" href="#${parts[0]?.id ?? ''}">Skip to the figures</a>
<header class="top"><div><h1>${escaped(title)}</h1>${head}</div>
${program === null ? '' : tools}${legend}</header>
<nav aria-label="Parts of the report"><ul>${parts.map(({ id, title: text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('')}</ul></nav>
<main>
${program === null ? '' : noScript}${parts.map(({ id, title: text, html }) => `<section id="${id}"><h2>${escaped(text)}</h2>${html}</section>`).join('\n')}
</main>
<footer><p>Made by Weft ${escaped(weftVersion)}. ${program === null ? '' : `Charts: ${escaped(program.packages.join('; '))}. `}This file needs no network and fetches nothing.</p></footer>
${program === null ? '' : `<script type="application/json" id="data">${embedded(data)}</script>\n<script>${program.script}</script>\n`}</body>
</html>
`;
}

/** JSON that no HTML parser takes for the end of its element. */
export function embedded(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Charts in a grid. @param all those of the page, in the order of its data */
export function gridHtml(figures: readonly Figure[], all: readonly Figure[]): string {
  const wide = wideOf(figures);
  return `<div class="grid">${figures.map((figure) => figureHtml(figure, all.indexOf(figure), figure === wide)).join('\n')}</div>`;
}

/** Of an odd number of charts one takes the whole width: the first with axes, else the last. */
function wideOf(figures: readonly Figure[]): Figure | undefined {
  if (figures.length % 2 === 0) return undefined;
  return figures.find(({ kind }) => kind === 'lines' || kind === 'bars' || kind === 'spans') ?? figures.at(-1);
}

function figureHtml({ title, note }: Figure, index: number, isWide: boolean): string {
  return (
    `<figure data-figure="${index}"${isWide ? ' class="wide"' : ''}><figcaption><h3>${escaped(title)}</h3><p ` +
    `class="note">${escaped(note)}</p></figcaption><div class="plot" role="img" ` +
    `aria-label="${escaped(`${title}. ${note}`)}"></div><div class="save" role="group" ` +
    `aria-label="${escaped(`Save: ${title}`)}"><button type="button" data-save="csv">CSV</button><button ` +
    'type="button" data-save="svg">SVG</button><button type="button" data-save="png">PNG</button></div></figure>'
  );
}

/** A figure in large letters under its name. @param quality ` good`, ` bad` or nothing */
export function cardHtml(name: string, text: string, quality = ''): string {
  return `<div class="card"><div class="name">${escaped(name)}</div><div class="big${quality}">${escaped(text)}</div></div>`;
}

/**
 * A table whose rows stand as lists on a telephone, each value with the head of its column.
 * @param rows of cells, escaped @param after markup below it @param numbers columns of numbers, which stand to the right
 */
export function tablePanel(
  note: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  after = '',
  numbers: readonly number[] = [],
): string {
  const styles = heads.map((_, i) => (numbers.includes(i) ? ' class="number"' : ''));
  const bodies = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, i) => `<td data-label="${escaped(heads[i]!)}"${styles[i]!}>${cell}</td>`).join('')}</tr>`,
  );
  return (
    `<div class="panel long">${note === '' ? '' : `<p class="note">${escaped(note)}</p>`}<div class="scroll"><table class="stacked"><thead><tr>` +
    `${heads.map((head, i) => `<th scope="col"${styles[i]!}>${escaped(head)}</th>`).join('')}</tr></thead><tbody>${bodies.join('')}</tbody></table></div>${after}</div>`
  );
}

/** The mark of a run's colour. */
export function dot(run: number): string {
  return `<i class="dot" style="background:var(--hue${run % 8})"></i>`;
}
