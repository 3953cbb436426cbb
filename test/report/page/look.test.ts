// Texts of reports can be read: contrast after WCAG 2.2 (relative luminance, success criterion 1.4.3), light and dark.

import { describe, expect, it } from 'vitest';
import {
  contentionTexts,
  darkLook,
  lightLook,
  loadClass,
  loadLimits,
  loadTexts,
  type Look,
} from '../../../src/report/page/look.js';
import { pageStyle } from '../../../src/report/page/page-style.js';
import { spanColour } from '../../../src/report/span-colours.js';
import { spanKinds } from '../../../src/report/timeline-rows.js';

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ['light', lightLook],
  ['dark', darkLook],
])('the %s look', (_, look: Look) => {
  it('has texts that can be read', () => {
    expect(contrast(look.text, look.background)).toBeGreaterThan(7);
    expect(contrast(look.faint, look.background)).toBeGreaterThan(4.5);
  });

  it('has lines of runs that stand out, each from the others', () => {
    for (const hue of look.hues) expect(contrast(hue, look.background), hue).toBeGreaterThan(2.4);
    expect(new Set(look.hues).size).toBe(look.hues.length);
  });

  it.each(['load', 'contention'] as const)('has colours of %s that grow away from the background', (name) => {
    const away = look[name].map((colour) => contrast(colour, look.background));
    for (let i = 1; i < away.length; i++) expect(away[i]!).toBeGreaterThan(away[i - 1]!);
    expect(look[name]).toHaveLength({ load: loadTexts, contention: contentionTexts }[name].length);
  });
});

describe.each([
  ['light', lightLook],
  ['dark', darkLook],
])('what ranks do, in the %s look', (_, look: Look) => {
  const colours = spanKinds.map((kind) => spanColour(kind, look));

  it('has colours of its own, seen on the background', () => {
    expect(new Set(colours).size).toBe(spanKinds.length);
    for (const colour of colours) expect(contrast(colour, look.background), colour).toBeGreaterThan(1.3);
  });

  it('is neither one of two runs that are compared, nor better, worse or contention', () => {
    const taken = new Set([...look.hues.slice(0, 3), ...look.contention, look.signed[0], look.signed[2]]);
    expect(colours.filter((colour) => taken.has(colour))).toEqual([]);
    for (const colour of colours) {
      const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      // green is the largest part of no colour by much, and red never twice the others
      expect(green! - Math.max(red!, blue!), colour).toBeLessThan(20);
      expect(red! > 2 * Math.max(green!, blue!), colour).toBe(false);
    }
  });

  it('has names of micro-batches that can be read on it', () => {
    for (const kind of ['forward', 'backward'] as const)
      expect(contrast(spanColour(kind, look), look.background)).toBeGreaterThan(4.5);
  });
});

it('draws in the colours of the page, light and dark', () => {
  const [style, dark] = [pageStyle(), spanColour('forward', darkLook)];
  expect(style).toContain(`.paper rect[fill="${spanColour('forward', lightLook)}"]{fill:${dark}}`);
});

describe('classes of loads', () => {
  it('begin above their limits', () => {
    expect(loadLimits.map((limit) => loadClass(limit))).toEqual([0, 1, 2, 3, 4, 5]);
    expect([0.001, 0.21, 0.96, 1.5].map(loadClass)).toEqual([1, 2, 6, 6]);
  });
});
