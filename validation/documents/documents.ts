// The documents of the site: every page of the repository and of the library's reference as HTML, with one search over
// them all. `site.mjs` writes them beside the application.
// Invariants: a page loads nothing but files of the site, and runs no program but the site's; the same sources give the same
// bytes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { builtPart } from '#weft/cli/built-part.js';
import { contentPolicy, siteExamples } from '#weft/cli/ui/site-files.js';
import { pageStyle } from '#weft/report/page/page-style.js';
import { repositoryFolder } from '../repository.js';
import { embedded } from '#weft/report/page/page-shell.js';
import { searchOptions } from '../../web/documents/found-sections.js';
import { type OfferedRun, offeredRuns } from './live-runs.js';
import { placeOfFile, sourcePages } from './pages.js';
import { linkFrom, openLinks, renderPage, textAsHtml, type RenderedPage } from './render-page.js';

const homePage = 'docs/README.md';
const homePlace = 'docs/index.html';
const referencePlace = 'docs/reference/index.html';
const licencesPlace = 'THIRD-PARTY.txt';
/** so many sections a page has at least and at most whose list it shows */
const leastListed = 3;
const mostListed = 60;
/** of a section's text, beside the search */
const mostShown = 160;

/**
 * The documents as files of the site, by their places.
 * @param reference folder of the pages that typedoc made; null: without the reference
 * @throws Error if a link leads nowhere
 */
export async function documentFiles(reference: string | null): Promise<ReadonlyMap<string, Buffer>> {
  const pages = sourcePages(reference);
  const gallery = await siteExamples();
  const examples = gallery.map(({ name }) => name);
  const runs = await offeredRuns(gallery);
  const targets = { pages: new Set(pages.map(({ path }) => path)), examples: new Set(examples) };
  const rendered = pages.map((page) => renderPage(page, targets));
  const files = new Map<string, Buffer>();
  for (const page of rendered) {
    const folder = /^examples\/([\w-]+)\/README\.md$/.exec(page.path)?.[1];
    const own = folder === undefined ? [] : examples.filter((name) => name.startsWith(`${folder}/`));
    files.set(
      page.place,
      Buffer.from(
        pageHtml(page, { examples: own, run: runs.get(page.path) ?? null, hasReference: reference !== null }),
      ),
    );
    for (const path of page.files) files.set(placeOfFile(path)!, readFileSync(join(repositoryFolder, path)));
  }
  files.set('documents.js', readFileSync(builtPart('documents/documents.js')));
  files.set(
    'documents.css',
    Buffer.from(`${pageStyle()}\n${readFileSync(join(repositoryFolder, 'web/documents/style.css'), 'utf8')}`),
  );
  files.set('search-index.js', Buffer.from(searchModule(rendered)));
  files.set(licencesPlace, readFileSync(builtPart('THIRD-PARTY.txt')));
  return files;
}

/** What the page of documents asks about, as a module: a page may load programs of its site, and fetches nothing. */
function searchModule(pages: readonly RenderedPage[]): string {
  const index = new MiniSearch(searchOptions);
  let id = 0;
  for (const { place, title, isReference, sections } of pages)
    for (const { anchor, heading, text } of sections) {
      if (heading === '' && text === '') continue;
      const link = anchor === '' ? place : `${place}#${anchor}`;
      const page = isReference ? `${title} (reference)` : title;
      index.add({ id: id++, link, page, heading: heading || title, text, shown: text.slice(0, mostShown) });
    }
  return `export default ${JSON.stringify(JSON.stringify(index))};\n`;
}

/** What a page has beside its text. */
interface PageFrame {
  readonly examples: readonly string[];
  readonly run: OfferedRun | null;
  readonly hasReference: boolean;
}

function pageHtml(page: RenderedPage, { examples, run, hasReference }: PageFrame): string {
  const { path, place, title, html, sections } = page;
  const to = (target: string): string => textAsHtml(linkFrom(place, target));
  const current = (target: string): string => (target === place ? ' aria-current="page"' : '');
  const link = (target: string, text: string): string => `<a href="${to(target)}"${current(target)}>${text}</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy('site')}">
<title>${textAsHtml(path === homePage ? 'Weft: documents' : `${title} · Weft`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('documents.css')}">
<script type="module" src="${to('documents.js')}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="head">
<p class="name">${link('about.html', 'Weft')}</p>
<nav aria-label="Site">${link('index.html', 'Application')} ${link(homePlace, 'Documents')}${hasReference ? ` ${link(referencePlace, 'Reference')}` : ''}</nav>
<div id="search"></div>
</header>
<main id="text">
${examples.length > 0 ? openLinks(place, examples) : ''}${contents(sections)}<article>
${run === null ? html : html.replace('</h1>\n', (end) => `${end}${liveHtml(place, run)}`)}</article>
</main>
<footer><p>Nothing on this page leaves this machine. ${link(licencesPlace, 'Licences of what is in it')}</p></footer>
</body>
</html>
`;
}

/** The run of a page: a link, in whose place its program puts what runs it here. */
function liveHtml(place: string, { hash, ...run }: OfferedRun): string {
  const link = `${linkFrom(place, 'index.html')}${hash}`;
  return `<div id="live"><p class="open"><a href="${textAsHtml(link)}">${textAsHtml(run.shows)}</a></p></div>
<script type="application/json" id="live-run">${embedded({ ...run, link })}</script>
`;
}

/** The list of a page's parts, where there are some. */
function contents(sections: RenderedPage['sections']): string {
  const listed = sections.slice(2).filter(({ heading }) => heading !== '');
  if (listed.length < leastListed || listed.length > mostListed) return '';
  const items = listed.map(({ anchor, heading }) => `<li><a href="#${anchor}">${textAsHtml(heading)}</a></li>`);
  return `<details class="contents"><summary>On this page</summary><ul>${items.join('')}</ul></details>\n`;
}
