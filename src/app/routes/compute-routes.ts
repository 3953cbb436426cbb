// Routes as a library computes them: a fabric, traffic and an algorithm in, forwarding tables, loads, bounds and
// verdicts out. What `weft route compute` does, without files, threads and signals: it runs in a browser worker.
// Invariants: tables are judged from the tables alone, whoever made them; the same request with a limit in work (and
// not in time) gives the same tables. Model: docs/models/static-routes.md.

import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { FatTree } from '../../fabric/fat-tree.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { AllocationKind } from '../../flows/traffic/allocation.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import { bytesOfUtf8 } from '../../formats/byte-lines.js';
import { omittedEntries } from '../../formats/opensm-lfts-writer.js';
import {
  evaluateRoutes,
  type AdaptiveBoundBy,
  type RouteEvaluation,
  type SolvedBounds,
} from '../../optimization/evaluate-routes.js';
import { judgeDeadlock } from '../../optimization/route-deadlock-check.js';
import { withDetoursAllowed } from '../../optimization/detoured-validity.js';
import { routableTraffic } from '../../optimization/leaf-traffic.js';
import { usualLidUse, type LidUse } from '../../optimization/lid-use.js';
import { interSwitchPorts, loadsOfFlows } from '../../optimization/table-loads.js';
import { checkRoutes, type RouteValidity } from '../../optimization/route-validity.js';
import {
  boundVerdict,
  deadlockVerdict,
  reachVerdict,
  searchVerdict,
  type RouteVerdict,
} from '../../optimization/route-verdicts.js';
import type { DeadlockCheck } from '../../routing/channel-dependencies.js';
import { switchesWithHosts } from '../../routing/channel-dependencies.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import { byOffset, changedByOffset, differentWays, type TablesByOffset } from '../../routing/lid-offsets.js';
import { generatedFabric, routedFabric, unroutedFabric, type UnroutedFabric } from './fabric-input.js';
import { makeTables, type MadeTables, type RouteHost } from './make-tables.js';
import { ftreeOrNull, type ExactAlgorithm, type RouteAlgorithm, type SearchSettings } from './route-algorithms.js';
import { columnTraffic, patternTraffic, textTraffic, type GivenTraffic, type TrafficColumns } from './traffic-input.js';

/** What routes are to be computed. */
export interface RouteRequest {
  /**
   * the fabric: a text as ibnetdiscover prints it, or a topology file's; or a family of generators (`fat-tree`,
   * `quartz1`, ...) with its parameters, defaults for those left out
   */
  readonly fabric:
    | { readonly text: string; readonly name?: string }
    | { readonly family: string; readonly parameters?: Readonly<Record<string, unknown>> };
  /** GUIDs of the switches of the top level, for trees with holes; without them they are recognised */
  readonly roots?: readonly string[];
  /** share (0 to 1) of the links between switches that are taken as failed, drawn by `seed` */
  readonly failedLinks?: number;
  /**
   * what is sent: a pattern by name (`all-to-all`, `random-permutation`, `100xstencil:64`), columns of ranks, or a CSV
   * text (docs/formats/traffic-matrix.md). Left out: nothing, and only validity is judged
   */
  readonly traffic?: string | TrafficColumns | { readonly csv: string; readonly name?: string };
  /** hosts of jobs: in runs between those of others (the default), or in a row */
  readonly allocation?: AllocationKind;
  readonly algorithm: RouteAlgorithm | ExactAlgorithm;
  /** of random traffic, allocations, failed links and routes; 1 if left out */
  readonly seed?: number;
  /** work (links looked at, some 20 million a second) after which `weft` ends; repeatable, unlike `seconds` */
  readonly mostWork?: number;
  /** wall-clock seconds after which a search ends with the best so far; 30 if left out */
  readonly seconds?: number;
  /** how long `weft` goes on without finding anything better, against the usual; 1 if left out */
  readonly patience?: number;
  /** links above this share of the adaptive bound between switches count as hot; 0.9 if left out */
  readonly threshold?: number;
  /** LMC of the hosts, 0 to 3: they have 2^lmc LIDs; left out: that of the fabric */
  readonly lmc?: number;
  /** which LIDs of a host are sent to: `spread` (all alike, if left out), `hash`, or the offset of one */
  readonly lidOffset?: LidUse;
}

/** Tables as they were judged. */
export interface JudgedTables {
  /** loads, bounds and gaps, phase by phase and in all; null without traffic */
  readonly evaluation: RouteEvaluation | null;
  readonly validity: RouteValidity;
  /** lanes in use, and links that may wait for each other in a circle */
  readonly deadlock: DeadlockCheck;
  /** entries that no table has */
  readonly omitted: ReturnType<typeof omittedEntries>;
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

/** Routes that were computed. */
export interface ComputedRoutes extends JudgedTables {
  readonly algorithm: RouteAlgorithm | ExactAlgorithm;
  /** the fabric with names, GUIDs and LIDs, and its levels */
  readonly source: RoutedFabric;
  readonly traffic: Traffic | null;
  /** the tables, and how they were made */
  readonly made: MadeTables;
  /** entries that differ from those of OpenSM's ftree; null where it does not route the fabric */
  readonly changedEntries: number | null;
  readonly warnings: readonly Diagnostic[];
}

/**
 * Computes routes.
 * @param host clock, wish to end, solver and threads; without it nothing limits a search but its work, and the exact
 * algorithms are refused
 * @throws InputError if the request has mistakes, or the algorithm does not route this fabric or this traffic
 */
export async function computeRoutes(request: RouteRequest, host: RouteHost = timelessHost): Promise<ComputedRoutes> {
  const { algorithm, seed = 1, threshold = 0.9, failedLinks, roots, lidOffset: lidUse = usualLidUse } = request;
  checkShare('failedLinks', failedLinks);
  const source = routedFabric(requestedFabric(request.fabric), {
    seed,
    ...(failedLinks === undefined ? {} : { failedLinks }),
    ...(request.lmc === undefined ? {} : { lmc: request.lmc }),
    ...(roots === undefined ? {} : { roots: { text: `${roots.join('\n')}\n`, name: 'roots' } }),
  });
  const given = await requestedTraffic(request, source, seed);
  const traffic = given?.traffic ?? null;
  const settings: SearchSettings = {
    traffic,
    seed,
    seconds: request.seconds ?? 30,
    mostWork: request.mostWork ?? Infinity,
    current: null,
    mostChanges: null,
    threshold,
    patience: request.patience ?? 1,
    lidUse,
  };
  if (host === timelessHost && settings.mostWork === Infinity && algorithm === 'weft' && request.seconds !== undefined)
    throw InputError.at('missing-clock', 'seconds', wholeFile, 'without a host nobody knows the time', {
      hint: 'give a host with wallMs, or mostWork',
    });
  const made = await makeTables(algorithm, source, settings, host);
  const ftree = algorithm === 'ftree' ? made.tables : made.ftree === undefined ? ftreeOrNull(source) : made.ftree;
  return {
    algorithm,
    source,
    traffic,
    made,
    ...judgeTables(source, made.offsets ?? made.tables, traffic, threshold, { ...made, lidUse }),
    changedEntries:
      ftree === null || made.offsets !== undefined ? null : changedByOffset(source.identity, [ftree], [made.tables]),
    warnings: [...source.warnings, ...(given?.warnings ?? [])],
  };
}

/**
 * Judges tables, of all LIDs of hosts: loads and bounds for given traffic, whether they lead everywhere, and the self-checks of that.
 * @param traffic null = only whether they lead everywhere
 * @param threshold links above this share of the adaptive bound between switches count as hot
 * @param made how they were made, if loads were counted on the way, and their lanes; without lanes there is one
 * @param adaptive how the adaptive bound of a tree that is not whole is found
 */
export function judgeTables(
  source: RoutedFabric,
  given: ForwardingTables | TablesByOffset,
  traffic: Traffic | null,
  threshold: number,
  {
    search,
    lanes,
    bounds,
    lidUse = usualLidUse,
  }: Pick<MadeTables, 'search' | 'lanes' | 'bounds'> & { readonly lidUse?: LidUse } = {},
  adaptive: AdaptiveBoundBy | SolvedBounds = bounds ?? 'spread',
): JudgedTables {
  const tables = byOffset(given);
  const walked = traffic === null ? null : evaluateRoutes(source.tree, tables, traffic, threshold, adaptive, lidUse);
  const ways = walked?.validity ?? checkRoutes(source.tree, tables);
  const deadlock = judgeDeadlock(source.tree, tables, lanes ?? null, ways);
  const validity = withDetoursAllowed(ways, deadlock);
  const evaluation = walked === null ? null : { ...walked, validity };
  return {
    evaluation,
    validity,
    deadlock,
    omitted: omittedEntries(source.tree, tables),
    verdicts: [
      reachVerdict(validity),
      deadlockVerdict(deadlock),
      ...(evaluation === null ? [] : [boundVerdict(evaluation)]),
      ...(evaluation === null || search === undefined
        ? []
        : [searchVerdict(search.score, walkedLoad(source.tree, tables[0]!, traffic!, evaluation))]),
    ],
    lids:
      tables.length === 1
        ? null
        : {
            count: tables.length,
            use: lidUse,
            differentWays: differentWays(source.fabric, tables, switchesWithHosts(source.fabric)),
          },
  };
}

/** Largest load between switches of the flows that have an up-down way, summed over phases. */
function walkedLoad(tree: FatTree, tables: ForwardingTables, traffic: Traffic, evaluation: RouteEvaluation): number {
  if (evaluation.validity.detours === 0) return sum(evaluation.phases.map(({ loads }) => loads.netMaxLoad));
  const between = interSwitchPorts(tree);
  return sum(
    traffic.phases.map(({ matrix }) =>
      loadsOfFlows(tables, routableTraffic(tree, matrix)).reduce(
        (most, load, port) => (between[port] === 1 ? Math.max(most, load) : most),
        0,
      ),
    ),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, own) => total + own, 0);
}

function requestedFabric(fabric: RouteRequest['fabric']): UnroutedFabric {
  if ('text' in fabric) return unroutedFabric({ text: fabric.text, name: fabric.name ?? 'fabric' });
  const made = generatedFabric(fabric.family, fabric.parameters);
  if (made !== null) return made;
  throw InputError.at('unknown-fabric', 'fabric', wholeFile, 'no family of fabrics has this name', {
    got: fabric.family,
    wanted: 'fat-tree, leaf-spine, quartz1 or another family of weft topology list',
  });
}

async function requestedTraffic(
  { traffic, allocation = 'fragmented' }: RouteRequest,
  source: RoutedFabric,
  seed: number,
): Promise<GivenTraffic | null> {
  if (traffic === undefined) return null;
  if (typeof traffic === 'string') return patternTraffic({ traffic, seed, allocation }, source);
  if ('csv' in traffic) return textTraffic(traffic.name ?? 'traffic', [bytesOfUtf8(traffic.csv)], source);
  return columnTraffic(traffic, source);
}

function checkShare(name: string, share: number | undefined): void {
  if (share !== undefined && !(share >= 0 && share <= 1))
    throw InputError.at('bad-setting', name, wholeFile, 'this is no share', {
      got: String(share),
      wanted: 'a number from 0 to 1',
    });
}

/** A host that knows no time, never asks to end and has no solver. */
const timelessHost: RouteHost = {
  wallMs: () => 0,
  cpuSeconds: () => 0,
  stopRequested: () => false,
  report: () => {},
  whenStopped: new Promise<never>(() => {}),
  solver: null,
};
