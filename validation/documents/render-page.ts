// A page in Markdown -> HTML for the site, and its sections for the search.
// Invariants: a link leads to a page or a file of the site, or is marked as one that leads outside; a heading has the anchor
// that GitHub gives it; nothing in a page is a program.

import { dirname, posix } from 'node:path';
import markdownIt from 'markdown-it';
import Token from 'markdown-it/lib/token.mjs';
import { placeOfFile, placeOfPage, type SourcePage } from './pages.js';

/** A part of a page below a heading, which the search finds. */
interface PageSection {
  /** '' before the first heading */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** What a page becomes. */
export interface RenderedPage extends Pick<SourcePage, 'path' | 'isReference'> {
  /** where it stands in the site */
  readonly place: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly PageSection[];
  /** files of the repository that it links to or shows */
  readonly files: readonly string[];
}

/** What a page may link to. */
export interface LinkTargets {
  /** paths of all pages */
  readonly pages: ReadonlySet<string>;
  /** names of scenarios that the application has */
  readonly examples: ReadonlySet<string>;
}

const markdown = markdownIt({ html: true });
markdown.renderer.rules['table_open'] = () =>
  '<div class="scroll" tabindex="0" role="group" aria-label="table">\n<table>';
markdown.renderer.rules['table_close'] = () => '</table>\n</div>\n';
const code = (tokens: Token[], index: number): string =>
  `<pre tabindex="0"><code>${textAsHtml(tokens[index]!.content)}</code></pre>\n`;
markdown.renderer.rules['fence'] = code;
markdown.renderer.rules['code_block'] = code;

/** Text as HTML. */
export function textAsHtml(text: string): string {
  return markdown.utils.escapeHtml(text);
}

/** The link to a place of the site from a page there. */
export function linkFrom(page: string, place: string): string {
  return posix.relative(dirname(page), place) || posix.basename(place);
}

/** The link that opens an example in the application, from a page of the site. */
function openLink(place: string, example: string): string {
  return `${linkFrom(place, 'index.html')}#example=${example}`;
}

/** @throws Error that names page and link, if one leads nowhere */
export function renderPage({ path, text, isReference }: SourcePage, targets: LinkTargets): RenderedPage {
  const place = placeOfPage(path);
  const tokens = markdown.parse(text, {});
  const files = new Set<string>();
  const sections: { anchor: string; heading: string; texts: string[] }[] = [{ anchor: '', heading: '', texts: [] }];
  const anchors = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[index + 1]!);
      // typedoc gives anchors itself
      const given = /^<a id="([^"]+)"><\/a>\s*$/.exec(tokens[index - 1]?.content ?? '')?.[1];
      const anchor = given ?? anchorOf(heading, anchors);
      if (given === undefined) token.attrSet('id', anchor);
      sections.push({ anchor, heading, texts: [] });
    } else if (token.type === 'inline') {
      for (const child of token.children ?? []) lead(child, { path, place, targets, files });
      markOutside(token);
      if (tokens[index - 1]!.type !== 'heading_open') sections.at(-1)!.texts.push(plainText(token));
      // a cell that heads nothing is no heading
      if (tokens[index - 1]!.type === 'th_open' && token.content === '')
        tokens[index - 1]!.tag = tokens[index + 1]!.tag = 'td';
    } else if (token.type === 'fence' || token.type === 'code_block') sections.at(-1)!.texts.push(token.content);
  }
  const html = markdown.renderer.render(withExamples(tokens, place, targets.examples), markdown.options, {});
  return {
    path,
    isReference,
    place,
    title: sections[1]?.heading ?? path,
    html,
    sections: sections.map(({ anchor, heading, texts }) => ({ anchor, heading, text: texts.join(' ').trim() })),
    files: [...files],
  };
}

function plainText({ children, content }: Token): string {
  return (
    (children ?? [])
      .map((child) => (child.type === 'softbreak' ? ' ' : child.type === 'html_inline' ? '' : child.content))
      .join('') || content
  );
}

/** As GitHub makes it: `-1`, `-2` … behind one that was there before. */
function anchorOf(heading: string, before: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const times = before.get(slug) ?? 0;
  before.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
}

/** Where links and pictures of a page lead. */
function lead(
  token: Token,
  { path, place, targets, files }: { path: string; place: string; targets: LinkTargets; files: Set<string> },
): void {
  const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null;
  if (name === null) return;
  const link = token.attrGet(name) ?? '';
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) return;
  const [target = '', anchor] = decodeURI(link).split('#');
  const found = posix.join(dirname(path), target);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (targets.pages.has(found)) {
    token.attrSet(name, `${linkFrom(place, placeOfPage(found))}${hash}`);
    return;
  }
  const file = placeOfFile(found);
  if (file === null)
    throw new Error(
      `${path}: the link ${link} leads nowhere\n  wanted: a page of the documents, or a file of the repository`,
    );
  files.add(found);
  token.attrSet(name, linkFrom(place, file));
}

/** Says of links that they lead to another site. */
function markOutside(token: Token): void {
  let isOutside = false;
  token.children = (token.children ?? []).flatMap((child) => {
    if (child.type === 'link_open' && /^[a-z]+:/.test(child.attrGet('href') ?? '')) {
      isOutside = true;
      child.attrSet('class', 'outside');
      child.attrSet('rel', 'external noreferrer');
    }
    if (child.type !== 'link_close' || !isOutside) return [child];
    isOutside = false;
    const mark = new Token('html_inline', '', 0);
    mark.content = '<span aria-hidden="true"> ↗</span><span class="unseen"> (another site)</span>';
    return [mark, child];
  });
}

/** Puts links behind commands that name scenarios which the application has. */
function withExamples(tokens: readonly Token[], place: string, examples: ReadonlySet<string>): Token[] {
  return tokens.flatMap((token) => {
    if (token.type !== 'fence' && token.type !== 'code_block') return [token];
    const names = [...token.content.matchAll(/\bexamples\/([\w-]+\/[\w.-]+)\.yaml\b/g)].map(([, name]) => name!);
    const known = [...new Set(names)].filter((name) => examples.has(name));
    if (known.length === 0) return [token];
    const links = new Token('html_block', '', 0);
    links.content = openLinks(place, known);
    return [token, links];
  });
}

/** A line of links that open examples in the application. */
export function openLinks(place: string, examples: readonly string[]): string {
  const links = examples.map((name) => `<a href="${textAsHtml(openLink(place, name))}">${textAsHtml(name)}</a>`);
  return `<p class="open">Open in the application: ${links.join(', ')}</p>\n`;
}
