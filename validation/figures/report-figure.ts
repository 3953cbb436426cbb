// The page of a report as a picture for docs/report.md: the demonstration's runs beside each other, as Chromium shows
// them.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { pathOf } from './pages.js';

const browser = '/usr/bin/chromium';

/** Makes the page and its picture. Needs Debian's chromium; without it nothing is drawn, and that is said. */
export async function drawReport(): Promise<void> {
  if (!existsSync(browser)) {
    process.stderr.write(`the picture of a report is left as it is: there is no ${browser} (Debian: chromium)\n`);
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'weft-figures-'));
  const page = path.join(folder, 'demo.html');
  const open = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    execFileSync(process.execPath, [pathOf('dist/cli/main.js'), 'demo', '--report', page], { stdio: 'ignore' });
    const tab = await open.newPage({ viewport: { width: 1240, height: 860 }, colorScheme: 'light' });
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForSelector('html[data-drawn]');
    // the long table of figures is closed, so that charts are in the picture
    await tab.locator('#figures summary').click();
    await tab.evaluate('scrollTo({ top: 0, behavior: "instant" })');
    writeFileSync(
      pathOf('docs/figures/report.png'),
      await tab.screenshot({ fullPage: true, clip: { x: 0, y: 0, width: 1240, height: 2090 } }),
    );
  } finally {
    await open.close();
    rmSync(folder, { recursive: true });
  }
}
