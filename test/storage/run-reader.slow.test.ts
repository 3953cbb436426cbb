// What a run wrote is read back through one interface, from Parquet and from text alike, and files of others come in the
// same way; what cannot be read says which file and why.

import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { HostFileError } from '../../src/base/host.js';
import { ipv4OfNode, nodeOfIpv4 } from '../../src/fabric/addresses.js';
import { summaryObject } from '../../src/report/figures/run.js';
import { timelineTable } from '../../src/records/job-records.js';
import { flowTable, hopTable } from '../../src/records/flow-records.js';
import { RunDirectory } from '../../src/storage/run-directory.js';
import { runFolders } from '../../src/storage/run-folder.js';
import { openFiles, openRun, openRuns } from '../../src/storage/run-reader.js';
import { type RunReader } from '../../src/stored-runs/run-reader.js';
import { requireTable, wholeColumns, type TableSource } from '../../src/records/run-tables.js';
import { resealed } from '../support/changed-manifest.js';
import { burstFlow, figuresWith, identityWith, writeFacts, type FlowFact } from '../support/hand-made-run.js';
import { writeTimeline } from '../support/hand-made-timeline.js';

let folder = '';
const many = 40_000;
const facts: FlowFact[] = Array.from({ length: many }, (_, i) => ({
  ...burstFlow(i, 20 + (i % 8), 10_000 + (i % 50_000), 849_712_000 + i * 1000),
  source: i % 300,
  destination: 300 + (i % 7),
}));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-reader-'));
  await store(join(folder, 'run'), facts);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function store(path: string, flows: readonly FlowFact[]): Promise<void> {
  const identity = { ...identityWith(), tables: [flowTable, hopTable, timelineTable] };
  const directory = await RunDirectory.create(await runFolders(path), identity);
  await writeFacts(directory, flows);
  writeTimeline(directory, [{ activity: 0 }, { activity: 1 }]);
  await directory.finish(figuresWith(), summaryObject(identity, figuresWith()));
}

const table = (run: RunReader, name: string): TableSource => requireTable(run, name, 'test');
const of = (fact: (flow: FlowFact) => number): number[] => facts.map(fact);
async function column(run: RunReader, name: string, wanted: string): Promise<number[]> {
  return [...(await wholeColumns(table(run, name), [wanted])).get(wanted)!];
}
const refusal = async (opened: Promise<unknown>): Promise<string> => {
  const error: unknown = await opened.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error instanceof InputError || error instanceof HostFileError, String(error)).toBe(true);
  return (error as Error).message;
};

describe('a run of Weft', () => {
  it('is read back value by value, from Parquet and from text', async () => {
    const run = await openRun(join(folder, 'run'));
    expect(run.label).toBe('run');
    expect(run.manifest).toMatchObject({ weftVersion: '9.9.9', seed: 7, outcome: 'finished', partial: false });
    expect(run.manifest!.scenario).toEqual({ fabric: { gpus: 16 } });
    expect(run.summary).toMatchObject({ flows: 8 });
    expect([...run.tables.keys()]).toEqual(['flows', 'hops', 'timeline']);
    expect(table(run, 'flows').schema).toMatchObject(flowTable);
    expect(table(run, 'flows').rows).toBe(many);
    expect(table(run, 'hops').rows).toBe(3 * many);
    expect(await column(run, 'flows', 'flowId')).toEqual(of((flow) => flow.flowId));
    expect(await column(run, 'flows', 'source')).toEqual(of((flow) => flow.source));
    expect(await column(run, 'flows', 'sourcePort')).toEqual(of((flow) => flow.sourcePort));
    expect(await column(run, 'flows', 'finishPs')).toEqual(of((flow) => flow.finishPs));
    expect(await column(run, 'hops', 'node')).toEqual(facts.flatMap((flow) => flow.hops.map(([node]) => node)));
    expect(await column(run, 'hops', 'interface')).toEqual(facts.flatMap((flow) => flow.hops.map(([, port]) => port)));
    expect(await column(run, 'hops', 'source')).toEqual(facts.flatMap((flow) => flow.hops.map(() => flow.source)));
  });

  it('comes in pieces of a row group', async () => {
    const run = await openRun(join(folder, 'run'));
    const rows: number[] = [];
    for await (const piece of table(run, 'flows').pieces(['flowId'])) rows.push(piece.rows);
    expect(rows).toEqual([32_768, many - 32_768]);
    for await (const piece of table(run, 'hops').pieces(['node'])) expect(piece.rows).toBeLessThan(32_768 + 16);
  });

  it('has words for categories', async () => {
    const run = await openRun(join(folder, 'run'));
    const words: string[] = [];
    for await (const piece of table(run, 'timeline').pieces(['activity'])) words.push(...piece.words('activity'));
    expect(words).toEqual(['compute', 'wait']);
  });

  it('is found below the folder of a comparison, in the order of names', async () => {
    await store(join(folder, 'several', 'packet'), facts.slice(0, 3));
    await store(join(folder, 'several', 'fluid'), facts.slice(0, 2));
    await mkdir(join(folder, 'several', 'notes'));
    expect((await openRuns(join(folder, 'several'))).map((run) => run.label)).toEqual(['fluid', 'packet']);
    expect((await openRuns(join(folder, 'run'))).map((run) => run.label)).toEqual(['run']);
  });
});

describe('files of others', () => {
  it('fct.txt has the same flows in whole nanoseconds, numbered by line', async () => {
    const run = await openRun(join(folder, 'run', 'fct.txt'));
    expect(run.manifest).toBeNull();
    expect(await column(run, 'flows', 'flowId')).toEqual(of((_flow) => 0).map((_, i) => i));
    for (const name of ['source', 'destination', 'sourcePort', 'sizeBytes', 'finishPs'] as const)
      expect(await column(run, 'flows', name)).toEqual(of((flow) => flow[name]));
  });

  it('of ConWeave has node numbers in place of addresses', async () => {
    const path = join(folder, 'conweave.txt');
    await writeFile(path, '3 299 10000 100 1000 2000000000 5500 1200\n');
    const run = await openRun(path);
    expect(await column(run, 'flows', 'source')).toEqual([3]);
    expect(await column(run, 'flows', 'destination')).toEqual([299]);
    expect(await column(run, 'flows', 'startPs')).toEqual([2e12]);
    expect(await column(run, 'flows', 'finishPs')).toEqual([2e12 + 5_500_000]);
  });

  it.each([
    ['seven columns', 'flow_id,sip,dip,sport,dport,n_hops,hops\n4,0b000001,0b000801,2,100,2,18:14|19:1+19:3\n', true],
    ['five columns', 'flow_id,sip,dip,sport,hops\n4,0b000001,0b000801,2,18:14|19:1+19:3\n', false],
    ['five columns without a header', '4,11.0.0.1,11.0.8.1,2,18:14 -> 19:1+19:3\r\n', false],
    ['columns in another order', 'sport,flow_id,dip,sip,hops\n2,4,8,0,18:14;19:1+19:3\n', false],
  ])('paths.csv of %s', async (_form, text, hasDestinationPort) => {
    const path = join(folder, 'some-paths.csv');
    await writeFile(path, text);
    const run = await openRun(path);
    const { schema } = table(run, 'hops');
    expect(schema.columns.some(({ name }) => name === 'destinationPort')).toBe(hasDestinationPort);
    const read = async (name: string): Promise<number[]> => column(run, 'hops', name);
    expect(await read('flowId')).toEqual([4, 4, 4]);
    expect(await read('source')).toEqual([0, 0, 0]);
    expect(await read('destination')).toEqual([8, 8, 8]);
    expect(await read('sourcePort')).toEqual([2, 2, 2]);
    expect(await read('hop')).toEqual([0, 1, 1]);
    expect(await read('node')).toEqual([18, 19, 19]);
    expect(await read('interface')).toEqual([14, 1, 3]);
  });

  it('monitors are read under both of their names, by a folder or one by one', async () => {
    const others = join(folder, 'others');
    await mkdir(others);
    await writeFile(join(others, 'fct.txt'), '0b000001 0b000801 10000 100 10 0 5 4\n');
    await writeFile(
      join(others, 'queue.txt'),
      'time, sw_id, port_id, q_id, q_len, port_len\n1000, 18, 2, 3, 4096, 8192\n',
    );
    await writeFile(join(others, 'bandwidth.txt'), 'time, node_id, port_id, bandwidth\n2000, 0, 1, 99.5\n');
    await writeFile(join(others, 'pfc.txt'), '7 18 1 2 1\n');
    const run = await openRun(others);
    expect([...run.tables.keys()]).toEqual(['flows', 'queues', 'bandwidth', 'pfc_events']);
    expect(await column(run, 'queues', 'timePs')).toEqual([1e6]);
    expect(await column(run, 'queues', 'queueBytes')).toEqual([4096]);
    expect(await column(run, 'bandwidth', 'rateBps')).toEqual([99.5e9]);
    for await (const piece of table(run, 'pfc_events').pieces(['nodeKind', 'isPause'])) {
      expect(piece.words('nodeKind')).toEqual(['switch']);
      expect([...piece.numbers('isPause')]).toEqual([1]);
    }
    expect([...(await openFiles([join(others, 'queue.txt')], 'q')).tables.keys()]).toEqual(['queues']);
  });

  it('every node has one address and back', () => {
    for (const node of [0, 1, 255, 256, 65_535, 65_536, 2 ** 20 + 77]) expect(nodeOfIpv4(ipv4OfNode(node))).toBe(node);
    for (const address of [0, 0x0b000000, 0x0b000002, 0x0a000001]) expect(nodeOfIpv4(address)).toBe(-1);
  });
});

describe('what cannot be read', () => {
  it('is named, with the place', async () => {
    const bad = join(folder, 'bad');
    await mkdir(bad);
    const write = async (name: string, text: string): Promise<RunReader> => {
      await writeFile(join(bad, name), text);
      return openRun(join(bad, name));
    };
    const read = async (name: string, text: string, of_: string): Promise<string> =>
      refusal(
        write(name, text).then((run) =>
          wholeColumns(table(run, of_), ['source', of_ === 'flows' ? 'finishPs' : 'sourcePort']),
        ),
      );
    expect(await read('fct.txt', '0b000001 0b000801 1 2 3 4 5 6\nx\n', 'flows')).toContain('fct.txt:2:2');
    expect(await read('fct.txt', '0b000002 0b000801 1 2 3 4 5 6\n', 'flows')).toContain('names no node');
    expect(await read('fct.txt', '0b000001 0b000801 1 2 3 9007199254740 9007199254740 6\n', 'flows')).toContain('2^53');
    expect(await read('fct.txt', 'a\0b\n', 'flows')).toContain('not a text file');
    expect(await read('paths.csv', 'flow_id,sip,dip,sport,hops\n1,0,1,2,nonsense\n', 'hops')).toContain(
      'paths.csv:2:9',
    );
    expect(await read('paths.csv', 'flow_id,sip,dip,sport,hops\n1,0,1,99999,1:2\n', 'hops')).toContain('sport cannot');
    expect(await read('paths.csv', '__proto__,constructor,a\n', 'hops')).toContain('not the columns');
    expect(await read('rate.txt', 'time\n1, 2, 3\n', 'rates')).toContain('3 fields');
    expect(await refusal(openRun(join(bad, 'nowhere')))).toContain('no such file');
    expect(await refusal(openRun(folder))).toContain('there is no run in this folder');
  });

  it('is a damaged folder', async () => {
    const damaged = join(folder, 'damaged');
    await store(damaged, facts.slice(0, 5));
    const manifest = join(damaged, 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    const withManifest = async (change: (text: string) => string): Promise<string> => {
      await writeFile(manifest, resealed(change(text)));
      return refusal(openRun(damaged));
    };
    expect(await withManifest(() => '{')).toContain('it is no JSON');
    expect(await withManifest(() => '[]')).toContain('it is no run of Weft');
    expect(await withManifest((t) => t.replace('"formatVersion": 1', '"formatVersion": 2'))).toContain('number 2');
    expect(await withManifest((t) => t.replace('"finished"', '"running"'))).toContain('has not ended');
    expect(await withManifest((t) => t.replaceAll('"flows.parquet"', '"../flows.parquet"'))).toContain('names a file');
    expect(await withManifest((t) => t.replaceAll('"float64"', '"complex"'))).toContain('not described');
    await writeFile(manifest, text);
    await rename(join(damaged, 'flows.parquet'), join(damaged, 'kept'));
    expect(await refusal(openRun(damaged))).toContain('flows.parquet: no such file');
    await copyFile(join(damaged, 'timeline.parquet'), join(damaged, 'flows.parquet'));
    expect(await refusal(openRun(damaged))).toContain('holds another table');
    await copyFile(join(damaged, 'kept'), join(damaged, 'flows.parquet'));
    await truncate(join(damaged, 'flows.parquet'), 300);
    expect(await refusal(openRun(damaged))).toContain('cannot be read');
    await rm(join(damaged, 'flows.parquet'));
    execFileSync('mkfifo', [join(damaged, 'flows.parquet')]);
    expect(await refusal(openRun(damaged))).toContain('not a regular file');
  });

  it('is a Parquet file with bytes changed, which never passes for whole with other types', async () => {
    const path = join(folder, 'changed.parquet');
    const whole = await readFile(join(folder, 'run', 'timeline.parquet'));
    for (let at = 4; at < whole.length; at += 7) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = bytes[at]! ^ 0x55;
      await writeFile(path, bytes);
      try {
        const run = await openRun(path);
        for (const source of run.tables.values())
          for await (const piece of source.pieces(source.schema.columns.map(({ name }) => name)))
            expect(piece.rows).toBeGreaterThan(0);
      } catch (error) {
        expect(error instanceof InputError, `${at}: ${String(error)}`).toBe(true);
      }
    }
  });
});
