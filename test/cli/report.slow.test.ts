// The page of `weft report` in headless Chromium: it draws without a complaint and without a request, texts can be read
// and nothing lies over anything else, on a desk and on a telephone, light, dark and on paper; it can be used with the
// keyboard; it opens soon. Skipped, and said, where Chromium is missing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { isDrawn } from '../support/drawn.js';
import { seed } from '../support/seed.js';
import {
  cutTables,
  faintTexts,
  overlappingElements,
  overlappingTexts,
  smallTexts,
  textsOutside,
} from '../support/page-check.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/cli/main.js');
const browserPath = chromiumPath();
let folder = '';
let browser: Browser;

const weft = (...words: string[]): string =>
  execFileSync(process.execPath, [program, ...words], { cwd: root, encoding: 'utf8' });
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-report-test-'));
  if (!existsSync(join(root, 'dist/program/report/page.js')))
    execFileSync(process.execPath, ['bundle.mjs'], { cwd: root });
  const probes = ['queueInterval=10us', 'rateInterval=10us', 'bandwidthInterval=20us'].flatMap((setting) => [
    '--set',
    `probes.${setting}`,
  ]);
  weft('run', 'examples/server-pair/no-controller.yaml', '--quiet', '--out', at('ecmp'));
  weft('run', 'examples/server-pair/controller.yaml', '--quiet', '--out', at('controller'));
  weft('run', 'examples/incast-127/incast-127.yaml', '--quiet', '--out', at('incast'), ...probes);
  const sampling = ['--set', 'sampling.variant=standard', '--set', 'sampling.window=1ms'];
  weft('run', 'examples/two-jobs/two-jobs.yaml', '--quiet', '--out', at('jobs'), ...sampling);
  for (const [name, settings] of [
    ['sweep', ['switch.buffer=512KiB,4MiB', 'pfc.enabled=true,false']],
    ['words', ['congestion.algorithm=dcqcn,dctcp,none']],
  ] as const) {
    const set = settings.flatMap((setting) => ['--set', setting]);
    weft(
      'sweep',
      'examples/incast/incast.yaml',
      ...set,
      '--seeds',
      '1..8',
      '--jobs',
      '1',
      '--quiet',
      '--out',
      at(name),
    );
    weft('report', at(name), '--pareto', 'time,mean', '--out', at(`${name}.html`));
  }
  weft(
    'report',
    at('ecmp'),
    at('controller'),
    '--out',
    at('pair.html'),
    '--labels',
    'ECMP,with <b>controller</b> & more',
  );
  weft('report', at('incast'), '--out', at('incast.html'));
  weft('report', at('jobs'), '--out', at('jobs.html'));
  const collective = ['--fabric', 'leaf-spine', '--leaves', '4', '--hosts-per-leaf', '10', '--spines', '2'];
  weft('collective', 'allreduce', ...collective, '--sizes', '1MiB', '--quiet', '--report', at('collective.html'));
  const model = [
    'layerCount=2',
    'hiddenSize=1024',
    'attentionHeads=8',
    'keyValueHeads=8',
    'experts=4',
    'zeroStage=1',
    'contextParallel=1',
  ];
  const networks = ['--fabrics', 'spectrum-x', 'leaf-spine --leaves 2 --hosts-per-leaf 4 --spines 2'];
  const asked = [
    '--model',
    'llama2-7b',
    '--gpus',
    '8',
    '--global-batch',
    '8',
    '--best',
    '4',
    '--robustness',
    '1',
    ...networks,
  ];
  const settings = model.flatMap((change) => ['--set', `workload.${change}`]);
  weft('plan', ...asked, ...settings, '--quiet', '--report', at('plans.html'));
  const fabric = ['--fabric', at('tree.net')];
  weft('topology', 'generate', 'fat-tree', '--k', '4', '--format', 'ibnetdiscover', '--out', at('tree.net'));
  weft('route', 'compute', ...fabric, '--algorithm', 'minhop', '--out', at('tree.lfts'));
  weft('report', ...fabric, '--tables', at('tree.lfts'), '--traffic', 'all-to-all', '--out', at('health.html'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A page that has been drawn, and what it complained of or asked for. */
async function open(
  name: string,
  settings: { readonly width: number; readonly look: 'light' | 'dark'; readonly isPrint?: boolean },
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({
    viewport: { width: settings.width, height: 900 },
    colorScheme: settings.look,
  });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  const own = pathToFileURL(at(name)).href;
  page.on('request', (request) => {
    if (request.url() !== own && !request.url().startsWith('data:')) complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(own);
  await page.waitForSelector('html[data-drawn], body:not(:has(script))', { timeout: 300_000 });
  if (settings.isPrint === true) {
    await page.emulateMedia({ media: 'print' });
    // the page's policy lets no text be evaluated while it waits
    for (let i = 0; i < 100 && (await page.evaluate(`document.querySelector('details:not([open])') !== null`)); i++)
      await page.waitForTimeout(50);
    await page.waitForTimeout(200);
  }
  return { page, complaints };
}

/**
 * How the page at this place of the list is looked at: a desk and a telephone, one light and one dark, which is drawn, and
 * on paper. Half of the forms by default, which the seed says; WEFT_DRAWS=1 takes all.
 */
function formsOf(place: number) {
  // not by the seed's last bit, which draws the forms
  const [desk, telephone] =
    (Math.floor(seed / 2) + place) % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  const all = [
    [`a desk, ${desk}`, { width: 1280, look: desk }],
    [`a telephone, ${telephone}`, { width: 390, look: telephone }],
    ['paper', { width: 690, look: 'dark', isPrint: true }],
  ] as const;
  return all.filter((_, i) => isDrawn(place + i, 2));
}

describe.skipIf(browserPath === null)('the page of a report', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
  });

  const [ofRuns, others] = [
    ['pair', 'incast', 'jobs', 'collective'],
    ['sweep', 'words', 'plans', 'health'],
  ];
  const pages = [...ofRuns, ...others].map((name) => `${name}.html`);
  describe.each(pages.map((name, place) => [name, formsOf(place)] as const))(
    `%s (WEFT_SEED=${seed})`,
    (name, forms) => {
      it.each(forms)('can be read on %s', async (_, settings) => {
        const { page, complaints } = await open(name, settings);
        const width = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]');
        // a canvas would be printed before it is painted, and be white
        const drawing = 'isPrint' in settings ? '.plot svg' : '.plot svg, .plot canvas';
        expect({
          complaints,
          sticksOut: width[0]! > width[1]!,
          charts: await page.evaluate(
            `[...document.querySelectorAll('figure[data-figure]')].filter((f) => f.querySelector('${drawing}') === null).length`,
          ),
          overlappingTexts: await page.evaluate(overlappingTexts),
          textsOutside: await page.evaluate(textsOutside),
          overlappingElements: await page.evaluate(overlappingElements),
          faint: await page.evaluate(faintTexts),
          small: await page.evaluate(smallTexts('isPrint' in settings ? 6 : 9)),
          // tables whose last columns nobody sees without pushing them aside
          cut: await page.evaluate(cutTables),
        }).toEqual({
          complaints: [],
          sticksOut: false,
          charts: 0,
          overlappingTexts: [],
          textsOutside: [],
          overlappingElements: [],
          faint: [],
          small: [],
          cut: [],
        });
        await page.close();
      });
    },
  );

  it('sees what it looks for', async () => {
    // the checks above find texts that lie over each other, lack contrast, are small or outside
    const page = await browser.newPage();
    await page.setContent(
      `<div class="plot"><svg width="100" height="40" viewBox="0 0 100 40"><text x="5" y="20" font-size="8" fill="#bbb">one</text><text x="6" y="21">two</text><text x="90" y="20">outside</text></svg></div><p style="margin-bottom:-20px">a</p><p>b</p>`,
    );
    expect(await page.evaluate(overlappingTexts)).toHaveLength(1);
    expect(await page.evaluate(textsOutside)).toEqual([expect.stringContaining('outside')]);
    expect(await page.evaluate(overlappingElements)).toEqual(['a | b']);
    expect(await page.evaluate(faintTexts)).toEqual([expect.stringContaining('one')]);
    expect(await page.evaluate(smallTexts(9))).toEqual(['8.0: one']);
    await page.setContent(
      '<div class="scroll" style="width:50px;overflow-x:auto"><table><tr><td>a-word-without-room</td></tr></table></div>',
    );
    expect(await page.evaluate(cutTables)).toEqual(['a-word-without-room']);
    await page.close();
  });

  it('says what the runs say', async () => {
    const { page } = await open('pair.html', { width: 1280, look: 'light' });
    const summary = JSON.parse(readFileSync(at('ecmp/summary.json'), 'utf8')) as { fct: { maxNs: number } };
    const slowest = page.locator('.card', { hasText: 'Slowest flow' });
    expect(await slowest.textContent()).toContain(`${(summary.fct.maxNs / 1e6).toFixed(3)}ms`);
    expect(await slowest.locator('.good').textContent()).toBe('−49.8 %');
    expect(await page.locator('.runs li').allTextContents()).toEqual(['ECMP', 'with <b>controller</b> & more']);
    expect(await page.locator('#scenario table code').allTextContents()).toEqual([
      'controller.enabled',
      'false',
      'true',
    ]);
    await page.close();
  });

  it('says the time of the job that takes longest', async () => {
    const { page } = await open('jobs.html', { width: 1280, look: 'light' });
    const { jobs } = JSON.parse(readFileSync(at('jobs/summary.json'), 'utf8')) as {
      jobs: { ranks: { max: number } }[];
    };
    const times = jobs.map(({ ranks }) => ranks.max);
    expect(Math.max(...times)).toBeGreaterThan(times[0]!);
    expect(await page.locator('.card', { hasText: 'Job time' }).textContent()).toContain(
      `${(Math.max(...times) / 1e6).toFixed(2)}ms`,
    );
    await page.close();
  });

  it('says of a sweep what differs, and that the rest may be chance', async () => {
    const { page } = await open('words.html', { width: 1280, look: 'light' });
    const rows = page.locator('#differences tbody tr');
    expect(await rows.count()).toBe(2);
    expect(await rows.first().locator('strong').count()).toBeGreaterThan(0);
    expect(await page.locator('#combinations tbody tr').count()).toBe(3);
    await page.close();
  });

  it('lights up the way of a flow for pointer and keyboard', async () => {
    const { page } = await open('pair.html', { width: 1280, look: 'light' });
    const panel = page.locator('[data-fabric="0"]');
    const row = panel.locator('[data-show-flow="0"]');
    const said = panel.locator('.said');
    const idle = await said.textContent();
    for (const begin of [() => row.hover(), () => row.focus()]) {
      await begin();
      // host, leaf, spine, leaf, host
      expect(await panel.locator('g.on').count()).toBe(4);
      expect(await said.textContent()).toMatch(
        /^Flow \d+, host \d+ to \d+, 10MiB, source port 10000: 1\.69\dms, 1\.99 x .* leaf\[0\], spine\[\d\], leaf\[1\]\.$/,
      );
      await page.mouse.move(5, 5);
      await page.keyboard.press('Tab');
    }
    await panel.locator('h3').first().hover();
    await page.evaluate('document.activeElement.blur()');
    expect(await said.textContent()).toBe(idle);
    expect(await panel.locator('g.dim').count()).toBe(0);
    await page.close();
  });

  it('shows congestion by window and job', async () => {
    const { page, complaints } = await open('jobs.html', { width: 1280, look: 'dark' });
    const panel = page.locator('[data-congested="0"]');
    const said = panel.locator('.said');
    const row = panel.locator('[data-show-mark]').first();
    const packets = async (): Promise<number> => {
      await row.focus();
      const [, found] = /: about ([\d,]+) packets/.exec((await said.textContent())!)!;
      await page.evaluate('document.activeElement.blur()');
      return Number(found!.replaceAll(',', ''));
    };
    // all that the busiest link carried is what it carried in the windows, to three digits each
    const whole = await packets();
    const slider = panel.locator('[data-window]');
    let sum = 0;
    for (let window = 1; window <= Number(await slider.getAttribute('max')); window++) {
      await slider.fill(String(window));
      await row.focus();
      sum += (await said.textContent())!.split('. Back')[0]!.includes('nothing') ? 0 : await packets();
    }
    expect(Math.abs(sum / whole - 1)).toBeLessThan(0.01);
    await slider.fill('0');
    let jobs = 0;
    for (const [place, name] of ['odd', 'even'].entries()) {
      await panel.locator('[data-slice]').selectOption(name);
      await row.focus();
      const text = (await said.textContent())!.split('. Back')[0]!;
      if (!text.includes('nothing')) jobs += await packets();
      expect(await panel.locator('[data-slice]').inputValue()).toBe(String(place + 1));
    }
    expect(Math.abs(jobs / whole - 1)).toBeLessThan(0.01);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows a part of the time, and finds the bars of a rank', async () => {
    const { page } = await open('jobs.html', { width: 1280, look: 'dark' });
    const panel = page.locator('[data-timeline="0"]');
    // each of two jobs computes three times, and waits behind it
    await panel.locator('[data-search]').fill('odd, rank 0');
    expect(await panel.locator('[data-found]').textContent()).toBe('6 of 12 bars');
    // 24.1 ms, of which the middle half begins at 6.02 ms, with a tick every 2 ms
    for (const from of ['0', '8ms']) {
      expect((await panel.locator('svg text[fill="#555555"]').allTextContents())[0]).toMatch(new RegExp(`^${from}`));
      await panel.locator('[data-time="in"]').click();
    }
    await page.close();
  });

  it('changes its look by the button, and saves charts', async () => {
    const { page, complaints } = await open('pair.html', { width: 1280, look: 'light' });
    const background = (): Promise<string> => page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    const before = await background();
    await page.locator('#look').press('Enter');
    expect(await background()).not.toBe(before);
    expect(await page.locator('#look').textContent()).toBe('Light');
    for (const [kind, begin] of [
      ['csv', 'series,flow completion time'],
      ['svg', '<svg '],
      ['png', '\u2030PNG'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#completion figure').first().locator(`[data-save=${kind}]`).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`completion-distribution.${kind}`);
      const path = at(`saved.${kind}`);
      await download.saveAs(path);
      const bytes = readFileSync(path);
      expect(
        kind === 'png' ? `\u2030${bytes.toString('latin1', 1, 4)}` : bytes.toString('utf8').slice(0, begin.length),
      ).toBe(begin);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('of 16,256 flows is drawn with few elements and has less than 3 MB', async () => {
    writeFileSync(
      at('all-to-all.csv'),
      `timestamp_ns,src,dst,size_bytes\n${Array.from({ length: 128 * 127 }, (_, i) => {
        const source = Math.floor(i / 127);
        const other = i % 127;
        return `0,${source},${other < source ? other : other + 1},65536\n`;
      }).join('')}`,
    );
    writeFileSync(
      at('all-to-all.yaml'),
      'name: all-to-all\nfabric: { generate: spectrum-x, gpus: 128 }\nbackend: fluid\ntraffic: { trace: all-to-all.csv }\n',
    );
    weft('run', at('all-to-all.yaml'), '--quiet', '--out', at('all'));
    weft('report', at('all'), '--out', at('all.html'));
    expect(statSync(at('all.html')).size).toBeLessThan(3e6);
    const { page, complaints } = await open('all.html', { width: 1280, look: 'light' });
    expect(await page.evaluate<number>(`performance.getEntriesByName('drawn').length`)).toBe(1);
    // what takes a browser its time: elements to lay out, of which flows have none of their own
    expect(await page.evaluate<number>(`document.querySelectorAll('*').length`)).toBeLessThan(16_256 / 3);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('weft report', () => {
  it('leaves a file that stands there, and takes the same page for the same', () => {
    writeFileSync(at('mine.html'), 'mine');
    expect(() => weft('report', at('ecmp'), '--out', at('mine.html'))).toThrow(/--force/);
    expect(readFileSync(at('mine.html'), 'utf8')).toBe('mine');
    weft('report', at('ecmp'), '--out', at('mine.html'), '--force');
    weft('report', at('ecmp'), '--out', at('mine.html'));
  });

  it('writes each chart as picture and as CSV', () => {
    const printed = weft(
      'report',
      at('jobs'),
      '--out',
      at('j.html'),
      '--csv',
      at('charts'),
      '--svg',
      at('charts'),
      '--png',
      at('charts'),
      '--json',
    );
    const { figures, files } = JSON.parse(printed) as { figures: { id: string }[]; files: string[] };
    for (const { id } of figures)
      for (const kind of ['csv', 'svg', 'png']) {
        expect(files).toContain(at(`charts/${id}.${kind}`));
        expect(statSync(at(`charts/${id}.${kind}`)).size).toBeGreaterThan(40);
      }
    expect(readFileSync(at('charts/collectives.csv'), 'utf8')).toMatch(/^row,kind,from \(ms\),to \(ms\),what\n/);
    for (const name of ['timeline', 'congested-fraction', 'congested-fraction-job-1'])
      for (const kind of ['svg', 'png']) expect(files).toContain(at(`charts/${name}.${kind}`));
  });

  it('has runs of names that nothing else can have, and of the same name', () => {
    weft(
      'report',
      at('ecmp'),
      at('ecmp'),
      '--labels',
      '__proto__,__proto__',
      '--out',
      at('odd.html'),
      '--png',
      at('odd'),
    );
    const page = readFileSync(at('odd.html'), 'utf8');
    expect(page).toContain('&quot;__proto__&quot; (2)');
  });

  it('is written after a run, whose results go unless they are kept', () => {
    const printed = weft('run', 'examples/server-pair/controller.yaml', '--report', at('run.html'));
    expect(printed).toContain(`report       ${at('run.html')}: 1 run`);
    expect(printed).toContain('not kept');
    expect(readFileSync(at('run.html'), 'utf8')).toContain('eight KV-cache transfers, with controller');
    expect(() => weft('run', 'examples/server-pair/controller.yaml', '--report', at('run.html'))).toThrow(/--force/);
  });

  it('is written after a comparison of fabrics, in their order', () => {
    const words = ['compare-fabrics', '--gpus', '16', '--fabrics', 'spectrum-x,dcn-dualtor'];
    const printed = weft(...words, '--report', at('fabrics.html'));
    expect(printed).toContain(`report: ${at('fabrics.html')}: 2 runs`);
    expect(printed).not.toContain('results:');
    const page = readFileSync(at('fabrics.html'), 'utf8');
    expect(page.indexOf('spectrum-x')).toBeGreaterThan(0);
    expect(page.indexOf('dcn-dualtor')).toBeGreaterThan(page.indexOf('spectrum-x'));
    weft(...words, '--out', at('fabrics'), '--report', at('kept.html'), '--quiet');
    expect(existsSync(at('fabrics/dcn-dualtor/manifest.json'))).toBe(true);
  });
});
