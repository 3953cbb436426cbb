// The adaptive bound of any fat tree: Basic MCF without whole variables (basic-mcf.ts); of any other fabric: all ways
// (any-ways.ts). Phase by phase and for all
// phases at once. On a whole tree it is the closed form of optimization/route-bounds.ts; with missing links it may be
// above every cut of that.

import type { FatTree } from '../fabric/fat-tree.js';
import { collapsed, type Traffic, type TrafficMatrix } from '../flows/traffic/matrix.js';
import type { BoundInterval } from '../optimization/adaptive-spread.js';
import type { SolvedBounds } from '../optimization/evaluate-routes.js';
import { routableTraffic } from '../optimization/leaf-traffic.js';
import { anyWaysProgram } from './any-ways.js';
import { BasicMcf } from './basic-mcf.js';
import type { LinearSolver } from './linear-solver.js';
import { inSolverUnits } from './solver-units.js';

/** What a solver's value may be beside the optimum, relative to it. */
const solverTolerance = 1e-7;

/**
 * Solves for the bounds. @param seconds of each linear programme @param stopped ends it without a result when it is
 * settled
 * @returns null if a programme was not solved in its time
 */
export async function solveAdaptiveBounds(
  tree: FatTree,
  traffic: Traffic,
  solver: LinearSolver,
  seconds: number,
  stopped?: Promise<unknown>,
): Promise<SolvedBounds | null> {
  const solve = async (matrix: TrafficMatrix): Promise<BoundInterval | null> => {
    const { phases: flows, unit } = inSolverUnits([routableTraffic(tree, matrix)]);
    const { status, objective } = await solver.solve(
      tree.isTree ? BasicMcf.relaxation(tree, flows).program : anyWaysProgram(flows[0]!),
      0,
      {
        seconds,
        ...(stopped === undefined ? {} : { cancelled: stopped }),
      },
    );
    return status === 'optimal'
      ? { lower: unit * objective * (1 - solverTolerance), upper: unit * objective * (1 + solverTolerance) }
      : null;
  };
  const phases: BoundInterval[] = [];
  for (const { matrix } of traffic.phases) {
    const bound = await solve(matrix);
    if (bound === null) return null;
    phases.push(bound);
  }
  const all = phases.length === 1 ? phases[0]! : await solve(collapsed(traffic));
  return all === null ? null : { phases, collapsed: all };
}
