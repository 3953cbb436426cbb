// Categories are words in Parquet and numbers in the records and their digest; the words are those of the code.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, expect, it } from 'vitest';
import { DigestSink } from '../../src/app/digest.js';
import { algorithmNames } from '../../src/collectives/schedule.js';
import { nodeKindNames } from '../../src/fabric/fabric.js';
import { communicationKinds } from '../../src/jobs/job-report.js';
import { PassIndex } from '../../src/jobs/program.js';
import { Activity, collectiveTable, timelineTable } from '../../src/records/job-records.js';
import { pauseTable, pfcEventTable, queueTable } from '../../src/records/probe-records.js';
import type { ColumnSchema, TableSchema } from '../../src/records/schema.js';
import { OutputFile } from '../../src/storage/output-file.js';
import { ParquetOutput } from '../../src/storage/parquet-output.js';
import { collectiveNames } from '../../src/workload/workload.js';
import { writeTimeline } from '../support/hand-made-timeline.js';

const folder = mkdtempSync(join(tmpdir(), 'weft-categories-'));
afterAll(() => rmSync(folder, { recursive: true }));

const words = ({ columns }: TableSchema, name: string): Readonly<Record<number, string>> =>
  columns.find((column: ColumnSchema) => column.name === name)!.categories!;
const numbered = (names: readonly string[], from = 0): Record<number, string> =>
  Object.fromEntries(names.map((name, i) => [i, name] as const).slice(from));

it('the words are those of the code', () => {
  expect(words(timelineTable, 'activity')).toEqual(numbered(Object.keys(Activity)));
  for (const table of [timelineTable, collectiveTable])
    expect(words(table, 'pass')).toEqual(numbered(Object.keys(PassIndex)));
  expect(words(collectiveTable, 'group')).toEqual(numbered(communicationKinds));
  expect(words(timelineTable, 'group')).toEqual({ ...numbered(communicationKinds), 255: 'none' });
  expect(words(collectiveTable, 'collective')).toEqual(numbered(collectiveNames, 1));
  expect(words(collectiveTable, 'algorithm')).toEqual({ ...numbered(algorithmNames), 255: 'model' });
  for (const table of [queueTable, pfcEventTable]) expect(words(table, 'nodeKind')).toEqual(numbered(nodeKindNames));
  expect(words(pauseTable, 'pausedNodeKind')).toEqual(numbered(nodeKindNames));
});

it('Parquet has the words in a dictionary, the digest is that of the numbers', async () => {
  const path = join(folder, 'timeline.parquet');
  const file = await OutputFile.create(path);
  const output = new ParquetOutput(timelineTable, file);
  const sink = new DigestSink({ full: false, put: (batch) => output.put(batch), drain: () => file.drain() });
  const alone = new DigestSink(undefined);
  const facts = Array.from({ length: 70_000 }, (_, i) => ({
    activity: i % 3,
    group: i % 3 === 0 ? 255 : i % 6,
    pass: i % 4,
  }));
  writeTimeline(sink, facts);
  writeTimeline(alone, facts);
  output.end();
  await file.close();
  expect(sink.digest()).toBe(alone.digest());
  const buffer = await asyncBufferFromFile(path);
  const rows = await parquetReadObjects({ file: buffer, columns: ['activity', 'group', 'pass'] });
  expect(rows.map(({ activity, group, pass }) => `${activity} ${group} ${pass}`)).toEqual(
    facts.map(({ activity, group, pass }) =>
      [
        ['compute', 'wait', 'receive'][activity],
        group === 255 ? 'none' : ['TP', 'DP', 'EP', 'DP_EP', 'PP', 'all'][group],
        ['forward', 'inputGradient', 'weightGradient', 'update'][pass],
      ].join(' '),
    ),
  );
  const { row_groups } = await parquetMetadataAsync(buffer);
  for (const { columns } of row_groups)
    for (const name of ['activity', 'group', 'pass']) {
      const column = columns.find(({ meta_data }) => meta_data!.path_in_schema[0] === name)!.meta_data!;
      expect(column.type).toBe('BYTE_ARRAY');
      expect(column.dictionary_page_offset).toBeDefined();
    }
});

it('a number without a word is a bug, not a row', async () => {
  const file = await OutputFile.create(join(folder, 'bad.parquet'));
  const output = new ParquetOutput(timelineTable, file);
  const sink = { full: false, put: output.put.bind(output), drain: () => Promise.resolve() };
  expect(() => writeTimeline(sink, [{ activity: 7 }])).toThrow('column activity has no category 7');
  await file.abandon();
});
