// The kinds of traffic that samples are told apart by: job, phase, collective, group, tag and the classes of the ranks at
// both ends. Each combination that occurs has a number; a rank class is `classRanks` neighbours, so that a job has at most
// `rankClasses` of them.
// Invariants: numbers count up from 0; two labels have the same number if and only if all their columns are equal. Memory:
// at most `mostLabels` combinations, and one more for each job, under which what comes beyond them is counted (`several`).

import { grown } from '../base/columns.js';
import { type TransferLabel, untold } from '../records/transfer-label.js';
import { several, severalCategory } from './sample-records.js';

const mostLabels = 4096;

/** Places of a label's columns. */
export const LabelWord = {
  job: 0,
  phase: 1,
  collective: 2,
  group: 3,
  tag: 4,
  sourceRank: 5,
  destinationRank: 6,
  classRanks: 7,
} as const;

const width = 8;

export class SampleLabels {
  /** label by label, {@link LabelWord} by LabelWord */
  words = new Int32Array(width * 64);
  count = 0;
  /** by hash: label + 1, 0: free */
  private table = new Int32Array(128);
  private readonly scratch = new Int32Array(width);
  /** by job + 1: number of the label under which its traffic is put together; -1: none yet */
  private readonly together: number[] = [];
  /** combinations that are told apart */
  private apart = 0;

  /** @param rankClasses of a job, at most */
  constructor(private readonly rankClasses: number) {}

  /** The number of a label. */
  of(label: Readonly<TransferLabel>): number {
    const { scratch } = this;
    const { ranks } = label;
    const classRanks = ranks === 0 ? 0 : Math.ceil(ranks / this.rankClasses);
    scratch[LabelWord.job] = label.job;
    scratch[LabelWord.phase] = label.phase;
    scratch[LabelWord.collective] = label.collective;
    scratch[LabelWord.group] = label.group;
    scratch[LabelWord.tag] = label.tag;
    scratch[LabelWord.sourceRank] = firstOfClass(label.sourceRank, classRanks);
    scratch[LabelWord.destinationRank] = firstOfClass(label.destinationRank, classRanks);
    scratch[LabelWord.classRanks] = classRanks;
    const known = this.find();
    if (known >= 0) return known;
    if (this.apart === mostLabels) return this.ofJob(label.job);
    this.apart++;
    return this.add();
  }

  /** The label under which traffic of a job is put together. */
  ofJob(job: number): number {
    const known = this.together[job + 1];
    if (known !== undefined) return known;
    const { scratch } = this;
    scratch.fill(several);
    scratch[LabelWord.job] = job;
    scratch[LabelWord.collective] = scratch[LabelWord.group] = severalCategory;
    scratch[LabelWord.classRanks] = 0;
    return (this.together[job + 1] = this.add());
  }

  /** The job of a label. */
  jobOf(label: number): number {
    return this.words[label * width + LabelWord.job]!;
  }

  /** Whether a label puts different traffic together. */
  isTogether(label: number): boolean {
    return this.words[label * width + LabelWord.group] === severalCategory;
  }

  /** A column of a label. */
  word(label: number, word: number): number {
    return this.words[label * width + word]!;
  }

  /** Forgets all of them. */
  clear(): void {
    this.count = this.apart = this.together.length = 0;
    this.table.fill(0);
  }

  /** The label that is as `scratch` says; -1: there is none. */
  private find(): number {
    const { table, words, scratch } = this;
    const mask = table.length - 1;
    for (let at = this.hash(scratch, 0) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const label = table[at]! - 1;
      let word = 0;
      while (word < width && words[label * width + word] === scratch[word]) word++;
      if (word === width) return label;
    }
    return -1;
  }

  private add(): number {
    const label = this.count++;
    if (width * this.count > this.words.length) this.words = grown(this.words, 2 * this.words.length);
    this.words.set(this.scratch, label * width);
    if (2 * this.count > this.table.length) {
      this.table = new Int32Array(2 * this.table.length);
      for (let known = 0; known < label; known++) this.enter(known);
    }
    this.enter(label);
    return label;
  }

  private enter(label: number): void {
    const { table } = this;
    const mask = table.length - 1;
    let at = this.hash(this.words, label * width) & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = label + 1;
  }

  private hash(words: Int32Array, from: number): number {
    let mixed = 0;
    for (let word = 0; word < width; word++) {
      mixed = Math.imul(mixed ^ words[from + word]!, 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return mixed;
  }
}

/** The first rank of a rank's class. */
function firstOfClass(rank: number, classRanks: number): number {
  return rank < 0 || classRanks === 0 ? untold : rank - (rank % classRanks);
}
