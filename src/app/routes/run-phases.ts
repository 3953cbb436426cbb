// What a run sent in each phase of its programs and training jobs: the parts of a program, as its messages name them, and
// the kinds of groups of a training job, as its collectives do.
// Invariants: every flow that ended is in one phase, those that belong to none in the last; phases of a job stand in the
// order in which they began, and the k-th phases of several jobs are one, as they are of patterns.

import { addTo } from '../../base/lists-by-key.js';
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
  firstStartPs: number;
  readonly flows: number[];
}

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
  const take = (job: number, name: string, flow: number): void => {
    const key = `${job} ${name}`;
    let own = phases.get(key);
    if (own === undefined) phases.set(key, (own = { job, name, firstStartPs: Infinity, flows: [] }));
    own.firstStartPs = Math.min(own.firstStartPs, flows.startPs[flow]!);
    own.flows.push(flow);
  };
  if (messages !== undefined) await takeMessages(run, messages, flows, take);
  if (collectives !== undefined) await takeCollectives(collectives, flows, take);
  return phases.size < 2 ? null : builtPhases([...phases.values()], flows, rankOf, hosts);
}

type Take = (job: number, name: string, flow: number) => void;

/** Messages of programs: the parts of the program. */
async function takeMessages(run: RunTables, table: TableSource, flows: StoredFlows, take: Take): Promise<void> {
  const programs = programsOf({ summary: (run.summary ?? null) as Json });
  const columns = await wholeColumns(table, ['flow', 'job', 'phase']);
  const placeOf = new Map(Array.from(flows.flowId, (id, place) => [id, place]));
  columns.get('flow')!.forEach((id, row) => {
    const flow = placeOf.get(id);
    if (flow === undefined) return;
    const [program, phase] = [columns.get('job')![row]!, columns.get('phase')![row]!];
    // programs are numbered apart from training jobs
    take(-1 - program, programs[program]?.phases[phase] || `phase ${phase}`, flow);
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
  const together: JobPhase[][] = [];
  for (const own of byJob.values())
    own.sort((a, b) => a.firstStartPs - b.firstStartPs).forEach((phase, place) => (together[place] ??= []).push(phase));
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
  for (const own of together)
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
