// What a run sent in each phase of its programs and training jobs: the parts of a program, as its messages name them, cut
// at each wait of their senders, and the kinds of groups of a training job, as its collectives do.
//   What two waits of a part enclose is sent together, what comes behind the second one is not. Cuts that send the same
//   bytes between the same hosts are one phase, as iterations are.
// Invariants: every flow that ended is in one phase, those that belong to none in the last; phases of a job stand in the
// order in which they began, and the k-th phases of several jobs are one, as they are of patterns. A part of which more
// than `mostCuts` cuts differ stays whole.

import { addTo, listsBy } from '../../base/lists-by-key.js';
import { TrafficBuilder, type TrafficPhase } from '../../flows/traffic/matrix.js';
import { collectiveTable } from '../../records/job-records.js';
import { messageTable } from '../../records/message-records.js';
import { wholeColumns, type RunTables, type TableSource } from '../../records/run-tables.js';
import type { Json } from '../../report/page/report-run.js';
import { programsOf } from '../../report/page/run-programs.js';
import { storedFlows, type StoredFlows } from '../analysis/joined-flows.js';

/** A phase of a job, and which flows are of it. */
interface JobPhase {
  readonly job: number;
  readonly name: string;
  /** how often senders had waited before; of a training job 0 */
  readonly waits: number;
  firstStartPs: number;
  readonly flows: number[];
}

/** Different cuts of a part beyond which routes are not sought for each. */
const mostCuts = 64;

/**
 * The phases of a run.
 * @param rankOf rank by node; -1: no host
 * @returns null if it has not two phases or more, or if a flow is of a node that is no host
 * @throws InputError, HostFileError
 */
export async function runPhases(run: RunTables, rankOf: Int32Array, hosts: number): Promise<TrafficPhase[] | null> {
  const [messages, collectives] = [run.tables.get(messageTable.name), run.tables.get(collectiveTable.name)];
  if (messages === undefined && collectives === undefined) return null;
  const flows = await storedFlows(run);
  const phases = new Map<string, JobPhase>();
  const take: Take = (job, name, flow, waits = 0) => {
    const key = `${job} ${waits} ${name}`;
    let own = phases.get(key);
    if (own === undefined) phases.set(key, (own = { job, name, waits, firstStartPs: Infinity, flows: [] }));
    own.firstStartPs = Math.min(own.firstStartPs, flows.startPs[flow]!);
    own.flows.push(flow);
  };
  if (messages !== undefined) await takeMessages(run, messages, flows, take);
  if (collectives !== undefined) await takeCollectives(collectives, flows, take);
  const cut = [...listsBy(phases.values(), ({ job, name }) => `${job} ${name}`).values()].flatMap((cuts) =>
    differentCuts(cuts, flows),
  );
  return cut.length < 2 ? null : builtPhases(cut, flows, rankOf, hosts);
}

type Take = (job: number, name: string, flow: number, waits?: number) => void;

/** The cuts of a part, those that send the same as one; one phase if too many differ. */
function differentCuts(cuts: readonly JobPhase[], flows: StoredFlows): JobPhase[] {
  if (cuts.length === 1) return [...cuts];
  const different: { readonly sent: Float64Array; readonly cuts: JobPhase[] }[] = [];
  for (const cut of [...cuts].sort((a, b) => a.firstStartPs - b.firstStartPs)) {
    const sent = sentBy(cut, flows);
    const same = different.find((own) => isEqual(own.sent, sent));
    if (same !== undefined) same.cuts.push(cut);
    else if (different.length === mostCuts) return [together(cuts, cuts[0]!.name)];
    else different.push({ sent, cuts: [cut] });
  }
  const named = (place: number): string =>
    different.length === 1 ? cuts[0]!.name : `${cuts[0]!.name} ${place + 1} of ${different.length}`;
  return different.map((own, place) => together(own.cuts, named(place)));
}

function together(cuts: readonly JobPhase[], name: string): JobPhase {
  return {
    ...cuts[0]!,
    name,
    firstStartPs: cuts.reduce((first, { firstStartPs }) => Math.min(first, firstStartPs), Infinity),
    flows: cuts.flatMap((cut) => cut.flows),
  };
}

/** Pairs of nodes, ascending, each with its bytes behind it. */
function sentBy({ flows: own }: JobPhase, { source, destination, sizeBytes }: StoredFlows): Float64Array {
  const bytes = new Map<number, number>();
  for (const flow of own) {
    const pair = source[flow]! * 2 ** 26 + destination[flow]!;
    bytes.set(pair, (bytes.get(pair) ?? 0) + sizeBytes[flow]!);
  }
  return Float64Array.from([...bytes].sort(([a], [b]) => a - b).flat());
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Messages of programs: the parts of the program. */
async function takeMessages(run: RunTables, table: TableSource, flows: StoredFlows, take: Take): Promise<void> {
  const programs = programsOf({ summary: (run.summary ?? null) as Json });
  // runs of earlier versions do not say it
  const knowsWaits = table.schema.columns.some(({ name }) => name === 'waits');
  const columns = await wholeColumns(table, ['flow', 'job', 'phase', ...(knowsWaits ? ['waits'] : [])]);
  const placeOf = new Map(Array.from(flows.flowId, (id, place) => [id, place]));
  columns.get('flow')!.forEach((id, row) => {
    const flow = placeOf.get(id);
    if (flow === undefined) return;
    const [program, phase] = [columns.get('job')![row]!, columns.get('phase')![row]!];
    // programs are numbered apart from training jobs
    take(-1 - program, programs[program]?.phases[phase] || `phase ${phase}`, flow, columns.get('waits')?.[row]);
  });
}

/** Collectives of training jobs: the kind of the group. */
async function takeCollectives(table: TableSource, flows: StoredFlows, take: Take): Promise<void> {
  const placeOf = new Map(Array.from(flows.flowId, (id, place) => [id, place]));
  for await (const piece of table.pieces(['job', 'group', 'firstFlow', 'flows'])) {
    const [job, first, count, group] = [
      piece.numbers('job'),
      piece.numbers('firstFlow'),
      piece.numbers('flows'),
      piece.words('group'),
    ];
    for (let row = 0; row < piece.rows; row++)
      for (let id = first[row]!; first[row]! >= 0 && id < first[row]! + count[row]!; id++) {
        const flow = placeOf.get(id);
        if (flow !== undefined) take(job[row]!, group[row]!, flow);
      }
  }
}

function builtPhases(
  phases: readonly JobPhase[],
  flows: StoredFlows,
  rankOf: Int32Array,
  hosts: number,
): TrafficPhase[] | null {
  const byJob = new Map<number, JobPhase[]>();
  for (const phase of phases) addTo(byJob, phase.job, phase);
  const joined: JobPhase[][] = [];
  for (const own of byJob.values())
    own.sort((a, b) => a.firstStartPs - b.firstStartPs).forEach((phase, place) => (joined[place] ??= []).push(phase));
  const isTaken = new Uint8Array(flows.flows);
  const built: TrafficPhase[] = [];
  let isWhole = true;
  const build = (name: string, own: readonly number[]): void => {
    const builder = new TrafficBuilder(hosts, 'bytes');
    for (const flow of own) {
      if (isTaken[flow] === 1) continue;
      isTaken[flow] = 1;
      const [from, to] = [rankOf[flows.source[flow]!] ?? -1, rankOf[flows.destination[flow]!] ?? -1];
      if (from < 0 || to < 0) isWhole = false;
      else builder.add(from, to, flows.sizeBytes[flow]!);
    }
    if (builder.length > 0) built.push({ name, matrix: builder.build() });
  };
  for (const own of joined)
    build(
      own.map(({ name }) => name).join(', '),
      own.flatMap((phase) => phase.flows),
    );
  build(
    'no phase',
    Array.from({ length: flows.flows }, (_, flow) => flow),
  );
  return isWhole ? built : null;
}
