// One epoch: a scenario under given tables, run, and what its ports counted meanwhile.
// Invariants: a run is the scenario's but for its tables, the lanes of its counters and when these are read; readings
// change nothing about it. Where a backend counts nothing (fluid), counters are made from the flows that ended, each
// spread evenly over its time.

import { InputError, wholeFile, type Diagnostic } from '../../base/diagnostics.js';
import type { Host } from '../../base/host.js';
import { valuesOfGroup } from '../../base/settings.js';
import { assignedLanes } from '../../backends/credit/lane-assignment.js';
import { creditSettings } from '../../backends/credit/settings.js';
import type { Fabric } from '../../fabric/fabric.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficBuilder, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { PairCounters } from '../../reconstruction/pair-rows.js';
import { pollingSettings } from '../../backends/polling/polling-settings.js';
import { interSwitchPorts } from '../../optimization/table-loads.js';
import type { WaitShares } from '../../report/adapt/adapt-report.js';
import { portPollTable } from '../../records/poll-records.js';
import type { ForwardingTables } from '../../routing/forwarding-tables.js';
import type { LaneAssignment } from '../../routing/lane-maps.js';
import { makePlan } from '../../scenario/make-plan.js';
import type { Plan } from '../../scenario/plan.js';
import { mixed } from '../reconstruct/counter-mix.js';
import { countersOf } from '../reconstruct/made-counters.js';
import { pairCounters } from '../reconstruct/pair-counters.js';
import type { RouteHost } from '../routes/make-tables.js';
import type { RunSummary } from '../run-progress.js';
import { simulate } from '../simulate.js';
import type { AdaptRequest } from './adapt-request.js';
import { CounterRounds, type CounterReading } from './counter-rounds.js';
import type { EpochPorts } from './epoch-ports.js';

/** Lanes of counters where neither the request nor the scenario says how many: those of the source. */
const usualLanes = 5;
/** Longer than any run: counters are read when it ends. */
const neverPs = 9e15;

/** The plan of an epoch, and how its counters come about. */
export interface EpochPlan {
  readonly plan: Plan;
  readonly lanes: number;
  readonly assignment: Pick<LaneAssignment, 'levels' | 'map'>;
  /** whether the backend counts; if not, counters are made from its flows */
  readonly isPolled: boolean;
  /** what the loop does not heed of the scenario */
  readonly unheeded: readonly Diagnostic[];
}

/** What an epoch came to. */
export interface MeasuredEpoch {
  readonly summary: RunSummary;
  readonly rows: PairCounters;
  readonly lanes: number;
  /** by phase and row: what was counted, weighed */
  readonly counters: readonly Float64Array[];
  /** null: the backend counts nothing */
  readonly waits: WaitShares | null;
  /** what was sent, weighed as counters are; and in bytes with headers */
  readonly sent: { readonly weighed: TrafficMatrix; readonly bytes: TrafficMatrix };
}

/**
 * Makes the plan of an epoch.
 * @param intervalPs from one reading to the next @throws InputError, HostFileError
 */
export async function planEpoch(
  scenario: string,
  epoch: number,
  { overrides = [], newSeeds = false, lanes, by = 'tables' }: AdaptRequest,
  host: Host,
  intervalPs = neverPs,
): Promise<EpochPlan> {
  const plain = await makePlan(scenario, { overrides, host });
  if (by === 'tables') requireTables(plain, scenario);
  else requireHash(plain, scenario);
  const unheeded = unheededReadings(plain, scenario);
  const seed = newSeeds ? plain.seed + epoch : null;
  const own = [...overrides, `polling.interval=${Math.ceil(intervalPs)}ps`];
  const polled = await makePlan(scenario, { overrides: own, seed, host });
  if (!polled.tables.includes(portPollTable)) {
    const count = lanes ?? usualLanes;
    if (by === 'source-ports') throw notByPorts(scenario, 'a backend that counts nothing');
    const drawn = assignedLanes({ lanes: count, levels: 'auto', sl2vl: 'random' }, polled.seed);
    const plan = newSeeds ? await makePlan(scenario, { overrides, seed, host }) : plain;
    return { plan, lanes: count, assignment: drawn, isPolled: false, unheeded: [] };
  }
  const before = valuesOfGroup(polled.settings, 'credit', creditSettings);
  const isGiven = [...plain.given].some((path) => path.startsWith('credit.lane'));
  const count = by === 'source-ports' ? 1 : (lanes ?? (isGiven ? before.lanes : usualLanes));
  const byLane = [
    ...(count === before.lanes
      ? []
      : [`credit.lanes=${count}`, 'credit.laneQueues=shared', ...(count > 1 ? ['credit.sl2vl=random'] : [])]),
    ...(count > 1 ? ['polling.lanes=true'] : []),
  ];
  const plan = byLane.length === 0 ? polled : await makePlan(scenario, { overrides: [...own, ...byLane], seed, host });
  const credit = valuesOfGroup(plan.settings, 'credit', creditSettings);
  if (!plan.withoutEffect.has('credit.lanes') && plan.pins.every(({ serviceLevel }) => serviceLevel < 0))
    return { plan, lanes: count, assignment: assignedLanes(credit, plan.seed, plan.lanes), isPolled: true, unheeded };
  if (lanes !== undefined && lanes > 1)
    throw InputError.about('unused-option', '--lanes', 'pairs of hosts do not tell the lanes of this scenario', {
      got: `${lanes} lanes`,
      wanted: 'backend: credit, and no serviceLevel of a job',
      hint: '--lanes 1 goes by counters of whole ports',
    });
  const one = assignedLanes({ ...credit, lanes: 1, levels: 1 }, 1);
  return { plan: polled, lanes: 1, assignment: one, isPolled: true, unheeded };
}

/**
 * Runs an epoch.
 * @param tables that it has in place of those of its scenario; null: switches hash
 * @param ports that pairs have, by whose hash they take the ways of tables; null: switches have the tables
 * @param phases readings that make a phase each
 */
export async function runEpoch(
  { plan, lanes, assignment, isPolled }: EpochPlan,
  tables: ForwardingTables | null,
  ports: EpochPorts | null,
  source: RoutedFabric,
  { mix = 'bytes', phases = 1 }: AdaptRequest,
  host: RouteHost,
  files: Host,
): Promise<MeasuredEpoch> {
  requireSameFabric(plan, source.fabric);
  const sink = new CounterRounds(plan.fabric, lanes);
  const routed: Plan =
    ports === null
      ? { ...plan, routing: { ...plan.routing, tables: [tables!] } }
      : { ...plan, sourcePorts: ports.byPair.size === 0 ? null : ports.byPair };
  const summary = await simulate(routed, {
    host: files,
    sink,
    stopRequested: () => host.stopRequested(),
  });
  requirePhases(plan, phases, summary.simulatedPs);
  const rows = pairCounters(source.fabric, tables, assignment);
  const { payload, header } = plan.packet.packet;
  const weigh = (bytes: number, packets: number): number => mixed(mix, payload + header, bytes, packets);
  const packetsOf = (sizeBytes: number): number => Math.max(1, Math.ceil(sizeBytes / payload));
  const sentBy = (unit: TrafficMatrix['unit'], weightOf: (flow: number, bytes: number) => number): TrafficMatrix => {
    const builder = new TrafficBuilder(source.fabric.hosts.length, unit);
    const { flows } = sink;
    const rankOf = ranksOf(source.fabric);
    for (let flow = 0; flow < flows.source.length; flow++) {
      const [from, to] = [rankOf[flows.source.values[flow]!]!, rankOf[flows.destination.values[flow]!]!];
      const weight = weightOf(flow, flows.sizeBytes.values[flow]!);
      if (from !== to && weight > 0) builder.add(from, to, weight);
    }
    return builder.build();
  };
  const wire = (size: number): number => size + packetsOf(size) * header;
  const unit = mix === 'bytes' ? 'bytes' : 'relative';
  const weighed = (size: number): number => weigh(wire(size), packetsOf(size));
  const sent = { weighed: sentBy(unit, (_, size) => weighed(size)), bytes: sentBy('bytes', (_, size) => wire(size)) };
  const counters = isPolled
    ? windowsOf(sink, phases, weigh)
    : Array.from({ length: phases }, (_, phase) => {
        const { startPs, finishPs } = sink.flows;
        const lengthPs = summary.simulatedPs / phases;
        const share = (flow: number): number =>
          shareWithin(startPs.values[flow]!, finishPs.values[flow]!, phase * lengthPs, (phase + 1) * lengthPs);
        return countersOf(
          sentBy(unit, (flow, size) => share(flow) * weighed(size)),
          source,
          rows,
        ).counters;
      });
  return { summary, rows, lanes, counters, waits: isPolled ? waitShares(plan, source, sink, summary) : null, sent };
}

function waitShares(
  { settings }: Plan,
  { tree }: RoutedFabric,
  { waitTicks }: CounterRounds,
  { simulatedPs }: RunSummary,
): WaitShares {
  const { tick } = valuesOfGroup(settings, 'polling', pollingSettings);
  const shares = waitTicks.map((ticks) => (ticks * tick) / Math.max(1, simulatedPs));
  const between = interSwitchPorts(tree);
  const own = shares.filter((_, port) => between[port] === 1);
  const sum = own.reduce((total, share) => total + share, 0);
  return { mean: sum / Math.max(1, own.length), largest: own.reduce((most, share) => Math.max(most, share), 0) };
}

/** Weighed counters of each phase: phase w ends with round w + 1, the last one with the run. */
function windowsOf(
  sink: CounterRounds,
  phases: number,
  weigh: (bytes: number, packets: number) => number,
): Float64Array[] {
  const rounds = sink.byRound();
  const at = (last: number): CounterReading | undefined =>
    rounds.reduce<CounterReading | undefined>((latest, own) => (own.round <= last ? own.reading : latest), undefined);
  const ends = Array.from({ length: phases }, (_, phase) => at(phase === phases - 1 ? Infinity : phase + 1));
  return ends.map((end, phase) => {
    const begin = phase === 0 ? undefined : ends[phase - 1];
    return end!.bytes.map((bytes, row) =>
      weigh(bytes - (begin?.bytes[row] ?? 0), end!.packets[row]! - (begin?.packets[row] ?? 0)),
    );
  });
}

/** Share of a time from one moment to another that lies within a window. */
function shareWithin(startPs: number, finishPs: number, fromPs: number, untilPs: number): number {
  if (finishPs <= startPs) return startPs >= fromPs && startPs < untilPs ? 1 : 0;
  return Math.max(0, Math.min(finishPs, untilPs) - Math.max(startPs, fromPs)) / (finishPs - startPs);
}

function ranksOf({ nodeCount, hosts }: Fabric): Int32Array {
  const rankOf = new Int32Array(nodeCount).fill(-1);
  hosts.forEach((host, rank) => {
    rankOf[host] = rank;
  });
  return rankOf;
}

/** Tells that the loop reads counters when it needs them, whatever the scenario says. */
function unheededReadings({ given }: Plan, file: string): readonly Diagnostic[] {
  if (!given.has('polling.interval')) return [];
  return [
    {
      severity: 'warning',
      code: 'unused-setting',
      file,
      ...wholeFile,
      message: 'polling.interval is not heeded: the loop reads counters when an epoch or a phase ends',
      hint: '--phases COUNT reads them that many times within an epoch',
    },
  ];
}

/** @throws InputError where switches are to choose among ways, which tables would take from them */
function requireTables({ routing, given }: Plan, scenario: string): void {
  const chosen = ['routing.algorithm', 'routing.balancing', 'routing.sourcePorts'].find((path) => given.has(path));
  if (routing.tables !== undefined || chosen === undefined) return;
  throw InputError.about(
    'no-tables',
    scenario,
    'epochs go by tables, and switches of this scenario choose by themselves',
    {
      got: `${chosen}, and no tables`,
      wanted: 'routing.algorithm: ftree, another one that makes tables, or tables with routing.tables',
      hint: 'leave out routing: the first epoch has the tables of ftree then; or add --by source-ports (RoCE)',
    },
  );
}

/** @throws InputError where switches do not hash, or source ports are given */
function requireHash({ routing, given }: Plan, scenario: string): void {
  const other = ['routing.balancing', 'routing.sourcePorts', 'controller.enabled'].find((path) => given.has(path));
  if (routing.tables !== undefined) throw notByPorts(scenario, 'tables, by which switches go');
  if (other !== undefined) throw notByPorts(scenario, other);
}

function notByPorts(scenario: string, got: string): InputError {
  return InputError.about('no-hash', scenario, '--by source-ports is for switches that hash, whose ports count', {
    got,
    wanted: 'backend: packet, and routing.algorithm: ecmp or no routing',
    hint: 'leave out --by: epochs go by tables then',
  });
}

/** @throws InputError where a phase is shorter than a packet: readings would tell nothing apart */
function requirePhases({ fabric, packet: { packet } }: Plan, phases: number, lengthPs: number): void {
  const slowest = fabric.hosts.reduce(
    (least, host) => Math.min(least, fabric.linkRateBps[fabric.portLink[fabric.portOffset[host]!]!]!),
    Infinity,
  );
  const packetPs = ((packet.payload + packet.header) * 8e12) / slowest;
  const most = Math.floor(lengthPs / packetPs);
  if (phases === 1 || phases <= most) return;
  throw InputError.about(
    'short-phases',
    '--phases',
    'a phase would be shorter than a packet takes on the link of a host',
    {
      got: `${phases} phases in ${Math.round(lengthPs / 1000)} ns; a packet takes ${Math.round(packetPs / 1000)} ns`,
      wanted: most < 2 ? 'no --phases: the run is too short' : `at most ${most}`,
    },
  );
}

/** @throws InputError if a scenario is of a fabric with other links */
function requireSameFabric({ fabric, name }: Plan, { portPeer, portOffset }: Fabric): void {
  if (isSame(fabric.portPeer, portPeer) && isSame(fabric.portOffset, portOffset)) return;
  throw InputError.about('other-fabric', name, 'the scenarios have not the same fabric', {
    wanted: 'epochs with the links of the first one',
  });
}

function isSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((own, i) => own === b[i]);
}
