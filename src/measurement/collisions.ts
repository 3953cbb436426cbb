export interface CollisionCount {
  /** directed links between switches that carried two or more flows at the same time */
  readonly links: number;
  /** pairs of flows that shared at least one such link at the same time */
  readonly flowPairs: number;
  /** false: there were so many that counting stopped, and flowPairs is a lower bound */
  readonly exact: boolean;
}
