// What the documentation points at exists: repository paths in back-ticks, and relative links with their anchors. So do
// the files of source code that pages and comments name, by their names or the ends of their paths.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const pages = ['README.md', 'CONTRIBUTING.md', ...markdownIn('docs'), ...markdownIn('examples')];

function markdownIn(folder: string): string[] {
  return (
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      // what `npm run reference` makes of the docstrings is no page of ours
      .filter((name) => name.endsWith('.md') && !(folder === 'docs' && name.startsWith('reference')))
      .map((name) => join(folder, name))
  );
}

/** A page without its fenced and indented blocks of code. */
function proseOf(text: string): string {
  return text.replace(/^( *)```[^]*?^\1```/gm, '').replace(/^ {4}.*$/gm, '');
}

/** The lines of code of a page. */
function codeOf(text: string): string[] {
  const fenced = [...text.matchAll(/^( *)```[^\n]*\n([^]*?)^\1```/gm)].flatMap((block) => block[2]!.split('\n'));
  return [...fenced, ...text.split('\n').filter((line) => line.startsWith('    '))];
}

/** Paths of the repository in the back-ticks of a page. */
function pathsIn(text: string): string[] {
  const spans = [...proseOf(text).matchAll(/`([^`]+)`/g)].flatMap((span) => span[1]!.split(/\s+/));
  return spans.filter((word) => /^(test|src|docs|examples|bench|validation|schema)\/[\w./-]*$/.test(word));
}

/** Targets of the relative links of a page: path and anchor. */
function linksIn(text: string): [string, string][] {
  const targets = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((link) => link[1]!)
    .filter((target) => !/^[a-z]+:/.test(target));
  return targets.map((target) => target.split('#') as [string, string?]).map(([path, anchor]) => [path, anchor ?? '']);
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.*)$/gm)].map((heading) =>
    heading[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-'),
  );
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  it('names only paths that exist', () => {
    expect(pathsIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has only links that lead somewhere', () => {
    const dead = linksIn(text).filter(([path, anchor]) => {
      const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
      if (relative(root, target).startsWith('..') || !existsSync(target)) return true;
      return anchor !== '' && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
    });
    expect(dead).toEqual([]);
  });
});

it('finds paths and links', () => {
  expect(pathsIn('`test/a.ts` and `npx vitest run src/b`, not `--x` or `…/test/c`\n```\n`docs/d`\n```\n')).toEqual([
    'test/a.ts',
    'src/b',
  ]);
  expect(linksIn('[a](b.md#c), [d](https://e), [f](#g)')).toEqual([
    ['b.md', 'c'],
    ['', 'g'],
  ]);
  expect(anchorsOf('# summary.json and `--json`\n')).toEqual(['summaryjson-and---json']);
  expect(pages).toContain(join('docs', 'formats', 'run-directory.md'));
});

/** The comments of a source file as running text. */
function commentsOf(text: string): string {
  return [...text.matchAll(/^\s*(?:\/\/|\/?\*)(.*)$/gm)].map(([, comment]) => comment!.trim()).join(' ');
}

/** Files of source code that are no TypeScript. */
const modules = ['', 'web', 'examples', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: folder !== '', encoding: 'utf8' })
    .filter((name) => /\.(?:mjs|ts)$/.test(name))
    .map((name) => join(folder, name)),
);

/** Files of source code that a text names, without steps upwards. */
function filesIn(text: string): string[] {
  return [...text.replace(/\*\.[\w.-]+/g, '').matchAll(/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:ts|mjs)\b/g)].map(
    ([name]) => name,
  );
}

/** Pages that the comments of a source file point at, with their anchors. */
function pagesIn(text: string): [string, string][] {
  const comments = [...text.matchAll(/^\s*(?:\/\/|\/?\*).*$/gm)].map(([line]) => line).join('\n');
  return [...comments.matchAll(/\bdocs\/[\w./-]+\.md(?:#([\w-]+))?/g)].map(([link, anchor]) => [
    link.split('#')[0]!,
    anchor ?? '',
  ]);
}

/** What comments may not cite by themselves: a reader finds it nowhere. */
const nowhere = /\b(?:its notes|SimAI's notes|source documents?)\b/;
/** Documents that are found by docs/SOURCES.md. */
const documents = /\b(?:the dissertation,|Taffet's|communication-stack document|central-controller document)/;

describe('comments of source code', () => {
  const files = ['src', 'test', 'validation', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

  it('point only at pages and headings that exist', () => {
    const dead = [...texts].flatMap(([file, text]) =>
      pagesIn(text)
        .filter(
          ([page, anchor]) =>
            !existsSync(join(root, page)) ||
            (anchor !== '' && !anchorsOf(readFileSync(join(root, page), 'utf8')).includes(anchor)),
        )
        .map(([page, anchor]) => `${file}: ${page}#${anchor}`),
    );
    expect(dead).toEqual([]);
  });

  it('name only files that exist, and so do pages', () => {
    const known = [...texts.keys(), ...modules].map((file) => `/${file.replaceAll('\\', '/')}`);
    const isKnown = (name: string): boolean => known.some((file) => file.endsWith(`/${name}`));
    const prose = pages.map((page) => [page, proseOf(readFileSync(join(root, page), 'utf8'))] as const);
    const gone = [...[...texts].map(([file, text]) => [file, commentsOf(text)] as const), ...prose].flatMap(
      ([file, text]) =>
        filesIn(text)
          .filter((name) => !isKnown(name))
          .map((name) => `${file}: ${name}`),
    );
    expect(gone).toEqual([]);
  });

  it('of src cite what a reader finds here: no notes that are elsewhere, documents with docs/SOURCES.md', () => {
    const inSource = [...texts].filter(([file]) => file.startsWith('src'));
    expect(inSource.filter(([, text]) => nowhere.test(commentsOf(text))).map(([file]) => file)).toEqual([]);
    expect(
      inSource
        .filter(([, text]) => documents.test(commentsOf(text)) && !text.includes('docs/SOURCES.md'))
        .map(([file]) => file),
    ).toEqual([]);
  });

  it('are read with their anchors, and with the files that they name', () => {
    expect(filesIn('a.ts, b/c-d.test.ts (../e.mjs), f.js, .ts, *.slow.test.ts')).toEqual([
      'a.ts',
      'b/c-d.test.ts',
      'e.mjs',
    ]);
    expect(pagesIn('// see docs/a.md#b-c and\n/** docs/models/d.md. */\nconst e = "docs/f.md";\n')).toEqual([
      ['docs/a.md', 'b-c'],
      ['docs/models/d.md', ''],
    ]);
  });
});

it.each(pages.filter((page) => /^examples\/.*\.md$/.test(page)))('%s says how weft is called in a clone', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  if (/^(?: {4})?weft (?:run|collective|compare-fabrics|route|topology)\b/m.test(text))
    expect(text.slice(0, text.search(/^(?: {4})?weft /m))).toContain('`npx weft`');
});

/** The sentences of a page: without code, tables, headings and what commands write between their marks. */
function sentencesOf(text: string): string[] {
  const prose = proseOf(text)
    .replace(/<!-- [\w-]+:? begin[^]*?<!-- [\w-]+:? end -->/g, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^\s*\|.*$/gm, '')
    .replace(/^(?:#.*|\s*(?:[-*]|\d+\.) )/gm, '\n\n')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code');
  return prose.split(/\n\s*\n/).flatMap((paragraph) => paragraph.trim().split(/(?<=[.?!]\)?)\s+/));
}

const mostWords = 45;

/** Whether a command writes the whole page: it quotes its sources. */
const isWritten = (page: string): boolean =>
  readFileSync(join(root, page), 'utf8').includes('<!-- the whole page is written by');

describe(`sentences of pages have at most ${mostWords} words`, () => {
  // 30 are aimed at (CONTRIBUTING.md); pages that commands write quote their sources
  it.each(pages.filter((page) => !isWritten(page)))('%s', (page) => {
    const sentences = sentencesOf(readFileSync(join(root, page), 'utf8'));
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > mostWords)).toEqual([]);
  });

  it('which are told apart', () => {
    const text =
      '# A heading\n\nOne `a b c` two. Three (four.) Five:\n\n| a | table. |\n\n- six\n- [seven](d.md) eight!\n';
    expect(sentencesOf(text).filter((sentence) => sentence !== '')).toEqual([
      'One code two.',
      'Three (four.)',
      'Five:',
      'six',
      'seven eight!',
    ]);
  });
});

describe('pages call the program in one way: npx weft', () => {
  it.each(pages.filter((page) => !page.startsWith('docs/decisions')))('%s', (page) => {
    const others = codeOf(readFileSync(join(root, page), 'utf8')).filter((line) =>
      /^\s*(?:\$ )?(?:[A-Z_]+=\S+ +)*(?:weft|node dist\/cli\/main\.js) (?:[a-z-]+ |--)/.test(line),
    );
    // lines of weft's own output begin with its name, too
    expect(others.filter((line) => !/^weft \d|^weft for |^weft: /.test(line.trim()))).toEqual([]);
  });
});
