// What a transfer is a part of, as far as the work that it comes from knows: the dimensions by which measurements in
// packets are attributed.
// Invariant: what is not known, or does not apply, is -1 (numbers) or the category `none`.

import { collectiveCategories, groupCategories } from './job-records.js';

/** Stands for what is not known or does not apply. */
export const untold = -1;

/** What programs call a collective that no layer of a training job has: in {@link labelCollectives} behind theirs. */
export const barrierCollective = 7;

/** Of {@link TransferLabel.collective}: the category of none is 0. */
export const labelCollectives: Readonly<Record<number, string>> = {
  0: 'none',
  ...collectiveCategories,
  [barrierCollective]: 'barrier',
};

/** The category of what has no group. */
export const noGroup = 255;

/** Of {@link TransferLabel.group}. */
export const labelGroups: Readonly<Record<number, string>> = { ...groupCategories, [noGroup]: 'none' };

/** A label, filled anew for every transfer that somebody asks about. */
export interface TransferLabel {
  /** number of the job in the order of the summary: training jobs, programs, named transfers */
  job: number;
  /** of a program its phase; of a training job the pass, 0 to 3 */
  phase: number;
  /** of {@link labelCollectives} */
  collective: number;
  /** of {@link labelGroups} */
  group: number;
  /** of a program's message */
  tag: number;
  /** of the job */
  sourceRank: number;
  destinationRank: number;
  /** how many ranks the job has */
  ranks: number;
}

/**
 * Says what a transfer under way is a part of: writes every field of `into`.
 * @param transfer its number; below 0: of none @param source @param destination its nodes
 */
export type DescribeTransfer = (transfer: number, source: number, destination: number, into: TransferLabel) => void;

/** The label of a transfer that is part of nothing. */
export function untoldLabel(): TransferLabel {
  const label = {} as TransferLabel;
  clearLabel(label);
  return label;
}

/** Makes a label that of a transfer that is part of nothing. */
export function clearLabel(label: TransferLabel): void {
  label.job = label.phase = label.tag = label.sourceRank = label.destinationRank = untold;
  label.collective = 0;
  label.group = noGroup;
  label.ranks = 0;
}
