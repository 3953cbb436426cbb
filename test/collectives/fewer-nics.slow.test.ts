// Servers with fewer NICs than GPUs: whoever speaks to another server has a NIC, the result is right all the same, and
// who cannot is told before the run.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { buildSchedule, groupFacts, scheduleProblem } from '../../src/collectives/build-schedule.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { canNvls } from '../../src/collectives/nvls.js';
import type { AlgorithmName, CollectiveKind } from '../../src/collectives/schedule.js';
import { choose, type SelectionRequest } from '../../src/collectives/selection.js';
import { unconnectedMove } from '../../src/collectives/unconnected.js';
import { hostPairs } from '../../src/fabric/host-pairs.js';
import { problemsOfSchedule } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

const shape = {
  channels: 4,
  chunks: 2,
  ringLayout: 'rail-aligned',
  peerOrder: 'by-distance',
  pxn: false,
  slots: 1,
  dropsRemainder: false,
} as const;

/** ranks, GPUs per server, which of them have a NIC */
const groups = [
  [8, 4, [1]],
  [12, 4, [0, 3]],
  [16, 8, [2, 5, 7]],
  [10, 4, [0, 1]],
  [9, 3, [2]],
] as const;

const unconnected = (
  communicator: Communicator,
  kind: CollectiveKind,
  given: Parameters<typeof buildSchedule>[1],
  root = 0,
) =>
  unconnectedMove(
    buildSchedule({ kind, sizeBytes: 101, root }, given, communicator),
    communicator,
    hostPairs(communicator.fabric),
  );

describe(`with fewer NICs than GPUs (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'fewer NICs');

  it.each([
    ['tree', 'allreduce'],
    ['tree', 'broadcast'],
    ['tree', 'reduce'],
    ['nvls-tree', 'allreduce'],
    ['nvls-tree', 'allgather'],
    ['nvls-tree', 'reducescatter'],
    ['collnet-direct', 'allreduce'],
    ['collnet-chain', 'allreduce'],
  ] as const)('%s lets those with a NIC speak: %s', (algorithm: AlgorithmName, kind: CollectiveKind) => {
    for (const [ranks, gpus, nics] of groups) {
      const communicator = placementOf(ranks, gpus, { nics });
      const roots = kind === 'broadcast' || kind === 'reduce' ? Array.from({ length: ranks }, (_, root) => root) : [0];
      for (const root of roots) {
        expect(
          unconnected(communicator, kind, { ...shape, algorithm }, root),
          `${ranks} ranks on ${gpus}, NICs ${nics.join()}, root ${root}`,
        ).toBeNull();
        expect(
          problemsOfSchedule(
            buildSchedule({ kind, sizeBytes: 101, root }, { ...shape, algorithm }, communicator),
            101,
            random,
            { root },
          ),
        ).toEqual([]);
      }
    }
  });

  it("NCCL's profile chooses what can be done: with proxies everything but sends, without them all that trees do", () => {
    for (const [ranks, gpus, nics] of groups) {
      const communicator = placementOf(ranks, gpus, { nics });
      for (const pxn of [false, true]) {
        for (const kind of ['allreduce', 'broadcast', 'reduce', 'allgather', 'reducescatter', 'alltoall'] as const) {
          if (!pxn && kind === 'alltoall') continue;
          for (const sizeBytes of [1, 2 ** 14, 2 ** 20, 2 ** 27]) {
            const request: SelectionRequest = {
              kind,
              groupKind: 'dp',
              sizeBytes,
              facts: groupFacts(communicator),
              gpuType: 'H100',
              hasNvswitches: canNvls(communicator),
              nvls: true,
              pxn,
              collnet: true,
              channels: 0,
            };
            const choice = choose('nccl', request);
            expect(scheduleProblem(choice.algorithm, kind, communicator)).toBeNull();
            expect(
              unconnected(communicator, kind, choice, ranks - 1),
              `${choice.algorithm} for ${kind}, ${ranks} ranks on ${gpus}, pxn ${pxn}`,
            ).toBeNull();
          }
        }
      }
    }
  });

  it('a ring without proxies has a hop that no path joins', () => {
    expect(unconnected(placementOf(8, 4, { nics: [0, 1] }), 'allreduce', { ...shape, algorithm: 'ring' })).toEqual({
      source: expect.any(Number) as number,
      destination: expect.any(Number) as number,
    });
    expect(unconnected(placementOf(8, 4), 'allreduce', { ...shape, algorithm: 'ring' })).toBeNull();
  });
});

describe('a workload', () => {
  const head = 'fabric: { generate: spectrum-x, gpus: 16, nicsPerServer: 4 }\n';

  it.each([
    [
      'collectives: { profile: simai }\nworkload: { layers: [ { name: grads, forward: { collective: allreduce, group: dp, size: 1MB } } ] }\n',
      's.yaml:3:1',
      /for the allreduce of layer grads \(ring\)/,
    ],
    [
      'workload: { layers: [ { name: tokens, forward: { collective: alltoall, group: dp, size: 1MB } } ] }\n',
      's.yaml:2:1',
      /for the alltoall of layer tokens \(direct\)[^]*collectives\.pxn/,
    ],
    [
      'workload: { pipelineParallel: 2, stageTransfer: 1MB, layers: [ { name: a, chunk: 0, forward: { compute: 1us } }, { name: b, chunk: 1, forward: { compute: 1us } } ] }\n',
      's.yaml:2:1',
      /from stage 0 of the pipeline to the next/,
    ],
    [
      'jobs:\n  - { ranks: 0-7, layers: [ { name: a, forward: { collective: alltoall, group: dp, size: 1MB } } ] }\n  - { ranks: 8-15, layers: [ { name: a, forward: { collective: alltoall, group: dp, size: 1MB } } ] }\n',
      null,
      null,
    ],
  ] as const)('that cannot send is refused at its place: %s', async (text, place, problem) => {
    for (const backend of ['packet', 'fluid', 'analytical']) {
      const run = scenarioRun(`${head}${text}`, [`backend=${backend}`]);
      if (problem === null) expect((await run).summary.outcome).toBe('finished');
      else {
        await expect(run).rejects.toThrow(problem);
        await expect(run).rejects.toThrow(`${place}: error: no path leads from host`);
      }
    }
  });
});
