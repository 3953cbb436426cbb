// Colours of a report, light and dark. Runs are told apart by hue and lightness, so also without seeing red and green
// (hues after Okabe and Ito, Color Universal Design, 2008); loads of links are gray, contention is red, and so is what got worse; what got better is green.
// Invariant: texts have a contrast of at least 4.5 to their background in both (test/report/page/look.test.ts).

import { lastShade } from './congested-scale.js';

export interface Look {
  readonly isDark: boolean;
  readonly background: string;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly grid: string;
  /** of runs, or of what else is told apart */
  readonly hues: readonly string[];
  /** from nothing to all */
  readonly gray: readonly [string, string];
  /** of a congested-fraction plot: from none of the packets to all */
  readonly shades: readonly [string, string];
  /** of links, from idle to full */
  readonly load: readonly string[];
  /** of links, from those on which nothing was lost */
  readonly contention: readonly string[];
  /** less, the same, more */
  readonly signed: readonly [string, string, string];
}

export const lightLook: Look = {
  isDark: false,
  background: '#ffffff',
  text: '#16202c',
  faint: '#566373',
  line: '#9aa7b5',
  grid: '#e6eaef',
  hues: ['#1f6fd0', '#d9660a', '#0a8f72', '#a2459f', '#b48a00', '#4aa3df', '#8a4b2a', '#5c6670'],
  gray: ['#f4f6f8', '#16202c'],
  shades: ['#ccd2d9', '#000000'],
  load: ['#eef2f6', '#d3dae1', '#b3bdc8', '#8f9caa', '#6b7a8a', '#465565', '#202b37'],
  contention: ['#d5dde6', '#f6cfd2', '#f0a3aa', '#e4707c', '#d13d50', '#a81430', '#6b0019'],
  signed: ['#08734f', '#f4f4f4', '#b3261e'],
};

export const darkLook: Look = {
  isDark: true,
  background: '#151c25',
  text: '#e8edf3',
  faint: '#9fadbc',
  line: '#5b6a7a',
  grid: '#28323e',
  hues: ['#5aa5f5', '#f79a4b', '#3fc9a5', '#d68ad4', '#e3bf3f', '#9ad1f5', '#cf9270', '#aab4be'],
  gray: ['#1c2530', '#f0f4f8'],
  shades: ['#3a4654', '#ffffff'],
  load: ['#222c38', '#36424f', '#505e6d', '#70808f', '#93a2b1', '#bac6d1', '#e6edf3'],
  contention: ['#2c3743', '#6b2f3d', '#853446', '#b04053', '#d95766', '#f58389', '#ffc2c2'],
  signed: ['#4cd3a0', '#28323e', '#ff8f86'],
};

/** The colour of a run or a thing, by its number. */
export function hueOf({ hues }: Look, index: number): string {
  return hues[index % hues.length]!;
}

/** A colour on its way to the background: half of it. */
export function tintOf({ background }: Look, colour: string): string {
  return mixed(colour, background, 0.5);
}

/** Shares of a link's capacity at which the colours of loads begin: idle, then up to each of these. */
export const loadLimits = [0, 0.2, 0.4, 0.6, 0.8, 0.95] as const;

/** The class of a load: 0 idle to 6. @param share of what the link could have carried */
export function loadClass(share: number): number {
  const found = loadLimits.findIndex((limit) => share <= limit + 1e-9);
  return found < 0 ? loadLimits.length : found;
}

/** Time lost beside the time alone at which the colours of contention begin: none, then up to each of these. */
const contentionLimits = [0, 0.01, 0.1, 0.25, 0.5, 1] as const;

/** The class of what flows lost on a link: 0 nothing to 6. @param share of what they would have taken alone */
export function contentionClass(share: number): number {
  const found = contentionLimits.findIndex((limit) => share <= limit + 1e-9);
  return found < 0 ? contentionLimits.length : found;
}

/** What the classes of contention say, from none. */
export const contentionTexts: readonly string[] = [
  'none',
  ...contentionLimits.slice(1).map((limit) => `to ${Math.round(100 * limit)} %`),
  'more',
];

/** What the classes of loads say, from idle. */
export const loadTexts: readonly string[] = [
  'idle',
  ...loadLimits.slice(1).map((limit) => `to ${Math.round(100 * limit)} %`),
  'more',
];

/** One of the three parts of `#rrggbb`. */
function part(colour: string, at: number): number {
  return Number.parseInt(colour.slice(at, at + 2), 16);
}

/** A colour between two. @param share of the second, 0 to 1 */
function mixed(first: string, second: string, share: number): string {
  const parts = [1, 3, 5].map((at) => part(first, at) + share * (part(second, at) - part(first, at)));
  return `#${parts.map((own) => Math.round(own).toString(16).padStart(2, '0')).join('')}`;
}

/** The shades of a congested-fraction plot in equal steps. */
export function shadesOf({ shades: [first, last] }: Look): string[] {
  return Array.from({ length: lastShade + 1 }, (_, i) => mixed(first, last, i / lastShade));
}
