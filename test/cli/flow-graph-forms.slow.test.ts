// A flow graph of several groups of rows, as JSON lines and as Parquet.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linesOf, plain, weft } from '../support/flow-graph-command.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-flow-graph-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('weft collective --flow-graph', () => {
  it('writes the same graph as JSON lines and as Parquet, over several groups of rows', async () => {
    const [lines, parquet] = [join(folder, 'a.jsonl'), join(folder, 'a.parquet')];
    const words = ['collective', 'alltoall', '--fabric', 'spectrum-x', '--gpus', '136', '--sizes', '1MiB'];
    const ran = await weft(...words, '--flow-graph', lines, '--json');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      outcome: 'finished',
      file: lines,
      flows: 136 * 135,
      flowBytes: 135 * 2 ** 20,
    });
    expect((await weft(...words, '--flow-graph', parquet)).code).toBe(0);
    const read = await linesOf(lines);
    expect(read).toHaveLength(136 * 135);
    const file = await asyncBufferFromFile(parquet);
    expect((await parquetMetadataAsync(file)).row_groups).toHaveLength(2);
    const rows = await parquetReadObjects({ file });
    expect(
      rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)]))),
    ).toEqual(read);
  });
});
