// The application as a static folder in headless Chromium: from the first load to a result, the digests of the command line,
// one time and one selection in all views, links that bring everything back, what is wrong where it stands, no network, no
// complaint of the console or of axe. Skipped, and said, where Chromium is missing.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { isDrawn } from '../support/drawn.js';
import { seed } from '../support/seed.js';
import { serveFolder, type ServedFolder } from '../support/served-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const browserPath = chromiumPath();
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** Runs the site's command. @returns what it printed */
function site(...words: string[]): string {
  return execFileSync(process.execPath, ['site.mjs', '--without-documents', ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** The digest that the command line has of a scenario. */
function digestOf(file: string): string {
  const printed = execFileSync(process.execPath, ['dist/cli/main.js', 'run', file, '--json', '--quiet'], {
    cwd: root,
    encoding: 'utf8',
  });
  return (JSON.parse(printed) as { digest: string }).digest;
}

interface State {
  readonly time: number;
  readonly selection: string | null;
  readonly runs: readonly string[];
}

function stateOf(page: Page): Promise<State> {
  return page.evaluate<State>('window.weft.state()');
}

describe.skipIf(browserPath === null)(`the site (WEFT_SEED=${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-site-'));
  let served: ServedFolder;
  let browser: Browser;
  let printed = '';
  const complaints: string[] = [];

  beforeAll(async () => {
    printed = site('--out', folder);
    served = await serveFolder(folder);
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(hash = '', options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${served.address}${hash}`);
    await page.evaluate('window.weft.ready');
    return page;
  }

  it('loads less than 450 kB packed, from itself alone, and shows the transfers of the demo', async () => {
    expect(Number(/(\d+) kB packed/.exec(printed)![1])).toBeLessThan(450);
    const page = await opened();
    expect(await page.textContent('[data-testid=verdict]')).toMatch(/^Slow: flows took 1\.50 times as long as alone/);
    expect((await stateOf(page)).runs).toEqual([digestOf('examples/server-pair/no-controller.yaml')]);
    const first = /^(?:index\.html|main\.js|style\.css|(?:engine-)?worker(?:-[\w-]+)?\.js)$/;
    expect(served.asked.map((name) => name || 'index.html').filter((name) => !first.test(name))).toEqual([]);
    expect(served.asked).toContain('engine-worker.js');
    await page.close();
  });

  it('comes to the digest of the command line for what is typed, and says what is wrong where it stands', async () => {
    const page = await opened();
    const text = `seed: ${seed % 1000}\nfabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }\ntraffic:\n  transfers:\n    - { source: 0, destination: 4, size: 1MB }\n    - { source: 1, destination: 4, size: 1MB }\n`;
    const file = join(folder, 'typed.yaml');
    writeFileSync(file, text);
    const { digest, json } = await page.evaluate<{ digest: string; json: { finished: number } }>(
      `window.weft.run(${JSON.stringify(text)})`,
    );
    expect(digest).toBe(digestOf(file));
    expect(json.finished).toBe(2);
    // the same digest again: its pictures are drawn anew
    await page.click('[data-testid=run]');
    await page.locator('[data-testid=run]').waitFor();
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('seeed: 4\n');
    await page.locator('[data-testid=problems]', { hasText: 'seeed is not known' }).waitFor();
    expect(await page.textContent('[data-testid=problems]')).toContain('did you mean seed');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.close();
  });

  it('has one time and one selection in all views, also after a reload by its link', async () => {
    const page = await opened();
    await page.locator('[data-testid=scrubber]').focus();
    const before = await stateOf(page);
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    const after = await stateOf(page);
    // 4,096 bins of 1.694 ms
    expect(after.time - before.time).toBeCloseTo((5 * 1.694e9) / 4096, -6);
    await page.locator('[data-testid=links] button').first().click();
    const chosen = await stateOf(page);
    expect(chosen.selection).toBe(await page.locator('[data-testid=links] button').first().textContent());
    expect(await page.textContent('[data-testid=selection]')).toContain(chosen.selection);
    expect(await page.locator('[data-testid=heat-map] .row').count()).toBe(1);
    await page.locator('[data-testid=flows] button').first().click();
    const flow = await stateOf(page);
    expect(flow.selection).toMatch(/^flow \d+$/);
    await page.click('[data-testid=share]');
    // the policy of the page lets nothing be waited for within it
    await expect.poll(() => new URL(page.url()).hash.length).toBeGreaterThan(20);
    const hash = new URL(page.url()).hash;
    await page.close();
    const again = await opened(hash);
    expect(await stateOf(again)).toEqual(flow);
    await again.close();
  });

  it('says what held the run up, and shows it there', async () => {
    const page = await opened();
    const button = page.locator('[data-testid=findings] button').first();
    const link = await button.textContent();
    await button.click();
    expect((await stateOf(page)).selection).toBe(link);
    // a link that held flows up was nearly full then
    const load = await page.locator('[data-testid=links] tr.on td').nth(1).textContent();
    expect(Number.parseInt(load!, 10)).toBeGreaterThan(90);
    await page.close();
  });

  it('compares a run with the one before, and with one that is kept', async () => {
    const page = await opened();
    const flows =
      'fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 100Gbps, spineRate: RATE }\ntraffic:\n  transfers:\n    - { source: 0, destination: 2, size: 10MB }\n    - { source: 1, destination: 3, size: 10MB }\n';
    const run = (rate: string): Promise<unknown> =>
      page.evaluate(`window.weft.run(${JSON.stringify(flows.replace('RATE', rate))})`);
    await run('100Gbps');
    await run('200Gbps');
    const text = (await page.textContent('[data-testid=comparison]'))!;
    // two flows of 10 MB over one link of 100 Gbps take 1.6 ms, over 200 Gbps half of that
    expect(text).toMatch(/"this run" is faster.*\(\+(9\d|10\d)(\.\d)? %\)/);
    expect(text).toMatch(/2 became faster and 0 slower/);
    expect(text).toContain('spineRate: 200Gbps');
    // the way over the spine takes half the time, and links of hosts as long as before
    const difference = page.locator('[data-testid=difference] svg');
    expect(await difference.locator('line[stroke-dasharray]').count()).toBe(2);
    expect(await difference.locator('line:not([stroke-dasharray]):not([stroke-width="0.6"])').count()).toBe(0);
    await page.locator('[data-testid=comparison] summary').click();
    await page.locator('[data-testid=comparison] [data-testid=heat-map]').waitFor();
    await page.locator('[data-testid=flows] button').first().click();
    expect(await page.locator('[data-testid=comparison] .row').count()).toBe(4);
    await page.locator('[data-testid=comparison] summary').click();
    await page.click('[data-testid=keep]');
    await run('400Gbps');
    await run('200Gbps');
    expect(await page.textContent('[data-testid=comparison]')).toContain('both runs are the same to the byte');
    await page.close();
  });

  it('offers settings and values where they are typed', async () => {
    const page = await opened();
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nbackend: flu');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'fluid' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('\nswitc');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'switch' }).first().waitFor();
    await page.locator('.cm-completionInfo', { hasText: 'Switch hardware' }).waitFor();
    await page.close();
  });

  it('writes a scenario from a few answers, the one of weft init', async () => {
    const page = await opened();
    await page.click('[data-testid=first] summary');
    const form = page.locator('[data-testid=first] form');
    await form.waitFor();
    await form.locator('input[type=number]').fill('16');
    await form.locator('select').nth(0).selectOption('spectrum-x');
    await form.locator('select').nth(1).selectOption('alltoall');
    await form.locator('button').click();
    await page.locator('.cm-content', { hasText: 'alltoall on 16 GPUs' }).waitFor();
    const file = join(folder, 'first.yaml');
    const words = ['--gpus', '16', '--job', 'alltoall', '--fabric', 'spectrum-x', '--size', '64MiB', '--out', file];
    execFileSync(process.execPath, ['dist/cli/main.js', 'init', ...words], { cwd: root });
    const written = await page.locator('.cm-content .cm-line').allTextContents();
    expect(written.join('\n').trim()).toBe(readFileSync(file, 'utf8').trim());
    await form.locator('input[type=number]').fill('17');
    await form.locator('button').click();
    await page.locator('[data-testid=first] [role=alert]', { hasText: '17' }).waitFor();
    await page.close();
  });

  it('draws the fabric of what is typed, before it runs', async () => {
    const page = await opened();
    expect(await page.locator('[data-testid=preview]').count()).toBe(0);
    await page.click('.cm-content');
    await page.keyboard.press('Control+a');
    await page.keyboard.type(
      'fabric: { generate: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2 }\ntraffic: { transfers: [{ source: 0, destination: 5, size: 1MB }] }\n',
    );
    const picture = page.locator('[data-testid=preview] svg');
    await picture.waitFor();
    // 2 spines, 3 leaves, 6 hosts; 6 + 6 links, each way
    await expect.poll(() => picture.locator('rect.box').count()).toBe(11);
    expect(await picture.locator('line').count()).toBe(24);
    await page.click('[data-testid=run]');
    await picture.waitFor({ state: 'detached' });
    await page.close();
  });

  it('asks again before a long run, and ends one that hears nothing', async () => {
    const page = await opened();
    await page.click('.cm-content');
    await page.keyboard.press('Control+a');
    // planning 512 x 511 transfers lets no message in for seconds
    await page.keyboard.type(
      'fabric: { generate: leaf-spine, leaves: 32, spines: 8, hostsPerLeaf: 64 }\nworkload: { layers: [{ name: l, weightGradient: { collective: alltoall, size: 4GiB, group: dp } }] }\n',
    );
    await page.locator('[data-testid=forecast]', { hasText: '2048 hosts' }).waitFor();
    await page.click('[data-testid=run]');
    await page.locator('[role=alert]', { hasText: /takes about \d+ (minutes|hours)/ }).waitFor();
    await page.click('[data-testid=run]');
    await page.click('[data-testid=stop]');
    await page.locator('[data-testid=run]').waitFor({ timeout: 20_000 });
    await page.locator('[data-testid=problems], [data-testid=verdict]').first().waitFor();
    await page.close();
  });

  it('keeps what was typed over a reload', async () => {
    const page = await opened();
    await page.click('.cm-content');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n# mine');
    await page.reload();
    await page.evaluate('window.weft.ready');
    expect(await page.textContent('.cm-content')).toContain('# mine');
    await page.close();
  });

  it('shows the longest pause where and when it was, and saves what is shown', async () => {
    const page = await opened();
    const senders = [4, 5, 6].map((host) => `    - { source: ${host}, destination: 0, size: 2MB }\n`).join('');
    const incast = `fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, hostRate: 100Gbps, spineRate: 400Gbps }\nswitch: { buffer: 512KiB }\ntraffic:\n  transfers:\n${senders}`;
    await page.evaluate(`window.weft.run(${JSON.stringify(incast)})`);
    const pause = page.locator('[data-testid=pauses] tbody tr').first();
    expect(await pause.textContent()).toContain('leaf[0] -> host[0]');
    const link = await pause.locator('button').textContent();
    await pause.locator('button').click();
    expect((await stateOf(page)).selection).toBe(link);
    await page.click('[data-testid=exports] summary');
    const names = await page.locator('[data-testid=exports] button').allTextContents();
    expect(names).toEqual(expect.arrayContaining(['flows.csv', 'links.csv', 'pauses.csv', 'fabric.svg', 'links.png']));
    for (const [name, expected] of [
      ['flows.csv', /^flow,source,destination,sizeBytes[^]*host\[4\],host\[0\],2000000,/],
      ['links.csv', /^link,highestLoad[^]*leaf\[0\] -> host\[0\],0\.9\d+,/],
      ['fabric.svg', /^<svg [^]*<line [^]*leaf\[1\][^]*<\/svg>\n$/],
      ['links.png', /^.PNG/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`[data-testid=exports] button:text-is("${name}")`),
      ]);
      expect(download.suggestedFilename()).toBe(name);
      expect(readFileSync(await download.path(), 'latin1')).toMatch(expected);
    }
    await page.close();
  });

  it('shows what waits, and the charts of the report at the time that is chosen', async () => {
    const page = await opened();
    // what one of two senders brings to a port waits, after 80 us a megabyte
    const incast = `fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 3, hostRate: 100Gbps }
switch: { buffer: 32MB }
pfc: { enabled: false }
ecn: { enabled: false }
queuePair: { window: unlimited }
packet: { payload: 1000, header: 0, gap: 0 }
traffic: { transfers: [{ source: 1, destination: 0, size: 1MB }, { source: 2, destination: 0, size: 1MB }] }
`;
    await page.evaluate(`window.weft.run(${JSON.stringify(incast)})`);
    await page.click('[data-testid=waiting]');
    await page.locator('[data-testid=heat-map] figcaption', { hasText: /longest queue, (99\d|1000|1\.0+)/ }).waitFor();
    const chart = page.locator('[data-testid=chart-queues]');
    await chart.scrollIntoViewIfNeeded();
    const drawing = chart.locator('svg');
    await drawing.waitFor();
    const { width, height } = (await drawing.boundingBox())!;
    await drawing.click({ position: { x: Math.round(width / 2), y: Math.round(height / 2) } });
    const { time } = await stateOf(page);
    // the axis ends after 160 us, and its middle is not far from that of the drawing
    expect(Math.abs(time - 80e6)).toBeLessThan(20e6);
    const mark = (await chart.locator('.now').boundingBox())!;
    const plot = (await drawing.boundingBox())!;
    expect(Math.abs(mark.x + 1 - (plot.x + width / 2))).toBeLessThan(4);
    const waits = await page.locator('[data-testid=links] tr', { hasText: 'leaf[0] -> host[0]' }).textContent();
    const said = /([\d.]+)(kB|MB)$/.exec(waits!)!;
    const bytes = Number(said[1]) * (said[2] === 'MB' ? 1e6 : 1e3);
    expect(Math.abs(bytes - 12_500 * Math.min(time / 1e6, 160 - time / 1e6))).toBeLessThan(40_000);
    await page.close();
  });

  it('takes a link that was damaged for none', async () => {
    const page = await opened('#s=abc&t=7&link=%00');
    expect((await stateOf(page)).runs).toHaveLength(1);
    await page.close();
    const other = await opened('#example=nope');
    expect(await other.textContent('[data-testid=problems]')).toContain('there is no example nope');
    await other.close();
  });

  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['a telephone', { viewport: { width: 390, height: 844 } }],
  ])('has nothing that axe complains of, and nothing that sticks out: %s', async (_, options) => {
    const page = await opened('', options);
    await page.selectOption('[data-testid=examples]', 'server-pair/controller');
    await page.locator('[data-testid=comparison]').waitFor();
    await page.click('[data-testid=first] summary');
    await page.locator('[data-testid=first] form').waitFor();
    await page.locator('[data-testid=flows] button').first().click();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.evaluate(axe);
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
    expect(
      found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(' ')}`),
    ).toEqual([]);
    await page.close();
  });

  it('is walked through by keyboard: whatever can be pressed is reached, in the order in which it stands, and seen', async () => {
    const page = await opened();
    const wanted = await page.evaluate<number>(`(() => {
      const all = [...document.querySelectorAll('button, select, input, summary, .cm-content')];
      const shown = all.filter((own) => own.checkVisibility() && !own.disabled && own.getAttribute('tabindex') !== '-1');
      shown.forEach((own, place) => (own.dataset.place = place));
      return shown.length;
    })()`);
    const places: number[] = [];
    for (let i = 0; i < wanted + 40; i++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate<{ place: number; isSeen: boolean } | null>(`(() => {
        const own = document.activeElement;
        if (own?.dataset.place === undefined) return null;
        const { width, height } = own.getBoundingClientRect();
        const { outlineStyle } = getComputedStyle(own);
        const isSeen = width > 0 && height > 0 && (outlineStyle !== 'none' || own.closest('.cm-editor') !== null);
        return { place: Number(own.dataset.place), isSeen };
      })()`);
      if (found === null || places.includes(found.place)) continue;
      expect(found.isSeen).toBe(true);
      places.push(found.place);
    }
    // the page may put lines of the editor's gutter between; what there is comes in order
    expect(places).toEqual(Array.from({ length: wanted }, (_, place) => place));
    expect(wanted).toBeGreaterThan(20);
    await page.close();
  });

  it('runs its examples to the digests of the command line', async () => {
    const page = await opened();
    const examples = await page.evaluate<{ name: string }[]>(
      `JSON.parse(document.getElementById('examples').textContent)`,
    );
    expect(examples.length).toBeGreaterThan(15);
    // those that take seconds; all have their turn
    const drawn = examples.filter(
      ({ name }, place) => isDrawn(place, 8) && !/^(adaptive-routing|adapt|web-search|compare-fabrics)/.test(name),
    );
    for (const { name } of drawn) {
      await page.selectOption('[data-testid=examples]', name);
      await expect
        .poll(async () => (await stateOf(page)).runs[0], { timeout: 300_000 })
        .toBe(digestOf(`examples/${name}.yaml`));
    }
    await page.close();
  });

  it('goes into no folder of something else', () => {
    const other = mkdtempSync(join(tmpdir(), 'weft-no-site-'));
    writeFileSync(join(other, 'mine.txt'), 'mine');
    expect(() => site('--out', other)).toThrow(/no site of Weft/);
    expect(() => site()).toThrow(/where to/);
    expect(readdirSync(other)).toEqual(['mine.txt']);
    rmSync(other, { recursive: true });
  });

  it('left nothing in the console', () => expect(complaints).toEqual([]));
});
