// What `weft reconstruct` prints: the answer, then how it was found. Errors are fractions in JSON and percent for people.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { RouteFiles } from '../routes/computed-routes-text.js';
import { lidUseText, type LidUse } from '../../optimization/lid-use.js';
import { fabricLine, fabricObject } from '../routes/route-text.js';
import { percentText, wrapped, reportColumns } from '../text-style.js';

/** How a search for traffic went. */
export interface FoundTraffic {
  /** pairs that counters leave open */
  readonly variables: number;
  /** counters above 0 */
  readonly counters: number;
  readonly steps: number;
  /** why the search ended */
  readonly end: string;
  /** |R x - t| / |t| */
  readonly residual: number;
  /** how often entries of bases were weighed anew by what was found */
  readonly reweighted: number;
  /** of pairs and bases, known before the search begins; null: a solver has them */
  readonly memoryBytes: number | null;
  /** how much of all that was found counters alone prove, whatever the dictionary; of how many pairs all; null: noise */
  readonly provenShare: number | null;
  readonly provenPairs: number | null;
  /** |x - truth| / |truth|, of pairs of hosts, and of what each leaf sends to each host; null without the truth */
  readonly relativeError: number | null;
  readonly leafError: number | null;
  readonly presolveSeconds: number;
  readonly cpuSeconds: number;
}

/** How a first-order search came to its traffic: a row about every tenth step more, and one at its end. */
export interface ReconstructionTrace {
  /** CPU seconds since counters were read, without those of the record itself */
  readonly cpuSeconds: readonly number[];
  readonly steps: readonly number[];
  /** |R x - t| / |t|, over counters that pairs move */
  readonly residual: readonly number[];
  /** |x - truth| / |truth| by pairs of hosts; null: the truth is not known */
  readonly relativeError: readonly number[] | null;
}

/** A job, and what was found of it. */
export interface ReconstructedJob {
  readonly name: string;
  readonly ranks: number;
  readonly foundPairs: number;
  /** |x - truth| / |truth| within the job; null without the truth */
  readonly relativeError: number | null;
}

/** Traffic that was reconstructed, and from what. */
export interface ReconstructedTraffic extends FoundTraffic {
  readonly source: RoutedFabric;
  /** what the tables are called */
  readonly tables: string;
  /** traffic that made the counters; null: counters were read */
  readonly truth: Traffic | null;
  readonly dictionary: readonly string[];
  readonly strategy: string;
  readonly lanes: number;
  readonly serviceLevels: number;
  /** LIDs of each host that tables have ways to, and which of them pairs send to */
  readonly lids: number;
  readonly lidOffset: LidUse;
  /** how switches split traffic over their ports, and over how many of them; null: they do not, or over all */
  readonly split: string | null;
  readonly splitPorts: number | null;
  readonly seed: number;
  /** first-order or exact */
  readonly method: string;
  /** traffic that the search began with; null: none */
  readonly start: string | null;
  /** hosts that sent or received, and their ordered pairs */
  readonly ranks: number;
  readonly pairs: number;
  /** the same search from port totals alone; null: it was not asked for, or there are no lanes */
  readonly portTotals: FoundTraffic | null;
  /** the same of classes of service; null: there is one */
  readonly classes: readonly ReconstructedJob[] | null;
  /** null: jobs are not known */
  readonly jobs: readonly ReconstructedJob[] | null;
  /** hosts of each group that counters of hosts suggest, as jobs of their own; null: there is one, or jobs are known */
  readonly groups: readonly number[] | null;
  readonly traffic: Traffic;
  /** null: a solver searched */
  readonly trace: ReconstructionTrace | null;
  readonly warnings: readonly Diagnostic[];
}

/** Files that were written; null: not asked for. */
type ReconstructionFiles = Pick<RouteFiles, 'out' | 'figure' | 'traceFigure'>;

/** The result as JSON, but for its warnings. @param files that were written */
export function reconstructionObject(
  result: ReconstructedTraffic,
  { out, figure, traceFigure }: ReconstructionFiles,
): Record<string, unknown> {
  const { source, truth, traffic, warnings: _, ...figures } = result;
  return {
    fabric: fabricObject(source),
    ...figures,
    traffic: truth?.name ?? null,
    foundPairs: foundPairs(traffic),
    out,
    figure,
    traceFigure,
  };
}

/** The result for people. */
export function reconstructionLines(
  result: ReconstructedTraffic,
  { out, figure, traceFigure }: ReconstructionFiles,
): string[] {
  const { source, truth, dictionary, strategy, lanes, serviceLevels, ranks, pairs, variables } = result;
  const found = foundPairs(result.traffic);
  const answer =
    result.relativeError === null
      ? `${found} of ${pairs} pairs of ${ranks} hosts sent something, as counters and dictionary have it.`
      : `${found} pairs found of ${truth!.phases[0]!.matrix.pairCount} that sent: error ${percentText(result.relativeError)} by pairs of hosts, ${percentText(result.leafError!)} by leaf and host.`;
  return [
    ...wrapped(answer, reportColumns),
    fabricLine(source),
    `  tables         ${waysText(result)}`,
    ...(truth === null ? [] : [`  traffic        ${truth.name}${truth.note === '' ? '' : ` (${truth.note})`}`]),
    `  lanes          ${lanes === 1 ? '1' : `${lanes}, ${strategy}, ${serviceLevels} service levels`}`,
    `  dictionary     ${dictionary.join(' + ')}`,
    `  pairs open     ${variables} of ${pairs}: all others touch a counter of 0`,
    `  counters       ${result.counters} above 0; what was found differs by ${percentText(result.residual)}`,
    ...(result.provenShare === null ? [] : [`  proven         ${provenText(result.provenShare, result.provenPairs!)}`]),
    ...(result.start === null ? [] : [`  start          ${result.start}`]),
    `  search         ${searchText(result)}`,
    ...(result.memoryBytes === null ? [] : [`  memory         ${memoryText(result.memoryBytes)}`]),
    ...(result.classes === null ? [] : [`  classes        ${result.classes.map(classText).join(', ')}`]),
    ...(result.jobs === null ? [] : [`  jobs           ${jobsText(result.jobs)}`]),
    ...(result.groups === null ? [] : [`  groups         ${result.groups.join(' and ')} hosts, by how much they sent`]),
    ...(result.portTotals === null ? [] : [`  port totals    ${totalsText(result.portTotals)}`]),
    ...(out === null ? [] : [`  matrix         ${out}`]),
    ...(figure === null ? [] : [`  picture        ${figure}`]),
    ...(traceFigure === null ? [] : [`  search drawn   ${traceFigure}`]),
  ];
}

/** The tables, and how traffic is split over their ways. */
function waysText({ tables, lids, lidOffset, split, splitPorts }: ReconstructedTraffic): string {
  if (lids > 1) return `${tables}, ${lids} LIDs a host: ${lidUseText(lidOffset)}`;
  if (split === null) return tables;
  return `${tables}, split ${split === 'equal' ? 'equally ' : ''}over ${splitPorts === null ? 'all ports' : `at most ${splitPorts} drawn ports`}`;
}

/** How the search went. */
function searchText({ method, steps, reweighted, end, cpuSeconds }: ReconstructedTraffic): string {
  const how = method === 'exact' ? 'exact' : `${steps} steps`;
  const again = reweighted === 0 ? '' : `, weighed anew ${reweighted} ${reweighted === 1 ? 'time' : 'times'}`;
  return `${how}${again}, ${end}; ${cpuSeconds.toFixed(1)} CPU s`;
}

function memoryText(bytes: number): string {
  return `${bytes < 1e7 ? (bytes / 1e6).toPrecision(2) : Math.round(bytes / 1e6)} MB of pairs and bases`;
}

/** What counters say without a dictionary. */
function provenText(share: number, pairs: number): string {
  return `${percentText(share)} of it, and ${pairs} pairs whole, by counters alone`;
}

/** What port totals alone give. */
function totalsText({ relativeError, variables, residual, cpuSeconds }: FoundTraffic): string {
  const answer = relativeError === null ? `differs by ${percentText(residual)}` : `error ${percentText(relativeError)}`;
  return `${answer}, ${variables} pairs open; ${cpuSeconds.toFixed(1)} CPU s`;
}

/** Pairs that sent something, each class by itself. */
function foundPairs({ phases }: Traffic): number {
  return phases.reduce((sum, { matrix }) => sum + matrix.pairCount, 0);
}

/** How many jobs, and the worst of them. */
function jobsText(jobs: readonly ReconstructedJob[]): string {
  const [worst] = [...jobs].sort((one, other) => (other.relativeError ?? 0) - (one.relativeError ?? 0));
  if (worst === undefined || worst.relativeError === null)
    return `${jobs.length}; only hosts of one send to each other`;
  return `${jobs.length}; the largest error is that of ${worst.name}: ${percentText(worst.relativeError)}`;
}

function classText({ name, foundPairs: pairs, relativeError }: ReconstructedJob): string {
  return relativeError === null ? `${name}: ${pairs} pairs` : `${name}: error ${percentText(relativeError)}`;
}
