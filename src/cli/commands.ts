// The commands of `weft`: what each is called, what it is for, and where it is. One is loaded when it is called or its
// help is wanted, so that `weft --version` and `weft --help` load none and every other call loads one.
// Invariant: name and summary are those of the command itself (test/cli/commands.test.ts loads each and compares).

import type { Command } from 'commander';
import type { CommandContext } from './context.js';

/** A command that is not loaded yet. */
export interface CommandEntry {
  readonly name: string;
  /** what the list of commands says of it */
  readonly summary: string;
  /** Loads its modules and makes it. */
  readonly load: (context: CommandContext) => Promise<Command>;
}

type Loaded = Promise<{ readonly default: (context: CommandContext) => Command }>;

function entry(name: string, summary: string, load: () => Loaded): CommandEntry {
  return { name, summary, load: async (context) => (await load()).default(context) };
}

/** All commands, in the order in which `weft --help` lists them. */
export const commandEntries: readonly CommandEntry[] = [
  entry('run', 'simulate a scenario', () => import('./run/run.js')),
  entry('init', 'write a first scenario', () => import('./init/init.js')),
  entry('sweep', 'a scenario with every combination of settings and seeds', () => import('./sweep/sweep.js')),
  entry('worker', 'carry out runs of campaigns that a queue in Redis has', () => import('./worker/worker.js')),
  entry('plan', 'which parallelism trains a model fastest on given GPUs and network', () => import('./plan/plan.js')),
  entry('report', 'runs, or the health of a fabric, as one HTML page', () => import('./report/report.js')),
  entry('ui', 'runs and scenarios of this machine in a page of the browser', () => import('./ui/ui.js')),
  entry(
    'collective',
    'time a collective on an idle fabric, as nccl-tests does',
    () => import('./collective/collective.js'),
  ),
  entry('calibrate', 'a profile of collectives from what a cluster measured', () => import('./calibrate/calibrate.js')),
  entry('compare-fabrics', 'the same work on several fabrics', () => import('./compare-fabrics/compare-fabrics.js')),
  entry(
    'diagnose',
    'why a run was slow: causes, links and ranks, and what to try',
    () => import('./diagnose/diagnose.js'),
  ),
  entry('analyze', 'runs and files of others: collisions, flows, times, ports', () => import('./analyze/analyze.js')),
  entry('sfc', 'thresholds and pause of source flow control', () => import('./sfc/sfc.js')),
  entry(
    'compare',
    'runs beside each other: which flows changed, by how much, and if that is chance',
    () => import('./compare/compare.js'),
  ),
  entry(
    'compare-policies',
    'when the central controller helps: scenarios under each of its policies',
    () => import('./compare-policies/compare-policies.js'),
  ),
  entry('demo', 'the server-pair example, without and with the controller', () => import('./demo/demo.js')),
  entry(
    'topology',
    'generate, list and check fabrics (SimAI/HPCC topology files)',
    () => import('./topology/topology.js'),
  ),
  entry(
    'route',
    'static routes for InfiniBand fat trees: compute tables, evaluate and compare them',
    () => import('./route/route.js'),
  ),
  entry(
    'reconstruct',
    'who sent how much to whom, from what ports counted',
    () => import('./reconstruct/reconstruct.js'),
  ),
  entry(
    'adapt',
    'measure, reconstruct, route anew: static routes that follow the traffic, epoch by epoch',
    () => import('./adapt/adapt.js'),
  ),
  entry('traffic', 'traffic matrices: patterns by name, statistics, files', () => import('./traffic/traffic.js')),
  entry('trace', 'traces of transfers: patterns, sizes, loads', () => import('./trace/trace.js')),
  entry('workload', "workloads of scenarios as SimAI's and AICB's files", () => import('./workload/workload.js')),
  entry('schema', 'print the JSON Schema of scenarios', () => import('./schema/schema.js')),
];
