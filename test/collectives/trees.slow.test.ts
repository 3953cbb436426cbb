// Collectives along trees: the right numbers everywhere, the two trees' promise, the bytes of every shape.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { buildSchedule } from '../../src/collectives/build-schedule.js';
import { ringChains } from '../../src/collectives/chain.js';
import { collnetChainTrees, collnetDirectTrees } from '../../src/collectives/collnet.js';
import type { Placement } from '../../src/collectives/communicator.js';
import { binaryTreeParent, doubleBinaryTrees } from '../../src/collectives/double-binary-tree.js';
import type { Forest } from '../../src/collectives/forest.js';
import { nvlsHeaps, nvlsStars, nvlsTrees } from '../../src/collectives/nvls.js';
import { ringOrders } from '../../src/collectives/ring-order.js';
import type { AlgorithmName } from '../../src/collectives/schedule.js';
import { TreeReduction } from '../../src/collectives/tree-reduction.js';
import { bytesReceived, bytesSent, problemsOfSchedule, readMoves } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const rankCounts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24, 32];

describe(`trees (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'tree test');
  const shapes: readonly (readonly [AlgorithmName, (placement: Placement, channels: number) => Forest])[] = [
    ['tree', doubleBinaryTrees],
    ['nvls-tree', nvlsTrees],
    ['nvls-tree', nvlsHeaps],
    ['collnet-direct', collnetDirectTrees],
    ['collnet-chain', collnetChainTrees],
  ];

  it.each(shapes)('make an allreduce: %s', (name, shape) => {
    for (const ranks of rankCounts) {
      for (const [gpus, channels, chunks, size] of [
        [8, 1, 1, 50],
        [4, 2, 3, 101],
        [1, 3, 2, 23],
        [3, 4, 1, 3],
      ] as const) {
        const schedule = new TreeReduction({
          algorithm: name,
          kind: 'allreduce',
          rankCount: ranks,
          forest: shape(placementOf(ranks, gpus, { nvswitches: 2 }), channels),
          sizeBytes: size,
          chunkCount: chunks,
        });
        expect(
          problemsOfSchedule(schedule, size, random),
          `${ranks} ranks on ${gpus}, ${channels} channels, ${chunks} chunks`,
        ).toEqual([]);
      }
    }
  });

  it('make an allreduce: one NVSwitch, or several that share the channels', () => {
    for (const ranks of rankCounts) {
      for (const [channels, chunks, nvswitches] of [
        [1, 4, 1],
        [4, 2, 4],
        [3, 1, 2],
      ] as const) {
        const schedule = new TreeReduction({
          algorithm: 'nvls',
          kind: 'allreduce',
          rankCount: ranks,
          forest: nvlsStars(placementOf(ranks, ranks, { nvswitches }), channels),
          sizeBytes: 97,
          chunkCount: chunks,
        });
        expect(problemsOfSchedule(schedule, 97, random)).toEqual([]);
      }
    }
  });

  it.each(['broadcast', 'reduce'] as const)('from or to any root, as a double binary tree or a chain: %s', (kind) => {
    for (const ranks of rankCounts) {
      const root = random.nextBelow(ranks);
      const placement = placementOf(ranks, 4);
      const rings = ringOrders('cross-rail', placement, 3);
      for (const [name, forest] of [
        ['tree', doubleBinaryTrees(placement, 4, root)],
        ['ring', ringChains(rings, root, kind === 'broadcast' ? 'away' : 'towards')],
      ] as const) {
        const schedule = new TreeReduction({
          algorithm: name,
          kind,
          rankCount: ranks,
          forest,
          sizeBytes: 61,
          chunkCount: 3,
        });
        expect(problemsOfSchedule(schedule, 61, random, { root }), `${name}, ${ranks} ranks, root ${root}`).toEqual([]);
      }
    }
  });
});

describe('the double binary tree', () => {
  it('has every server but the root forward in at most one of the two trees, to at most two others, in logarithmic depth', () => {
    for (let servers = 2; servers <= 200; servers++) {
      const children = [0, 1].map((tree) => {
        const count = Array.from({ length: servers }, () => 0);
        for (let server = 1; server < servers; server++) count[binaryTreeParent(server, servers, tree)]!++;
        return count;
      });
      const below = children[0]!.map((count, server) => [count, children[1]![server]!] as const).slice(1);
      expect(
        below.filter(([first, second]) => Math.min(first, second) > 0 || Math.max(first, second) > 2),
        `${servers} servers`,
      ).toEqual([]);
      expect([children[0]![0], children[1]![0]]).toEqual([1, 1]);
      const depths = [0, 1].flatMap((tree) =>
        Array.from({ length: servers }, (_, server) => {
          let depth = 0;
          for (let at = server; at !== 0 && depth < servers; at = binaryTreeParent(at, servers, tree)) depth++;
          return depth;
        }),
      );
      expect(Math.max(...depths)).toBeLessThanOrEqual(Math.ceil(Math.log2(servers)) + 1);
    }
  });

  it('is the in-order tree that the paper draws: of 1 to 7, 4 has 2 and 6, those have the odd ones', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((server) => binaryTreeParent(server, 8, 0))).toEqual([2, 4, 2, 0, 6, 4, 6]);
  });

  it('makes no server send or receive more than the buffer up and the buffer down', () => {
    for (const servers of [3, 8, 13, 32]) {
      const size = 1000;
      const moves = readMoves(
        new TreeReduction({
          algorithm: 'tree',
          kind: 'allreduce',
          rankCount: servers,
          forest: doubleBinaryTrees(placementOf(servers, 1), 2),
          sizeBytes: size,
        }),
      );
      const [sent, received] = [bytesSent(moves, servers), bytesReceived(moves, servers)];
      expect(Math.max(...sent, ...received)).toBeLessThanOrEqual(2 * size);
      expect(sent.reduce((sum, bytes) => sum + bytes)).toBe(2 * (servers - 1) * size);
    }
  });
});

describe('double trees of twice as many channels as GPUs in a server', () => {
  it.each<readonly [string, (placement: Placement, channels: number) => Forest]>([
    ['tree', doubleBinaryTrees],
    ['nvls-tree', nvlsTrees],
  ])('keep every NIC within its share of the buffer up and the buffer down: %s', (name, shape) => {
    for (const [servers, gpus] of [
      [2, 8],
      [5, 4],
      [16, 8],
    ] as const) {
      const [ranks, size] = [servers * gpus, gpus * 2000];
      const placement = placementOf(ranks, gpus);
      const moves = readMoves(
        new TreeReduction({
          algorithm: name as AlgorithmName,
          kind: 'allreduce',
          rankCount: ranks,
          forest: shape(placement, 2 * gpus),
          sizeBytes: size,
        }),
      );
      const crossing = moves.filter(
        ({ source, destination }) =>
          source < ranks && destination < ranks && placement.serverOf[source] !== placement.serverOf[destination],
      );
      const share = (2 * size) / gpus;
      expect(Math.max(...bytesSent(crossing, ranks)), `${servers} servers`).toBeLessThanOrEqual(share);
      expect(Math.max(...bytesReceived(crossing, ranks)), `${servers} servers`).toBeLessThanOrEqual(share);
      // the GPUs of a server at work: all of them, alike (the root's server sends what goes down and no sum up)
      const sent = bytesSent(crossing, ranks);
      for (let server = 0; server < servers; server++)
        expect(new Set(sent.slice(server * gpus, (server + 1) * gpus)).size, `server ${server} of ${servers}`).toBe(1);
    }
  });
});

describe('NVLS', () => {
  it('sends the buffer up and down once per GPU: for SimAI 4 chunks, each up and down', () => {
    const moves = readMoves(
      new TreeReduction({
        algorithm: 'nvls',
        kind: 'allreduce',
        rankCount: 8,
        forest: nvlsStars(placementOf(8, 8), 1),
        sizeBytes: 2 ** 20,
        chunkCount: 4,
      }),
    );
    expect(moves.length).toBe(2 * 8 * 4);
    expect(new Set(moves.map(({ sizeBytes }) => sizeBytes))).toEqual(new Set([2 ** 18]));
    expect(bytesSent(moves, 9)).toEqual([...Array.from({ length: 8 }, () => 2 ** 20), 8 * 2 ** 20]);
    // all first chunks leave at once, the others follow
    expect(moves.filter(({ predecessors }) => predecessors.length === 0).map(({ chunk }) => chunk)).toEqual(
      Array.from({ length: 8 }, () => 0),
    );
  });

  it('crosses between servers once up and once down in a tree over them', () => {
    const placement = placementOf(32, 8);
    const moves = readMoves(
      new TreeReduction({
        algorithm: 'nvls-tree',
        kind: 'allreduce',
        rankCount: 32,
        forest: nvlsTrees(placement, 2),
        sizeBytes: 1000,
      }),
    );
    const crossing = moves.filter(({ source, destination }) => source < 32 && destination < 32);
    expect(
      crossing.every(({ source, destination }) => placement.serverOf[source] !== placement.serverOf[destination]),
    ).toBe(true);
    expect(crossing.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(2 * 3 * 1000);
  });
});

describe('CollNet', () => {
  it('has every GPU of a server speak for a part of the buffer', () => {
    const placement = placementOf(32, 8);
    const moves = readMoves(
      new TreeReduction({
        algorithm: 'collnet-direct',
        kind: 'allreduce',
        rankCount: 32,
        forest: collnetDirectTrees(placement, 8),
        sizeBytes: 8000,
      }),
    );
    const crossing = moves.filter(
      ({ source, destination }) => placement.serverOf[source] !== placement.serverOf[destination],
    );
    expect(
      crossing.every(
        ({ source, destination, sizeBytes, channel }) =>
          sizeBytes === 1000 && source % 8 === channel && destination % 8 === channel,
      ),
    ).toBe(true);
    // up and down an edge for each of 3 servers below the root and 8 parts
    expect(crossing.length).toBe(2 * 3 * 8);
  });
});

// the document, "Algorithm Internals": "Child(i) = 2*i+1, 2*i+2", root at rank 0, for the NVLS-tree between servers; 2.4:
// "One representative GPU per node participates"
describe('the NVLS-tree of profile document', () => {
  const request = { kind: 'allreduce', sizeBytes: 2 ** 20 } as const;
  const shape = {
    algorithm: 'nvls-tree',
    channels: 1,
    chunks: 1,
    ringLayout: 'rank-order',
    peerOrder: 'by-rank',
    pxn: false,
    slots: 1,
    dropsRemainder: false,
  } as const;
  const between = (servers: number, serverTree: { readonly serverTree?: 'heap' }): string[] => {
    const placement = placementOf(8 * servers, 8);
    return readMoves(buildSchedule(request, { ...shape, ...serverTree }, placement))
      .filter(({ source, destination }) => Math.max(source, destination) < 8 * servers && source !== destination)
      .map(({ source, destination }) => `${source}-${destination}`);
  };

  it('is a heap over the first GPUs of the servers', () => {
    // servers 0 to 6: 1 and 2 below 0, 3 and 4 below 1, 5 and 6 below 2; a GPU of server s is 8 s
    const up = ['8-0', '16-0', '24-8', '32-8', '40-16', '48-16'];
    const down = up.map((edge) => edge.replace(/(\d+)-(\d+)/, '$2-$1'));
    expect(between(7, { serverTree: 'heap' }).sort()).toEqual([...up, ...down].sort());
    expect(between(7, {}).sort()).not.toEqual([...up, ...down].sort());
  });

  it('adds the right numbers and takes no more steps between servers than the heap is high', () => {
    for (const servers of [2, 3, 4, 5, 9]) {
      const placement = placementOf(8 * servers, 8);
      const schedule = buildSchedule({ ...request, sizeBytes: 101 }, { ...shape, serverTree: 'heap' }, placement);
      expect(problemsOfSchedule(schedule, 101, new RandomStream(seed, 'heap'))).toEqual([]);
      expect(schedule.stepCount).toBe(2 * (Math.floor(Math.log2(servers)) + 2));
    }
  });
});
