// The flows of a stored run with their jobs and ranks, as a diagnosis takes them.
//   Transfers of the traffic have the first numbers (plan-work.ts). Behind them the ends of a flow tell its training job,
//   as jobs share no rank; messages of programs have a table of their own.

import type { Fabric } from '../../fabric/fabric.js';
import type { ObservedFlows } from '../../diagnosis/observed-flows.js';
import { visitWithinNodes } from '../../programs/within-nodes.js';
import { messageTable } from '../../records/message-records.js';
import { wholeColumns, type RunTables } from '../../records/run-tables.js';
import { linkBytes } from '../../routing/base-delay.js';
import type { Plan } from '../../scenario/plan.js';
import { hopsOf, storedFlows, type FlowHops, type StoredFlows } from '../analysis/joined-flows.js';

/** Programs that the literature takes as background traffic. */
const backgrounds: ReadonlySet<string> = new Set(['bully', 'incast']);

/** A job of the run, as it is numbered in the summary. */
export interface ObservedJob {
  readonly name: string;
  /** by rank: its node; null: it has no ranks, its transfers have hosts */
  readonly nodes: Int32Array | null;
  /** whether its ranks could be elsewhere: those of programs that stand for places of the fabric could not */
  readonly mayMove: boolean;
  /** whether it is there to be in others' way: it is not diagnosed where there are others */
  readonly isBackground: boolean;
  /** messages between ranks of one node, which are no flows */
  readonly withinNodes: (visit: (from: number, to: number, sizeBytes: number) => void) => void;
}

const none = (): void => {};

/** Programs whose pattern is one of places, not of ranks: what they show would go with another mapping. */
const patternsOfPlaces: ReadonlySet<string> = new Set(['bisection', 'bully', 'incast']);

export interface ObservedRun {
  readonly fabric: Fabric;
  readonly flows: ObservedFlows;
  readonly jobs: readonly ObservedJob[];
}

/**
 * Reads the flows of a run.
 * @param plan what was run
 * @throws InputError, HostFileError
 */
export async function observeRun(run: RunTables, fabric: Fabric, plan: Plan): Promise<ObservedRun> {
  const { payload, header, gap } = plan.packet.packet;
  const stored = await storedFlows(run);
  const ways = waysOf(fabric, stored, await hopsOf(run, stored));
  const jobs: ObservedJob[] = [
    ...plan.jobs.map(({ name, ranks }) => ({
      name,
      nodes: Int32Array.from(ranks, (rank) => fabric.hosts[rank]!),
      mayMove: true,
      isBackground: false,
      withinNodes: none,
    })),
    ...plan.programs.map((program): ObservedJob => ({
      name: program.name,
      nodes: program.hosts,
      mayMove: !patternsOfPlaces.has(program.kind),
      isBackground: backgrounds.has(program.kind),
      withinNodes: (visit) => visitWithinNodes(program, visit),
    })),
    ...plan.transferJobs.map(({ name }) => ({
      name,
      nodes: null,
      mayMove: false,
      isBackground: false,
      withinNodes: none,
    })),
  ];
  const job = new Int32Array(stored.flows).fill(-1);
  const [sourceRank, destinationRank, phase] = [job.slice(), job.slice(), job.slice()];
  nameTraffic(fabric, stored, plan, { job, sourceRank, destinationRank });
  nameJobs(stored, plan, jobs, { job, sourceRank, destinationRank });
  await nameMessages(run, stored, plan, { job, sourceRank, destinationRank, phase });
  return {
    fabric,
    jobs,
    flows: {
      count: stored.flows,
      source: Int32Array.from(stored.source),
      destination: Int32Array.from(stored.destination),
      startPs: stored.startPs,
      finishPs: stored.finishPs,
      idealPs: stored.idealPs,
      wireBytes: stored.sizeBytes.map((bytes) => linkBytes(bytes, payload, header + gap)),
      job,
      sourceRank,
      destinationRank,
      phase,
      ...ways,
    },
  };
}

type Named = Pick<ObservedFlows, 'job' | 'sourceRank' | 'destinationRank'>;

/** Transfers of the traffic: ranks are those of the hosts. */
function nameTraffic(fabric: Fabric, stored: StoredFlows, plan: Plan, into: Named): void {
  const rankOf = new Map(Array.from(fabric.hosts, (host, rank) => [host, rank]));
  const before = plan.jobs.length + plan.programs.length;
  const jobOf = new Map(plan.transferJobs.flatMap(({ transfers }, job) => transfers.map((id) => [id, before + job])));
  for (let flow = 0; flow < stored.flows && stored.flowId[flow]! < plan.source.total; flow++) {
    into.job[flow] = jobOf.get(stored.flowId[flow]!) ?? -1;
    into.sourceRank[flow] = rankOf.get(stored.source[flow]!) ?? -1;
    into.destinationRank[flow] = rankOf.get(stored.destination[flow]!) ?? -1;
  }
}

/** Transfers of training jobs. */
function nameJobs(stored: StoredFlows, plan: Plan, jobs: readonly ObservedJob[], into: Named): void {
  const at = new Map<number, { readonly job: number; readonly rank: number }>();
  for (let job = 0; job < plan.jobs.length; job++)
    jobs[job]!.nodes!.forEach((node, rank) => at.set(node, { job, rank }));
  for (let flow = 0; flow < stored.flows; flow++) {
    if (stored.flowId[flow]! < plan.source.total) continue;
    const [source, destination] = [at.get(stored.source[flow]!), at.get(stored.destination[flow]!)];
    into.job[flow] = (source ?? destination)?.job ?? -1;
    into.sourceRank[flow] = source?.rank ?? -1;
    into.destinationRank[flow] = destination?.rank ?? -1;
  }
}

async function nameMessages(
  run: RunTables,
  stored: StoredFlows,
  plan: Plan,
  into: Named & { readonly phase: Int32Array },
): Promise<void> {
  const table = run.tables.get(messageTable.name);
  if (table === undefined || plan.programs.length === 0) return;
  const columns = await wholeColumns(table, ['flow', 'job', 'phase', 'sourceRank', 'destinationRank']);
  const placeOf = new Map(Array.from(stored.flowId, (id, place) => [id, place]));
  columns.get('flow')!.forEach((id, row) => {
    const flow = placeOf.get(id);
    if (flow === undefined) return;
    into.job[flow] = plan.jobs.length + columns.get('job')![row]!;
    into.phase[flow] = columns.get('phase')![row]!;
    into.sourceRank[flow] = columns.get('sourceRank')![row]!;
    into.destinationRank[flow] = columns.get('destinationRank')![row]!;
  });
}

/** The links of each flow, with the port of its sender before those of the switches. */
function waysOf(
  fabric: Fabric,
  stored: StoredFlows,
  hops: FlowHops,
): Pick<ObservedFlows, 'offsets' | 'ports' | 'places' | 'shares'> {
  const { portOffset, portNode, portPeer, portNeighbour } = fabric;
  const offsets = new Int32Array(stored.flows + 1);
  const ports: number[] = [];
  const places: number[] = [];
  for (let flow = 0; flow < stored.flows; flow++) {
    const source = stored.source[flow]!;
    const [first, end] = [hops.offsets[flow]!, hops.offsets[flow + 1]!];
    const entries: (readonly [place: number, port: number])[] = [];
    const next = first < end ? hops.node[first]! : stored.destination[flow]!;
    for (let port = portOffset[source]!; port < portOffset[source + 1]!; port++)
      if (portNode[portPeer[port]!] === next) {
        entries.push([0, port]);
        break;
      }
    for (let row = first; row < end; row++)
      entries.push([hops.hop[row]! + 1, portOffset[hops.node[row]!]! + hops.interface[row]! - 1]);
    // several queue pairs, or packets that choose, have several ports at one place
    entries.sort(([a, x], [b, y]) => a - b || x - y);
    for (const [place, port] of entries) {
      if (portNeighbour[port] === undefined) continue;
      places.push(place);
      ports.push(port);
    }
    offsets[flow + 1] = ports.length;
  }
  const shares = new Float32Array(ports.length);
  for (let flow = 0; flow < stored.flows; flow++)
    for (let from = offsets[flow]!; from < offsets[flow + 1]!;) {
      let to = from;
      while (to < offsets[flow + 1]! && places[to] === places[from]) to++;
      shares.fill(1 / (to - from), from, to);
      from = to;
    }
  return { offsets, ports: Int32Array.from(ports), places: Uint8Array.from(places), shares };
}
