// Where a chart stands, what it becomes, and what all charts have in common: font and colours, titles, tooltips, axes.
// Source of the options' names: the documentation of ECharts 6.

import { fitting } from '../svg-text.js';
import { lightLook, type Look } from './look.js';

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

/** Names without spaces: quotes in a style would end the attribute of an SVG that it stands in. */
const chartFont = 'system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif';

/** Colours and font of a chart without motion: what is looked at may be printed. */
export function chartText(look: Look = lightLook): ChartOption {
  return {
    animation: false,
    backgroundColor: look.background,
    textStyle: { color: look.text, fontFamily: chartFont, fontSize: 12 },
  };
}

/** A legend of names. @param top in pixels */
export function legendOf(look: Look, top: number, names: readonly string[]): ChartOption {
  return {
    top,
    left: 8,
    itemWidth: 14,
    itemHeight: 10,
    textStyle: { color: look.text, fontSize: 12 },
    data: names.map((name) => ({ name })),
  };
}

/** A tooltip that is text, no HTML, since names are not ours. @param trigger what the pointer has to be on */
export function tooltipOf(look: Look, trigger: 'item' | 'axis'): ChartOption {
  return {
    trigger,
    renderMode: 'richText',
    confine: true,
    backgroundColor: look.background,
    borderColor: look.line,
    textStyle: { color: look.text, fontSize: 12 },
  };
}

/** The name of an axis along its middle. @param nameGap to the axis, in pixels */
export function axisName(name: string, look: Look, nameGap = 28): ChartOption {
  return { name, nameLocation: 'middle', nameGap, nameTextStyle: { color: look.faint } };
}

/** How an axis is drawn whose places have names. */
export function categoryAxis(names: readonly string[], look: Look): ChartOption {
  return {
    type: 'category',
    data: names,
    axisLine: { lineStyle: { color: look.line } },
    axisTick: { show: false },
  };
}

/** Texts along an axis. */
export function axisLabel(look: Look): ChartOption {
  return { color: look.faint, fontSize: 11, hideOverlap: true };
}

/** A title and lines below it, as far as they fit. @returns titles of ECharts, and how high they are */
export function chartHeading(
  title: string,
  facts: readonly string[],
  width: number,
): { readonly titles: readonly object[]; readonly height: number } {
  return {
    height: 44 + 17 * facts.length,
    titles: [
      { text: fitting(title, width - 40, 16), left: 14, top: 8, textStyle: { color: lightLook.text, fontSize: 16 } },
      ...facts.map((fact, i) => ({
        text: fitting(fact, width - 40, 12),
        left: 14,
        top: 34 + 17 * i,
        textStyle: { color: lightLook.faint, fontSize: 12, fontWeight: 'normal' },
      })),
    ],
  };
}
