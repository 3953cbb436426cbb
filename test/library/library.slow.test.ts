// The library beside the command line: what it computes from texts in memory is what `weft` computes from files; its
// mistakes are InputErrors with places.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate as drive } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { routeHost } from '../../src/library-node/index.js';
import { timeCollective } from '../../src/library/collectives.js';
import {
  flowTable,
  generateFabric,
  InputError,
  memoryHost,
  MemorySink,
  planFromFile,
  planFromText,
  rowsOf,
  simulate,
} from '../../src/library/index.js';
import { computeRoutes } from '../../src/library/routes.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

const scenario = `name: library
fabric: { file: ../fabrics/small.topo }
traffic: { trace: trace.csv }
backend: packet
`;
const topology =
  '6 1 0 2 5 NONE\n4 5\n0 4 100Gbps 500ns 0\n1 4 100Gbps 500ns 0\n2 5 100Gbps 500ns 0\n3 5 100Gbps 500ns 0\n4 5 100Gbps 500ns 0\n';
const trace = '0,0,2,300000\n0,1,3,300000\n1000,2,0,5000\n';
const files = { 'fabrics/small.topo': topology, 'runs/trace.csv': trace };
const options = { host: memoryHost(files), file: 'runs/scenario.yaml' };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-library-'));
  await mkdir(join(folder, 'fabrics'));
  await mkdir(join(folder, 'runs'));
  for (const [path, text] of Object.entries({ ...files, 'runs/scenario.yaml': scenario }))
    await writeFile(join(folder, path), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a command of the program prints with --json. */
async function printed(...words: string[]): Promise<Record<string, unknown>> {
  const world = scriptedContext({ makePlan, simulate: drive });
  expect(await runProgram([...words, '--json', '--quiet'], world), world.stderr.text).toBe(0);
  return JSON.parse(world.stdout.text) as Record<string, unknown>;
}

async function codesOf(wrong: () => unknown): Promise<string[]> {
  try {
    await wrong();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.diagnostics.map(({ file, line, code }) => `${file}:${line} ${code}`);
  }
  return [];
}

describe('a scenario from memory', () => {
  it.each([
    ['as it is', [], undefined],
    ['with changes and a seed', ['backend=fluid', 'sendLatency=2us'], 9],
  ])('runs as weft run does from files, %s', async (_, overrides, seed) => {
    const records = new MemorySink();
    const given = { ...options, overrides, ...(seed === undefined ? {} : { seed }) };
    const run = await simulate(await planFromText(scenario, given), { sink: records });
    const told = await printed(
      'run',
      join(folder, 'runs/scenario.yaml'),
      ...overrides.flatMap((text) => ['--set', text]),
      ...(seed === undefined ? [] : ['--seed', String(seed)]),
    );
    expect(run.digest).toBe(told['digest']);
    expect({ ...run.fct }).toEqual(told['fct']);
    const rows = [...rowsOf(records, flowTable)];
    expect(rows).toHaveLength(3);
    expect(rows.map(({ sizeBytes }) => sizeBytes).sort()).toEqual([300000, 300000, 5000]);
  });

  it('is the same run from a file of the host', async () => {
    const host = memoryHost({ ...files, 'runs/scenario.yaml': scenario });
    const fromFile = await simulate(await planFromFile('runs/./scenario.yaml', { host }));
    expect(fromFile.digest).toBe((await simulate(await planFromText(scenario, options))).digest);
  });

  it('can be watched and stopped', async () => {
    let breaths = 0;
    const host = memoryHost(files, { breathe: async () => void breaths++ });
    const seen: number[] = [];
    const run = await simulate(await planFromText(scenario, options), {
      host,
      sliceEvents: 10,
      onProgress: ({ nowPs }) => seen.push(nowPs),
      stopRequested: () => breaths === 3,
    });
    expect(run.outcome).toBe('stopped');
    expect(seen).toHaveLength(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('is refused with all its mistakes, each at its place', async () => {
    const wrong = 'fabric: { generate: dumbell }\ntraffic: { trace: trace.csv }\nseeed: 1\n';
    expect(await codesOf(() => planFromText(wrong, { file: 'x.yaml' }))).toEqual([
      expect.stringMatching(/^x\.yaml:1 /),
      expect.stringMatching(/^x\.yaml:3 /),
    ]);
    const missing = await codesOf(() => planFromText(scenario, { ...options, host: memoryHost({}) }));
    expect(missing).toEqual([expect.stringMatching(/^runs\/scenario\.yaml:2 file-missing/)]);
  });
});

describe('a memory host', () => {
  const host = memoryHost({ 'a/b/c.txt': 'grün', '/etc/x': '1' });

  it('resolves paths as a file system does', async () => {
    expect(host.resolve('a/b/s.yaml', './../b/./c.txt')).toBe('a/b/c.txt');
    expect(host.resolve('s.yaml', '../up.txt')).toBe('../up.txt');
    expect(host.resolve('a/s.yaml', '/etc//x')).toBe('/etc/x');
    expect(await host.readText('a/b/../b/c.txt')).toBe('grün');
  });

  it('gives bytes in UTF-8, and says what is no file', async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of host.readBytes('a/b/c.txt')) pieces.push(piece);
    expect(Buffer.concat(pieces).toString('utf8')).toBe('grün');
    await expect(host.readText('a/b')).rejects.toMatchObject({ reason: 'directory' });
    await expect(host.readText('a/b/d')).rejects.toMatchObject({ reason: 'missing' });
  });
});

describe('a collective', () => {
  it.each(['fluid', 'packet', 'analytical'] as const)('is timed as weft collective does, on %s', async (backend) => {
    const ranks = [0, 1, 8, 9];
    const fabric = generateFabric('spectrum-x', { gpus: 16 });
    const measured = await timeCollective(fabric, { kind: 'alltoall', size: '1MiB', ranks, backend });
    const words = ['--fabric', 'spectrum-x', '--gpus', '16', '--ranks', '0,1,8,9', '--sizes', '1MiB'];
    const { rows } = await printed('collective', 'alltoall', ...words, '--backend', backend);
    expect(rows).toEqual([expect.objectContaining({ timeUs: measured.timePs / 1e6, digest: measured.summary.digest })]);
  });

  it.each<[string, object, string]>([
    ['a kind that there is not', { kind: 'allrduce' }, 'collective-kind'],
    ['no size', { size: '0B' }, 'collective-size'],
    ['a size without a unit', { size: 'big' }, 'collective-size'],
    ['a rank that there is not', { ranks: [0, 16] }, 'collective-ranks'],
    ['a rank twice', { ranks: [0, 0] }, 'collective-ranks'],
    ['a root outside', { kind: 'broadcast', root: 16 }, 'collective-root'],
    ['an algorithm of another kind', { algorithm: 'direct' }, 'collective-algorithm'],
    ['a setting that there is not', { overrides: ['sendLatenzy=1us'] }, 'unknown'],
  ])('refuses %s', async (_, change, code) => {
    const given = { kind: 'allreduce', size: 1000, ...change } as Parameters<typeof timeCollective>[1];
    const codes = await codesOf(() => timeCollective(generateFabric('spectrum-x', { gpus: 16 }), given));
    expect(codes).toEqual([expect.stringContaining(code)]);
  });
});

describe('a fabric by name', () => {
  it.each<[string, string, object, string]>([
    ['a family that there is not', 'fat-three', {}, 'unknown-family'],
    ['a parameter that there is not', 'fat-tree', { p: 1 }, 'unknown-parameter'],
    ['a value that does not fit', 'fat-tree', { k: 'many' }, 'bad-parameter'],
  ])('refuses %s', async (_, family, parameters, code) => {
    expect(await codesOf(() => generateFabric(family, { ...parameters }))).toEqual([expect.stringContaining(code)]);
  });
});

describe('routes', () => {
  const request = { fabric: { family: 'fat-tree', parameters: { k: 4 } }, traffic: 'stencil' } as const;
  const onePair = { sources: [0], destinations: [15], weights: [3] };

  it('are solved exactly with the host of Node', async () => {
    const { evaluation, made } = await computeRoutes(
      { ...request, traffic: onePair, algorithm: 'basic-mcf', seconds: 20 },
      routeHost(),
    );
    expect(evaluation).toMatchObject({ maxLoad: 3, provenOptimal: true });
    expect(made.solver).toBeDefined();
  });

  it('are the best so far when the signal says so', async () => {
    const stop = new AbortController();
    let told = 0;
    const host = routeHost({
      signal: stop.signal,
      onProgress: () => {
        if (++told === 3) stop.abort();
      },
    });
    const { validity } = await computeRoutes({ ...request, algorithm: 'weft' }, host);
    expect(validity.valid).toBe(true);
    expect(host.stopRequested()).toBe(true);
    await host.whenStopped;
  });
});

const leaves = 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\n';
const pair = (more = '') => `{ source: 0, destination: 2, size: 1MB${more} }, { source: 1, destination: 3, size: 2MB }`;

describe('a plan that is run again', () => {
  const again: Readonly<Record<string, string>> = {
    'a list': `${leaves}traffic: { transfers: [ ${pair()} ] }\nrouting: { balancing: spray }\n`,
    'a list out of order': `${leaves}traffic: { transfers: [ ${pair(', start: 9us')} ] }\n`,
    'lines that are jobs': `${leaves}traffic: { transfers: [ ${pair(', job: a')} ] }\n`,
    'a trace': scenario,
    'an unsorted trace': scenario.replace('trace.csv', 'unsorted.csv'),
    'a trace over one plane': scenario.replace('trace.csv }', 'trace.csv, plane: 1 }'),
    'a job beside traffic': `${leaves}traffic: { transfers: [ ${pair()} ] }\nworkload: { generate: transformer, model: llama2-7b, layerCount: 1, dataParallel: 4, tensorParallel: 1, microBatches: 1, vocabularySize: 1000, sequenceLength: 128 }\n`,
    'a program': `${leaves}workload: { program: incast, senders: 3, messages: 2 }\n`,
    'losses and failures': `${leaves}traffic: { transfers: [ ${pair()} ] }
loss: { model: independent }
failures: { events: [ { at: 20us, link: "leaf[0]-spine[0]", errorRate: 0.01 } ] }
`,
    requests: `${leaves}inference: { model: llama2-7b, prefill: "0", decode: "2", tensorParallel: 1, requests: 3, promptTokens: 8, outputTokens: 4 }\n`,
  };

  it.each(Object.entries(again))('%s', async (_, text) => {
    const host = memoryHost({ ...files, 'runs/unsorted.csv': '1000,2,0,5000\n0,0,2,300000\n' });
    const plan = await planFromText(text, { ...options, host });
    const [first, second] = [await simulate(plan, { host }), await simulate(plan, { host })];
    expect(first.flows).toBeGreaterThan(0);
    const told = ({ digest, flows, finished, verdicts, counters }: typeof first) => ({
      digest,
      flows,
      finished,
      verdicts,
      counters,
    });
    expect(told(second)).toEqual(told(first));
    expect(second.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('is refused where a source of others can be read once, and a run that sends less than announced fails', async () => {
    const plan = await planFromText(again['a list']!, options);
    const { source } = plan;
    // reads once, as a socket would; announces a transfer more than there are
    const once = {
      total: source.total + 1,
      nextStartPs: () => source.nextStartPs(),
      expand: source.expand.bind(source),
      refill: source.refill.bind(source),
      close: source.close.bind(source),
    };
    const run = await simulate({ ...plan, source: once });
    expect(run.verdicts.filter(({ ok }) => !ok)).toEqual([
      { name: 'all traffic was sent', ok: false, detail: '2 flows were started of the 3 transfers of the traffic' },
    ]);
    expect(await codesOf(() => simulate({ ...plan, source: once }))).toEqual(['scenario:0 plan-used']);
  });
});
