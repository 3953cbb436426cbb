// Pictures of source flow control's parameters, as plain data: where thresholds and pauses are feasible, and the
// sawtooth of the buffer.

import { bufferCourse, sawtooth, type CourseValues } from '../../source-flow-control/buffer-course.js';
import { increaseBytes, drainedBytes } from '../../source-flow-control/conditions.js';
import { sizeUnit, timeUnit, type LineFigure } from '../page/figures.js';

/** turns of the sawtooth that are drawn */
const turns = 3;

/** T_SFC to the right, t_PAUSE upwards: between the two lines no condition is broken. */
export function feasibleFigure(values: CourseValues, pfcThresholdBytes: number | null): LineFigure {
  const increase = increaseBytes(values);
  const perPs = drainedBytes(values, 1);
  const { sfcThresholdBytes, pausePs } = values;
  const most =
    pfcThresholdBytes === null ? Math.max(2 * increase, 2 * sfcThresholdBytes) : pfcThresholdBytes - increase;
  const edge = Math.max(most, sfcThresholdBytes) * 1.25;
  const size = sizeUnit(edge);
  const time = timeUnit((edge + increase) / perPs);
  const x = [0, Math.max(0, most)];
  const low = increase / perPs / time.ps;
  return {
    kind: 'lines',
    id: 'feasible-region',
    title: 'Thresholds and pauses that break no condition',
    note:
      pfcThresholdBytes === null
        ? 'Below: T_SFC is still exceeded after the pause. Above: the link idles.'
        : 'Below: T_SFC is still exceeded after the pause. Above: the link idles. To the right: PFC fires.',
    x: { name: 'T_SFC', unit: size.unit, least: 0, most: edge / size.bytes },
    y: { name: 't_PAUSE', unit: time.unit, least: 0 },
    series: [
      {
        name: 'feasible',
        colour: 0,
        x: x.map((value) => value / size.bytes),
        y: [low, low],
        upTo: x.map((value) => (value + increase) / perPs / time.ps),
      },
      {
        name: 'these parameters',
        colour: 1,
        x: [sfcThresholdBytes / size.bytes],
        y: [pausePs / time.ps],
        hasPoints: true,
      },
    ],
  };
}

/** The buffer over time, with its thresholds. */
export function sawtoothFigure(values: CourseValues, pfcThresholdBytes: number | null): LineFigure {
  const { timesPs, buffersBytes } = bufferCourse(values, turns);
  const { peakBytes } = sawtooth(values);
  const size = sizeUnit(Math.max(peakBytes, pfcThresholdBytes ?? 0));
  const end = timesPs.at(-1)!;
  const time = timeUnit(end);
  const level = (name: string, colour: number, bytes: number): LineFigure['series'][number] => ({
    name,
    colour,
    x: [0, end / time.ps],
    y: [bytes / size.bytes, bytes / size.bytes],
    isDashed: true,
  });
  return {
    kind: 'lines',
    id: 'sawtooth',
    title: "The congestion point's buffer",
    note: 'The incast begins at 0 with an empty buffer; packets are taken to be infinitely small.',
    x: { name: 'time', unit: time.unit, least: 0 },
    y: { name: 'buffer', unit: size.unit, least: 0 },
    series: [
      {
        name: 'buffer',
        colour: 0,
        x: timesPs.map((timePs) => timePs / time.ps),
        y: buffersBytes.map((bytes) => bytes / size.bytes),
      },
      level('T_SFC', 1, values.sfcThresholdBytes),
      ...(pfcThresholdBytes === null ? [] : [level('T_PFC', 2, pfcThresholdBytes)]),
    ],
  };
}
