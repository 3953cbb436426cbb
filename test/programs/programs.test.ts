// Every program against arithmetic of its own: how many messages and bytes, between whom; and every mapping.

import { describe, expect, it } from 'vitest';
import { findProgram, programFamilies } from '../../src/programs/families/catalogue.js';
import { nodesOfRanks } from '../../src/programs/mappings.js';
import { RankOperation, RankOperationKind, type RankProgram } from '../../src/programs/rank-program.js';
import { placed, runIdeally } from '../support/ideal-messages.js';
import { groupDefaults } from '../support/setting-defaults.js';

function made(name: string, changes: Record<string, number | boolean | string>, ranks = 0): RankProgram {
  const family = findProgram(name)!;
  const values = { ...groupDefaults(family.settings), ...changes };
  return family.make(values, family.ranks(values) ?? ranks, 5);
}

function ran(program: RankProgram) {
  const { reports, sent } = runIdeally([placed(program)], 1000, 1);
  expect(reports[0]).toMatchObject({ isFinished: true, isConserved: true });
  return { ...reports[0]!, sent };
}

const wrap = (at: number, side: number): number => (at + side) % side;

/** Whom rank 0 of a stencil of 4 x 4 x 4 sends to, in order. */
function first(changes: Record<string, string | boolean>): number[] {
  return ran(made('stencil', { x: 4, y: 4, z: 4, messageSize: 1, messages: 2, ...changes }))
    .sent.filter(([, source]) => source === 0)
    .map(([, , destination]) => destination);
}

describe('stencil', () => {
  it.each([
    [4, 3, 5, true],
    [4, 3, 5, false],
    [3, 3, 1, false],
    [2, 4, 1, true],
  ] as [number, number, number, boolean][])(
    '%i x %i x %i, periodic %s: pairs as brute force finds them',
    (x, y, z, periodic) => {
      for (const neighbours of ['faces', 'all'] as const) {
        const { sent } = ran(made('stencil', { x, y, z, periodic, neighbours, messageSize: 8 }));
        const wanted = new Map<string, number>();
        for (let rank = 0; rank < x * y * z; rank++) {
          const [rx, ry, rz] = [rank % x, Math.floor(rank / x) % y, Math.floor(rank / x / y)];
          for (let dz = -1; dz <= 1; dz++)
            for (let dy = -1; dy <= 1; dy++)
              for (let dx = -1; dx <= 1; dx++) {
                const steps = Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
                if (steps === 0 || (neighbours === 'faces' && steps > 1)) continue;
                if ((dx !== 0 && x === 1) || (dy !== 0 && y === 1) || (dz !== 0 && z === 1)) continue;
                const [nx, ny, nz] = [rx + dx, ry + dy, rz + dz];
                const isInside = nx >= 0 && nx < x && ny >= 0 && ny < y && nz >= 0 && nz < z;
                if (!isInside && !periodic) continue;
                const key = `${rank} ${wrap(nx, x) + x * (wrap(ny, y) + y * wrap(nz, z))}`;
                wanted.set(key, (wanted.get(key) ?? 0) + 1);
              }
        }
        const found = new Map<string, number>();
        for (const [, source, destination] of sent)
          found.set(`${source} ${destination}`, (found.get(`${source} ${destination}`) ?? 0) + 1);
        expect(new Map([...found].sort())).toEqual(new Map([...wanted].sort()));
      }
    },
  );

  it('has 26 neighbours inside a grid of 27 points', () => {
    const { sent } = ran(made('stencil', { x: 3, y: 3, z: 3, periodic: false, neighbours: 'all', messageSize: 1 }));
    expect(sent.filter(([, source]) => source === 13).length).toBe(26);
    expect(sent.filter(([, source]) => source === 0).length).toBe(7);
  });

  it('sends directions in their order, in turn or one after the other', () => {
    expect(first({})).toEqual([1, 3, 4, 12, 16, 48, 1, 3, 4, 12, 16, 48]);
    expect(first({ inTurn: false, directions: 'z-first' })).toEqual([16, 16, 48, 48, 4, 4, 12, 12, 1, 1, 3, 3]);
  });
});

describe('programs', () => {
  it('barriers: 2 (n - 1) messages of 8 bytes for each row, column and all, a round', () => {
    const { messages, payloadBytes } = ran(made('barriers', { x: 4, y: 6, rounds: 3 }));
    const each = 3 * (6 * 2 * 3 + 4 * 2 * 5 + 2 * 23);
    expect([messages, payloadBytes]).toEqual([each, 8 * each]);
  });

  it('bully: everyone sends its rounds to one partner, who sends back as much', () => {
    const { messages, payloadBytes, sent } = ran(made('bully', { rounds: 2, messages: 3, messageSize: 10 }, 10));
    expect([messages, payloadBytes]).toEqual([60, 600]);
    expect(new Set(sent.map(([, source, destination]) => `${source} ${destination}`)).size).toBe(10);
  });

  it('incast: four senders to the first of their group', () => {
    const { sent } = ran(made('incast', { messages: 3, messageSize: 10 }, 10));
    expect(sent.length).toBe(24);
    expect(sent.every(([, source, destination]) => destination === source - (source % 5) && source % 5 > 0)).toBe(true);
  });

  it('pf3d: alltoalls within the planes alone', () => {
    const { messages, sent } = ran(made('pf3d', { x: 3, y: 2, z: 4, alltoalls: 2, messageSize: 10 }));
    expect(messages).toBe(2 * 4 * 6 * 5);
    expect(sent.every(([, source, destination]) => Math.floor(source / 6) === Math.floor(destination / 6))).toBe(true);
  });

  it.each(['bspma', 'svaf', 'svafp'])('minighost %s: the same faces, bytes and sums', (strategy) => {
    const [x, y, z, variables] = [3, 4, 2, 5];
    const { messages, payloadBytes, computePs } = ran(
      made('minighost', { x, y, z, variables, strategy, faceSize: 100, computeTime: 1000 }),
    );
    const faces = 2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1));
    const sums = variables * 2 * (x * y * z - 1);
    expect(messages).toBe((strategy === 'bspma' ? faces : variables * faces) + sums);
    expect(payloadBytes).toBe(variables * faces * 100 + sums * 8);
    expect(computePs.minimum).toBe(variables * 1000);
  });

  it('minighost computes more or less by computeSpread, each stencil of each rank otherwise, by the seed', () => {
    const [x, y, z, variables, time, spread] = [8, 8, 8, 40, 1_000_000, 0.1];
    const drawn = (seed: number): number[] => {
      const values = { x, y, z, variables, computeTime: time, computeSpread: spread, strategy: 'svafp' };
      const family = findProgram('minighost')!;
      const program = family.make({ ...groupDefaults(family.settings), ...values }, x * y * z, seed);
      const operation = new RankOperation();
      const times: number[] = [];
      for (let rank = 0; rank < program.ranks; rank++)
        for (let index = 0; index < program.operations(rank); index++) {
          program.read(rank, index, operation);
          if (operation.kind === RankOperationKind.compute) times.push(operation.timePs);
        }
      return times;
    };
    const times = drawn(5);
    expect(times).toEqual(drawn(5));
    expect(times).not.toEqual(drawn(6));
    expect(times).toHaveLength(x * y * z * variables);
    // uniform: mean 1, standard deviation spread / sqrt(3), within four standard errors; as good as no two alike
    const mean = times.reduce((sum, one) => sum + one / time, 0) / times.length;
    const variance = times.reduce((sum, one) => sum + (one / time - mean) ** 2, 0) / times.length;
    expect(Math.abs(mean - 1)).toBeLessThan((4 * spread) / Math.sqrt(3 * times.length));
    expect(Math.sqrt(variance) / (spread / Math.sqrt(3))).toBeCloseTo(1, 1);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(time * (1 - spread));
    expect(Math.max(...times)).toBeLessThanOrEqual(time * (1 + spread));
    // neighbours in rank and in turn are independent: correlation within four standard errors of 0
    for (const lag of [1, variables]) {
      const products = times.slice(lag).reduce((sum, one, i) => sum + (one / time - 1) * (times[i]! / time - 1), 0);
      expect(Math.abs(products / times.length / variance)).toBeLessThan(4 / Math.sqrt(times.length));
    }
  });

  it('take time of computation, overhead and wait, and nothing else', () => {
    for (const { name } of programFamilies.filter((family) => family.name !== 'bisection')) {
      const small = { x: 2, y: 3, z: 2, messages: 2, rounds: 2, variables: 2, computeTime: 500, senders: 3 };
      const program = made(name, small, 12);
      const { reports } = runIdeally([placed(program)], 1000, 1);
      const { computePs, overheadPs, waitPs, totalPs } = reports[0]!;
      expect(computePs.mean + overheadPs.mean + waitPs.mean).toBeLessThanOrEqual(totalPs + 1e-6);
      expect(reports[0]!.isConserved).toBe(true);
    }
    // where all ranks do the same at the same time, each of them ends with the program
    const { reports } = runIdeally([placed(made('bisection', { pairing: 'shift' }, 12))], 1000, 1);
    const { computePs, overheadPs, waitPs, totalPs } = reports[0]!;
    expect(computePs.mean + overheadPs.mean + waitPs.mean).toBeCloseTo(totalPs, 3);
    expect(waitPs.mean).toBeGreaterThan(0);
  });
});

describe('mappings', () => {
  const leaves = Int32Array.of(9, 9, 9, 7, 7);
  const site = { ranks: 10, ranksPerNode: 2, leaves, shift: 3, tiling: null };

  it('linear, cyclic, shifted, cyclic within leaves', () => {
    expect([...nodesOfRanks('linear', site)]).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    expect([...nodesOfRanks('cyclic', site)]).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    expect([...nodesOfRanks('shifted', site)]).toEqual([3, 3, 4, 4, 0, 0, 1, 1, 2, 2]);
    expect([...nodesOfRanks('cyclic-leaf', site)]).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 3, 4]);
  });

  it('tiled: 3x3x4 ranks on each of 768 nodes, 4x4x2 nodes on each of 24 leaves, as boxes of the grid', () => {
    const tiling = { grid: [24, 48, 24], nodeTile: [3, 3, 4], leafTile: [4, 4, 2] } as const;
    const ranks = 24 * 48 * 24;
    const nodeOf = nodesOfRanks('tiled', { ...site, ranks, ranksPerNode: 36, tiling });
    const boxes = new Map<number, Set<string>>();
    const filled = new Int32Array(768);
    for (let rank = 0; rank < ranks; rank++) {
      const node = nodeOf[rank]!;
      filled[node]!++;
      const box = [rank % 24, Math.floor(rank / 24) % 48, Math.floor(rank / 24 / 48)];
      const name = `${Math.floor(box[0]! / 3)} ${Math.floor(box[1]! / 3)} ${Math.floor(box[2]! / 4)}`;
      boxes.set(node, (boxes.get(node) ?? new Set()).add(name));
      const leafBox = `${Math.floor(box[0]! / 12)} ${Math.floor(box[1]! / 12)} ${Math.floor(box[2]! / 8)}`;
      const leaf = -1 - Math.floor(node / 32);
      boxes.set(leaf, (boxes.get(leaf) ?? new Set()).add(leafBox));
    }
    expect(filled.every((count) => count === 36)).toBe(true);
    expect([...boxes.values()].every((names) => names.size === 1)).toBe(true);
  });
});
