// The pure layers are pure: a page whose worker runs one simulation and one computation of routes in headless Chromium,
// bundled from the entries of the package as a user would, comes to the digests that Node comes to. Skipped, and said,
// where Chromium is missing (test/support/chromium.ts).

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { serveFolder, type ServedFolder } from '../support/served-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const browserPath = chromiumPath();

/** What examples/browser/problem.mjs computes, by the words of the page. */
type Figures = Readonly<Record<string, string | number>>;

/** The same computation under Node, in a process of its own, from the same entries. */
function underNode(): { run: Figures; routes: Figures } {
  const script = `import { routes, simulation } from './examples/browser/problem.mjs';
    console.log(JSON.stringify({ run: await simulation({}, () => {}), routes: await routes() }));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(printed) as { run: Figures; routes: Figures };
}

/** As a page shows them. */
function texts(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, String(value)]));
}

describe.skipIf(browserPath === null)('a worker in Chromium', () => {
  let folder = '';
  let served: ServedFolder;
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weft-page-'));
    execFileSync(process.execPath, ['examples/browser/build.mjs', folder], { cwd: root });
    served = await serveFolder(folder);
    browser = await chromium.launch({
      executablePath: browserPath!,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('computes what Node computes, digest for digest', async () => {
    const { address, asked } = served;
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    const workers: string[] = [];
    page.on('worker', (worker) => workers.push(worker.url()));
    await page.goto(address);
    await page.locator('#state', { hasText: /^(done|failed)/ }).waitFor({ timeout: 300_000 });
    expect(await page.locator('#state').textContent()).toBe('done');
    expect(workers).toEqual([`${address}worker.js`]);

    const shown = async (list: string): Promise<Figures> => {
      const names = await page.locator(`#${list} dt`).allTextContents();
      const values = await page.locator(`#${list} dd`).allTextContents();
      return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
    };
    const node = underNode();
    expect(await shown('run')).toEqual(texts(node.run));
    expect(await shown('routes')).toEqual(texts(node.routes));
    expect(node.run['digest']).toMatch(/^[0-9a-f]{64}$/);
    expect(node.run).toMatchObject({ flows: '9 of 9 finished, 9 rows', 'self-checks': expect.stringMatching(/^all /) });
    expect(node.routes).toMatchObject({ 'largest load': 1, 'lower bound': 1 });
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    // one bundle each: nothing is fetched from anywhere else
    expect(asked.filter((name) => name !== 'favicon.ico')).toEqual(['index.html', 'page.js', 'worker.js']);
  });
});
