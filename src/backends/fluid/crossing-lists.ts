// Which bundles cross each link, in rows that are read from one end to the other: three to five times as fast as a
// chain through memory when a row is read again and again.
// Invariant: an entry (a bundle << shift, and the hop) stands in the row of its link, at the place kept for it; the
// order in a row is that of what has happened to it, the same in every run.

import { grown } from '../../base/columns.js';
import type { PathBundles } from './path-bundles.js';

export class CrossingLists {
  /** by link: entries on it, the first so many of the row */
  readonly rows: Int32Array[];
  readonly counts: Int32Array;
  private placeOf = new Int32Array(0);

  constructor(
    links: number,
    private readonly bundles: PathBundles,
  ) {
    const empty = new Int32Array(0);
    this.rows = Array.from({ length: links }, () => empty);
    this.counts = new Int32Array(links);
  }

  /** Puts all bundles that are there into the rows of their links, and nothing else. */
  fill(): void {
    const { flows, end } = this.bundles;
    this.counts.fill(0);
    for (let bundle = 0; bundle < end; bundle++) if (flows[bundle]! > 0) this.add(bundle);
  }

  /** Adds a bundle that is in no row. */
  add(bundle: number): void {
    const { links, length, shift, capacity } = this.bundles;
    this.placeOf = grown(this.placeOf, capacity << shift);
    const end = (bundle << shift) + length[bundle]!;
    for (let entry = bundle << shift; entry < end; entry++) {
      const link = links[entry]!;
      const place = this.counts[link]!++;
      if (place >= this.rows[link]!.length) this.rows[link] = grown(this.rows[link]!, Math.max(16, 2 * place));
      this.rows[link]![place] = entry;
      this.placeOf[entry] = place;
    }
  }

  /** Takes a bundle out; the last one of a row takes its place. */
  remove(bundle: number): void {
    const { links, length, shift } = this.bundles;
    const end = (bundle << shift) + length[bundle]!;
    for (let entry = bundle << shift; entry < end; entry++) {
      const link = links[entry]!;
      const row = this.rows[link]!;
      const last = row[--this.counts[link]!]!;
      const place = this.placeOf[entry]!;
      row[place] = last;
      this.placeOf[last] = place;
    }
  }
}
