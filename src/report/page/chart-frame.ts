// Where a chart stands, and what it becomes.

import type { Look } from './look.js';

/** An option of ECharts. */
export type ChartOption = Readonly<Record<string, unknown>>;

export interface ChartFrame {
  readonly look: Look;
  /** in pixels */
  readonly width: number;
  /** whether the chart itself says its title: pictures do, pages have headings */
  readonly hasTitle: boolean;
}

/** A chart of a size of its own, in pixels. */
export interface WholeChart {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
}

/** Whether a chart has the width of a telephone. */
export function isNarrow(width: number): boolean {
  return width < 560;
}
