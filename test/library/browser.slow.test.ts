// The pure layers are pure: a page whose worker runs one simulation and one computation of routes in headless Chromium,
// bundled from the entries of the package as a user would, comes to the digests that Node comes to. Skipped, and said,
// where Chromium is missing (test/support/chromium.ts).

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const browserPath = chromiumPath();

/** What examples/browser/problem.mjs computes, by the words of the page. */
type Figures = Readonly<Record<string, string | number>>;

/** Serves a folder's files to this machine alone. */
async function serve(folder: string): Promise<{ server: Server; address: string; asked: string[] }> {
  const asked: string[] = [];
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript' };
  const server = createServer(({ url = '/' }, response) => {
    const name = url === '/' ? 'index.html' : url.slice(1);
    asked.push(name);
    const type = types[name.split('.').pop()!];
    if (!/^[a-z]+\.(html|js)$/.test(name) || type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': type }).end(readFileSync(join(folder, name)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

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
  let server: Server;
  let browser: Browser;
  let address = '';
  let asked: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weft-page-'));
    execFileSync(process.execPath, ['examples/browser/build.mjs', folder], { cwd: root });
    ({ server, address, asked } = await serve(folder));
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
    await new Promise((resolve) => server?.close(resolve) ?? resolve(null));
    rmSync(folder, { recursive: true, force: true });
  });

  it('computes what Node computes, digest for digest', async () => {
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
