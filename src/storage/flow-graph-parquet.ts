// Graphs of flows as Parquet, in pieces that are made as they are asked for.
// Invariants: memory does not grow with the graph (one group of rows); the same graph gives the same bytes; columns are
// the keys of the JSON lines (formats/single-flows.ts), whole numbers INT64 or INT32, never DOUBLE. Source:
// parquet-format 2, lists of three levels.

import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { FlowRecord } from '../formats/single-flows.js';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type Kind = 'whole' | 'small' | 'flag' | 'word' | 'list';
type Value = bigint | number | boolean | string | bigint[];

/** rows of a group, and numbers in its lists: some megabytes in memory */
const groupRows = 16_384;
const groupNumbers = 262_144;

/** The columns by name, in the order of the file. */
const kinds: Readonly<Record<keyof FlowRecord, Kind>> = {
  flow_id: 'whole',
  src: 'small',
  dest: 'small',
  flow_size: 'whole',
  prev: 'list',
  parallel_deps: 'list',
  child_flow_id: 'list',
  channel_id: 'small',
  chunk_id: 'small',
  chunk_count: 'small',
  conn_type: 'word',
  step: 'small',
  is_reduction: 'flag',
  wire_size: 'whole',
  collective: 'whole',
  operation: 'word',
  group: 'word',
  layer: 'small',
  pass: 'word',
  micro_batch: 'small',
  iteration: 'small',
};
const names = Object.keys(kinds) as (keyof FlowRecord)[];

/** Records of flows as the bytes of a Parquet file. */
export function* flowParquet(records: Iterable<FlowRecord>): Generator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'flows', num_children: names.length }, ...names.flatMap((name) => elements(name, kinds[name]))],
    createdBy: 'weft',
  });
  const columns = names.map((): Value[] => []);
  let numbers = 0;
  const taken = (): Uint8Array => {
    const piece = bytes.getBytes().slice();
    bytes.index = 0;
    return piece;
  };
  const group = (): Uint8Array => {
    const columnData = names.map((name, i) => ({
      name,
      data: columns[i]!.splice(0),
      offsetIndex: false,
      ...(kinds[name] === 'whole' ? { encoding: 'DELTA_BINARY_PACKED' as const } : {}),
    }));
    writer.write({ columnData, rowGroupSize: groupRows });
    numbers = 0;
    return taken();
  };
  for (const record of records) {
    names.forEach((name, i) => columns[i]!.push(valueOf(record[name], kinds[name])));
    numbers += record.prev.length + record.parallel_deps.length + record.child_flow_id.length;
    if (columns[0]!.length === groupRows || numbers >= groupNumbers) yield group();
  }
  if (columns[0]!.length > 0) yield group();
  writer.finish();
  yield taken();
}

function valueOf(value: FlowRecord[keyof FlowRecord], kind: Kind): Value {
  if (typeof value === 'number') return kind === 'whole' ? BigInt(value) : value;
  return typeof value === 'object' ? value.map(BigInt) : value;
}

function elements(name: string, kind: Kind): Element[] {
  switch (kind) {
    case 'whole':
      return [{ name, type: 'INT64', repetition_type: 'REQUIRED' }];
    case 'small':
      return [{ name, type: 'INT32', repetition_type: 'REQUIRED' }];
    case 'flag':
      return [{ name, type: 'BOOLEAN', repetition_type: 'REQUIRED' }];
    case 'word':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' }];
    case 'list':
      return [
        { name, repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'INT64', repetition_type: 'REQUIRED' },
      ];
  }
}
