// The colours of what ranks do, the same in every timeline: hues of the page (page/look.ts) that are those of no run
// where two are compared, without green, which says better, and red, which says contention. A pale hue is a wait of
// another kind than the full one; who waits for another stage does nothing, and is as pale as an idle link.

import { hueOf, type Look, lightLook, tintOf } from './page/look.js';
import type { spanKinds } from './timeline-rows.js';

/** By kind: number of its hue, and whether it is pale; null: nothing is done. */
const hueOfKind: Readonly<Record<(typeof spanKinds)[number], readonly [hue: number, isPale: boolean] | null>> = {
  forward: [3, false],
  backward: [6, false],
  optimizer: [7, false],
  'waits for another stage': null,
  'waits for TP': [4, false],
  'waits for DP': [5, false],
  'waits for EP': [4, true],
  'waits for DP_EP': [5, true],
  'waits for PP': [6, true],
  'waits for others': [7, true],
  'waits for CP': [3, true],
};

/** The colour of a kind of span. */
export function spanColour(kind: (typeof spanKinds)[number], look: Look): string {
  const own = hueOfKind[kind];
  if (own === null) return look.load[1]!;
  const colour = hueOf(look, own[0]);
  return own[1] ? tintOf(look, colour) : colour;
}

/** Rules of CSS that give drawings, which have the light colours, those of a look. @param within selector of drawings */
export function spanRules(look: Look, within: string): string {
  return (Object.keys(hueOfKind) as (typeof spanKinds)[number][])
    .map((kind) => `${within} rect[fill="${spanColour(kind, lightLook)}"]{fill:${spanColour(kind, look)}}`)
    .join('');
}
