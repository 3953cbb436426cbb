// Two builds compared by pairs of runs: the order of the runs, the ratios, and whether both did the same work. Pure.
// Invariant: in every three rounds each side runs once in each place, so that neither a machine that gets slower or faster
// at a constant rate nor a place favours any; in every six it comes as often before as behind each other. The older
// build runs twice per round, and its ratio to itself shows the noise of the other ratio, since both have the same divisor.

/** Who runs: this build; the commit that it is compared with; that commit again. */
export type Side = 'ours' | 'commit' | 'again';

/** CPU seconds of a round, each side in a process of its own. */
export type Round = Readonly<Record<Side, number>>;

const orders: readonly (readonly Side[])[] = [
  ['ours', 'commit', 'again'],
  ['commit', 'again', 'ours'],
  ['again', 'ours', 'commit'],
  ['again', 'commit', 'ours'],
  ['commit', 'ours', 'again'],
  ['ours', 'again', 'commit'],
];

/** The order of the runs in a round. */
export function orderOf(round: number): readonly Side[] {
  return orders[round % orders.length]!;
}

/** A ratio of speeds: above 1, the first is faster. */
export interface Ratio {
  readonly median: number;
  /** a quarter of the rounds is below the lower, a quarter above the upper */
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  /** fastest run against fastest run */
  readonly best: number;
}

export interface Compared {
  /** medians */
  readonly oursCpuSeconds: number;
  readonly commitCpuSeconds: number;
  /** of this build's speed to the commit's */
  readonly ours: Ratio;
  /** of the commit's speed to its own */
  readonly itself: Ratio;
}

/** The ratios of at least one round. */
export function compare(rounds: readonly Round[]): Compared {
  const of = (side: Side): number[] => rounds.map((round) => round[side]);
  return {
    oursCpuSeconds: quantile(of('ours'), 0.5),
    commitCpuSeconds: quantile(of('commit'), 0.5),
    ours: ratio(of('ours'), of('commit')),
    itself: ratio(of('again'), of('commit')),
  };
}

/** How much faster the one is, by CPU seconds of the same rounds. */
function ratio(ones: readonly number[], others: readonly number[]): Ratio {
  const ratios = ones.map((one, round) => others[round]! / one);
  return {
    median: quantile(ratios, 0.5),
    lowerQuartile: quantile(ratios, 0.25),
    upperQuartile: quantile(ratios, 0.75),
    best: Math.min(...others) / Math.min(...ones),
  };
}

/** The value below which a share of the values lies, interpolated between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.slice().sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  return sorted[below]! + (place - below) * (sorted[Math.ceil(place)]! - sorted[below]!);
}

/** What a run says of its work; a build may not know all of it. */
export interface Work {
  /** null: nobody counts them; some builds say 0 */
  readonly packetHops?: number | null;
  readonly events?: number;
  readonly flows?: number;
  /** share of the workload that ran before the clock started; 0 if none did */
  readonly warmUpShare?: number;
}

const compared = ['packetHops', 'events', 'flows', 'warmUpShare'] as const;

/** What differs in the work of two runs, in words; null if nothing that both tell. */
export function differentWork(ours: Work, commit: Work): string | null {
  const different = compared.filter(
    (name) => (ours[name] ?? null) !== null && (commit[name] ?? null) !== null && ours[name] !== commit[name],
  );
  if (different.length === 0) return null;
  return different.map((name) => `${name} ${ours[name]} here and ${commit[name]} there`).join(', ');
}
