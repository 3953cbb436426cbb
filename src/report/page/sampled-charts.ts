// Charts of a sweep whose settings were drawn from ranges: a figure over each setting, whatever the others were.
// Invariant: each point is the mean of the combinations in one of eight strips of the range; a setting that is no number
// has no chart.

import type { SettingOfColumn } from '../sweep/row-columns.js';
import type { ChosenRuns } from '../sweep/sweep-choice.js';
import { bandAndLine } from './band-and-line.js';
import { type Figure, short } from './figures.js';
import { figureName, settingAxis, unitOf } from './sweep-words.js';

const strips = 8;

/** What charts need of a sweep. */
interface SampledSweep {
  readonly settings: readonly SettingOfColumn[];
  readonly varyingNames: readonly string[];
  combined(): Iterable<ChosenRuns>;
}

/** The charts, those of the figures that people look for first in front. @param most charts */
export function sampledCharts(sweep: SampledSweep, drawn: readonly number[], most: number): Figure[] {
  const places = drawn.filter((place) => sweep.settings[place]!.numbers?.every((value) => value !== null) === true);
  const combined = [...sweep.combined()];
  return sweep.varyingNames
    .flatMap((name) => places.map((place) => ({ name, place })))
    .slice(0, most)
    .map(({ name, place }): Figure => {
      const setting = sweep.settings[place]!;
      const numbers = setting.numbers as readonly number[];
      const { axis, per } = settingAxis(setting, numbers);
      const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
      const width = (high - low) / strips || 1;
      const inStrip: number[][] = Array.from({ length: strips }, () => []);
      let largest = 0;
      for (const { choices, bySeed } of combined)
        for (const figures of bySeed.values()) {
          const value = figures.get(name);
          if (value === undefined) continue;
          largest = Math.max(largest, value);
          inStrip[Math.min(strips - 1, Math.floor((numbers[choices[place]!]! - low) / width))]!.push(value);
        }
      const unit = unitOf(name, largest);
      return {
        kind: 'lines',
        id: `over-${name}-${setting.path}`.replace(/[^a-z0-9]+/gi, '-').toLowerCase(),
        title: `${figureName(name)} over ${setting.path}`,
        note: `In each of ${strips} strips of the range: the mean, and the range from the least to the most, whatever the other settings were.`,
        x: { ...axis, isLogarithmic: false },
        y: { name: figureName(name).toLowerCase(), unit: unit.unit, least: 0 },
        series: bandAndLine(
          '',
          0,
          inStrip.map((values, i) => ({ at: short((low + (i + 0.5) * width) / per), values })),
          unit.per,
        ),
      };
    });
}
