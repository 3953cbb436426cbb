// The program of reports' pages and its charts, as the build put them into dist/program/report (bundle.mjs).

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ChartOption, WholeChart } from '../../report/page/chart-frame.js';
import type { PageProgram } from '../../report/page/page-shell.js';
import { builtPart } from '../built-part.js';

/** What the bundle of charts offers under Node. */
export interface ChartDrawer {
  drawSvg(option: ChartOption, width: number, height: number): string;
}

/** The program of the page. @throws InputError if it was not built */
export async function pageProgram(): Promise<PageProgram> {
  const script = await readFile(builtPart('report/page.js'), 'utf8');
  return {
    script,
    hash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
    packages: JSON.parse(await readFile(builtPart('report/packages.json'), 'utf8')) as string[],
  };
}

/**
 * The charts as a module: the bundle, or, where only the compiler ran, its modules and ECharts itself.
 * @throws InputError if neither was built
 */
export async function chartDrawer(): Promise<ChartDrawer> {
  const bundle = new URL('../../program/report/charts.js', import.meta.url);
  // beside it; not part of the package
  const modules = new URL(bundle.href.replace('/program/', '/web/'));
  const isBundled = existsSync(fileURLToPath(bundle)) || !existsSync(fileURLToPath(modules));
  return (await import(isBundled ? builtPart('report/charts.js').href : modules.href)) as ChartDrawer;
}

/** A chart that stands alone as the text of an SVG. @throws InputError if the charts were not built */
export async function chartSvg({ option, width, height }: WholeChart): Promise<string> {
  return `${(await chartDrawer()).drawSvg(option, width, height)}\n`;
}
