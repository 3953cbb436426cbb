// LP and MPS texts: HiGHS reads both and comes to the optimum that it finds without a text, which is known by hand.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { LinearProgram } from '../../src/exact/linear-program.js';
import { solveLexicographically } from '../../src/exact/linear-solver.js';
import { lpText, mpsText } from '../../src/exact/program-text.js';
import { highs, highsHere, leafTraffic, randomTraffic, treeOf } from '../support/exact-routes.js';

function optimumOf(format: 'lp' | 'mps', text: string): number {
  return highs.withModel(
    { format, data: format === 'lp' ? text : new TextEncoder().encode(text) } as Parameters<typeof highs.withModel>[0] &
      object,
    (model) => {
      model.options.set({ output_flag: false });
      model.run();
      return model.getObjectiveValue();
    },
  );
}

/** 3 a + 2 b >= 7, a <= 1 whole, b >= 0 real, c whole: a = 1 leaves b = 2. */
function small(): LinearProgram {
  const program = new LinearProgram('small');
  const a = program.binary('a');
  const b = program.real('b');
  const c = program.binary('c');
  program.row(
    'enough',
    [
      [a, 3],
      [b, 2],
      [c, 0.5],
    ],
    '>=',
    7,
  );
  program.row(
    'one',
    [
      [a, 1],
      [c, 1],
    ],
    '=',
    1,
  );
  program.row(
    'most',
    [
      [b, 1],
      [a, -2],
    ],
    '<=',
    4.25,
  );
  program.objectives.push({
    name: 'cost',
    terms: [
      [b, 1],
      [a, 0.1],
    ],
  });
  return program;
}

describe('texts', () => {
  it('of a programme that is solved by hand', async () => {
    expect((await highsHere.solve(small(), 0, { seconds: 5 })).objective).toBeCloseTo(2.1, 9);
    expect(optimumOf('lp', lpText(small()))).toBeCloseTo(2.1, 9);
    expect(optimumOf('mps', mpsText(small()))).toBeCloseTo(2.1, 9);
  });

  it('of Basic MCF, with and without whole variables', async () => {
    const tree = treeOf({ pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 4 });
    const phases = leafTraffic(tree, randomTraffic(new RandomStream(5, 'texts'), tree, 8, 2));
    for (const { program } of [BasicMcf.relaxation(tree, phases), BasicMcf.ofStaticRoutes(tree, phases)]) {
      const { objective } = await highsHere.solve(program, 0, { seconds: 20 });
      const text = lpText(program);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(255);
      expect(optimumOf('lp', text)).toBeCloseTo(objective, 6);
      expect(optimumOf('mps', mpsText(program))).toBeCloseTo(objective, 6);
    }
  });
});

describe('objectives one after the other', () => {
  it('the second keeps the first at its optimum, and differs from what it is alone', async () => {
    // a + b = 1: the first likes a = 0, the second a = 1; c is free for the second alone
    const program = new LinearProgram('two_objectives');
    const [a, b, c] = [program.binary('a'), program.binary('b'), program.binary('c')];
    program.row(
      'one',
      [
        [a, 1],
        [b, 1],
      ],
      '=',
      1,
    );
    program.objectives.push(
      {
        name: 'first',
        terms: [
          [a, 2],
          [b, 1],
        ],
      },
      {
        name: 'second',
        terms: [
          [b, 5],
          [c, -1],
        ],
      },
    );
    expect((await highsHere.solve(program, 1, { seconds: 5 })).objective).toBeCloseTo(-1, 9);
    const { solutions, values } = await solveLexicographically(program, highsHere, { seconds: 5 });
    expect(solutions.map(({ objective }) => Math.round(objective))).toEqual([1, 4]);
    expect([...values!].map(Math.round)).toEqual([0, 1, 1]);
  });
});
