// What operations on routes have in common: a fabric and traffic that a request names, and tables that are judged for
// them.
// Invariant: tables are judged from the tables alone, whoever made them. Model: docs/models/static-routes.md.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { FatTree } from '../../fabric/fat-tree.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { omittedEntries } from '../../formats/opensm-lfts-writer.js';
import { evaluateRoutes, type AdaptiveBoundBy, type SolvedBounds } from '../../optimization/evaluate-routes.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { LidShare, usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { judgeDeadlock } from '../../optimization/route-deadlock-check.js';
import { checkRoutes } from '../../optimization/route-validity.js';
import {
  boundVerdict,
  deadlockVerdict,
  reachVerdict,
  searchVerdict,
  type RouteVerdict,
} from '../../optimization/route-verdicts.js';
import type { HotThreshold } from '../../optimization/route-score.js';
import { interSwitchPorts, loadsOfFlows } from '../../optimization/table-loads.js';
import type { JudgedTables, PassedTables } from '../../report/routes/judged-tables.js';
import { switchesWithHosts } from '../../routing/channel-dependencies.js';
import { changedByOffset, differentWays, type TablesByOffset } from '../../routing/lid-offsets.js';
import type { FlowLevels } from '../../routing/route-lanes.js';
import { memoryHost } from '../memory-host.js';
import { loadFabric, requireTree, type FabricRequest } from './fabric-input.js';
import type { MadeTables, RouteHost } from './make-tables.js';
import type { SearchSettings } from './route-algorithm.js';
import type { CurrentTables } from './tables-input.js';
import { loadTraffic, requireTraffic, type TrafficRequest } from './traffic-input.js';

export type { JudgedTables, LidReport, PassedTables, ReportedTables } from '../../report/routes/judged-tables.js';

/** A fabric, traffic, and what tables are judged by. */
export interface ProblemRequest extends FabricRequest, TrafficRequest {
  /** links above this share of the adaptive bound between switches count as hot; 0.9 if left out */
  readonly threshold?: number;
  /** which LIDs of a host are sent to: `spread` (all alike, if left out), `hash`, or the offset of one */
  readonly lidOffset?: LidUse;
  /** a picture of link loads is wanted as well, as SVG: of a fat tree, for given traffic */
  readonly figure?: boolean;
}

/** What a request names. */
export interface RouteProblem {
  /** the fabric with names, GUIDs and LIDs, and its levels */
  readonly source: RoutedFabric;
  /** null = none: only validity is judged */
  readonly traffic: Traffic | null;
  readonly seed: number;
  /** above what a link between switches is hot */
  readonly threshold: HotThreshold;
  readonly lidUse: LidUse;
  /** what is odd about what was read; grows while more is read */
  readonly warnings: Diagnostic[];
  /** reads more files */
  readonly files: Host;
}

/** Limit of a search, in wall-clock seconds. */
export const usualSeconds = 30;
/** Above this share of the adaptive bound between switches a link is hot. */
export const usualThreshold = 0.9;
/** What `seed` is where none is given. */
const usualSeed = 1;

/**
 * Reads fabric and traffic.
 * @param check refuses fabrics before traffic is read
 * @throws InputError, HostFileError
 */
export async function readProblem(
  request: ProblemRequest,
  { files = memoryHost() }: RouteHost,
  check: (source: RoutedFabric) => void = () => {},
): Promise<RouteProblem> {
  const { seed = usualSeed, threshold = usualThreshold, lidOffset: lidUse = usualLidUse, figure = false } = request;
  if (figure && request.traffic === undefined)
    throw InputError.about('missing-traffic', '--figure', 'loads are those of given traffic', {
      hint: 'add --traffic PATTERN or --traffic FILE',
    });
  const source = await loadFabric(files, request);
  if (figure) requireTree(source);
  check(source);
  checkLidOffset(hostLidCount(source.fabric, source.identity), lidUse);
  const given = request.traffic === undefined ? null : await loadTraffic(files, request, source);
  const warnings = [...source.warnings, ...(given?.warnings ?? [])];
  return { source, traffic: given?.traffic ?? null, seed, threshold, lidUse, warnings, files };
}

/** What searches of a problem are limited by, and begin with. @param current tables in use */
export function searchSettings(
  { traffic, seed, threshold, lidUse }: RouteProblem,
  { seconds = usualSeconds, mostWork = Infinity }: { readonly seconds?: number; readonly mostWork?: number },
  current: CurrentTables | null,
): SearchSettings {
  return { traffic, seed, threshold, lidUse, seconds, mostWork, current: current?.start ?? null, mostChanges: null };
}

/** The same where traffic has to be given. @param why in words, if it is not */
export async function readLoadedProblem(
  request: ProblemRequest,
  host: RouteHost,
  why: string,
  check?: (source: RoutedFabric) => void,
): Promise<RouteProblem & { readonly traffic: Traffic }> {
  requireTraffic(request.traffic, why);
  const problem = await readProblem(request, host, check);
  return { ...problem, traffic: problem.traffic! };
}

/** An offset that no host has a LID for is a mistake. @throws InputError */
export function checkLidOffset(lids: number, use: LidUse): void {
  if (use === usualLidUse || use === 0 || (lids > 1 && (typeof use === 'string' || use < lids))) return;
  throw InputError.about('lid-offset', '--lid-offset', 'hosts have not so many LIDs', {
    got: String(use),
    wanted: lids === 1 ? 'nothing: they have one (LMC 0)' : `0 to ${lids - 1}, spread or hash`,
    hint: lids === 1 ? 'add --lmc 1 for two LIDs per host' : `LMC is ${31 - Math.clz32(lids)}`,
  });
}

/** Whether tables lead everywhere, and what they leave out. @param lanes of flows; left out: one lane */
export function passedTables(
  { tree }: RoutedFabric,
  tables: TablesByOffset,
  lanes: FlowLevels | null = null,
  ways = checkRoutes(tree, tables),
): PassedTables {
  return { ...judgeDeadlock(tree, tables, lanes, ways), omitted: omittedEntries(tree, tables) };
}

/**
 * Judges tables, of all LIDs of hosts: loads and bounds for given traffic, whether they lead everywhere, and the
 * self-checks of that.
 * @param traffic null = only whether they lead everywhere
 * @param threshold above what a link between switches is hot
 * @param made how they were made, if loads were counted on the way, and their lanes; without lanes there is one
 * @param adaptive how the adaptive bound of a tree that is not whole is found
 */
export function judgeTables(
  source: RoutedFabric,
  tables: TablesByOffset,
  traffic: Traffic | null,
  threshold: HotThreshold,
  { search, lanes, bounds, lidUse = usualLidUse }: HowMade = {},
  adaptive: AdaptiveBoundBy | SolvedBounds = bounds ?? 'spread',
): JudgedTables {
  const { tree, fabric } = source;
  const walked = traffic === null ? null : evaluateRoutes(tree, tables, traffic, threshold, adaptive, lidUse);
  const passed = passedTables(source, tables, lanes, walked?.validity);
  const evaluation = walked === null ? null : { ...walked, validity: passed.validity };
  const verdicts: RouteVerdict[] = [reachVerdict(passed.validity), deadlockVerdict(passed.deadlock)];
  if (evaluation !== null) {
    verdicts.push(boundVerdict(evaluation));
    const { validity, phases } = evaluation;
    const load = (): number =>
      validity.detours === 0
        ? sum(phases.map(({ loads }) => loads.netMaxLoad))
        : netLoad(tree, tables, traffic!, lidUse);
    if (search !== undefined) verdicts.push(searchVerdict(search.score, load()));
  }
  const { length: count } = tables;
  const ways = count === 1 ? 1 : differentWays(fabric, tables, switchesWithHosts(fabric));
  return { evaluation, ...passed, verdicts, lids: count === 1 ? null : { count, use: lidUse, differentWays: ways } };
}

/** What is known of how tables were made. */
type HowMade = Pick<MadeTables, 'search' | 'lanes' | 'bounds'> & { readonly lidUse?: LidUse };

/** The tables of a problem, judged. */
export function judged(
  { source, traffic, threshold, lidUse }: Omit<RouteProblem, 'files'>,
  tables: TablesByOffset,
  made: HowMade = {},
  adaptive?: AdaptiveBoundBy | SolvedBounds,
): JudgedTables {
  return judgeTables(source, tables, traffic, threshold, { ...made, lidUse }, adaptive);
}

/** Entries that differ from those of other tables, and of which. */
export function changesAgainst(
  { source }: Pick<RouteProblem, 'source'>,
  reference: { readonly tables: TablesByOffset; readonly name: string } | null,
  tables: TablesByOffset,
): { readonly changedEntries: number | null; readonly changedFrom: string | null } {
  if (reference === null) return { changedEntries: null, changedFrom: null };
  return {
    changedEntries: changedByOffset(source.identity, reference.tables, tables),
    changedFrom: reference.name,
  };
}

/** Largest load between switches of the flows that have an up-down way, summed over phases. */
function netLoad(tree: FatTree, offsets: TablesByOffset, { phases }: Traffic, use: LidUse): number {
  const between = interSwitchPorts(tree);
  return sum(
    phases.map(({ matrix }) => {
      const load = new Float64Array(tree.fabric.portCount);
      offsets.forEach((tables, offset) => {
        const share = offsets.length === 1 ? matrix : new LidShare(matrix, use, offsets.length, offset);
        loadsOfFlows(tables, routableTraffic(tree, share)).forEach((own, port) => {
          load[port]! += own;
        });
      });
      return load.reduce((most, own, port) => (between[port] === 1 ? Math.max(most, own) : most), 0);
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, own) => total + own, 0);
}
