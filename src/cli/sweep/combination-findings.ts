// What was found wrong with some of the combinations of a sweep, each mistake once and at its place: the value that
// brings it, if it is one, else the combinations in which it is.
// Invariant: a mistake that every combination has stands as it would without a sweep.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { SweptSetting } from '../../scenario/sweep/swept-setting.js';

interface Finding {
  readonly diagnostic: Diagnostic;
  /** in which of those looked at */
  readonly places: Set<number>;
}

/** Combinations that a message names at most. */
const mostNamed = 2;

export class CombinationFindings {
  private readonly findings = new Map<string, Finding>();
  private readonly looked: (readonly number[])[] = [];

  constructor(private readonly settings: readonly SweptSetting[]) {}

  /** Takes what was found in one more combination. @param choices which value of each setting it has */
  add(choices: readonly number[], diagnostics: readonly Diagnostic[]): void {
    const place = this.looked.push(choices) - 1;
    for (const diagnostic of diagnostics) {
      const key = JSON.stringify(diagnostic);
      const finding = this.findings.get(key) ?? { diagnostic, places: new Set() };
      finding.places.add(place);
      this.findings.set(key, finding);
    }
  }

  /** How many there are, each counted once. */
  get count(): number {
    return this.findings.size;
  }

  /** Each once, in the order in which they were found. */
  list(): Diagnostic[] {
    return [...this.findings.values()].map(({ diagnostic, places }) => this.placed(diagnostic, places));
  }

  private placed(diagnostic: Diagnostic, places: ReadonlySet<number>): Diagnostic {
    if (places.size === this.looked.length) return diagnostic;
    const isOfSet = diagnostic.file === '--set';
    const cause = this.causeOf(places);
    if (cause !== null)
      return isOfSet
        ? { ...diagnostic, file: `--set ${cause}` }
        : { ...diagnostic, message: `${diagnostic.message} (with ${cause})` };
    const named = [...places].slice(0, mostNamed).map((place) => this.textOf(this.looked[place]!));
    const more = places.size > mostNamed ? `, and ${places.size - mostNamed} more` : '';
    return { ...diagnostic, message: `${diagnostic.message} (with ${named.join('; with ')}${more})` };
  }

  /**
   * The value that exactly these combinations have of those that were looked at, as `path=value`; null: there is none.
   */
  private causeOf(places: ReadonlySet<number>): string | null {
    const [first] = places;
    for (const [i, { path, values }] of this.settings.entries()) {
      const choice = this.looked[first!]![i]!;
      if (values.length > 1 && this.looked.every((choices, place) => (choices[i] === choice) === places.has(place)))
        return `${path}=${values[choice]!}`;
    }
    return null;
  }

  private textOf(choices: readonly number[]): string {
    return this.settings
      .flatMap(({ path, values }, i) => (values.length > 1 ? [`${path}=${values[choices[i]!]!}`] : []))
      .join(' ');
  }
}
