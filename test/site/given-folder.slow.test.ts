// Run folders that a person gives to the page of the static site, in headless Chromium: shown as the run that they are, and
// with a sentence where they are damaged. Skipped, and said, where Chromium is missing.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { drawsAll } from '../support/drawn.js';
import { seed } from '../support/seed.js';
import { serveFolder, type ServedFolder } from '../support/served-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const browserPath = chromiumPath();
const mutants = drawsAll ? 2000 : 24;

/** A file of the folder with something else in it. */
interface Damage {
  readonly name: string;
  readonly kind: 'missing' | 'cut' | 'byte' | 'swapped';
  /** share of its length */
  readonly at: number;
  readonly byte: number;
}

/** What the page says of a folder. */
interface Said {
  readonly problems: string;
  /** what the page shows of a run, this one or the one before */
  readonly results: string;
}

describe.skipIf(browserPath === null)(`a run folder in the page (WEFT_SEED=${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-given-'));
  const run = join(folder, 'a run');
  const complaints: string[] = [];
  let served: ServedFolder;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const { siteFiles } = (await import(pathToFileURL(join(root, 'dist/cli/ui/site-files.js')).href)) as {
      siteFiles: (home: string) => Promise<ReadonlyMap<string, Uint8Array>>;
    };
    const site = join(folder, 'site');
    for (const [name, bytes] of await siteFiles('site')) {
      mkdirSync(dirname(join(site, name)), { recursive: true });
      writeFileSync(join(site, name), bytes);
    }
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(
      scenario,
      `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 100Gbps, spineRate: 100Gbps }
traffic:
  transfers: [${[0, 1, 2, 3].map((source) => `{ source: ${source}, destination: ${4 + (source % 2)}, size: 1MB }`).join(', ')}]
probes: { pauses: true }
`,
    );
    execFileSync(process.execPath, ['dist/cli/main.js', 'run', scenario, '--out', run, '--quiet'], { cwd: root });
    served = await serveFolder(site);
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(served.address);
    await page.evaluate('window.weft.ready');
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shown = (): Promise<string> => page.evaluate<string>('window.weft.state().runs[0]');

  it('is read and shown with its own digest and verdict, and nothing is asked for', async () => {
    const { digest } = JSON.parse(readFileSync(join(run, 'manifest.json'), 'utf8')) as { digest: string };
    const { verdict } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as { verdict: string };
    await page.setInputFiles('[data-testid=folder-input]', run);
    await expect.poll(shown, { timeout: 20_000 }).toBe(digest);
    expect(await page.textContent('[data-testid=verdict]')).toBe(verdict);
    expect(await page.textContent('.editor .cm-content')).toContain('as the run a run had it');
    expect(await page.locator('[data-testid=problems]').count()).toBe(0);
    // the worker's part that reads folders is loaded with the first of them, from the site alone
    expect(served.asked.filter((name) => name.includes('given'))).toEqual([expect.stringMatching(/given-run\.js$/)]);
  });

  it('that holds no run is told so', async () => {
    await page.setInputFiles('[data-testid=folder-input]', join(folder, 'site'));
    const problem = page.locator('[data-testid=given] .problem:not(:empty)');
    await problem.waitFor();
    expect(await problem.textContent()).toContain('wanted is a folder of weft run --out');
  });

  it('is shown or refused with a sentence, however it is damaged', async () => {
    const before = await shown();
    const names = readdirSync(run);
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
    // as folders were before there were digests: what is damaged is found later, or not at all
    for (const name of ['manifest.json', 'summary.json']) {
      const {
        sha256: _,
        sha256OfRest: __,
        ...rest
      } = JSON.parse(readFileSync(join(run, name), 'utf8')) as Record<string, unknown>;
      files[`old ${name}`] = Buffer.from(`${JSON.stringify(rest, null, 2)}\n`).toString('base64');
    }
    let state = seed;
    const draw = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const read = names.filter((name) => /\.(json|topo|parquet|csv)$/.test(name));
    let refused = 0;
    for (let i = 0; i < mutants; i++) {
      const damage: Damage = {
        name: read[draw(read.length)]!,
        kind: (['missing', 'cut', 'byte', 'swapped'] as const)[draw(4)]!,
        at: draw(1000) / 1000,
        byte: draw(256),
      };
      const said = await page.evaluate<Said>(
        `(${giving})(${JSON.stringify(i === 0 ? files : null)}, ${JSON.stringify(damage)}, ${i % 2 === 1})`,
      );
      const what = JSON.stringify({ i, damage, problems: said.problems });
      expect(said.problems, what).not.toMatch(/undefined|\[object|TypeError/);
      expect(said.results.length, what).toBeGreaterThan(500);
      if (said.problems !== '') refused++;
    }
    // with digests, whatever is read is held to them
    expect(refused).toBeGreaterThanOrEqual(mutants / 4);
    await page.setInputFiles('[data-testid=folder-input]', run);
    await expect.poll(shown, { timeout: 20_000 }).toBe(before);
    expect(complaints).toEqual([]);
  }, 900_000);
});

/** In the page: gives it a damaged folder, and waits for what it says. */
const giving = `async (given, { name, kind, at, byte }, isOld) => {
  const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (given !== null)
    window.weftGiven = Object.fromEntries(Object.entries(given).map(([own, text]) => [own, bytesOf(text)]));
  const all = window.weftGiven;
  const transfer = new DataTransfer();
  for (const own of Object.keys(all)) {
    if (own.startsWith('old ')) continue;
    let bytes = isOld && all['old ' + own] !== undefined ? all['old ' + own] : all[own];
    if (own === name) {
      const place = Math.floor(at * bytes.length);
      if (kind === 'missing') continue;
      if (kind === 'cut') bytes = bytes.slice(0, place);
      if (kind === 'byte') { bytes = bytes.slice(); bytes[place] = byte; }
      if (kind === 'swapped') bytes = all['fct.txt'];
    }
    transfer.items.add(new File([bytes], own));
  }
  const input = document.querySelector('[data-testid=folder-input]');
  input.files = transfer.files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
  const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
  do await pause(); while (document.querySelector('[data-testid=stop]') !== null);
  await pause();
  const textOf = (own) => document.querySelector('[data-testid=' + own + ']')?.textContent ?? '';
  const problem = document.querySelector('[data-testid=given] .problem').textContent;
  return { problems: problem + textOf('problems'), results: document.querySelector('.results').textContent };
}`;
