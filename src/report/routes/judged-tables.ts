// Tables as they were judged: what reports print of them.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { omittedEntries } from '../../formats/opensm-lfts-writer.js';
import type { RouteEvaluation } from '../../optimization/evaluate-routes.js';
import type { LidUse } from '../../optimization/lid-use.js';
import type { DeadlockCheck } from '../../optimization/route-deadlock-check.js';
import type { RouteValidity } from '../../optimization/route-validity.js';
import type { RouteVerdict } from '../../optimization/route-verdicts.js';

/** Whether tables lead everywhere. */
export interface PassedTables {
  readonly validity: RouteValidity;
  /** lanes in use, and links that may wait for each other in a circle */
  readonly deadlock: DeadlockCheck;
  /** entries that no table has */
  readonly omitted: ReturnType<typeof omittedEntries>;
}

/** Tables as they were judged. */
export interface JudgedTables extends PassedTables {
  /** loads, bounds and gaps, phase by phase and in all; null without traffic */
  readonly evaluation: RouteEvaluation | null;
  readonly verdicts: readonly RouteVerdict[];
  /** where hosts have several LIDs; null = they have one */
  readonly lids: LidReport | null;
}

/** What is known of routes to several LIDs of a host. */
export interface LidReport {
  /** of every host */
  readonly count: number;
  /** that loads are for */
  readonly use: LidUse;
  /** ways from a switch with hosts to a host elsewhere by its LIDs that differ, on average: 1 to `count` */
  readonly differentWays: number;
}

/** Judged tables with what they were judged for. */
export interface ReportedTables extends JudgedTables {
  /** the fabric with names, GUIDs and LIDs, and its levels */
  readonly source: RoutedFabric;
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** of computing, or of evaluating */
  readonly cpuSeconds: number;
  /** entries that differ, and from which tables; null = there is nothing to count against */
  readonly changedEntries: number | null;
  readonly changedFrom: string | null;
  readonly warnings: readonly Diagnostic[];
}
