// Programs of ranks in scenarios: what a run says of them on every backend, what has no effect, and every mistake at its
// place.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { messageTable } from '../../src/records/message-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { tableRows } from '../support/table-rows.js';

const oneLeaf = 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }\n';

/** Code, place and message of the errors of a scenario, a line each. */
async function errorsOf(text: string): Promise<string[]> {
  try {
    await scenarioRun(text, []);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.diagnostics.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
  }
  return [];
}

/** How often senders had waited before their messages, by a column of these. */
async function waitsOf(workload: string, key: string): Promise<Record<string, number[]>> {
  const { sink } = await scenarioRun(`${oneLeaf}backend: credit\nworkload: ${workload}\n`, []);
  const found: Record<string, Set<number>> = {};
  for (const row of tableRows(sink, messageTable))
    if (row['part'] === 0) (found[String(row[key])] ??= new Set()).add(row['waits']!);
  return Object.fromEntries(Object.entries(found).map(([name, own]) => [name, [...own].sort((a, b) => a - b)]));
}

describe('a program in a scenario', () => {
  it.each(['packet', 'credit', 'fluid', 'analytical'])('runs on the %s backend and counts alike', async (backend) => {
    const { summary } = await scenarioRun(
      `${oneLeaf}backend: ${backend}\nworkload: { program: bisection, pairing: shuffle, messageSize: 100kB, messages: 3 }\n`,
      [],
    );
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const [program] = summary.programs;
    expect(program).toMatchObject({ program: 'bisection', ranks: 8, nodes: 8, isFinished: true, isConserved: true });
    // 8 ranks x 3 messages; above the eager limit each is asked for and answered
    expect([program!.messages, program!.payloadBytes, program!.handshakes]).toEqual([24, 2_400_000, 48]);
    // three messages of 100 kB one after another, 8 us each at 100 Gbit/s
    expect(program!.totalPs).toBeGreaterThan(3 * 8e6);
    expect(program!.totalPs).toBeLessThan(3 * 8e6 * 8);
  });

  it('counts waits of the sender before each message: a step of an alltoall each, one for all faces of a stencil', async () => {
    // two alltoalls of four ranks: rank 0 sends to 1, 2 and 3 in turn, twice, and waits behind each
    const transform = '{ program: pf3d, x: 2, y: 2, z: 1, ranksPerNode: 1, messageSize: 1kB, iterations: 1 }';
    expect(await waitsOf(transform, 'sourceRank')).toEqual(
      Object.fromEntries(Array.from({ length: 4 }, (_, rank) => [rank, [0, 1, 2, 3, 4, 5]])),
    );
    // six faces at once, and a wait before the next iteration
    const stencil = '{ program: stencil, x: 2, y: 2, z: 2, messageSize: 1kB, messages: 1, iterations: 2 }';
    expect(Object.values(await waitsOf(stencil, 'phase'))).toEqual(Array.from({ length: 6 }, () => [0, 1]));
  });

  it('may have more hosts, one by one, than a line has room for', async () => {
    const hosts = Array.from({ length: 300 }, (_, i) => 1000 + 2 * i);
    const text = `fabric: { generate: leaf-spine, leaves: 20, hostsPerLeaf: 100, spines: 1 }\nbackend: analytical
workload: { program: bisection, messageSize: 1kB, messages: 1, nodes: '${hosts.join(',')}' }\n`;
    expect((await scenarioRun(text, [])).summary.programs[0]).toMatchObject({ ranks: 300, isFinished: true });
  });

  it('is paired by the seed', async () => {
    const totals = [];
    for (const seed of [1, 1, 2, 3, 4]) {
      const text = `seed: ${seed}\n${oneLeaf}workload: { program: bisection, pairing: shuffle, messageSize: 10kB }\n`;
      totals.push((await scenarioRun(text, [])).summary.digest);
    }
    expect(totals[1]).toBe(totals[0]);
    expect(new Set(totals).size).toBeGreaterThan(2);
  });

  it('runs beside a training job and another program, each on hosts of its own', async () => {
    const { summary } = await scenarioRun(
      `${oneLeaf}jobs:
  - { ranks: 0-1, layers: [ { name: a, forward: { compute: 10us, collective: allreduce, group: dp, size: 1MB } } ] }
  - { program: incast, senders: 2, messageSize: 10kB, messages: 4, nodes: 2-4 }
  - { program: bisection, messageSize: 10kB, messages: 2, nodes: 5-6 }
`,
      [],
    );
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    expect(summary.jobs.map(({ isFinished }) => isFinished)).toEqual([true]);
    expect(summary.programs.map(({ program, messages }) => [program, messages])).toEqual([
      ['incast', 8],
      ['bisection', 4],
    ]);
  });

  it('warns of what its mapping and its nodes leave without effect', async () => {
    const idle = 'memoryRate: 10Gbps, shift: 2, nodeTile: 1x1x1, leafTile: 1x1x1';
    const { warnings } = await scenarioRun(
      `${oneLeaf}workload: { program: incast, senders: 3, messages: 1, ${idle} }\n`,
      [],
    );
    expect(warnings).toEqual([
      'workload.shift has no effect: mapping is linear',
      'workload.nodeTile has no effect: mapping is linear',
      'workload.leafTile has no effect: mapping is linear',
      'workload.memoryRate has no effect: every rank has a node of its own',
    ]);
  });

  it.each([
    ['an unknown name', 'workload: { program: stensil }', /2:\d+ .*stensil|2:\d+ .*program/],
    [
      'more ranks than places',
      'workload: { program: barriers, x: 3, y: 3 }',
      /^program-ranks 2:1 workload has more ranks/,
    ],
    ['a host that is not there', 'workload: { program: bisection, nodes: 0-8 }', /^program-nodes 2:\d+ workload.nodes/],
    ['a host twice', "workload: { program: bisection, nodes: '1,1' }", /^program-nodes 2:\d+/],
    [
      'a host of another job',
      'jobs: [ { program: bisection, nodes: 0-3 }, { program: bisection, nodes: 3-4 } ]',
      /^program-nodes 2:\d+ host 3 has another job/,
    ],
    ['ranks without a partner', 'workload: { program: bisection, nodes: 0-2 }', /^program 2:\d+/],
    [
      'a tile that is none',
      'workload: { program: stencil, x: 2, y: 2, z: 2, mapping: tiled, nodeTile: 2x0x1 }',
      /2:\d+ .*nodeTile/,
    ],
    ['tiles of a program without grid', 'workload: { program: bully, mapping: tiled }', /2:\d+/],
  ])('names %s at its place', async (_, text, wanted) => {
    const errors = await errorsOf(`${oneLeaf}${text}\n`);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(wanted);
  });
});
