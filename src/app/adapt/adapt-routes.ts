// A static network that adapts: epoch after epoch a run is measured by its ports' counters, who sent to whom is
// reconstructed, routes are searched for that, and the next run has them: `weft adapt`.
// Invariants: tables change only between epochs, in steps without a loop, a loss or a circle of waits where there are
// such; what was sent is looked at to judge, never to decide (but with `knowledge: perfect`). Where traffic stays the
// same, the tables that are kept in the end are the best of those that were measured.
// Source: Taffet's dissertation (docs/SOURCES.md), chapter 5.

import { InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { hostLidCount } from '../../fabric/identity.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collapsed, type Traffic, type TrafficMatrix, type TrafficPhase } from '../../flows/traffic/matrix.js';
import { evaluateRoutes } from '../../optimization/evaluate-routes.js';
import { gap } from '../../optimization/load-summary.js';
import { planTransition, type Transition } from '../../optimization/route-transition.js';
import type { AdaptedRoutes, AdaptEpoch, EpochDecision, EpochReconstruction } from '../../report/adapt/adapt-report.js';
import { changedEntries, ForwardingTables } from '../../routing/forwarding-tables.js';
import { routeDmodK } from '../../routing/d-mod-k.js';
import type { Plan } from '../../scenario/plan.js';
import { memoryHost } from '../memory-host.js';
import { errorsOf } from '../reconstruct/reconstruction-error.js';
import { findTraffic } from '../reconstruct/find-traffic.js';
import { asRowsHave } from '../reconstruct/pair-counters.js';
import { ftreeOrNull } from '../routes/algorithms/ftree.js';
import { requireTree, routedFabric } from '../routes/fabric-input.js';
import { makeTables, type RouteHost } from '../routes/make-tables.js';
import { refuseSeveralLids } from '../routes/route-algorithm.js';
import { refuseGiven, refuseWithObjective } from '../routes/unused-options.js';
import { usualSeconds, usualThreshold } from '../routes/route-problem.js';
import type { AdaptRequest } from './adapt-request.js';
import {
  chooseTables,
  endsOf,
  firstTables,
  isSameTraffic,
  sameCounts,
  sameHashedCounts,
  summed,
  sumOfLargest,
  measuredLoads,
  predictedLoads,
  type Candidate,
  type TablesChoice,
  type TriedTables,
} from './choose-tables.js';
import { askedPair, explainPair, type AskedPair } from './explain-pair.js';
import { activeRanks, byHash, changedPorts, epochPorts, unportedWarnings, type EpochPorts } from './epoch-ports.js';
import { planEpoch, runEpoch, type EpochPlan, type MeasuredEpoch } from './epoch-run.js';

/** An epoch with what it left. */
export interface AdaptedEpoch extends AdaptEpoch {
  readonly forwarding: ForwardingTables;
  /** source ports of pairs; null: switches have the tables */
  readonly ports: EpochPorts | null;
  /** what counters told; null: nobody asked */
  readonly found: Traffic | null;
}

/** Traffic that counters tell, other traffic that bounds what it may be wrong by, and how far it is from counters. */
interface ToldTraffic {
  readonly traffic: Traffic;
  readonly otherwise: Traffic;
  readonly residual: number;
}

/** Every pair by itself: of all traffic that agrees with the counters it finds one that is spread out. */
const spread = 'i';

/** The loop while it goes on. */
interface Loop {
  readonly request: AdaptRequest;
  readonly host: RouteHost;
  readonly files: Host;
  readonly source: RoutedFabric;
  readonly ftree: ForwardingTables | null;
  /** tables without entries, in place of those that switches that hash have not; null: switches have tables */
  readonly hashed: ForwardingTables | null;
  readonly pair: AskedPair | null;
  readonly tried: TriedTables[];
  /** shares by which changes came out worse than predicted, in which epochs */
  readonly missed: { readonly share: number; readonly epoch: TriedTables }[];
  /** how long each scenario took last */
  readonly lengthPs: Map<string, number>;
}

/**
 * Carries the loop out.
 * @throws InputError, HostFileError
 */
export async function adaptRoutes(request: AdaptRequest, host: RouteHost): Promise<AdaptedRoutes<AdaptedEpoch>> {
  const { files = memoryHost() } = host;
  const { scenarios, epochs = Math.max(1, scenarios.length - 1) } = request;
  checkRequest(request);
  const first = await planEpoch(scenarios[0]!, 0, request, files);
  const source = sourceOf(first.plan, scenarios[0]!);
  const ftree = ftreeOrNull(source);
  const hashed = request.by === 'source-ports' ? new ForwardingTables(source.fabric) : null;
  const begin = hashed ?? first.plan.routing.tables?.[0] ?? ftree ?? routeDmodK(source.tree);
  const pair = request.why === undefined ? null : askedPair(request.why, source);
  const loop: Loop = { request, host, files, source, ftree, hashed, pair, tried: [], missed: [], lengthPs: new Map() };
  const rows: AdaptedEpoch[] = [];
  const warnings: Diagnostic[] = [...source.warnings, ...first.plan.warnings, ...first.unheeded];
  const ports = hashed === null ? null : byHash;
  let arrival: Arrival = { tables: begin, ports, choice: null, changed: 0, transition: null };
  for (let epoch = 0; epoch <= epochs; epoch++) {
    const scenario = scenarios[epoch % scenarios.length]!;
    const measured = await measure(loop, scenario, epoch, arrival);
    const { row, next } = await judge(loop, { scenario, epoch, isLast: epoch === epochs }, measured, arrival);
    rows.push(row);
    if (host.stopRequested()) break;
    arrival = await arrivalOf(loop, arrival, next);
    warnings.push(...unportedWarnings(scenario, arrival.ports));
  }
  const kept = loop.tried.find(({ tables }) => tables === arrival.tables)?.epoch ?? rows.at(-1)!.epoch;
  return { source, epochs: rows, keptEpoch: kept, interrupted: host.stopRequested(), warnings };
}

/** Refuses what does not go together. @throws InputError */
function checkRequest({ objective, mostChanges, by = 'tables', why, lanes = 1 }: AdaptRequest): void {
  if (by === 'source-ports')
    refuseGiven(
      [
        ['--most-changes', mostChanges],
        ['--why', why],
        ['--lanes', lanes !== 1 && lanes],
      ],
      'it is for tables of switches',
      'leave it out, or --by source-ports',
    );
  refuseWithObjective(objective, [['--most-changes', mostChanges]]);
}

/** How an epoch came to its tables. */
interface Arrival {
  readonly tables: ForwardingTables;
  /** ports whose hash takes the ways of the tables; null: switches have the tables */
  readonly ports: EpochPorts | null;
  readonly choice: TablesChoice | null;
  readonly changed: number;
  readonly transition: Transition | null;
}

async function arrivalOf(
  { source, hashed, tried, files }: Loop,
  { tables: before, ports: earlier }: Arrival,
  choice: TablesChoice,
): Promise<Arrival> {
  const { tables } = choice;
  if (earlier === null) {
    const changed = changedEntries(before, tables);
    return { tables, ports: null, choice, changed, transition: changed === 0 ? null : planTransition(before, tables) };
  }
  if (tables === before) return { tables, ports: earlier, choice, changed: 0, transition: null };
  const ports =
    tables === hashed
      ? byHash
      : await epochPorts(source, tables, activeRanks(tried.at(-1)!.ends), () => files.breathe());
  return { tables, ports, choice, changed: changedPorts(earlier, ports), transition: null };
}

/** The fabric of a plan, recognised. @throws InputError if it is no tree, or hosts have several LIDs */
function sourceOf({ fabric, routing }: Plan, file: string): RoutedFabric {
  const source = routedFabric({ name: file, fabric, identity: fabric.identity ?? null, warnings: [] });
  requireTree(source);
  refuseSeveralLids(source, 'weft adapt', 'counters do not tell LIDs apart');
  if ((routing.tables?.length ?? 1) > 1 || hostLidCount(fabric, source.identity) > 1)
    throw InputError.about('several-lids', file, 'hosts have several LIDs, and counters do not tell them apart');
  return source;
}

/** Runs an epoch; where phases are wanted and nobody knows how long it takes, once before to see that. */
async function measure(
  loop: Loop,
  scenario: string,
  epoch: number,
  { tables, ports }: Arrival,
): Promise<MeasuredEpoch> {
  const { request, host, files, source, hashed } = loop;
  const { phases = 1 } = request;
  const run = async (intervalPs?: number): Promise<MeasuredEpoch> => {
    const plan: EpochPlan = await planEpoch(scenario, epoch, request, files, intervalPs);
    try {
      return await runEpoch(
        plan,
        tables === hashed ? null : tables,
        ports,
        source,
        phases > 1 && intervalPs === undefined ? { ...request, phases: 1 } : request,
        host,
        files,
      );
    } finally {
      await plan.plan.source.close();
    }
  };
  let lengthPs = loop.lengthPs.get(scenario) ?? 0;
  if (phases > 1 && lengthPs === 0) {
    host.stage?.(`epoch ${epoch}: a run to see how long it takes`);
    lengthPs = (await run()).summary.simulatedPs;
  }
  host.stage?.(`epoch ${epoch}: running ${scenario}`);
  const measured = await run(phases > 1 ? lengthPs / phases : undefined);
  loop.lengthPs.set(scenario, measured.summary.simulatedPs);
  return measured;
}

/** Judges an epoch, and decides what the next one has. */
async function judge(
  loop: Loop,
  { scenario, epoch, isLast }: { readonly scenario: string; readonly epoch: number; readonly isLast: boolean },
  measured: MeasuredEpoch,
  arrival: Arrival,
): Promise<{ readonly row: AdaptedEpoch; readonly next: TablesChoice }> {
  const { source, host, request } = loop;
  const { summary, counters, lanes, sent } = measured;
  const { tables } = arrival;
  const loads = counters.map((own) => measuredLoads(source, own, lanes));
  const load = sumOfLargest(loads);
  const ends = endsOf(source, counters, lanes);
  const now: TriedTables = { epoch, tables, measured: load, ends, loads: summed(loads), told: null };
  const last = loop.tried.at(-1) ?? now;
  loop.tried.push(now);
  const share = loop.hashed === null ? sameCounts : sameHashedCounts;
  const tried = loop.tried.filter((own) => isSameTraffic(source, own, now, share));
  const isSteady = tried.includes(last);
  if (isSteady && arrival.choice !== null && arrival.choice.ofEpoch === null && load > 0)
    loop.missed.push({ share: Math.max(0, 1 - arrival.choice.expected / load), epoch: now });
  const isDone = isLast || host.stopRequested() || load === 0;
  const reconstructed = isDone ? null : await reconstruct(loop, measured);
  const known = asTraffic(sent.weighed);
  const told: ToldTraffic | null =
    request.knowledge === 'perfect' ? { traffic: known, otherwise: known, residual: 0 } : reconstructed;
  now.told = told?.traffic ?? null;
  const { candidates, uncertainty } =
    isDone || told === null || !isSteady
      ? { candidates: [], uncertainty: 0 }
      : await candidatesFor(loop, now, tried, told);
  const next = isSteady ? chooseTables(now, tried, candidates, uncertainty) : firstTables(now, loop.tried[0]!);
  const evaluation = judgedEpoch(loop, tables, asTraffic(sent.bytes), load);
  const row: AdaptedEpoch = {
    epoch,
    scenario,
    outcome: summary.outcome,
    totalNs: summary.simulatedPs / 1000,
    jobs: [
      ...summary.jobs.map(({ name, totalPs }) => ({ name, totalNs: totalPs.maximum / 1000 })),
      ...summary.programs.map(({ name, totalPs }) => ({ name, totalNs: totalPs / 1000 })),
    ],
    maxLoad: evaluation.maxLoad,
    adaptiveBound: evaluation.adaptiveBound,
    arGap: evaluation.arGap,
    measuredMaxLoad: load,
    waits: measured.waits,
    changedEntries: arrival.changed,
    transition: arrival.transition,
    reconstruction: reconstructed === null ? null : reconstructed.report,
    decision: decisionOf(next, isSteady),
    why:
      loop.pair === null
        ? null
        : explainPair(
            source,
            loop.pair,
            { before: tables, after: next.tables },
            {
              before: summed(loads),
              after: told === null ? summed(loads) : summed(predictedLoads(source, next.tables, told.traffic)),
            },
            told?.traffic ?? null,
          ),
    forwarding: tables,
    ports: arrival.ports,
    found: reconstructed?.traffic ?? null,
  };
  return { row, next };
}

/** What was sent, on the ways of an epoch. Where a hash decides, its loads are those that were measured. */
function judgedEpoch(
  { source: { tree }, hashed }: Loop,
  tables: ForwardingTables,
  sent: Traffic,
  measuredLoad: number,
): { readonly maxLoad: number; readonly adaptiveBound: number; readonly arGap: number } {
  if (tables !== hashed) return evaluateRoutes(tree, [tables], sent);
  const { adaptiveBound } = evaluateRoutes(tree, [routeDmodK(tree)], sent);
  const maxLoad = Math.max(measuredLoad, adaptiveBound);
  return { maxLoad, adaptiveBound, arGap: gap(maxLoad, adaptiveBound) };
}

function decisionOf({ kind, ofEpoch, expected, gain, uncertainty }: TablesChoice, isSteady: boolean): EpochDecision {
  return { kind, ofEpoch, isSteady, expectedMaxLoad: expected, gain, uncertainty };
}

function reconstructedOf(phases: readonly TrafficPhase[]): Traffic {
  return { ...asTraffic(phases[0]!.matrix), name: 'reconstructed', phases };
}

function asTraffic(matrix: TrafficMatrix): Traffic {
  const { hostCount, unit } = matrix;
  return { name: 'sent', hostCount, unit, note: '', phases: [{ name: 'all', matrix }] };
}

/** A host whose clock is CPU time, where that is known: searches go as far beside other work as on their own. */
function byCpu(host: RouteHost): RouteHost {
  const { cpuSeconds } = host;
  return cpuSeconds() > 0 ? { ...host, wallMs: () => 1000 * cpuSeconds() } : host;
}

/**
 * Who sent to whom, by phase, from counters alone; and other traffic: on several lanes what was
 * thought of it a part of the way there, on one, which tells little, what agrees with the counters as well.
 */
async function reconstruct(
  { request, host, source, tried }: Loop,
  { rows, lanes, counters, sent }: MeasuredEpoch,
): Promise<ToldTraffic & { readonly report: EpochReconstruction }> {
  const { unit } = sent.weighed;
  const { dictionary = 'od', seconds = usualSeconds } = request;
  const startSeconds = host.cpuSeconds();
  // what the other end received is only for counters that were not read
  const received = new Float64Array(source.fabric.portCount);
  const phases: TrafficPhase[] = [];
  const others: TrafficPhase[] = [];
  // what counters told of the epoch before
  const before = request.knowledge === 'perfect' ? [] : (tried.at(-2)?.told?.phases ?? []);
  let residual = 0;
  let variables = 0;
  for (const [phase, own] of counters.entries()) {
    if (!own.some((value) => value > 0)) continue;
    const name = `phase ${phase}`;
    const start = before.filter((earlier) => earlier.name === name).map(({ matrix }) => matrix);
    const counted = { counters: asRowsHave(rows, own), received };
    const problem = { source, rows, counted, start, unit, keepsEarlier: lanes > 1 };
    const found = await findTraffic(problem, { dictionary, seconds: seconds / counters.length }, byCpu(host));
    const other =
      lanes > 1
        ? found.earlier
        : (await findTraffic(problem, { dictionary: spread, seconds: seconds / counters.length }, byCpu(host))).traffic;
    residual = Math.max(residual, found.residual);
    variables += found.variables;
    phases.push({ name, matrix: found.traffic.phases[0]!.matrix });
    others.push({ name, matrix: other.phases[0]!.matrix });
  }
  const traffic = reconstructedOf(phases);
  const errors = errorsOf(sent.weighed, collapsed(traffic), source);
  return {
    traffic,
    otherwise: reconstructedOf(others),
    residual,
    report: { ...errors, residual, variables, lanes, cpuSeconds: host.cpuSeconds() - startSeconds },
  };
}

/** Tables that might come next, and how far to trust what is predicted of them. */
async function candidatesFor(
  { request, host, source, ftree, hashed, missed }: Loop,
  now: TriedTables,
  tried: readonly TriedTables[],
  { traffic, otherwise, residual }: ToldTraffic,
): Promise<{ readonly candidates: readonly Candidate[]; readonly uncertainty: number }> {
  const { seconds = usualSeconds, mostWork = Infinity, mostChanges = null, objective } = request;
  const fewestAbove = objective?.fewestAbove ?? null;
  const threshold = fewestAbove === null ? usualThreshold : { load: fewestAbove };
  const of = (tables: ForwardingTables, by = traffic): number => sumOfLargest(predictedLoads(source, tables, by));
  const candidate = (kind: Candidate['kind'], tables: ForwardingTables): Candidate => ({
    kind,
    tables,
    predicted: of(tables),
    otherwise: of(tables, otherwise),
  });
  const made = await makeTables(
    'weft',
    source,
    {
      traffic,
      seed: 1,
      seconds,
      mostWork,
      threshold,
      fewestAbove,
      current: now.tables === hashed ? null : [now.tables],
      mostChanges,
    },
    host,
  );
  const [tables] = made.tables;
  const candidates: Candidate[] = [candidate('new', tables!)];
  if (ftree !== null && (mostChanges === null || changedEntries(now.tables, ftree) <= mostChanges))
    candidates.push(candidate('ftree', ftree));
  const own = now.tables === hashed ? now.measured : of(now.tables);
  const shares = missed.filter(({ epoch }) => tried.includes(epoch)).map(({ share }) => share);
  const uncertainty = Math.max(residual, Math.abs(own - now.measured) / now.measured, ...shares);
  return { candidates, uncertainty };
}
