// What samples are attributed to: a packet charges its whole path to the link that it names, so the samples of a kind of
// traffic are as many as the packets of its transfers, which the tables of flows, messages and moves know.

import { describe, expect, it } from 'vitest';
import { keptRun } from '../../src/app/diagnose/kept-run.js';
import { InputError } from '../../src/base/diagnostics.js';
import { messageTable } from '../../src/records/message-records.js';
import { collectiveTable, moveTable } from '../../src/records/job-records.js';
import { flowTable } from '../../src/records/flow-records.js';
import { untoldLabel } from '../../src/records/transfer-label.js';
import { LinkTallies, Tally } from '../../src/sampling/link-tallies.js';
import { estimatesByPort, readLinkSamples } from '../../src/sampling/read-samples.js';
import { LabelWord, SampleLabels } from '../../src/sampling/sample-labels.js';
import { linkSampleTable, several } from '../../src/sampling/sample-records.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';
import { tableRows, type Row } from '../support/table-rows.js';

const training = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
1
only -1 1 ALLGATHER 100000 1 NONE 0 1 ALLREDUCE 200000 1
`;
const text = `
seed: ${seed}
fabric: { generate: fat-tree, k: 4 }
pfc: { enabled: true }
packet: { payload: 1000B }
jobs:
  - { name: training, ranks: 0-3, file: training.txt }
  - { name: grid, program: minighost, nodes: 4-11, ranksPerNode: 1, x: 2, y: 2, z: 2, strategy: svaf, variables: 2, faceSize: 5kB, computeTime: 1us }
  - { name: rows, program: barriers, nodes: 12-15, x: 2, y: 2, rounds: 2 }
traffic:
  transfers:
    - { source: 8, destination: 9, size: 30kB, start: 0us }
`;
const files = { 'training.txt': training };
const payloadBytes = 1000;
const stored = { name: 'results', seed };
const packetsOf = ({ sizeBytes }: Row): number => Math.max(1, Math.ceil(sizeBytes! / payloadBytes));

/** Numbers added up by key. */
function sumsOf(entries: Iterable<readonly [string, number]>): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [key, value] of entries) sums.set(key, (sums.get(key) ?? 0) + value);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe(`seed ${seed}`, () => {
  it.each(['packet', 'credit'])('on the %s backend every packet counts for what its transfer is', async (backend) => {
    const set = [
      `backend=${backend}`,
      'sampling.variant=standard',
      'sampling.rankClasses=2',
      'timeline.moves=true',
      'timeline.ranks=all',
    ];
    const { sink, summary } = await scenarioRun(text, set, files);
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
    const flows = tableRows(sink, flowTable);
    const messages = new Map(tableRows(sink, messageTable).map((row) => [row['flow']!, row]));
    const moves = new Map(tableRows(sink, moveTable).map((row) => [row['flowId']!, row]));
    const collectives = new Map(tableRows(sink, collectiveTable).map((row) => [row['firstFlow']!, row]));
    // programs have 8 ranks and 4: two classes are of 4 ranks and of 2. Training ranks are the hosts 0 to 3
    const wanted = flows.map((flow) => {
      const message = messages.get(flow['flowId']!);
      if (message !== undefined) {
        const { job, phase, tag } = message;
        const width = job === 0 ? 4 : 2;
        const ranks = [message['sourceRank']!, message['destinationRank']!].map((rank) => rank - (rank % width));
        const collective = { [-1]: 7, [-2]: 1, [-3]: 4 }[tag!] ?? 0;
        return [[job! + 1, phase, collective, 255, Math.max(-1, tag!), ...ranks, width], packetsOf(flow)] as const;
      }
      const move = moves.get(flow['flowId']!);
      if (move === undefined) return [[-1, -1, 0, 255, -1, -1, -1, 0], packetsOf(flow)] as const;
      const { pass, collective, group } = collectives.get(move['firstFlow']!)!;
      const ranks = [flow['source']!, flow['destination']!].map((host) => host - (host % 2));
      return [[0, pass, collective, group, -1, ...ranks, 2], packetsOf(flow)] as const;
    });
    const rows = tableRows(sink, linkSampleTable);
    const names = ['job', 'phase', 'collective', 'group', 'tag', 'sourceRank', 'destinationRank', 'classRanks'];
    const found = sumsOf(rows.map((row) => [names.map((name) => row[name]!).join(' '), row['samples']!] as const));
    expect(found).toEqual(sumsOf(wanted.map(([key, packets]) => [key.join(' '), packets] as const)));
    // six directions, a sum over all ranks and barriers of rows, columns and all of them
    const kinds = new Set(rows.map((row) => `${row['job']!}:${row['tag']!}:${row['collective']!}`));
    for (const kind of ['1:1:0', '1:2:0', '1:3:0', '1:4:0', '1:5:0', '1:6:0', '1:-1:1', '2:-1:7', '0:-1:2', '0:-1:1'])
      expect(kinds).toContain(kind);
  });

  it('rows of kinds and ranks add up to what is counted without them', async () => {
    for (const variant of ['standard', 'one-bit']) {
      const runs = await Promise.all(
        [1, 8].map(async (classes) => {
          const set = ['backend=credit', `sampling.variant=${variant}`, `sampling.rankClasses=${classes}`];
          const { sink, fabric } = await scenarioRun(text, set, files);
          const samples = await readLinkSamples(keptRun(stored, sink, [linkSampleTable], 7), fabric);
          return { sums: estimatesByPort(samples, fabric), rows: samples.rows };
        }),
      );
      const [together, apart] = runs.map(({ sums }) => sums);
      expect(together!.traffic).toEqual(apart!.traffic);
      expect(together!.congested).toEqual(apart!.congested);
      for (const [port, noise] of together!.noise.entries()) expect(apart!.noise[port]).toBeCloseTo(noise, 6);
      expect(runs[1]!.rows).toBeGreaterThan(runs[0]!.rows);
      expect(together!.traffic.some((traffic) => traffic > 0)).toBe(true);
    }
  });
});

const label = (tag: number, job = 3) => ({
  ...untoldLabel(),
  job,
  tag,
  ranks: 100,
  sourceRank: 99,
  destinationRank: 0,
});

describe('limits', () => {
  it('labels beyond 4,096 are those of their job alone', () => {
    const labels = new SampleLabels(8);
    for (let tag = 0; tag < 4096; tag++) expect(labels.of(label(tag))).toBe(tag);
    expect([labels.of(label(17)), labels.of(label(4096)), labels.of(label(5000)), labels.of(label(4096, 0))]).toEqual([
      17, 4096, 4096, 4097,
    ]);
    expect([labels.isTogether(17), labels.isTogether(4096), labels.jobOf(4096), labels.jobOf(4097)]).toEqual([
      false,
      true,
      3,
      0,
    ]);
    expect(labels.word(4096, LabelWord.tag)).toBe(several);
    // 100 ranks in 8 classes are 13 in each: 0, 13, ..., 91
    expect(labels.word(17, LabelWord.sourceRank)).toBe(91);
    labels.clear();
    expect(labels.of(label(5000))).toBe(0);
  });

  it('without pages a kind of traffic counts for its job, and nothing is lost', () => {
    const labels = new SampleLabels(8);
    const tallies = new LinkTallies(1000, labels, 3);
    const [first, second] = [labels.of(label(1)), labels.of(label(2))];
    for (const kind of [first, second])
      for (const port of [0, 16, 15, 999]) tallies.add(kind, port, 6, 1, port === 16 ? 1 : 0);
    const found: number[][] = [];
    tallies.forEach((kind, port, cell) =>
      found.push([kind, port, tallies.values[cell + Tally.traffic]!, tallies.values[cell + Tally.congested]!]),
    );
    const whole = labels.ofJob(3);
    // three pages: ports 0 to 15, 16 to 31 and 992 on, all of the first kind
    expect(found).toEqual([
      [first, 0, 6, 0],
      [first, 15, 6, 0],
      [first, 16, 6, 6],
      [first, 999, 6, 0],
      [whole, 0, 6, 0],
      [whole, 15, 6, 0],
      [whole, 16, 6, 6],
      [whole, 999, 6, 0],
    ]);
  });
});

describe('samples that cannot be read', () => {
  const small = `fabric: { generate: fat-tree, k: 4 }\nbackend: credit\ntraffic:\n  transfers:\n    - { source: 0, destination: 15, size: 200kB, start: 0us }\n`;
  const read = async (k: number, tables = [linkSampleTable]): Promise<string> => {
    const { sink } = await scenarioRun(small, ['sampling.variant=standard'], {});
    const { fabric } = await scenarioRun(small.replace('k: 4', `k: ${k}`).replace('15', '5'), [], {});
    const error: unknown = await readLinkSamples(keptRun(stored, sink, tables), fabric).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).message;
  };

  it('no samples: it says how to have them', async () => {
    expect(await read(4, [flowTable])).toMatch(/no table link_samples[^]*flows[^]*sampling\.variant=standard/);
  });

  it('samples of another fabric: which row, and what is there', async () => {
    // 8 hosts and 4 + 2 + ... switches in place of 16 and 20: the first link between switches is another node's
    expect(await read(6)).toMatch(/another fabric[^]*node 1?\d[^]*wanted[^]*fabric\.topo/);
  });

  it('samples of an earlier Weft: which columns are missing', async () => {
    const before = { ...linkSampleTable, columns: linkSampleTable.columns.filter(({ name }) => name !== 'tag') };
    expect(await read(4, [before])).toMatch(/have no tag[^]*earlier Weft/);
  });
});
