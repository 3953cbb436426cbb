// What charts that stand alone have in common: their font and colours, and a title with lines below it.

import { fitting } from '../svg-text.js';
import { chartFont } from './chart-option.js';
import { lightLook } from './look.js';

/** Colours and font of a light chart without motion. */
export function chartText(): object {
  return {
    animation: false,
    backgroundColor: lightLook.background,
    textStyle: { color: lightLook.text, fontFamily: chartFont, fontSize: 12 },
  };
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
