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

/** All commands, in the order in which `weft --help` lists them. */
export const commandEntries: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'simulate a scenario',
    load: async (context) => (await import('./run/run.js')).runCommand(context),
  },
  {
    name: 'init',
    summary: 'write a first scenario',
    load: async (context) => (await import('./init/init.js')).initCommand(context),
  },
  {
    name: 'sweep',
    summary: 'a scenario with every combination of settings and seeds',
    load: async (context) => (await import('./sweep/sweep.js')).sweepCommand(context),
  },
  {
    name: 'report',
    summary: 'runs as one HTML page with charts',
    load: async (context) => (await import('./report/report.js')).reportCommand(context),
  },
  {
    name: 'collective',
    summary: 'time a collective on an idle fabric, as nccl-tests does',
    load: async (context) => (await import('./collective/collective.js')).collectiveCommand(context),
  },
  {
    name: 'calibrate',
    summary: 'a profile of collectives from what a cluster measured',
    load: async (context) => (await import('./calibrate/calibrate.js')).calibrateCommand(context),
  },
  {
    name: 'compare-fabrics',
    summary: 'the same work on several fabrics',
    load: async (context) => (await import('./compare-fabrics/compare-fabrics.js')).compareFabricsCommand(context),
  },
  {
    name: 'analyze',
    summary: 'runs and files of others: collisions, flows, times, ports',
    load: async (context) => (await import('./analyze/analyze.js')).analyzeCommand(context),
  },
  {
    name: 'sfc',
    summary: 'thresholds and pause of source flow control',
    load: async (context) => (await import('./sfc/sfc.js')).sfcCommand(context),
  },
  {
    name: 'compare',
    summary: 'runs beside each other: which flows changed, by how much, and if that is chance',
    load: async (context) => (await import('./compare/compare.js')).compareRunsCommand(context),
  },
  {
    name: 'compare-policies',
    summary: 'when the central controller helps: scenarios under each of its policies',
    load: async (context) => (await import('./compare-policies/compare-policies.js')).comparePoliciesCommand(context),
  },
  {
    name: 'demo',
    summary: 'the server-pair example, without and with the controller',
    load: async (context) => (await import('./demo/demo.js')).demoCommand(context),
  },
  {
    name: 'topology',
    summary: 'generate, list and check fabrics (SimAI/HPCC topology files)',
    load: async ({ stdout, stderr }) =>
      (await import('./topology/topology.js')).topologyCommand(
        (text) => stdout.write(text),
        (text) => stderr.write(text),
      ),
  },
  {
    name: 'route',
    summary: 'static routes for InfiniBand fat trees: compute tables, evaluate and compare them',
    load: async (context) => (await import('./route/route.js')).routeCommand(context),
  },
  {
    name: 'traffic',
    summary: 'traffic matrices: patterns by name, statistics, files',
    load: async (context) => (await import('./traffic/traffic.js')).trafficCommand(context),
  },
  {
    name: 'trace',
    summary: 'traces of transfers: patterns, sizes, loads',
    load: async (context) => (await import('./trace/trace.js')).traceCommand(context),
  },
  {
    name: 'workload',
    summary: "workloads of scenarios as SimAI's and AICB's files",
    load: async (context) => (await import('./workload/workload.js')).workloadCommand(context),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of scenarios',
    load: async ({ stdout }) => (await import('./schema/schema.js')).schemaCommand((text) => stdout.write(text)),
  },
];
