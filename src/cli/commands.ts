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

function entry(name: string, summary: string, load: () => Promise<(context: CommandContext) => Command>): CommandEntry {
  return { name, summary, load: async (context) => (await load())(context) };
}

/** All commands, in the order in which `weft --help` lists them. */
export const commandEntries: readonly CommandEntry[] = [
  entry('run', 'simulate a scenario', async () => (await import('./run/run.js')).runCommand),
  entry('init', 'write a first scenario', async () => (await import('./init/init.js')).initCommand),
  entry(
    'sweep',
    'a scenario with every combination of settings and seeds',
    async () => (await import('./sweep/sweep.js')).sweepCommand,
  ),
  entry('report', 'runs as one HTML page with charts', async () => (await import('./report/report.js')).reportCommand),
  entry(
    'collective',
    'time a collective on an idle fabric, as nccl-tests does',
    async () => (await import('./collective/collective.js')).collectiveCommand,
  ),
  entry(
    'calibrate',
    'a profile of collectives from what a cluster measured',
    async () => (await import('./calibrate/calibrate.js')).calibrateCommand,
  ),
  entry(
    'compare-fabrics',
    'the same work on several fabrics',
    async () => (await import('./compare-fabrics/compare-fabrics.js')).compareFabricsCommand,
  ),
  entry(
    'analyze',
    'runs and files of others: collisions, flows, times, ports',
    async () => (await import('./analyze/analyze.js')).analyzeCommand,
  ),
  entry('sfc', 'thresholds and pause of source flow control', async () => (await import('./sfc/sfc.js')).sfcCommand),
  entry(
    'compare',
    'runs beside each other: which flows changed, by how much, and if that is chance',
    async () => (await import('./compare/compare.js')).compareRunsCommand,
  ),
  entry(
    'compare-policies',
    'when the central controller helps: scenarios under each of its policies',
    async () => (await import('./compare-policies/compare-policies.js')).comparePoliciesCommand,
  ),
  entry(
    'demo',
    'the server-pair example, without and with the controller',
    async () => (await import('./demo/demo.js')).demoCommand,
  ),
  entry(
    'topology',
    'generate, list and check fabrics (SimAI/HPCC topology files)',
    async () => (await import('./topology/topology.js')).topologyCommand,
  ),
  entry(
    'route',
    'static routes for InfiniBand fat trees: compute tables, evaluate and compare them',
    async () => (await import('./route/route.js')).routeCommand,
  ),
  entry(
    'traffic',
    'traffic matrices: patterns by name, statistics, files',
    async () => (await import('./traffic/traffic.js')).trafficCommand,
  ),
  entry(
    'trace',
    'traces of transfers: patterns, sizes, loads',
    async () => (await import('./trace/trace.js')).traceCommand,
  ),
  entry(
    'workload',
    "workloads of scenarios as SimAI's and AICB's files",
    async () => (await import('./workload/workload.js')).workloadCommand,
  ),
  entry('schema', 'print the JSON Schema of scenarios', async () => (await import('./schema/schema.js')).schemaCommand),
];
