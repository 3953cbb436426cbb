// Run directories: what is written can be read by others, what was there before is respected, a failure leaves nothing
// behind.

import { cp, mkdir, mkdtemp, readFile, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { FabricBuilder, NodeKind } from '../../src/fabric/fabric.js';
import { readEndToEnd } from '../../src/formats/simai-end-to-end.js';
import { readTopology } from '../../src/formats/simai-topology.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { flowTable, hopTable } from '../../src/records/flow-records.js';
import { collectiveTable, timelineTable } from '../../src/records/job-records.js';
import { queueTable, rateTable } from '../../src/records/probe-records.js';
import { TableWriter } from '../../src/records/schema.js';
import { RunDirectory, type StoredRun } from '../../src/storage/run-directory.js';
import { runFolders } from '../../src/storage/run-folder.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { jobWith, pipelineJob } from '../support/hand-made-job.js';
import { pipelineTimeline, writeTimeline } from '../support/hand-made-timeline.js';
import { burstFlow, figuresWith, identityWith, writeFacts, type FlowFact } from '../support/hand-made-run.js';

const runFiles = ['fct.txt', 'flows.parquet', 'manifest.json', 'paths.csv', 'summary.json'];
const burst = Array.from({ length: 8 }, (_, i) => burstFlow(i, 20 + i, 10_000, 849_712_000));

let folder = '';
let out = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-run-'));
  out = join(folder, 'out');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function store(path: string, facts: Iterable<FlowFact>, figures: RunSummary = figuresWith()): Promise<StoredRun> {
  const directory = await RunDirectory.create(await runFolders(path), identityWith());
  await writeFacts(directory, facts);
  return directory.finish(figures, summaryObject(identityWith(), figures));
}

/** The names in a folder, sorted. */
async function listing(path: string): Promise<string[]> {
  const names = await readdir(path);
  names.sort();
  return names;
}

async function json(...path: string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(...path), 'utf8')) as Record<string, unknown>;
}

describe('the files of a run', () => {
  it('are all there under the final name, and only there', async () => {
    const stored = await store(out, burst);
    expect(stored).toEqual({ path: out, keptAside: [] });
    expect(await readdir(folder)).toEqual(['out']);
    expect(await listing(out)).toEqual(runFiles);
    expect((await readFile(join(out, 'fct.txt'), 'utf8')).split('\n')[1]).toBe(
      '0b000101 0b000901 10000 100 10485760 0 849712 850591',
    );
    expect((await readFile(join(out, 'paths.csv'), 'utf8')).split('\n')[2]).toBe(
      '1,0b000101,0b000901,10000,100,3,18:10|21:2|19:2',
    );
  });

  it('hold the fabric where it is known, so that a run can be drawn without its scenario', async () => {
    const builder = new FabricBuilder(2, 'H100');
    builder.addNodes(NodeKind.host, 2);
    builder.addNode(NodeKind.switch);
    for (const host of [0, 1]) builder.addLink(host, 2, 100e9, 500_000);
    const fabric = builder.build();
    const identity = identityWith({ fabric });
    const directory = await RunDirectory.create(await runFolders(out), identity);
    await writeFacts(directory, burst);
    await directory.finish(figuresWith(), summaryObject(identity, figuresWith()));
    expect(await listing(out)).toEqual(['fabric.topo', ...runFiles]);
    expect((await json(out, 'manifest.json'))['files']).toContain('fabric.topo');
    const diagnostics = new Diagnostics();
    expect(readTopology(await readFile(join(out, 'fabric.topo'), 'utf8'), 'fabric.topo', diagnostics)).toEqual(fabric);
  });

  it('say what was run in the manifest, and how long it took only in the summary', async () => {
    await store(out, burst);
    const manifest = await json(out, 'manifest.json');
    expect(manifest).toMatchObject({
      format: 'weft-run',
      weftVersion: '9.9.9',
      seed: 7,
      outcome: 'finished',
      partial: false,
      scenario: { fabric: { gpus: 16 } },
      files: expect.arrayContaining(runFiles) as unknown,
    });
    expect(manifest['tables']).toMatchObject([
      { name: 'flows', rows: 8, files: ['flows.parquet', 'fct.txt'] },
      { name: 'hops', rows: 24, files: ['paths.csv'] },
    ]);
    expect(JSON.stringify(manifest)).not.toMatch(/seconds|memory/i);
    expect(await json(out, 'summary.json')).toMatchObject({
      flows: 8,
      finished: 8,
      collisions: { links: 4, flowPairs: 2 },
      packetHops: 56_192,
      cpuSeconds: 0.125,
      wallSeconds: 0.25,
    });
  });

  it('are the same bytes each time, but for the summary', async () => {
    await store(out, burst);
    await store(`${out}2`, burst, figuresWith({ cpuSeconds: 99, wallSeconds: 99, peakMemoryBytes: 1 }));
    for (const file of runFiles.filter((name) => name !== 'summary.json')) {
      expect((await readFile(join(out, file))).equals(await readFile(join(`${out}2`, file))), file).toBe(true);
    }
  });

  it('hold the flows as Parquet with whole numbers, in several row groups', async () => {
    const count = 70_000;
    function* facts(): Generator<FlowFact> {
      for (let i = 0; i < count; i++) yield { ...burstFlow(i, 20, i % 65_536, 2 ** 52 + i), hops: [] };
    }
    await store(out, facts());
    const file = await asyncBufferFromFile(join(out, 'flows.parquet'));
    const metadata = await parquetMetadataAsync(file);
    expect(metadata.row_groups.map((group) => Number(group.num_rows))).toEqual([32_768, 32_768, 4464]);
    expect(metadata.schema.slice(1).map(({ name, type, converted_type }) => [name, type, converted_type])).toEqual([
      ['flowId', 'INT64', undefined],
      ['source', 'INT32', undefined],
      ['destination', 'INT32', undefined],
      ['sourcePort', 'INT32', 'UINT_16'],
      ['destinationPort', 'INT32', 'UINT_16'],
      ['sizeBytes', 'INT64', undefined],
      ['startPs', 'INT64', undefined],
      ['finishPs', 'INT64', undefined],
      ['idealPs', 'INT64', undefined],
    ]);
    expect(JSON.parse(metadata.key_value_metadata!.find(({ key }) => key === 'weft.table')!.value!)).toEqual(flowTable);
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(count);
    for (const i of [0, 32_767, 32_768, 65_535, count - 1]) {
      expect(rows[i]).toEqual({
        flowId: BigInt(i),
        source: i,
        destination: i + 8,
        sourcePort: i % 65_536,
        destinationPort: 100,
        sizeBytes: 10_485_760n,
        startPs: 0n,
        finishPs: 2n ** 52n + BigInt(i),
        idealPs: 850_591_000n,
      });
    }
  });

  it('are complete without a single flow', async () => {
    await store(out, []);
    expect(await readFile(join(out, 'fct.txt'), 'utf8')).toBe('');
    expect(await readFile(join(out, 'paths.csv'), 'utf8')).toBe('flow_id,sip,dip,sport,dport,n_hops,hops\n');
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(join(out, 'flows.parquet')) })).toEqual([]);
  });

  it('are joined by those of the probes that were asked for', async () => {
    const tables = [flowTable, hopTable, queueTable, rateTable];
    const directory = await RunDirectory.create(await runFolders(out), identityWith({ tables }));
    const queues = new TableWriter(queueTable, directory);
    for (const row of [
      [5_000, 18, 1, 2, 3, 1500, 1700],
      [5_000, 18, 1, 2, 6, 200, 1700],
      [7_000, 18, 1, 2, 3, 0, 200],
    ]) {
      for (const [i, value] of row.entries()) queues.columns[i]![queues.rows] = value;
      queues.commit();
    }
    queues.flush();
    await directory.finish(figuresWith(), {});
    expect(await listing(out)).toEqual(
      [...runFiles, 'qlen.txt', 'queue.txt', 'queues.parquet', 'rate.txt', 'rates.parquet'].sort(),
    );
    expect(await readFile(join(out, 'queue.txt'), 'utf8')).toBe(await readFile(join(out, 'qlen.txt'), 'utf8'));
    expect((await json(out, 'manifest.json'))['files']).toContain('queue.txt');
    expect((await json(out, 'manifest.json'))['tables']).toMatchObject([
      { name: 'flows' },
      { name: 'hops' },
      { name: 'queues', rows: 3, files: ['queues.parquet', 'qlen.txt'] },
      { name: 'rates', rows: 0, files: ['rates.parquet', 'rate.txt'] },
    ]);
    expect(await parquetReadObjects({ file: await asyncBufferFromFile(join(out, 'queues.parquet')) })).toMatchObject([
      { timePs: 5000n, node: 18, priority: 3, queueBytes: 1500n },
      { priority: 6 },
      { timePs: 7000n, portBytes: 200n },
    ]);
    expect(await readFile(join(out, 'qlen.txt'), 'utf8')).toContain(
      '\n7, 18, 2, 3, 0, 200\n7, 18, 2, 4, 0, 200\n7, 18, 2, 5, 0, 200\n7, 18, 2, 6, 200, 200\n',
    );
    expect(await readFile(join(out, 'rate.txt'), 'utf8')).toBe('time, src, dst, sport, dport, size, curr_rate\n');
    // and the next run replaces them all
    await store(out, burst);
    expect(await listing(out)).toEqual(runFiles);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it("are joined by those of jobs: timeline, its picture, collectives, and SimAI's file for each", async () => {
    const identity = identityWith({
      tables: [flowTable, hopTable, timelineTable, collectiveTable],
      jobs: ['first', 'second'].map((name) => ({ name, optimizerLayers: new Set<number>() })),
    });
    const figures = figuresWith({ jobs: [jobWith(), pipelineJob()] });
    for (let times = 0; times < 2; times++) {
      const directory = await RunDirectory.create(await runFolders(out), identity);
      writeTimeline(directory, pipelineTimeline(2, 2, 1e9));
      await directory.finish(figures, summaryObject(identity, figures));
      // the second time the first run is replaced, all of it
      expect(await readdir(folder)).toEqual(['out']);
      expect(await listing(out)).toEqual([
        'collectives.parquet',
        'fct.txt',
        'flows.parquet',
        'manifest.json',
        'ncclFlowModel_job0_EndToEnd.csv',
        'ncclFlowModel_job1_EndToEnd.csv',
        'paths.csv',
        'summary.json',
        'timeline.parquet',
        'timeline.svg',
      ]);
    }
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(out, 'timeline.parquet')) });
    // two stages, two micro-batches: the first waits once in the middle, the second once at its begin
    expect(rows.length).toBe(2 * 2 * 3 + 3);
    expect(rows[0]).toMatchObject({
      job: 0,
      rank: 0,
      activity: 'compute',
      group: 'none',
      pass: 'forward',
      microBatch: 0,
      startPs: 0n,
      finishPs: 1_000_000_000n,
    });
    expect(await readFile(join(out, 'timeline.svg'), 'utf8')).toMatch(/^<svg [^]*rank 8<[^]*<\/svg>\n$/);
    const diagnostics = new Diagnostics();
    const read = readEndToEnd('csv', await readFile(join(out, 'ncclFlowModel_job1_EndToEnd.csv'), 'utf8'), diagnostics);
    expect(diagnostics.list).toEqual([]);
    expect(read).toMatchObject({ run: 'gpt', totalUs: 10_000, totalComputeUs: 6000, totalExposedUs: 4000 });
    expect((await json(out, 'manifest.json'))['files']).toEqual(
      expect.arrayContaining(['timeline.svg', 'ncclFlowModel_job0_EndToEnd.csv']),
    );
  });

  it('stay in DIR.partial, complete, when the run was stopped', async () => {
    await store(out, burst);
    const stored = await store(out, burst.slice(0, 3), figuresWith({ outcome: 'stopped', finished: 3 }));
    expect(stored.path).toBe(`${out}.partial`);
    expect(await listing(`${out}.partial`)).toEqual(runFiles);
    expect(await json(`${out}.partial`, 'manifest.json')).toMatchObject({ partial: true, outcome: 'stopped' });
    expect(
      await parquetReadObjects({ file: await asyncBufferFromFile(join(`${out}.partial`, 'flows.parquet')) }),
    ).toHaveLength(3);
    expect(await json(out, 'manifest.json')).toMatchObject({ partial: false });
    await store(out, burst);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('push back when they are written faster than the disk takes them', async () => {
    const directory = await RunDirectory.create(await runFolders(out), identityWith());
    const writer = new TableWriter(flowTable, directory);
    for (let i = 0; i < 40 * 4096; i++) writer.commit();
    expect(directory.full).toBe(true);
    await directory.drain();
    expect(directory.full).toBe(false);
    await directory.discard();
  });
});

describe('what stands there already', () => {
  it('is replaced if it is an earlier run', async () => {
    await store(out, burst.slice(0, 1));
    await store(out, burst);
    expect(await json(out, 'manifest.json')).toMatchObject({ tables: [{ rows: 8 }, {}] });
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('is replaced if it is the leftover of a run that was killed', async () => {
    const directory = await RunDirectory.create(await runFolders(out), identityWith());
    await cp(`${out}.partial`, join(folder, 'copy'), { recursive: true });
    await directory.discard();
    await rename(join(folder, 'copy'), `${out}.partial`);
    await writeFile(join(`${out}.partial`, '.writer'), `999999999 ${hostname()}\n`);
    await store(out, burst);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['before it was named', { '.writer': '' }],
    ['before its first manifest', { '.writer': `999999999 ${hostname()}\n` }],
    ['while it wrote its first manifest', { '.writer': `999999999 ${hostname()}\n`, 'manifest.json.new': '{"for' }],
  ])('is replaced if it is the leftover of a run that ended %s', async (_name, files) => {
    await mkdir(`${out}.partial`);
    for (const [name, text] of Object.entries(files)) await writeFile(join(`${out}.partial`, name), text);
    await store(out, burst);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it.skipIf(process.platform === 'win32').each(['manifest.json', '.writer'])(
    'is left alone if its %s is a FIFO, without waiting for who writes to it',
    async (name) => {
      await mkdir(`${out}.partial`);
      execFileSync('mkfifo', [join(`${out}.partial`, name)]);
      await writeFile(join(`${out}.partial`, 'x'), '');
      await expect(runFolders(out)).rejects.toThrow(/not an interrupted run/);
      expect(new Set(await readdir(`${out}.partial`))).toEqual(new Set([name, 'x']));
    },
  );

  it("keeps the user's own files when the run around them is replaced", async () => {
    await store(out, burst);
    await writeFile(join(out, 'notes.md'), 'mine');
    const stored = await store(out, burst);
    expect(stored.keptAside).toEqual([`${out}.previous`]);
    expect(await readdir(`${out}.previous`)).toEqual(['notes.md']);
    expect(await listing(out)).toEqual(runFiles);
  });

  it.each<[string, (path: string) => Promise<void>]>([
    [
      'a folder with something in it',
      async (path) => {
        await mkdir(path);
        await writeFile(join(path, 'thesis.tex'), 'years');
      },
    ],
    ['a file', (path) => writeFile(path, 'text')],
    [
      "a folder with somebody else's manifest",
      async (path) => {
        await mkdir(path);
        await writeFile(join(path, 'manifest.json'), '{"format":"other"}');
      },
    ],
  ])('is refused and left alone if it is %s', async (_name, make) => {
    await make(out);
    const before = await readdir(folder, { recursive: true });
    await expect(runFolders(out)).rejects.toMatchObject({
      name: 'InputError',
      diagnostics: [{ code: 'output-path', file: out }],
    });
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it('may be an empty folder, but not the working folder', async () => {
    await mkdir(out);
    expect(await store(out, burst)).toEqual({ path: out, keptAside: [] });
    expect(await readdir(folder)).toEqual(['out']);
    expect(await listing(out)).toEqual(runFiles);
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(await realpath(empty));
    await expect(runFolders(empty)).rejects.toThrow(/is the working folder/);
    cwd.mockRestore();
  });

  it('is refused if a run has begun in DIR.partial that lives', async () => {
    await mkdir(`${out}.partial`);
    await writeFile(join(`${out}.partial`, '.writer'), `${process.ppid} ${hostname()}\n`);
    await expect(runFolders(out)).rejects.toThrow(/another run is writing/);
  });

  it('is refused if DIR.partial is not a run, or is being written now', async () => {
    await mkdir(`${out}.partial`);
    await writeFile(join(`${out}.partial`, 'x'), '');
    await expect(runFolders(out)).rejects.toMatchObject({ name: 'InputError' });
    await rm(`${out}.partial`, { recursive: true });
    const directory = await RunDirectory.create(await runFolders(out), identityWith());
    await expect(runFolders(out)).rejects.toThrow(/another run is writing/);
    await directory.discard();
  });

  it('may be a symbolic link to an earlier run', async () => {
    await store(out, burst.slice(0, 1));
    await symlink(out, join(folder, 'latest'));
    await store(join(folder, 'latest'), burst);
    expect(await json(out, 'manifest.json')).toMatchObject({ tables: [{ rows: 8 }, {}] });
    expect(await listing(folder)).toEqual(['latest', 'out']);
  });

  it('cannot be a path through a file, nor nothing', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(runFolders(join(folder, 'file', 'out'))).rejects.toMatchObject({ name: 'InputError' });
    await expect(runFolders('  ')).rejects.toMatchObject({ name: 'InputError' });
    await expect(runFolders(join(folder, 'x'.repeat(300)))).rejects.toMatchObject({ name: 'InputError' });
  });
});

describe('a run that fails', () => {
  it('leaves nothing behind, not even the folders made for it', async () => {
    const directory = await RunDirectory.create(await runFolders(join(folder, 'a', 'b', 'out')), identityWith());
    await writeFacts(directory, burst);
    await directory.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves an earlier run as it was', async () => {
    await store(out, burst);
    const directory = await RunDirectory.create(await runFolders(out), identityWith());
    await directory.discard();
    expect(await readdir(folder)).toEqual(['out']);
    expect(await listing(out)).toEqual(runFiles);
  });

  it('says so where nothing can be written', async () => {
    // /proc takes no folders, whoever asks
    await expect(
      runFolders('/proc/weft-out').then((folders) => RunDirectory.create(folders, identityWith())),
    ).rejects.toMatchObject({ name: 'OutputError' });
  });

  it('does not take a name that somebody else took meanwhile', async () => {
    const directory = await RunDirectory.create(await runFolders(out), identityWith());
    await mkdir(out);
    await writeFile(join(out, 'x'), '');
    await expect(directory.finish(figuresWith(), {})).rejects.toThrow(/the results are complete .* in .*out\.partial/);
    await directory.discard();
    expect(await listing(`${out}.partial`)).toEqual(runFiles);
    expect(await readdir(out)).toEqual(['x']);
  });
});
