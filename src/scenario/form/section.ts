// A block of a scenario as those who plan it see it: what stands below a path, and where its mistakes go.
// Invariant: a block knows its place in the text, so no message has to be told where it belongs.

import type { DiagnosticDetail, Diagnostics } from '../../base/diagnostics.js';
import type { Setting, SettingGroup, SettingValue, SettingValues } from '../../base/settings.js';
import {
  errorAt,
  keyPlaceOf,
  type Located,
  type LocatedMap,
  nodeAt,
  type Path,
  pathText,
  type Place,
  placeOf,
  warningAt,
  warnOfNoUse,
} from './located.js';
import { groupAt, valueAt, wordAt } from './resolve.js';

/** A key or the number of an item below a block, or several of them; an empty list is the block itself. */
type Steps = string | number | Path;

export class Section {
  private readonly errorsBefore: number;

  constructor(
    readonly root: LocatedMap,
    readonly path: Path,
    readonly diagnostics: Diagnostics,
  ) {
    this.errorsBefore = diagnostics.errorCount;
  }

  /** Whether an error has come, of whatever block, since this was made. */
  get failed(): boolean {
    return this.diagnostics.errorCount > this.errorsBefore;
  }

  /** True once so many errors were collected that planning further is pointless. */
  get full(): boolean {
    return this.diagnostics.full;
  }

  /** The scenario that it stands in. */
  get top(): Section {
    return new Section(this.root, [], this.diagnostics);
  }

  /** A block below. */
  at(...steps: Path): Section {
    return new Section(this.root, [...this.path, ...steps], this.diagnostics);
  }

  /** What stands below; undefined: nothing. */
  node(...steps: Path): Located | undefined {
    return nodeAt(this.root, [...this.path, ...steps]);
  }

  /** Whether something stands below. */
  has(...steps: Path): boolean {
    return this.node(...steps) !== undefined;
  }

  /** Items of a list below; 0: there is none. */
  count(...steps: Path): number {
    const list = this.node(...steps);
    return list?.kind === 'list' ? list.items.length : 0;
  }

  /** Text below, or undefined if nothing stands there. */
  word(...steps: Path): string | undefined {
    return wordAt(this.root, [...this.path, ...steps]);
  }

  /** The value of a setting below, or its default. The section must be free of errors. */
  value<S extends Setting>(steps: Steps, setting: S): SettingValue<S> {
    return valueAt(this.root, this.below(steps), setting);
  }

  /** The values of a group of settings, defaults where nothing is given. The section must be free of errors. */
  group<G extends SettingGroup>(group: G): SettingValues<G> {
    return groupAt(this.root, this.path, group);
  }

  /** The path below as people write it. */
  text(...steps: Path): string {
    return pathText([...this.path, ...steps]);
  }

  /** Where the value below stands; if it is missing, where the closest thing around it does. */
  place(...steps: Path): Place {
    return placeOf(this.root, [...this.path, ...steps]);
  }

  /** Where the key below stands. */
  keyPlace(...steps: Path): Place {
    return keyPlaceOf(this.root, [...this.path, ...steps]);
  }

  /** Records an error at the value below. */
  error(steps: Steps, code: string, message: string, detail?: DiagnosticDetail): void {
    errorAt(this.diagnostics, code, placeOf(this.root, this.below(steps)), message, detail);
  }

  /** Records an error at the key below. */
  keyError(steps: Steps, code: string, message: string, detail?: DiagnosticDetail): void {
    errorAt(this.diagnostics, code, keyPlaceOf(this.root, this.below(steps)), message, detail);
  }

  /** Records a warning at the value below. */
  warning(steps: Steps, code: string, message: string, detail?: DiagnosticDetail): void {
    warningAt(this.diagnostics, code, placeOf(this.root, this.below(steps)), message, detail);
  }

  /** Records that the setting below changes nothing. @param because after "has no effect: " */
  noUse(steps: Steps, because: string, detail?: DiagnosticDetail): void {
    warnOfNoUse(this.diagnostics, this.root, this.below(steps), because, detail);
  }

  private below(steps: Steps): Path {
    return typeof steps === 'object' ? [...this.path, ...steps] : [...this.path, steps];
  }
}
