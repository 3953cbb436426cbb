// The charts of reports by Apache ECharts: only what they use of it. The page of a report and pictures made under Node
// load this same module.

import { BarChart, CustomChart, HeatmapChart, LineChart } from 'echarts/charts';
import {
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  VisualMapPiecewiseComponent,
} from 'echarts/components';
import { init, use, type EChartsType } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import type { ChartOption } from '#weft/report/page/chart-frame.js';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  VisualMapPiecewiseComponent,
  CanvasRenderer,
  SVGRenderer,
]);

/** Draws an option as the text of an SVG, without a browser. */
export function drawSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return withOwnClassNames(svg);
}

/** The library counts classes over all that a process draws: named by their order in the picture, it is the same again. */
function withOwnClassNames(svg: string): string {
  const names = new Map<string, string>();
  return svg.replace(/\bzr\d+-[a-z]+-?\d+/g, (name) => {
    const own = names.get(name) ?? `zr-${names.size}`;
    names.set(name, own);
    return own;
  });
}

/** Draws an option into an element. */
export function drawInto(
  element: HTMLElement,
  option: ChartOption,
  width: number,
  height: number,
  renderer: 'svg' | 'canvas',
): EChartsType {
  const chart = init(element, null, {
    renderer,
    width,
    height,
    devicePixelRatio: Math.max(2, window.devicePixelRatio),
  });
  chart.setOption(option);
  return chart;
}
