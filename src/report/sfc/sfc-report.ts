// What `weft sfc` says of one set of parameters, as text in 80 columns and as the object of --json.
// Invariant: a figure whose inputs are not known is absent from both.

import { formatRateBps, formatSizeBytes, formatTimePs } from '../../base/units.js';
import { bufferStages, sawtooth, type CourseValues } from '../../source-flow-control/buffer-course.js';
import { conditions, increaseBytes, knowsIncrease, drainedBytes } from '../../source-flow-control/conditions.js';
import {
  feasibleRegion,
  type FeasibleRegion,
  type Interval,
  worstCaseRegion,
} from '../../source-flow-control/feasible-region.js';
import { quantities, type Quantity, quantityNames, type SfcValues } from '../../source-flow-control/quantities.js';
import { recommend } from '../../source-flow-control/recommendation.js';
import { alignedTable } from '../aligned-table.js';
import { coloured, wrapped, type TextStyle } from '../text-style.js';

/** Parameters, and what the buffer lets T_PFC be at most. */
export interface SfcCase {
  readonly values: SfcValues;
  /** what one queue may hold of the buffer, in bytes; null: the buffer is not known */
  readonly queueShareBytes: number | null;
}

const courseNeeds = quantityNames.filter((name) => name !== 'pfcThresholdBytes');

/** Whether the whole course of the buffer is known. */
export function knowsCourse(values: SfcValues): values is SfcValues & CourseValues {
  return courseNeeds.every((name) => values[name] !== undefined);
}

/** A value as people write it, with its unit. */
function quantityText(quantity: Quantity, value: number): string {
  switch (quantities[quantity].kind) {
    case 'rate':
      return formatRateBps(value);
    case 'time':
      return formatTimePs(value);
    case 'size':
      return formatSizeBytes(value);
    default:
      return String(Number(value.toPrecision(4)));
  }
}

/** The report; ends with a newline. */
export function sfcText({ values, queueShareBytes }: SfcCase, style: TextStyle): string {
  const lines = [coloured(style, 'bold', 'source flow control at one congestion point'), ''];
  const add = (title: string, rows: readonly string[]): void => {
    if (rows.length === 0) return;
    lines.push(title, ...rows.map((row) => `  ${row}`), '');
  };
  add('given', alignedRows(givenRows(values)));
  const region = feasibleRegion(values);
  if (knowsIncrease(values)) {
    const { rttPs, t1Ps, t2Ps } = values;
    add('increase = (alpha N - 1) Bw (RTT + t1 + t2)', [
      `${formatSizeBytes(Math.max(0, increaseBytes(values)))} in ${formatTimePs(rttPs + t1Ps + t2Ps)} after T_SFC is crossed`,
    ]);
  }
  add('conditions', conditionRows(region));
  add('feasible', alignedRows(region.intervals.map(intervalRow)));
  if (queueShareBytes !== null)
    add('buffer', [
      'one queue may hold ' +
        `${formatSizeBytes(queueShareBytes)}${values.pfcThresholdBytes === undefined ? ', so T_PFC is at most that' : values.pfcThresholdBytes > queueShareBytes ? ': less than T_PFC, which is never reached' : ''}`,
    ]);
  if (values.senders !== undefined && values.alpha !== 1) {
    const worst = worstOf({ ...values, senders: values.senders });
    const least = quantityText('alpha', 1 / values.senders);
    add(`whatever alpha is (${least} to 1)`, [
      ...conditionRows(worst),
      ...alignedRows(worst.intervals.map(intervalRow)),
    ]);
  }
  const recommended = Object.entries(recommend(values)) as [Quantity, number][];
  add(
    'recommended: as much to spare on both sides as there is',
    alignedRows(recommended.map(([name, value]) => [quantities[name].symbol, quantityText(name, value), ''])),
  );
  const whole = { ...recommend(values), ...values };
  if (knowsCourse(whole)) {
    add(`the buffer${recommended.length > 0 ? ', with what is recommended' : ''}`, [
      ...alignedTable(
        [
          ['stage', 'takes', 'ends at', 'buffer'],
          ...bufferStages(whole).map(({ number, name, durationPs, endPs, bufferBytes }) => [
            `${number} ${name}`,
            formatTimePs(durationPs),
            formatTimePs(endPs),
            formatSizeBytes(Math.round(bufferBytes)),
          ]),
        ],
        0,
      ),
      '5 new packets come, and it grows again',
      ...wrapped(turnText(whole), 76),
    ]);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function turnText(values: CourseValues): string {
  const { peakBytes, troughBytes, idlePs, periodPs } = sawtooth(values);
  const turn = Number.isFinite(periodPs) ? `, every ${formatTimePs(periodPs)}` : '';
  const idle = idlePs > 0 ? `; the link idles for ${formatTimePs(idlePs)} of each turn` : '';
  return `between ${formatSizeBytes(Math.round(troughBytes))} and ${formatSizeBytes(Math.round(peakBytes))}${turn}${idle}`;
}

function givenRows(values: SfcValues): string[][] {
  return quantityNames.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [[quantities[name].symbol, quantityText(name, value), quantities[name].meaning]];
  });
}

function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  return rows.flatMap(([first, second, rest]) => {
    const start = `${first!.padEnd(widths[0]!)}  ${second!.padEnd(widths[1]!)}  `;
    const [line = '', ...more] = wrapped(rest!, 76 - start.length);
    return [`${start}${line}`.trimEnd(), ...more.map((text) => `${' '.repeat(start.length)}${text}`)];
  });
}

function conditionRows({ checked }: FeasibleRegion): string[] {
  return checked.flatMap(({ condition, slackBytes }) => {
    const holds = slackBytes >= 0;
    const size = formatSizeBytes(Math.abs(Math.round(slackBytes)));
    return holds
      ? [`ok  ${condition.formula}: ${size} to spare`]
      : [`NO  ${condition.formula}: ${size} short`, `    ${condition.breach}`];
  });
}

function intervalRow({ quantity, from, to, isEmpty }: Interval): string[] {
  const text = (value: number): string => quantityText(quantity, value);
  const by = new Set([from.by, to.by]);
  const why = conditions.flatMap(({ name, formula }) => (by.has(name) ? [formula] : [])).join('; ');
  const range = isEmpty
    ? 'nothing'
    : to.value === Infinity
      ? `${text(from.value)} and more`
      : from.value === 0
        ? `at most ${text(to.value)}`
        : `${text(from.value)} to ${text(to.value)}`;
  return [quantities[quantity].symbol, range, why];
}

/** The object of --json: nanoseconds and bytes; a key whose inputs are not known is absent. */
export function sfcObject({ values, queueShareBytes }: SfcCase): object {
  const region = feasibleRegion(values);
  const thresholdAt = (quantity: Quantity, side: keyof Pick<Interval, 'to' | 'from'>): number | undefined => {
    const found = region.intervals.find((interval) => interval.quantity === quantity)?.[side];
    return found?.by === 'pfc-fires' ? found.value : undefined;
  };
  // what is not known is not a number, nor is what is made of it
  const { sfcThresholdBytes = NaN, pfcThresholdBytes = NaN, pausePs = NaN, bandwidthBps, senders } = values;
  const increase = knowsIncrease(values) ? Math.max(0, increaseBytes(values)) : NaN;
  const perPs = bandwidthBps === undefined ? NaN : drainedBytes({ bandwidthBps }, 1);
  const whole = { ...recommend(values), ...values };
  return withoutAbsent({
    given: inUnits(values),
    bufferIncreaseBytes: increase,
    pauseMinNs: increase / perPs / 1000,
    pauseMaxNs: (sfcThresholdBytes + increase) / perPs / 1000,
    sfcThresholdMinBytes: Math.max(0, pausePs * perPs - increase),
    sfcThresholdMaxBytes: thresholdAt('sfcThresholdBytes', 'to'),
    pfcThresholdMinBytes: thresholdAt('pfcThresholdBytes', 'from'),
    pfcMarginBytes: pfcThresholdBytes - sfcThresholdBytes - increase,
    queueShareBytes: queueShareBytes ?? undefined,
    ...regionObject(region),
    worstCase: senders === undefined ? undefined : regionObject(worstOf({ ...values, senders })),
    recommended: inUnits(recommend(values)),
    ...(knowsCourse(whole) ? courseObject(whole) : {}),
  });
}

/** What holds whatever alpha is. */
function worstOf(values: SfcValues & { readonly senders: number }): FeasibleRegion {
  const { checked, intervals } = worstCaseRegion(values);
  return { checked, intervals: intervals.filter(({ quantity }) => quantity !== 'alpha') };
}

function regionObject({ checked, intervals }: FeasibleRegion): object {
  return {
    conditions: checked.map(({ condition: { name }, slackBytes }) => ({ name, holds: slackBytes >= 0, slackBytes })),
    feasible: Object.fromEntries(intervals.map((interval) => [unitName(interval.quantity), rangeObject(interval)])),
  };
}

function courseObject(values: CourseValues): object {
  const { peakBytes, troughBytes, idlePs, periodPs } = sawtooth(values);
  const periodNs = Number.isFinite(periodPs) ? periodPs / 1000 : null;
  return {
    stages: bufferStages(values).map(({ number, name, durationPs, endPs, bufferBytes }) => ({
      stage: number,
      name,
      durationNs: durationPs / 1000,
      endNs: endPs / 1000,
      bufferBytes,
    })),
    sawtooth: { peakBytes, troughBytes, idleNs: idlePs / 1000, periodNs },
  };
}

function rangeObject({ quantity, from, to, isEmpty }: Interval): object {
  const scaled = (value: number): number | null =>
    Number.isFinite(value) ? (quantities[quantity].kind === 'time' ? value / 1000 : value) : null;
  return { min: scaled(from.value), max: scaled(to.value), minBy: from.by, maxBy: to.by, isEmpty };
}

/** `pausePs` -> `pauseNs`: times of JSON are nanoseconds. */
function unitName(quantity: Quantity): string {
  return quantity.replace(/Ps$/, 'Ns');
}

function inUnits(values: SfcValues): object {
  return Object.fromEntries(
    quantityNames.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [[unitName(name), quantities[name].kind === 'time' ? value / 1000 : value]];
    }),
  );
}

/** Twelve digits: what products of decimal fractions have beyond them is no figure. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return withoutAbsent(value as Readonly<Record<string, unknown>>);
}

function withoutAbsent(object: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) =>
      value === undefined || Number.isNaN(value) ? [] : [[key, rounded(value)]],
    ),
  );
}
