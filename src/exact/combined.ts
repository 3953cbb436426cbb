// Combined: Basic MCF and Partitioned Binary at once. The first proves bounds of the whole problem; the second finds
// good routes early and hands them to the first, which goes on from there. Source: Taffet's dissertation
// (docs/SOURCES.md), section 3.4.
// Invariants: the routes returned are the better ones of the two, as their tables carry the traffic; the bound is Basic
// MCF's.

import type { FatTree } from '../fabric/fat-tree.js';
import type { Traffic } from '../flows/traffic/matrix.js';
import { routableTraffic } from '../optimization/leaf-traffic.js';
import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { BasicMcf } from './basic-mcf.js';
import type { LinearSolution, LinearSolver } from './linear-solver.js';
import { OfferedSolutions } from './offered-solutions.js';
import { routePartitioned } from './partitioned-binary.js';
import { inSolverUnits } from './solver-units.js';

export interface SolvedRoutes {
  readonly tables: ForwardingTables;
  /** largest load between switches, summed over phases, by the tables */
  readonly objective: number;
  /** no routes have a smaller one */
  readonly bound: number;
  readonly status: LinearSolution['status'];
  /** of Combined: what Partitioned Binary came to; null if Basic MCF was done before */
  readonly partitioned: number | null;
}

export interface CombinedLimits {
  readonly seconds: number;
  /** seconds since any moment */
  readonly clock: () => number;
  readonly say?: (text: string) => void;
  /** ends both with the best so far when it is settled */
  readonly stopped?: Promise<unknown>;
}

/** Basic MCF alone. @param start complete minimal tables to begin with */
export async function routeBasicMcf(
  tree: FatTree,
  traffic: Traffic,
  start: ForwardingTables,
  solver: LinearSolver,
  seconds: number,
  stopped?: Promise<unknown>,
): Promise<SolvedRoutes> {
  const { phases, unit } = inSolverUnits(traffic.phases.map(({ matrix }) => routableTraffic(tree, matrix)));
  const model = BasicMcf.ofStaticRoutes(tree, phases);
  const solution = await solver.solve(model.program, 0, {
    seconds,
    start: model.valuesOf(start),
    ...(stopped === undefined ? {} : { cancelled: stopped }),
  });
  return better(model, unit, solution, [start], null);
}

/**
 * Both at once.
 * @param start complete minimal tables to begin with
 * @param solver of Basic MCF
 * @param partsSolver of Partitioned Binary
 */
export async function routeCombined(
  tree: FatTree,
  traffic: Traffic,
  start: ForwardingTables,
  solver: LinearSolver,
  partsSolver: LinearSolver,
  limits: CombinedLimits,
): Promise<SolvedRoutes> {
  const { phases, unit } = inSolverUnits(traffic.phases.map(({ matrix }) => routableTraffic(tree, matrix)));
  const model = BasicMcf.ofStaticRoutes(tree, phases);
  const memory = OfferedSolutions.memory(model.program.variableCount);
  const offered = new OfferedSolutions(memory);
  const end = limits.clock() + limits.seconds;
  let done = false;
  const master = solver
    .solve(model.program, 0, {
      seconds: limits.seconds,
      start: model.valuesOf(start),
      offered: memory,
      ...(limits.stopped === undefined ? {} : { cancelled: limits.stopped }),
    })
    .then((solution) => {
      done = true;
      return solution;
    });
  const parts = routePartitioned(tree, traffic, start, partsSolver, {
    ...dissertationLimits,
    secondsLeft: () => (done ? 0 : end - limits.clock()),
    cancelled: master,
    ...(limits.say === undefined ? {} : { say: limits.say }),
  }).then((found) => {
    // what it hurried through because the other was done is nobody's
    if (done) return null;
    offered.offer(model.valuesOf(found.tables));
    return found.tables;
  });
  const [solution, part]: [LinearSolution, ForwardingTables | null] = await Promise.all([master, parts]);
  return better(model, unit, solution, part === null ? [start] : [start, part], part);
}

/** Time limits of the dissertation, sections 3.3.3 and 3.4. */
export const dissertationLimits = { interpodSeconds: 7.5, objectiveSeconds: 100 } as const;

function better(
  model: BasicMcf,
  unit: number,
  solution: LinearSolution,
  others: readonly ForwardingTables[],
  part: ForwardingTables | null,
): SolvedRoutes {
  const objectiveOf = (tables: ForwardingTables): number => {
    const values = model.valuesOf(tables);
    return unit * model.maxval.reduce((sum, variable) => sum + values[variable]!, 0);
  };
  const all = solution.values === null ? others : [model.tablesOf(solution.values, others[0]!), ...others];
  const objectives = all.map(objectiveOf);
  const best = objectives.indexOf(Math.min(...objectives));
  const objective = objectives[best]!;
  return {
    tables: all[best]!,
    objective,
    bound: Math.min(unit * solution.bound, objective),
    status: solution.status,
    partitioned: part === null ? null : objectiveOf(part),
  };
}
