// What receivers have counted by link: of one window of time, for each kind of traffic (sample-labels.ts) apart.
// A sampled packet stands for w = every x links of its path. The traffic of a link is the sum of the w that name it
// (standard), or of w where the hash agrees and -w where it does not, over all packets that may have taken it
// (one-bit). Both are unbiased, and both have the variance E[sum of w^2 over what was added] - E[traffic]: with l links
// and N packets N (every l - 1), or Q every l^2 - N of Q packets that may have taken it.
// Counts stand in pages of 16 ports, made when a kind of traffic first meets one of them: a kind costs as much as the
// part of the fabric that it touches. Memory: at most `mostPages` pages (65,536: 50 MB); what would need more is counted for its
// job as a whole, which needs at most a page for 16 ports and job.
// Source: Taffet's dissertation (docs/SOURCES.md), Algorithms 3 and 6, 2.3.2 and 2.5.1; its variances are those of
// every = 1.

import { grown } from '../base/columns.js';
import type { SampleLabels } from './sample-labels.js';

const pageShift = 4;
const pagePorts = 1 << pageShift;

/** Places of the counts of a kind of traffic at a port, from its cell on. */
export const Tally = {
  /** packets that name the link; of the one-bit variant packets that were tested for it */
  tested: 0,
  traffic: 1,
  /** sum of w^2 */
  squares: 2,
  congested: 3,
  /** sum of w^2 of those that met congestion */
  congestedSquares: 4,
} as const;

const width = 5;
const pageValues = pagePorts * width;
/** counts of the standard variant that are noted before they are counted */
const mostNotes = 1024;

export class LinkTallies {
  /** cells, {@link Tally} by Tally; another array after `cellOf` */
  values = new Float64Array(pageValues * 64);
  private pages = 0;
  /** of packets that are noted four words each: label, port, how many, how many that met congestion; and their weight */
  private readonly notes = new Int32Array(4 * mostNotes);
  private readonly noteWeights = new Float64Array(mostNotes);
  private noted = 0;
  /** by label, then by port / 16: where its page begins in `values`; -1: it has none */
  private readonly pagesOf: Int32Array[] = [];

  constructor(
    private readonly ports: number,
    private readonly labels: SampleLabels,
    private readonly mostPages = 1 << 16,
  ) {}

  /** Where the counts of a kind of traffic at a port begin in `values`. */
  cellOf(label: number, port: number): number {
    const page = this.pagesOf[label]?.[port >> pageShift] ?? -1;
    return (page >= 0 ? page : this.open(label, port)) + (port & (pagePorts - 1)) * width;
  }

  /**
   * Reservoirs of packets of one weight name a link. They are noted, and counted with others: cells are all over a table
   * that no cache keeps, and a loop waits for several of them at once. @param congested of the packets met congestion
   */
  add(label: number, port: number, weight: number, packets: number, congested: number): void {
    if (this.noted === mostNotes) this.countNotes();
    const { notes } = this;
    const at = this.noted << 2;
    notes[at] = label;
    notes[at + 1] = port;
    notes[at + 2] = packets;
    notes[at + 3] = congested;
    this.noteWeights[this.noted++] = weight;
  }

  private countNotes(): void {
    const { notes, noted, noteWeights } = this;
    this.noted = 0;
    for (let i = 0; i < noted; i++) {
      const at = i << 2;
      this.count(notes[at]!, notes[at + 1]!, noteWeights[i]!, notes[at + 2]!, notes[at + 3]!);
      this.agree(notes[at]!, notes[at + 1]!, noteWeights[i]!, notes[at + 2]!, notes[at + 3]!);
    }
  }

  /** A packet was tested for a link. @param sign 1 if its hash agrees, else -1 */
  test(label: number, port: number, weight: number, sign: number, isCongested: boolean): void {
    const cell = this.cellOf(label, port);
    const { values } = this;
    values[cell + Tally.tested]!++;
    values[cell + Tally.traffic]! += sign * weight;
    values[cell + Tally.squares]! += weight * weight;
    if (!isCongested) return;
    values[cell + Tally.congested]! += sign * weight;
    values[cell + Tally.congestedSquares]! += weight * weight;
  }

  /** Packets of one weight were tested for a link, whatever came of it. @param congested of them met congestion */
  count(label: number, port: number, weight: number, tested: number, congested: number): void {
    const cell = this.cellOf(label, port);
    const { values } = this;
    values[cell + Tally.tested]! += tested;
    values[cell + Tally.squares]! += weight * weight * tested;
    values[cell + Tally.congestedSquares]! += weight * weight * congested;
  }

  /** Packets of one weight were tested for a link. @param sum of them agree less those that do not @param congested */
  agree(label: number, port: number, weight: number, sum: number, congested: number): void {
    const cell = this.cellOf(label, port);
    this.values[cell + Tally.traffic]! += weight * sum;
    this.values[cell + Tally.congested]! += weight * congested;
  }

  /** Calls back for every cell at which something was counted: label by label, by port. */
  forEach(visit: (label: number, port: number, cell: number) => void): void {
    this.countNotes();
    for (const [label, pages] of this.pagesOf.entries())
      for (let page = 0; page < (pages?.length ?? 0); page++) {
        const start = pages![page]!;
        if (start < 0) continue;
        for (let at = 0; at < pagePorts; at++)
          if (this.values[start + at * width + Tally.tested]! > 0)
            visit(label, (page << pageShift) + at, start + at * width);
      }
  }

  clear(): void {
    this.noted = 0;
    this.values.fill(0, 0, this.pages * pageValues);
    this.pages = this.pagesOf.length = 0;
  }

  /** The page of a port, made anew. */
  private open(label: number, port: number): number {
    const { labels } = this;
    if (this.pages >= this.mostPages && !labels.isTogether(label)) {
      const whole = labels.ofJob(labels.jobOf(label));
      return this.cellOf(whole, port) - (port & (pagePorts - 1)) * width;
    }
    const start = this.pages++ * pageValues;
    if (start + pageValues > this.values.length) this.values = grown(this.values, 2 * this.values.length);
    const own = (this.pagesOf[label] ??= new Int32Array((this.ports + pagePorts - 1) >> pageShift).fill(-1));
    own[port >> pageShift] = start;
    return start;
  }
}
