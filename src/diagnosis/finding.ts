// What a diagnosis finds: a cause, where, whom it held up, and for how long.

/** Causes, as `weft diagnose` names them (docs/models/diagnosis.md). */
export const causes = ['endpoint', 'interior', 'mapping', 'pattern', 'routes', 'other-traffic', 'slow-part'] as const;
export type Cause = (typeof causes)[number];

/** A link in one direction. */
export interface LosingLink {
  /** output port */
  readonly port: number;
  /** what flows lost there by this cause, all together */
  readonly lostPs: number;
  /** those that lost most there */
  readonly flows: number;
}

export interface CauseFinding {
  readonly cause: Cause;
  /** jobs that it held up, ascending, with the time that each lost by it; -1: flows of none */
  readonly jobs: ReadonlyMap<number, number>;
  /** links with the most first */
  readonly links: readonly LosingLink[];
  /** jobs whose flows are on the first of these links, those with most bytes first; empty: its owner does not know */
  readonly others: readonly number[];
  /** ranks of the job that lost most by it, those that lost most first; of transfers hosts by their rank */
  readonly ranks: readonly number[];
  /** that job; -1: none */
  readonly ranksOf: number;
  /** phases of that job in which it did, by their numbers; empty: it has none */
  readonly phases: readonly number[];
  /** time that the jobs lost by it, together */
  readonly lostPs: number;
  /** of that what no sharing explains, and only follows from the cause as far as anybody knows */
  readonly unexplainedPs: number;
  /** time in which they had flows under way, together */
  readonly busyPs: number;
  /** what was seen, one clause each */
  readonly evidence: readonly string[];
}
