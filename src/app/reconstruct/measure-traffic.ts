// The measurement t = R x: the routing matrix by tables, levels and lanes, and what was counted, read or made.

import { Diagnostics, InputError, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { collapsed, TrafficBuilder, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { AllocatedJob } from '../../flows/traffic/allocation.js';
import { usualLidUse } from '../../optimization/lid-use.js';
import { RandomStream } from '../../base/random.js';
import { checkLidOffset } from '../routes/route-problem.js';
import { slurmAllocation } from '../routes/host-ranks.js';
import { loadTraffic } from '../routes/traffic-input.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import { weightsByWaits } from '../../reconstruction/split-rows.js';
import type { RunHost } from '../../records/run-tables.js';
import type { TablesByOffset } from '../../routing/lid-offsets.js';
import { mixedTraffic } from './counter-mix.js';
import { assignmentOf, levelsOfClass, oneLane } from './lane-strategies.js';
import { asRead, countersOf, type Counted } from './made-counters.js';
import { checkTruth } from './plausible-counters.js';
import { asRowsHave, splitCounters, type PairWays } from './pair-counters.js';
import { readCounters } from './read-counters.js';
import type { ReconstructionRequest } from './reconstruction-request.js';

/** What was measured, by which matrix. */
export interface TrafficMeasurement {
  readonly ways: PairWays;
  readonly rows: PairCounters;
  /** rows of each class of service, whose levels and so lanes are its own */
  readonly byClass: readonly PairCounters[];
  readonly counted: Counted;
  /** levels that pairs have */
  readonly serviceLevels: number;
  /** traffic that made the counters, and all of it that tables lead, as counters tell it; null: they were read */
  readonly truth: Traffic | null;
  readonly sent: TrafficMatrix | null;
  readonly sentByClass: readonly TrafficMatrix[] | null;
  /** jobs whose hosts send to each other alone; null: they are not known */
  readonly jobs: readonly AllocatedJob[] | null;
  readonly warnings: readonly Diagnostic[];
}

/** Measures. @param tables null: switches choose among equal-cost paths @throws InputError, HostFileError */
export async function measureTraffic(
  request: ReconstructionRequest,
  files: Host & RunHost,
  source: RoutedFabric,
  tables: TablesByOffset | null,
): Promise<TrafficMeasurement> {
  const { seed = 1 } = request;
  const diagnostics = new Diagnostics();
  const read = request.traffic === undefined ? await readCounters(request, files, source, diagnostics) : null;
  const ways = waysOf(request, seed, tables, read?.waits ?? null);
  const assignment =
    tables === null && ways.split === null
      ? oneLane
      : await assignmentOf(request, seed, files, source, tables, diagnostics);
  const { classes = 1 } = request;
  const byClass = Array.from({ length: classes }, (_, place) =>
    splitCounters(source.fabric, ways, { ...assignment, levels: levelsOfClass(assignment.levels, place) }),
  );
  const rows = byClass[0]!;
  const asRows = (counted: Counted): Counted => ({ ...counted, counters: asRowsHave(rows, counted.counters) });
  const listed =
    request.jobs === undefined ? null : slurmAllocation(await files.readText(request.jobs), request.jobs, source);
  const jobs = listed?.jobs ?? null;
  const odd = listed?.warnings ?? [];
  const serviceLevels = assignment.levels.count * classes;
  if (read !== null) {
    const whole = withOtherEnds(read.counted);
    const counted = asRows(whole);
    const told =
      request.truth === undefined
        ? null
        : await loadTraffic(files, { allocation: 'alone', ...request, traffic: request.truth }, source);
    if (told !== null && told.traffic.unit !== 'bytes')
      throw InputError.about('no-bytes', '--truth', 'counters have bytes, and this has weights alone', {
        got: told.traffic.name,
        wanted: 'traffic in bytes',
        hint: 'give a matrix with a column of bytes, or leave --truth out',
      });
    const sent = told === null ? null : mixedTraffic(collapsed(told.traffic), request);
    if (sent !== null) checkTruth(sent, whole, source, '--truth', diagnostics);
    return {
      ways,
      rows,
      byClass,
      counted,
      serviceLevels,
      truth: told?.traffic ?? null,
      sent,
      sentByClass: null,
      jobs,
      warnings: [...diagnostics.warnings, ...odd, ...(told?.warnings ?? [])],
    };
  }
  const truth = await loadTraffic(files, { allocation: 'alone', ...request }, source);
  const made = matricesByClass(truth.traffic, classes).map((matrix, place) =>
    countersOf(mixedTraffic(matrix, request), source, byClass[place]!),
  );
  const sums = new Float64Array(rows.count);
  for (const { counters } of made) counters.forEach((own, row) => (sums[row]! += own));
  const sentByClass = made.map(({ sent }) => sent);
  return {
    ways,
    rows,
    byClass,
    counted: asRows(withOtherEnds(asRead(sums, source, request, seed))),
    serviceLevels,
    truth: truth.traffic,
    sent: collapsed({ ...truth.traffic, phases: sentByClass.map((matrix) => ({ name: '', matrix })) }),
    sentByClass,
    jobs,
    warnings: [...odd, ...truth.warnings, ...diagnostics.warnings, ...made.flatMap(({ warnings }) => warnings)],
  };
}

/** What decides the ways of pairs, as a request has it. @param waits ticks by port; null: ports count alike @throws InputError if hosts have not the LIDs of it */
function waysOf(
  { lidOffset: lidUse = usualLidUse, split, splitPorts, counters, noise = 0 }: ReconstructionRequest,
  seed: number,
  tables: TablesByOffset | null,
  waits: Float64Array | null,
): PairWays {
  checkLidOffset(tables?.length ?? 1, lidUse);
  const drawn =
    splitPorts === undefined ? null : { count: splitPorts, seed: new RandomStream(seed, 'split').nextUint32() };
  return {
    tables,
    lidUse,
    split:
      split === undefined ? null : { portWeights: waits === null ? null : weightsByWaits(waits), drawnPorts: drawn },
    // counters of files are of packets that were sent by one way or another, those that are made of shares
    isExact: counters === undefined || noise === 0,
  };
}

/** A matrix of each class of service: phases belong to classes in turn. */
export function matricesByClass(traffic: Traffic, classes: number): TrafficMatrix[] {
  return Array.from({ length: classes }, (_, place) => {
    const phases = traffic.phases.filter((_phase, phase) => phase % classes === place);
    if (phases.length === 0) return new TrafficBuilder(traffic.hostCount, traffic.unit).build();
    return collapsed({ ...traffic, phases });
  });
}

/** The same of port totals alone: all lanes of a port are one. */
export function portTotals(
  { rows, counted, ...rest }: TrafficMeasurement,
  { fabric }: RoutedFabric,
): TrafficMeasurement {
  const lanes = rows.count / fabric.portCount;
  const counters = counted.received.map((_, port) =>
    counted.counters.subarray(port * lanes, (port + 1) * lanes).reduce((sum, own) => sum + own, 0),
  );
  const rowsOfPorts = splitCounters(fabric, rest.ways, oneLane);
  return { ...rest, rows: rowsOfPorts, byClass: [rowsOfPorts], counted: withOtherEnds({ ...counted, counters }) };
}

/** What a port sent on its one lane and nobody read there is what the other end of its link received. */
function withOtherEnds({ counters, received }: Counted): Counted {
  if (counters.length > received.length) return { counters, received };
  return { counters: counters.map((count, port) => (Number.isNaN(count) ? received[port]! : count)), received };
}
