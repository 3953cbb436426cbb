// A real CBC: optimum, bound at a time limit, a solution to begin with, infeasibility, Ctrl-C; and the exact models on
// small fabrics as HiGHS solves them. Skipped where there is no cbc on PATH; .ci/install-cbc installs it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BasicMcf } from '../../src/exact/basic-mcf.js';
import { routePartitioned } from '../../src/exact/partitioned-binary.js';
import { lpText, mpsText } from '../../src/exact/program-text.js';
import { evaluateRoutes } from '../../src/optimization/evaluate-routes.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { externalSolver } from '../../src/solvers/external-solver.js';
import { highsHere, leafTraffic } from '../support/exact-routes.js';
import { figure33Balanced, figure33OneGroup, figure33Traffic } from '../support/figure-3-3.js';
import { smallCase } from '../support/small-fabrics.js';
import { seed } from '../support/seed.js';

const there = isThere();
const cbc = externalSolver('cbc');

function isThere(): boolean {
  try {
    execFileSync('cbc', ['-quit'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (!there) process.stderr.write('there is no cbc on PATH: its tests are skipped\n');

describe.skipIf(!there)(`cbc (WEFT_SEED=${seed})`, () => {
  for (const index of [0, 1, 2, 3, 5, 8]) {
    const { tree, traffic, description } = smallCase(seed, index, 40);
    it(`${description}: as HiGHS`, async () => {
      const phases = leafTraffic(tree, traffic);
      const relaxed = BasicMcf.relaxation(tree, phases).program;
      expect((await cbc.solve(relaxed, 0, { seconds: 20 })).objective).toBeCloseTo(
        (await highsHere.solve(relaxed, 0, { seconds: 20 })).objective,
        6,
      );
      const model = BasicMcf.ofStaticRoutes(tree, phases);
      const start = routeDmodK(tree);
      const [own, other] = [
        await cbc.solve(model.program, 0, { seconds: 30, start: model.valuesOf(start) }),
        await highsHere.solve(model.program, 0, { seconds: 30 }),
      ];
      expect([own.status, other.status]).toEqual(['optimal', 'optimal']);
      expect(own.objective).toBeCloseTo(other.objective, 5);
      expect(own.bound).toBe(own.objective);
      const evaluation = evaluateRoutes(tree, [model.tablesOf(own.values!, start)], traffic);
      expect(evaluation.phases.reduce((sum, { loads }) => sum + loads.netMaxLoad, 0)).toBeCloseTo(own.objective, 5);
    });
  }

  it('LP and MPS files are read alike', async () => {
    const { tree, traffic } = smallCase(seed, 1, 60);
    const folder = mkdtempSync(join(tmpdir(), 'weft-cbc-'));
    try {
      const phases = leafTraffic(tree, traffic);
      for (const { program } of [BasicMcf.ofStaticRoutes(tree, phases), BasicMcf.relaxation(tree, phases)]) {
        const { objective } = await highsHere.solve(program, 0, { seconds: 20 });
        for (const [name, text] of [
          ['model.lp', lpText(program)],
          ['model.mps', mpsText(program)],
        ] as const) {
          writeFileSync(join(folder, name), text);
          const output = execFileSync('cbc', [join(folder, name), '-seconds', '30', '-ratioGap', '0', '-solve'], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          expect(
            Number(/^(?:Objective value:|Optimal - objective value)\s+(\S+)$/m.exec(output)?.[1]),
            name,
          ).toBeCloseTo(objective, 5);
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('Partitioned Binary on Figure 3.3: 20, every step solved', async () => {
    const { tree, tables } = figure33Balanced(figure33OneGroup);
    const found = await routePartitioned(tree, figure33Traffic(), tables, cbc, {
      interpodSeconds: 20,
      objectiveSeconds: 20,
      secondsLeft: () => 400,
    });
    expect(found.optimalSteps).toBe(found.steps);
    expect(evaluateRoutes(tree, [found.tables], figure33Traffic()).maxLoad).toBe(20);
  });

  it('stopped by its limit or by Ctrl-C it returns what it has, not below its bound', async () => {
    const { tree, traffic } = smallCase(1, 41, 400);
    const model = BasicMcf.ofStaticRoutes(tree, leafTraffic(tree, traffic));
    const start = model.valuesOf(routeDmodK(tree));
    const began = objectiveOf(model, start);
    for (const limits of [
      { seconds: 1 },
      {
        seconds: 60,
        cancelled: new Promise((resolve) => {
          setTimeout(resolve, 1000);
        }),
      },
    ]) {
      const solution = await cbc.solve(model.program, 0, { ...limits, start });
      expect(solution.objective).toBeLessThanOrEqual(began + 1e-6);
      expect(solution.objective).toBeGreaterThanOrEqual(solution.bound - 1e-6);
    }
  });
});

function objectiveOf(model: BasicMcf, values: Float64Array): number {
  return model.maxval.reduce((sum, variable) => sum + values[variable]!, 0);
}
