// The panels of tools in headless Chromium: their figures are those of the model, of the command line or of what was
// published, and axe and the console have nothing to complain of. Skipped, and said, where Chromium is missing.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import { serveFolder, type ServedFolder } from '../support/served-folder.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const browserPath = chromiumPath();
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** What the command line prints as JSON. */
function weft(...words: string[]): unknown {
  return JSON.parse(
    execFileSync(process.execPath, ['dist/cli/main.js', ...words, '--json'], { cwd: root, encoding: 'utf8' }),
  );
}

describe.skipIf(browserPath === null)('the tools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-tools-'));
  let served: ServedFolder;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    execFileSync(process.execPath, ['site.mjs', '--out', folder, '--without-documents'], { cwd: root });
    served = await serveFolder(folder);
    browser = await chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', '--disable-gpu'] });
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
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

  /** Opens a tool by keyboard. */
  async function opened(title: string): Promise<void> {
    await page.locator(`[data-testid=tools] button:text-is("${title}")`).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-testid=tools] .fields').waitFor();
  }

  /** The figure of a row. */
  async function figure(name: string): Promise<string> {
    const row = page.locator('[data-testid=tool-figures] tr', { hasText: name });
    return (await row.locator('td').textContent())!;
  }

  /** Nothing is wrong for axe in the tools, nothing sticks out. */
  async function isFit(): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.evaluate(axe);
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run('[data-testid=tools]')`,
    );
    expect(
      found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90)).join(' ')}`),
    ).toEqual([]);
  }

  it('load nothing before one is opened', () => {
    expect(served.asked.filter((name) => /panel|chart|tool/.test(name))).toEqual([]);
  });

  it('draw the sawtooth of source flow control, and follow a slider', async () => {
    await opened('Source flow control');
    // the source's example: (0.18 x 7 - 1) x 50 GB/s x 40 us = 520 kB above T_SFC of 1 MB; 20 us at 50 GB/s take 1 MB
    expect(await figure('grows beyond')).toBe('520kB');
    expect(await figure('goes between')).toBe('520kB and 1.52MB');
    expect(await figure('T_PFC - T_SFC')).toBe('holds: 100kB to spare');
    // 21 us at 50 GB/s: 50 kB more
    await page.locator('label', { hasText: 'pause' }).last().locator('input').focus();
    await page.keyboard.press('ArrowRight');
    expect(await figure('goes between')).toBe('470kB and 1.52MB');
    // 40 of 50 GB/s more: 7 senders of the whole link
    await page.locator('label', { hasText: 'each sends' }).locator('input').focus();
    await page.keyboard.press('End');
    expect(await figure('T_PFC - T_SFC')).toContain('broken: 11.38MB short');
    expect(await page.locator('[data-testid=tools] .chart svg').count()).toBe(1);
    await isFit();
  });

  it('time a collective as the command line does, beside a table that was pasted', async () => {
    await opened('Collectives');
    // the size that weft init gives the family
    const fabric = ['--fabric', 'spectrum-x', '--gpus', '16', '--nics-per-asw', '4', '--psw-switches', '2'];
    const { rows } = weft('collective', 'allreduce', ...fabric, '--asw-per-psw', '8', '--sizes', '64MiB') as {
      rows: { timeUs: number; busbwGBps: number }[];
    };
    const [row] = rows;
    // half of the bandwidth was measured: the simulated one is 100 % more
    const measuredUs = row!.timeUs * 2;
    const bus = row!.busbwGBps / 2;
    const table = `# Collective test starting: all_reduce_perf\n    67108864      16777216     float     sum      -1   ${measuredUs.toFixed(2)}   ${(bus / 1.875).toFixed(2)}   ${bus.toFixed(2)}       0   ${measuredUs.toFixed(2)}   ${(bus / 1.875).toFixed(2)}   ${bus.toFixed(2)}       0\n`;
    await page.fill('[data-testid=nccl-table]', table);
    await page.click('[data-testid=tool-run]');
    await page.locator('[data-testid=tool-errors]').waitFor();
    const cells = await page.locator('[data-testid=tool-figures] tbody tr').locator('td').allTextContents();
    expect(cells[0]).toBe('64MiB');
    expect(cells[3]).toBe(row!.busbwGBps.toFixed(2));
    expect(cells[5]).toBe('+100.0 %');
    await isFit();
    await page.fill('[data-testid=nccl-table]', '   67108864  what is this\n');
    await page.click('[data-testid=tool-run]');
    await page.locator('[data-testid=tools] [role=alert]').waitFor();
    expect(await page.locator('[data-testid=tool-figures]').count()).toBe(0);
  });

  it('search routes to their bound', async () => {
    await opened('Routes');
    await page.click('[data-testid=tool-run]');
    await page.locator('[data-testid=tool-figures]').waitFor();
    // the 16 hosts of a leaf all send to the other half, by 8 links
    expect(await figure('largest load')).toBe('2');
    expect(await figure('AR gap')).toBe('0.00 %');
    expect(await figure('lower bound')).toBe('2: no static routes have less');
    await isFit();
  });

  it('find a matrix again, as the command line does', async () => {
    await opened('Reconstruction');
    await page.click('[data-testid=tool-run]');
    await page.locator('.sheet svg').waitFor();
    const words = ['--fabric', 'fat-tree', '--tables', 'ftree', '--traffic', 'stencil', '--lanes', '4'];
    const { pairs, counters, steps } = weft('reconstruct', ...words) as Record<string, number>;
    expect(await figure('pairs of hosts')).toBe(`${pairs} and ${counters}`);
    expect(await figure('the search')).toBe(`settled after ${steps} steps`);
    expect(Number.parseFloat(await figure('error, of all'))).toBeLessThan(1e-6);
    await isFit();
    // counters that are off by 5 % tell less
    await page.locator('label', { hasText: 'noise' }).locator('input').focus();
    await page.keyboard.press('End');
    await page.click('[data-testid=tool-run]');
    await page.locator('.sheet svg').waitFor();
    expect(Number.parseFloat(await figure('error, of all'))).toBeGreaterThan(0.5);
  });

  it('left nothing in the console', () => expect(complaints).toEqual([]));
});
