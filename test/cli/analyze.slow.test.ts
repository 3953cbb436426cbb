// `weft analyze`: what it says of runs is what the runs say of themselves; of files of others the same.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { nodeHost } from '../../src/storage/node-host.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
let folder = '';
let trace = '';
const at = (...names: string[]): string => join(folder, ...names);

interface Tier {
  readonly tier?: string;
  readonly sharedLinks: number;
  readonly flows: number;
  readonly flowPairs: number;
  readonly tiers: readonly Tier[];
}
interface Sets {
  readonly sets: readonly {
    name: string;
    flows: number;
    withoutPath: number;
    severalWays: number;
    static: Tier;
    concurrent: Tier | null;
  }[];
}

async function json<T>(...words: string[]): Promise<T> {
  const { code, stdout, stderr } = await weft(...words, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-analyze-'));
  trace = 'examples/server-pair/trace.csv';
  for (const name of ['controller', 'no-controller'])
    expect((await weft('run', `examples/server-pair/${name}.yaml`, '--out', at(name), '--quiet')).code).toBe(0);
  // two waves, of which the second begins when the first has ended: a pair meets in the static count alone
  await writeFile(
    at('waves.yaml'),
    'fabric: { generate: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4 }\nbackend: fluid\ntraffic:\n  transfers:\n    - { source: 0, destination: 4, size: 1MiB }\n    - { source: 1, destination: 5, size: 1MiB, start: 9ms }\n    - { source: 2, destination: 3, size: 1MiB }\n',
  );
  expect((await weft('run', at('waves.yaml'), '--out', at('waves'), '--quiet')).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Lines of flows.csv without numbers of flows, sorted. */
const rest = async (...words: string[]): Promise<string[]> =>
  (await weft('analyze', 'flows', ...words)).stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.replace(/^\d+,/, ''))
    .sort();

describe('weft analyze collisions', () => {
  it('of runs are those that the runs counted themselves', async () => {
    for (const name of ['controller', 'no-controller', 'waves']) {
      const { sets } = await json<Sets>('analyze', 'collisions', at(name));
      const summary = JSON.parse(await readFile(at(name, 'summary.json'), 'utf8')) as {
        collisions: { links: number; flowPairs: number };
      };
      expect({ links: sets[0]!.concurrent!.sharedLinks, flowPairs: sets[0]!.concurrent!.flowPairs }).toMatchObject({
        links: summary.collisions.links,
        flowPairs: summary.collisions.flowPairs,
      });
    }
  });

  it('by hashing the trace are those of the runs, by either rule', async () => {
    const words = ['--topology', at('controller', 'fabric.topo'), '--trace', trace];
    const { sets } = await json<Sets>('analyze', 'collisions', ...words);
    const runs = await json<Sets>('analyze', 'collisions', at('no-controller'), at('controller'));
    expect(sets.map(({ name }) => name)).toEqual(['ports by counter', 'collision-free ports']);
    expect(sets.map((set) => [set.static, set.concurrent])).toEqual(
      runs.sets.map((set) => [set.static, set.concurrent]),
    );
    expect(sets.map(({ static: { flowPairs } }) => flowPairs)).toEqual([2, 0]);
    expect(sets[0]!.static.tiers.map(({ tier, sharedLinks }) => [tier, sharedLinks])).toEqual([
      ['leaf-spine', 2],
      ['spine-leaf', 2],
    ]);
    const one = await json<Sets>('analyze', 'collisions', ...words, '--ports', 'counter');
    expect(one.sets).toEqual(sets.slice(0, 1));
  });

  it('hashes a trace in the order of next hops that it is told, as a run with that order does', async () => {
    // a link less: the order changes which links flows share, and not their names alone
    expect(
      (
        await weft(
          'topology',
          'generate',
          'leaf-spine',
          '--leaves',
          '3',
          '--spines',
          '3',
          '--hosts-per-leaf',
          '8',
          '--out',
          at('whole.topo'),
        )
      ).code,
    ).toBe(0);
    const [head, ...lines] = (await readFile(at('whole.topo'), 'utf8')).trimEnd().split('\n');
    const numbers = head!.split(' ');
    numbers[4] = String(Number(numbers[4]) - 1);
    // of leaf 24, the first, to the last spine
    const left = lines.filter((line) => !line.startsWith('24 29 '));
    expect(left).toHaveLength(lines.length - 1);
    await writeFile(at('odd.topo'), `${[numbers.join(' '), ...left].join('\n')}\n`);
    const flows = Array.from({ length: 16 }, (_, i) => `0,${i < 8 ? i : i + 8},${8 + ((3 * i) % 8)},1048576`);
    await writeFile(at('odd.csv'), `timestamp_ns,src,dst,size_bytes\n${flows.join('\n')}\n`);
    await writeFile(at('odd.yaml'), 'fabric: { file: odd.topo }\nbackend: fluid\ntraffic: { trace: odd.csv }\n');
    const hashed = ['collisions', '--topology', at('odd.topo'), '--trace', at('odd.csv'), '--ports', 'counter'];
    const counts: Tier[] = [];
    for (const order of ['descending-node-id', 'ascending-node-id']) {
      const run = at(order);
      const set = `routing.nextHopOrder=${order}`;
      expect((await weft('run', at('odd.yaml'), '--set', set, '--out', run, '--quiet')).code).toBe(0);
      const [own] = (await json<Sets>('analyze', 'collisions', run)).sets;
      const [traced] = (await json<Sets>('analyze', ...hashed, '--next-hop-order', order)).sets;
      expect(traced!.static).toEqual(own!.static);
      counts.push(traced!.static);
    }
    expect(counts[1]).not.toEqual(counts[0]);
    // without the option: that of a scenario which says nothing
    expect((await json<Sets>('analyze', ...hashed)).sets[0]!.static).toEqual(counts[0]);
  });

  it('at the same time are only of flows whose windows overlap', async () => {
    const { sets } = await json<Sets>('analyze', 'collisions', at('waves'));
    expect(sets[0]!.concurrent).toMatchObject({ sharedLinks: 0, flowPairs: 0, flows: 0 });
    expect(sets[0]!.static).toMatchObject({ sharedLinks: 2, flowPairs: 1, flows: 2 });
    expect(sets[0]!.withoutPath).toBe(1);
  });

  it('of flows that took several ways are bounds, and are said to be', async () => {
    const flows = [0, 1, 2, 3].map((host) => `    - { source: ${host}, destination: ${host + 4}, size: 1MiB }`);
    await writeFile(
      at('failing.yaml'),
      `fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }\ntraffic:\n  transfers:\n${flows.join('\n')}\nfailures:\n  convergenceTime: 20us\n  events:\n    - { at: 20us, switch: "spine[0]" }\n`,
    );
    expect((await weft('run', at('failing.yaml'), '--out', at('failing'), '--quiet')).code).toBe(0);
    const [set] = (await json<Sets>('analyze', 'collisions', at('failing'))).sets;
    // those that began over the spine which failed
    const rows = (await readFile(at('failing', 'paths.csv'), 'utf8')).trimEnd().split('\n').slice(1);
    const began = rows.filter((row) => row.includes('|10:'));
    expect(began.length).toBeGreaterThan(0);
    expect(set!.severalWays).toBe(began.length);
    const summary = JSON.parse(await readFile(at('failing', 'summary.json'), 'utf8')) as {
      collisions: { flowPairs: number };
    };
    expect(set!.concurrent!.flowPairs).toBeGreaterThanOrEqual(summary.collisions.flowPairs);
    expect((await weft('analyze', 'collisions', at('failing'))).stdout).toContain('took several ways');
  });

  it('heed how fast and how late transfers of a trace are taken to be', async () => {
    // the same two flows of the example that share a spine, 1 ms apart: 10 MiB take 0.84 ms at 100 Gb/s, 1.68 at 50
    const path = at('apart.csv');
    await writeFile(path, '0,5,13,10485760\n1000000,6,14,10485760\n');
    const words = ['analyze', 'collisions', '--topology', at('controller', 'fabric.topo'), '--trace', path];
    const pairs = async (...more: string[]): Promise<number> =>
      (await json<Sets>(...words, '--ports', 'counter', ...more)).sets[0]!.concurrent!.flowPairs;
    expect(await pairs()).toBe(0);
    expect(await pairs('--bw-gbps', '100')).toBe(0);
    expect(await pairs('--bw-gbps', '50')).toBe(1);
    expect(await pairs('--bw-gbps', '50', '--send-lat-ns', '3000')).toBe(1);
  });

  it("takes the source's command with its files", async () => {
    const topology = ['--topology', at('controller', 'fabric.topo')];
    const source = `analyze collisions --cc ${at('controller', 'paths.csv')} --nocc ${at('no-controller', 'fct.txt')} --trace ${trace} --bw-gbps 100 --send-lat-ns 3000`;
    const { sets } = await json<Sets>(...source.split(' '), ...topology);
    expect(sets.map(({ concurrent, static: all }) => [concurrent!.flowPairs, all.flowPairs])).toEqual([
      [0, 0],
      [2, 2],
    ]);
    const alone = await json<Sets>('analyze', 'collisions', '--cc', at('no-controller', 'paths.csv'));
    expect(alone.sets[0]).toMatchObject({ concurrent: null, static: { flowPairs: 2, sharedLinks: 4 } });
  });

  it('fits 80 columns, and refuses what does not fit together', async () => {
    const { stdout } = await weft('analyze', 'collisions', at('no-controller'));
    expect(stdout).toContain('at the same time');
    for (const line of stdout.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(80);
    for (const [words, message] of [
      [[], 'nothing to analyse'],
      [['--trace', trace], '--trace needs --topology'],
      [[at('controller'), '--next-hop-order', 'ascending-node-id'], '--next-hop-order has no effect'],
      [[at('controller'), '--ports', 'counter'], '--ports has no effect without --trace'],
      [['--nocc', at('no-controller', 'fct.txt')], '--nocc needs --topology'],
      [[at('nowhere')], 'no such file'],
    ] as const) {
      const { code, stderr } = await weft('analyze', 'collisions', ...words);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});

describe('weft analyze flows', () => {
  it('joins completions and paths', async () => {
    const { stdout } = await weft('analyze', 'flows', at('controller'));
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('flow_id,src_gpu,dst_gpu,sport,spine_switch,hops,fct_ns,slowdown,cc_assigned');
    // ports of the source's table; spines and ports of the run's own paths.csv
    expect(rows.map((row) => row.split(',')[3])).toEqual(['1', '1', '1', '1', '2', '4', '2', '1']);
    const paths = (await readFile(at('controller', 'paths.csv'), 'utf8')).trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(',')[4])).toEqual(paths.map((row) => /\|(\d+):/.exec(row)![1]!));
    expect(rows.every((row) => row.endsWith(',true') && row.split(',')[5] === '3')).toBe(true);
  });

  it('is the same of the text files but for the numbers of flows', async () => {
    expect(await rest('--fct', at('no-controller', 'fct.txt'), '--paths', at('no-controller', 'paths.csv'))).toEqual(
      await rest(at('no-controller')),
    );
  });

  it('writes a file, and leaves others alone', async () => {
    const out = at('flows.csv');
    const { stdout } = await weft('analyze', 'flows', at('controller'), '--out', out);
    expect(stdout).toBe(`${out}: 8 flows\n`);
    expect((await readFile(out, 'utf8')).split('\n')).toHaveLength(10);
    expect((await weft('analyze', 'flows', at('no-controller'), '--out', out)).code).toBe(2);
    expect((await weft('analyze', 'flows', at('no-controller'), '--out', out, '--force')).code).toBe(0);
  });
});

describe('weft analyze fct and ports', () => {
  it('have the percentiles of the summary, by size and switches', async () => {
    const { runs } = await json<{
      runs: {
        bySize: { group: string; flows: number; mean: number; p50: number; p99: number; max: number }[];
        byHops: { group: string; flows: number }[];
        cdf: { share: number; value: number }[];
      }[];
    }>('analyze', 'fct', at('no-controller'), at('waves'));
    for (const [i, name] of ['no-controller', 'waves'].entries()) {
      const { fct } = JSON.parse(await readFile(at(name, 'summary.json'), 'utf8')) as { fct: Record<string, number> };
      const [all] = runs[i]!.bySize;
      expect([all!.mean, all!.p50, all!.p99, all!.max]).toEqual([
        fct['meanNs'],
        fct['p50Ns'],
        fct['p99Ns'],
        fct['maxNs'],
      ]);
      expect(runs[i]!.cdf.at(-1)).toEqual({ share: 1, value: fct['maxNs'] });
    }
    expect(runs[1]!.byHops.map(({ group, flows }) => [group, flows])).toEqual([
      ['1', 1],
      ['3', 2],
    ]);
    expect(runs[1]!.bySize.map(({ group, flows }) => [group, flows])).toEqual([
      ['all', 3],
      ['up to 10 MB', 3],
    ]);
    await weft('analyze', 'fct', at('waves'), '--csv', at('cdf.csv'));
    expect((await readFile(at('cdf.csv'), 'utf8')).split('\n')[0]).toBe('run,share,fct_ns');
  });

  it("have the ports of the source's table", async () => {
    const { runs } = await json<{ runs: object[] }>('analyze', 'ports', at('controller'), at('no-controller'));
    expect(runs[0]).toMatchObject({
      flows: 8,
      assigned: 8,
      deepest: 4,
      ports: [
        { port: 1, flows: 5, share: 5 / 8 },
        { port: 2, flows: 2, share: 2 / 8 },
        { port: 4, flows: 1, share: 1 / 8 },
      ],
    });
    expect(runs[1]).toMatchObject({ flows: 8, assigned: 0, deepest: 0, ports: [] });
  });
});

describe('progress', () => {
  it.each([
    ['analyze', 'collisions'],
    ['analyze', 'flows'],
    ['analyze', 'fct'],
    ['analyze', 'ports'],
    ['compare', '--json'],
  ])('of weft %s %s is told on stderr once its time has come, and changes nothing', async (...words) => {
    const runs = words[0] === 'compare' ? [at('controller'), at('waves')] : [at('controller')];
    const quick = await weft(...words, ...runs);
    expect(quick).toMatchObject({ code: 0, stderr: '' });
    let nowMs = 0;
    const slow = await commandWith({ host: { ...nodeHost(), wallMs: () => (nowMs += 15_000) } })(...words, ...runs);
    expect({ code: slow.code, isSame: slow.stdout === quick.stdout }).toEqual({ code: 0, isSame: true });
    expect(slow.stderr).toContain(`reading ${at('controller', 'flows.parquet')}: 8 of 8 rows\n`);
  });
});
