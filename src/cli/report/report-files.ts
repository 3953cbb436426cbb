// The files of a report: the page, and each chart as a picture or as CSV.
// Invariants: all files are whole or none is written (whole-file.ts); a picture has the colours of the light look, and
// its title, since it stands alone.

import { join } from 'node:path';
import { chartHeight, chartOption } from '../../report/page/chart-option.js';
import { figureCsv } from '../../report/page/figure-csv.js';
import { lightLook } from '../../report/page/look.js';
import { reportHtml } from '../../report/page/page-html.js';
import { planHtml } from '../../report/page/plan-html.js';
import type { Figure } from '../../report/page/figures.js';
import type { Picture, Report } from '../../report/page/report.js';
import type { ChoiceRequest } from '../../report/page/sweep-choice-html.js';
import type { SweepFigures } from '../../report/page/sweep-figures.js';
import { sweepHtml, type SweepLabel } from '../../report/page/sweep-html.js';
import type { PlanReport } from '../../report/training-plans/plan-account.js';
import { pngMaker } from '../png-picture.js';
import { chartDrawer, pageProgram } from './page-program.js';

/** width of pictures, in pixels */
const pictureWidth = 960;

/** Where charts go; left out: nowhere. */
export interface ChartFolders {
  readonly csv?: string | undefined;
  readonly svg?: string | undefined;
  readonly png?: string | undefined;
}

export interface ReportFile {
  readonly path: string;
  readonly text: string | Uint8Array;
}

/** The page of runs. @throws InputError if the program was not built */
export async function pageOfRuns(report: Report, path: string): Promise<ReportFile> {
  return { path, text: reportHtml(report, await pageProgram()) };
}

/** The page of a sweep. @throws InputError if the program was not built */
export async function pageOfSweep(
  label: SweepLabel,
  sweep: SweepFigures,
  path: string,
  choice: ChoiceRequest,
): Promise<ReportFile> {
  return { path, text: sweepHtml(label, sweep, await pageProgram(), choice) };
}

/** The page of plans. @throws InputError if the program was not built */
export async function pageOfPlans(report: PlanReport, command: string, path: string): Promise<ReportFile> {
  return { path, text: planHtml(report, command, await pageProgram()) };
}

/**
 * Each chart in each form that was asked for, by the folder that it goes to.
 * @param pictures that are drawn already: they have no CSV
 * @throws InputError if the charts were not built, or if there is no font for PNG
 */
export async function chartFiles(
  figures: readonly Figure[],
  pictures: readonly Picture[],
  folders: ChartFolders,
): Promise<Map<string, ReportFile[]>> {
  const files = new Map<string, ReportFile[]>();
  const put = (folder: string, name: string, text: string | Uint8Array): void => {
    const own = files.get(folder) ?? [];
    own.push({ path: join(folder, name), text });
    files.set(folder, own);
  };
  if (folders.csv !== undefined) for (const figure of figures) put(folders.csv, `${figure.id}.csv`, figureCsv(figure));
  if (folders.svg === undefined && folders.png === undefined) return files;
  const drawer = await chartDrawer();
  const toPng = folders.png === undefined ? null : await pngMaker(folders.png);
  const putPicture = ({ name, svg }: Picture): void => {
    if (folders.svg !== undefined) put(folders.svg, `${name}.svg`, svg);
    if (toPng !== null) put(folders.png!, `${name}.png`, toPng(svg));
  };
  for (const figure of figures) {
    const frame = { look: lightLook, width: pictureWidth, hasTitle: true };
    const svg = drawer.drawSvg(chartOption(figure, frame), pictureWidth, chartHeight(figure, frame));
    putPicture({ name: figure.id, svg: `${svg}\n` });
  }
  pictures.forEach(putPicture);
  return files;
}
