// A run of the packet engine without a plan, so that a test can look inside: fabric and transfers in, rows and the parts
// out. It is put together as every run is (app/compose-run.ts).

import type { GroupValues, SettingValues } from '#weft/base/settings.js';
import { EventWheel } from '#weft/engine/event-wheel.js';
import { makePacketNetwork, type PacketNetwork } from '#weft/backends/packet/packet-network.js';
import { ownSettings } from '#weft/backends/packet/mechanism.js';
import {
  type MechanismGroups,
  mechanisms,
  type Mechanisms,
  mechanismSettings,
} from '#weft/backends/packet/mechanisms.js';
import { defaultPacketSettings, type PacketChoices, type PacketSettings } from '#weft/backends/packet/settings.js';
import { composeRun } from '#weft/app/compose-run.js';
import type { PlannedController } from '#weft/app/plan-controller.js';
import { CentralController } from '#weft/controller/central-controller.js';
import { ControllerRequests } from '#weft/execution/controller-requests.js';
import type { Failures } from '#weft/execution/failure-schedule.js';
import type { Executor } from '#weft/execution/executor.js';
import type { Frontier } from '#weft/execution/frontier.js';
import type { SenderPaces } from '#weft/execution/sender-paces.js';
import type { RunState, Verdict } from '#weft/execution/network.js';
import type { Fabric } from '#weft/fabric/fabric.js';
import { withForwardingLatency } from '#weft/fabric/forwarding-latency.js';
import { TransferList } from '#weft/flows/transfer-list.js';
import type { WorkSource } from '#weft/flows/work-source.js';
import type { CollisionCounter } from '#weft/measurement/collisions.js';
import type { CompletionTimes } from '#weft/measurement/completion.js';
import { FlowColumn, flowTable, HopColumn, hopTable } from '#weft/records/flow-records.js';
import { MemorySink } from '#weft/records/memory-sink.js';
import { EqualCostRoutes, type NextHopOrder } from '#weft/routing/equal-cost.js';
import type { PathTracer } from '#weft/routing/path.js';

/** source, destination, bytes, start in picoseconds (0 if left out) */
export type Transfer = readonly [source: number, destination: number, sizeBytes: number, startPs?: number];

type Groups = Omit<PacketSettings, keyof PacketChoices>;
type OwnGroups = { readonly [K in keyof MechanismGroups]: SettingValues<MechanismGroups[K]> };
export type SettingChanges = { readonly [K in keyof Groups]?: Partial<Groups[K]> } & Partial<PacketChoices> & {
    readonly [K in keyof OwnGroups]?: Partial<OwnGroups[K]>;
  };

/**
 * The default settings with changes, group by group, those of mechanisms among them; `packet.profile` gives the sizes
 * that the changes do not.
 */
export function settingsWith(changes: SettingChanges = {}): PacketSettings {
  const result: Record<string, unknown> = { ...defaultPacketSettings(changes.packet?.profile) };
  const groups = mechanismSettings(mechanisms);
  const own: Record<string, GroupValues> = {};
  for (const [name, change] of Object.entries(changes))
    if (groups[name] !== undefined)
      own[name] = { ...ownSettings(result as PacketSettings, name, groups[name]), ...(change as GroupValues) };
    else
      result[name] =
        Array.isArray(change) || typeof change === 'string'
          ? change
          : { ...(result[name] as object), ...(change as object) };
  return { ...(result as PacketSettings), own: { ...own, ...changes.own } };
}

/** A finished flow, as the records tell it. */
export interface FlowRow {
  readonly flow: number;
  readonly source: number;
  readonly destination: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly sizeBytes: number;
  readonly startPs: number;
  readonly finishPs: number;
  readonly idealPs: number;
}

/** A switch on the path of a queue pair, as the records tell it. */
export interface HopRow {
  readonly flow: number;
  readonly sourcePort: number;
  readonly hop: number;
  readonly node: number;
  readonly interface: number;
}

export function flowRows(sink: MemorySink): FlowRow[] {
  const column = (name: keyof typeof FlowColumn): Float64Array => sink.column(flowTable, FlowColumn[name]);
  const [source, destination, sourcePort, destinationPort, size, start, finish, ideal] = [
    column('source'),
    column('destination'),
    column('sourcePort'),
    column('destinationPort'),
    column('size'),
    column('start'),
    column('finish'),
    column('ideal'),
  ];
  return Array.from(column('flow'), (flow, i) => ({
    flow,
    source: source[i]!,
    destination: destination[i]!,
    sourcePort: sourcePort[i]!,
    destinationPort: destinationPort[i]!,
    sizeBytes: size[i]!,
    startPs: start[i]!,
    finishPs: finish[i]!,
    idealPs: ideal[i]!,
  }));
}

export function hopRows(sink: MemorySink): HopRow[] {
  const column = (name: keyof typeof HopColumn): Float64Array => sink.column(hopTable, HopColumn[name]);
  const [sourcePort, hop, node, port] = [column('sourcePort'), column('hop'), column('node'), column('interface')];
  return Array.from(column('flow'), (flow, i) => ({
    flow,
    sourcePort: sourcePort[i]!,
    hop: hop[i]!,
    node: node[i]!,
    interface: port[i]!,
  }));
}

export interface EngineOptions {
  readonly settings?: PacketSettings;
  readonly seed?: number;
  readonly order?: NextHopOrder;
  /** ports by a controller of the source's policy, which answers at once */
  readonly controlled?: boolean;
  /** instead: ports by a plan's controller */
  readonly controller?: (tracer: PathTracer, frontier: Frontier, linksChange: boolean) => PlannedController | null;
  /** as whole runs do: queue pairs by the ports of NICs; left out: one per flow, or the number given, hashed */
  readonly looksAtNics?: boolean;
  readonly wheel?: EventWheel;
  /** software time before each transfer, in picoseconds */
  readonly sendLatencyPs?: number;
  /** source port of each transfer by its id, instead of the counter's */
  readonly sourcePorts?: readonly number[];
  /** sees every arrival: packet, port it came in by */
  readonly onArrival?: (packet: number, port: number, network: PacketNetwork) => void;
  /** the run is stopped after about so many events (its state is then still `running`) */
  readonly mostEvents?: number;
  /** the run is stopped soon after this time (its state is then still `running`) */
  readonly untilPs?: number;
  /** the run is stopped soon after this is true (its state is then still `running`) */
  readonly isOver?: () => boolean;
  /** what happens to links */
  readonly failures?: Failures;
  /** what names of mechanisms mean; left out: Weft's own */
  readonly catalogue?: Mechanisms;
  /** senders with a rate of their own, by the number of their transfer; left out: none */
  readonly paces?: SenderPaces | null;
  /** called before the first event */
  readonly prepare?: (network: PacketNetwork) => void;
}

export interface EngineRun {
  readonly state: RunState;
  readonly network: PacketNetwork;
  readonly executor: Executor;
  readonly tracer: PathTracer;
  readonly collisions: CollisionCounter;
  readonly completions: CompletionTimes;
  readonly flows: readonly FlowRow[];
  readonly hops: readonly HopRow[];
  readonly verdicts: readonly Verdict[];
  /** every table of the run */
  readonly sink: MemorySink;
}

/** Runs transfers, or any other work, to the end. Nothing is checked: that is the test's part. */
export function engineRun(
  built: Fabric,
  work: readonly Transfer[] | WorkSource,
  options: EngineOptions = {},
): EngineRun {
  const { settings = settingsWith(), seed = 1, order = 'descending-node-id', sourcePorts } = options;
  const fabric = withForwardingLatency(built, settings.switch);
  const sink = new MemorySink();
  const { network, executor, tracer, completions } = composeRun({
    routes: new EqualCostRoutes(fabric, order),
    packet: settings,
    failures: options.failures ?? null,
    looksAtNics: options.looksAtNics === true,
    controller: options.controller ?? (options.controlled === true ? answeringAtOnce : () => null),
    admission:
      sourcePorts === undefined
        ? undefined
        : ({ frontier }) => ({ admit: (slot) => sourcePorts[frontier.id[slot]!]!, release: () => {} }),
    sourcePorts: null,
    pins: [],
    makeNetwork: ({ tracer: paths, links, countsPorts }) => {
      const made: PacketNetwork = makePacketNetwork({
        fabric,
        tracer: paths,
        settings,
        seed,
        sink,
        wheel: options.wheel ?? new EventWheel(),
        countsPorts,
        ...(options.onArrival === undefined
          ? {}
          : { onArrival: (packet: number, port: number) => options.onArrival?.(packet, port, made) }),
        links,
        ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
        paces: options.paces ?? null,
      });
      return { network: made };
    },
    makeWork: () => ({ source: isWorkSource(work) ? work : listed(work) }),
    sink,
    sendLatencyPs: options.sendLatencyPs ?? 0,
  });
  options.prepare?.(network);
  let state: RunState = 'running';
  const { mostEvents = Infinity, untilPs = Infinity, isOver = () => false } = options;
  const slice = untilPs === Infinity && options.isOver === undefined ? 100_000 : 1000;
  for (let left = mostEvents; state === 'running' && left > 0 && network.nowPs < untilPs && !isOver(); left -= slice)
    state = executor.advance(Math.min(left, slice));
  executor.close();
  return {
    state,
    network,
    executor,
    tracer,
    collisions: executor.collisions,
    completions,
    flows: flowRows(sink),
    hops: hopRows(sink),
    verdicts: executor.verdicts(state),
    sink,
  };
}

/** A controller of the source's policy, which answers at once. */
function answeringAtOnce(tracer: PathTracer, frontier: Frontier): PlannedController {
  const requests = new ControllerRequests(frontier, tracer, new CentralController(tracer));
  return { requests, door: null, movesFlows: false, countsPorts: false, connect: () => {} };
}

/** Transfers as work. */
export function listed(transfers: readonly Transfer[]): TransferList {
  const list = new TransferList();
  for (const [from, to, sizeBytes, startPs = 0] of transfers) list.add(from, to, sizeBytes, startPs);
  return list;
}

function isWorkSource(work: readonly Transfer[] | WorkSource): work is WorkSource {
  return 'nextStartPs' in work;
}

/** Runs transfers to the end, which must be a good one. @throws Error if the run's own checks found anything */
export function soundRun(
  fabric: Fabric,
  transfers: readonly Transfer[] | WorkSource,
  options: EngineOptions = {},
): EngineRun {
  const run = engineRun(fabric, transfers, options);
  const problems = broken(run);
  if (problems.length > 0) throw new Error(problems.join('; '));
  return run;
}

/** The verdicts that are not ok, as text. */
export function broken(run: Pick<EngineRun, 'verdicts'>): string[] {
  return run.verdicts.filter((verdict) => !verdict.ok).map((verdict) => `${verdict.name}: ${verdict.detail}`);
}
