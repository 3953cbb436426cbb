// The documents of the site: no link leads nowhere or outside unmarked, the search finds, a page loads nothing but files of
// the site, and axe and the console have nothing to complain of. The browser's part is skipped, and said, where Chromium is
// missing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveRuns } from '../../validation/documents/live-runs.js';
import { renderPage } from '../../validation/documents/render-page.js';
import { chromiumPath } from '../support/chromium.js';
import { drawsAll } from '../support/drawn.js';
import { seed } from '../support/seed.js';
import { serveFolder, type ServedFolder } from '../support/served-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'weft-documents-'));
const browserPath = chromiumPath();
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

beforeAll(() => {
  execFileSync(process.execPath, ['site.mjs', '--out', folder], { cwd: root, stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Places of the documents' pages. */
function places(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html') && name !== 'index.html')
    .sort();
}

function textOf(place: string): string {
  return readFileSync(join(folder, place), 'utf8');
}

/** What the command line says of a scenario. */
function runOf(file: string): { readonly digest: string; readonly verdict: string } {
  const words = ['dist/cli/main.js', 'run', file, '--json', '--quiet'];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' })) as ReturnType<typeof runOf>;
}

describe('the documents', () => {
  it('are all pages of the repository, and the reference of every entry of the library', () => {
    const found = places();
    const sources = ['docs', 'examples'].flatMap((own) =>
      readdirSync(join(root, own), { recursive: true, encoding: 'utf8' })
        .map((name) => posix.join(own, name))
        .filter((name) => name.endsWith('.md') && !name.startsWith('docs/reference')),
    );
    expect(sources.length).toBeGreaterThan(120);
    const wanted = sources.map((path) => path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
    expect(wanted.filter((place) => !found.includes(place))).toEqual([]);
    const { entryPoints } = JSON.parse(readFileSync(join(root, 'typedoc.json'), 'utf8')) as { entryPoints: string[] };
    expect(found.filter((place) => place.startsWith('docs/reference/@weft-sim/'))).toHaveLength(entryPoints.length);
  });

  it('have no link that leads nowhere, and none outside that is not marked', () => {
    const ids = new Map(
      places().map((place) => [place, new Set([...textOf(place).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    let followed = 0;
    const wrong: string[] = [];
    for (const place of places())
      for (const [tag, link] of textOf(place).matchAll(/<(?:a|img|script|link)\b[^>]* (?:href|src)="([^"]*)"[^>]*>/g)) {
        if (link === 'data:,') continue;
        followed++;
        if (/^[a-z]+:/.test(link!)) {
          if (!tag.includes('class="outside"')) wrong.push(`${place}: ${link} is not marked`);
          continue;
        }
        const [path = '', anchor = ''] = decodeURIComponent(link!.replaceAll('&amp;', '&')).split('#');
        const target = path === '' ? place : posix.join(dirname(place), path);
        const isThere =
          !target.startsWith('..') && existsSync(join(folder, target)) && statSync(join(folder, target)).isFile();
        if (!isThere || (anchor !== '' && target !== 'index.html' && !ids.get(target)?.has(anchor)))
          wrong.push(`${place}: ${link}`);
      }
    expect(wrong).toEqual([]);
    expect(followed).toBeGreaterThan(3000);
  });

  it('are not written with a link that leads nowhere', () => {
    const targets = { pages: new Set(['docs/a.md']), examples: new Set<string>() };
    const page = (text: string): string => renderPage({ path: 'docs/a.md', text, isReference: false }, targets).html;
    expect(() => page('[b](b.md)')).toThrow(/docs\/a\.md: the link b\.md leads nowhere/);
    expect(() => page('[b](../../b.csv)')).toThrow(/leads nowhere/);
    expect(page('[b](https://example.org)')).toContain('(another site)');
  });

  it('have no program in a page, and one policy for all', () => {
    const policies = new Set<string>();
    for (const place of places()) {
      const text = textOf(place);
      expect(
        text.match(/<script\b(?![^>]* src="[^":]*documents\.js")(?![^>]*application\/json)|\son\w+="|javascript:/g),
      ).toBeNull();
      policies.add(/Content-Security-Policy" content="([^"]*)"/.exec(text)![1]!);
    }
    expect([...policies]).toEqual([/Content-Security-Policy" content="([^"]*)"/.exec(textOf('index.html'))![1]]);
  });
});

describe.skipIf(browserPath === null)(`the documents in a browser (WEFT_SEED=${seed})`, () => {
  let served: ServedFolder;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    served = await serveFolder(folder);
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  async function opened(place: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${place}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${place}: ${String(error)}`));
    page.on('request', (request) => {
      if (!/^(http:\/\/127\.0\.0\.1:|data:)/.test(request.url())) complaints.push(`${place} asks for ${request.url()}`);
    });
    await page.goto(`${served.address}${place}`);
    await page.locator('[data-testid=search]').waitFor();
    return page;
  }

  it('finds a page and a part of the reference by words, and goes there', async () => {
    const page = await opened('docs/models/credit.html');
    await page.fill('[data-testid=search]', 'reservoir sampling');
    const first = page.locator('[data-testid=found] a').first();
    await first.waitFor();
    expect(await first.getAttribute('href')).toContain('/docs/models/reservoir-sampling.html');
    await page.fill('[data-testid=search]', 'planFromText');
    await page.locator('[data-testid=found] li', { hasText: '(reference)' }).first().waitFor();
    await page.fill('[data-testid=search]', 'zzzzqqqq');
    await page.locator('[data-testid=found]', { hasText: 'Nothing has all' }).waitFor();
    await page.fill('[data-testid=search]', 'reservoir sampling');
    await first.click();
    await page.waitForURL('**/docs/models/reservoir-sampling.html*');
    await page.close();
  });

  it('leads to the application and back', async () => {
    const page = await opened('docs/index.html');
    await page.click('nav >> text=Application');
    await page.waitForURL(served.address + 'index.html');
    await page.evaluate('window.weft.ready');
    await page.click('text=Documents');
    await page.waitForURL('**/docs/index.html');
    await page.close();
  });

  it('opens examples in the application by one click', async () => {
    const page = await opened('examples/server-pair/index.html');
    await page.click('text=server-pair/controller');
    await page.waitForURL('**/index.html*');
    await page.evaluate('window.weft.ready');
    const { digest } = runOf('examples/server-pair/controller.yaml');
    expect(await page.evaluate('window.weft.state().runs')).toEqual([digest]);
    await page.close();
  });

  it('runs the run of a page in it, to the digest of the command line, and opens it in the application', async () => {
    const all = Object.keys(liveRuns()).filter((name) => 'scenario' in liveRuns()[name]!);
    for (const name of drawsAll ? all : [all[seed % all.length]!]) {
      const page = await opened(`docs/models/${name}.html`);
      await page.click('[data-testid=live-run]');
      const file = join(folder, 'live.yaml');
      writeFileSync(file, (liveRuns()[name] as { scenario: string }).scenario);
      const { digest, verdict } = runOf(file);
      await page.locator('[data-testid=live-result]', { hasText: `digest ${digest.slice(0, 12)}` }).waitFor();
      expect(await page.textContent('[data-testid=live-result] p')).toBe(verdict);
      await page.click('[data-testid=live-open]');
      await page.waitForURL('**/index.html*');
      await page.evaluate('window.weft.ready');
      expect(await page.evaluate('window.weft.state().runs')).toEqual([digest]);
      await page.close();
    }
  });

  it('has nothing that axe complains of, and nothing that sticks out, on five pages', async () => {
    // the reference's pages take axe a minute each
    const all = places().filter((place) => drawsAll || statSync(join(folder, place)).size < 60_000);
    const drawn = Array.from({ length: 5 }, (_, i) => all[(seed * 31 + i * 47) % all.length]!);
    const options = [{}, { colorScheme: 'dark' as const }, { viewport: { width: 390, height: 844 } }];
    for (const [i, place] of (drawsAll ? all : drawn).entries()) {
      const page = await opened(place, options[i % 3]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), place).toBe(true);
      await page.evaluate(axe);
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
      expect(
        found.violations.map(
          ({ id, nodes }) => `${place} ${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(' ')}`,
        ),
      ).toEqual([]);
      await page.close();
    }
  });

  it('left nothing in the console, and asked nobody else', () => expect(complaints).toEqual([]));
});
