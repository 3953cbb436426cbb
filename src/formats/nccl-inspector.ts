// What NCCL Inspector (the profiler plug-in of NCCL) writes: one JSON object per operation, communicator and rank.
//   {"header":{"id":"0x7f8c","rank":2,"n_ranks":8,"nnodes":1},"metadata":{...},"coll_perf":{"coll":"AllReduce",
//    "coll_sn":1407,"coll_msg_size_bytes":17179869184,"coll_exec_time_us":61974,"coll_busbw_gbs":485.119099}}
// Rows are by communicator size, kind and message size: an operation lasts as long as on its slowest rank, and the row
// is the median of its operations.
// Invariant: a record of a collective that Weft simulates is counted or an error; records of point-to-point operations,
// proxies and other collectives are passed over.
// Source: the plug-in's README (format v4.0). The message size of allgather and reduce-scatter is a rank's share: its
// own algbw is share x ranks / time, so the whole buffer is share x ranks.

import { listsBy } from '../base/lists-by-key.js';
import { FileProblems, type Diagnostics, wholeFile } from '../base/diagnostics.js';
import { busFactor } from '../collectives/bus-bandwidth.js';
import type { CollectiveKind } from '../collectives/schedule.js';
import { JsonMistake, placedValues, type PlacedValue } from './json-places.js';
import type { MeasuredRow, MeasuredTable } from './measured-rows.js';

const kinds: ReadonlyMap<string, CollectiveKind> = new Map([
  ['AllReduce', 'allreduce'],
  ['AllGather', 'allgather'],
  ['ReduceScatter', 'reducescatter'],
  ['Broadcast', 'broadcast'],
  ['Reduce', 'reduce'],
  ['AlltoAll', 'alltoall'],
  ['AllToAll', 'alltoall'],
]);
/** message sizes of these are a rank's share */
const shares: ReadonlySet<CollectiveKind> = new Set(['allgather', 'reducescatter', 'alltoall']);

interface Operation extends Group {
  readonly sizeBytes: number;
  /** of the slowest rank so far */
  timeUs: number;
  readonly at: PlacedValue;
}

interface Group {
  readonly kind: CollectiveKind;
  readonly test: string;
  readonly ranks: number;
  readonly servers: number | null;
}

type Members = ReadonlyMap<string, PlacedValue>;

/** Reads what the Inspector wrote. @returns a table per collective and communicator size */
export function readNcclInspector(text: string, file: string, diagnostics: Diagnostics): MeasuredTable[] {
  const problems = new FileProblems(file, diagnostics);
  const operations = new Map<string, Operation>();
  try {
    for (const placed of placedValues(text)) {
      for (const record of Array.isArray(placed.value) ? (placed.value as readonly PlacedValue[]) : [placed])
        take(record, operations, problems);
      if (diagnostics.full) break;
    }
  } catch (mistake) {
    if (!(mistake instanceof JsonMistake)) throw mistake;
    problems.error('measured-json', mistake.at, 'this is no JSON', {
      got: mistake.got,
      wanted: mistake.wanted,
      hint: 'a run that was cut off leaves half a record: take it out',
    });
  }
  if (operations.size === 0 && !problems.failed)
    problems.error('measured-empty', wholeFile, 'there is no collective in the file', {
      wanted: `records of NCCL Inspector with coll_perf of ${[...kinds.keys()].join(', ')}`,
    });
  return tablesOf([...operations.values()]);
}

function take(record: PlacedValue, operations: Map<string, Operation>, problems: FileProblems): void {
  const members = membersOf(record);
  if (members === null) {
    problems.error('measured-record', record, 'a record is no object', {
      got: JSON.stringify(record.value).slice(0, 60),
      wanted: 'an object with header and coll_perf',
    });
    return;
  }
  const measured = members.get('coll_perf');
  if (measured === undefined) return;
  const collective = membersOf(measured);
  const header = membersOf(members.get('header') ?? record);
  const name = collective?.get('coll')?.value;
  const kind = typeof name === 'string' ? kinds.get(name) : undefined;
  if (collective === null || typeof name !== 'string') {
    problems.error('measured-record', measured, 'coll_perf does not say which collective', {
      wanted: 'coll_perf: { coll: "AllReduce", ... }',
    });
    return;
  }
  if (kind === undefined) return;
  const number = (of: Members | null, key: string, least: number, isWhole: boolean): number => {
    const placed = of?.get(key);
    const value = placed?.value;
    if (typeof value === 'number' && value >= least && (isWhole ? Number.isSafeInteger(value) : value < 1e15))
      return value;
    problems.error('measured-record', placed ?? measured, `${key} is missing or no such number`, {
      ...(placed === undefined ? {} : { got: typeof value === 'object' ? 'no number' : String(value) }),
      wanted: `${key}, ${isWhole ? 'a whole number' : 'a number'}, at least ${least}`,
    });
    return NaN;
  };
  const ranks = number(header, 'n_ranks', 1, true);
  const shareBytes = number(collective, 'coll_msg_size_bytes', 0, true);
  const timeUs = number(collective, 'coll_exec_time_us', 0, false);
  const serial = number(collective, 'coll_sn', 0, true);
  const servers = header?.get('nnodes')?.value;
  const sizeBytes = shareBytes * (shares.has(kind) ? ranks : 1);
  if (Number.isNaN(sizeBytes + timeUs + serial)) return;
  const communicator = header?.get('id')?.value;
  const key = `${typeof communicator === 'string' ? communicator : ''} ${ranks} ${name} ${serial} ${sizeBytes}`;
  const known = operations.get(key);
  if (known !== undefined) known.timeUs = Math.max(known.timeUs, timeUs);
  else
    operations.set(key, {
      kind,
      test: name,
      ranks,
      servers: typeof servers === 'number' ? servers : null,
      sizeBytes,
      timeUs,
      at: record,
    });
}

function membersOf({ value }: PlacedValue): Members | null {
  return value instanceof Map ? (value as Members) : null;
}

function tablesOf(operations: readonly Operation[]): MeasuredTable[] {
  const tables = listsBy(operations, (each) => `${each.kind} ${each.ranks} ${each.servers}`);
  return [...tables.values()].map((group) => {
    const { kind, test, ranks, servers, at } = group[0]!;
    return { line: at.line, column: at.column, kind, test, ranks, servers, rows: rowsOf(group) };
  });
}

function rowsOf(group: readonly Operation[]): MeasuredRow[] {
  return [...listsBy(group, (each) => each.sizeBytes)]
    .sort(([a], [b]) => a - b)
    .map(([sizeBytes, own]) => {
      const timeUs = median(own.map((operation) => operation.timeUs));
      const { kind, ranks, at } = own[0]!;
      const algbwGBps = timeUs > 0 ? sizeBytes / timeUs / 1e3 : null;
      return {
        line: at.line,
        column: at.column,
        sizeBytes,
        outOfPlace: {
          timeUs,
          algbwGBps,
          busbwGBps: algbwGBps === null ? null : algbwGBps * busFactor(kind, ranks),
          wrong: null,
        },
        inPlace: null,
        how: null,
      };
    });
}

/** The middle one, of an even number the mean of both. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
