// What algorithms make of a traffic pattern on a fabric: gaps of the finished tables, and the CPU time of making them.
// Invariants: figures come from walking the tables (evaluate-routes.ts); searches are limited by CPU time, so that
// other work on the machine does not shorten them. HiGHS knows wall-clock time only.

import { performance } from 'node:perf_hooks';
import { searchNamed } from '#weft/app/routes/algorithms/catalogue.js';
import { ftree } from '#weft/app/routes/algorithms/ftree.js';
import { random } from '#weft/app/routes/algorithms/random.js';
import type { SearchSettings } from '#weft/app/routes/route-algorithm.js';
import { loadTraffic } from '#weft/app/routes/traffic-input.js';
import type { RoutedFabric } from '#weft/fabric/routed-fabric.js';
import { routePartitioned } from '#weft/exact/partitioned-binary.js';
import { recogniseFatTree } from '#weft/fabric/fat-tree.js';
import { generateFabric } from '#weft/fabric/generators/catalogue.js';
import { generatedIdentity } from '#weft/fabric/identity.js';
import type { Traffic } from '#weft/flows/traffic/matrix.js';
import { evaluateRoutes, type RouteEvaluation } from '#weft/optimization/evaluate-routes.js';
import type { ForwardingTables } from '#weft/routing/forwarding-tables.js';
import { highsSolver } from '#weft/solvers/highs-solver.js';
import { nodeHost } from '#weft/storage/node-host.js';

/** Seeds of everything that is drawn. */
export const trafficSeed = 11;
const searchSeed = 1;

/**
 * CPU time that a search may take, in seconds; wall-clock time of HiGHS for each objective of Partitioned Binary, and
 * for all of them.
 */
const searchSeconds = { afar: 10, weft: 30 };
const objectiveSeconds = 2;
const partitionedSeconds = 90;

export const algorithmNames = ['ftree', 'random', 'afar', 'weft'] as const;

/** Tables that an algorithm made, measured. */
export interface Measured {
  readonly tables: ForwardingTables;
  readonly evaluation: RouteEvaluation;
  readonly cpuSeconds: number;
}

/** A fabric of the family fat-tree, named. */
export function fatTreeOf(name: string, family: string, shape: Readonly<Record<string, number>> = {}): RoutedFabric {
  const fabric = generateFabric(family, shape);
  const { tree } = recogniseFatTree(fabric);
  if (tree === null) throw new Error(`${name} is no fat tree`);
  return {
    name,
    fabric,
    tree,
    identity: generatedIdentity(fabric, tree.nodeLevel)!,
    roots: [],
    noTree: null,
    warnings: [],
  };
}

/** Traffic by its name. @param seed of what is random in it and of the allocation */
export async function trafficOf(
  source: RoutedFabric,
  name: string,
  seed: number = trafficSeed,
  allocation: 'fragmented' | 'contiguous' = 'fragmented',
): Promise<Traffic> {
  return (await loadTraffic(nodeHost(), { traffic: name, seed, allocation }, source)).traffic;
}

/**
 * Makes tables and measures them.
 * @param say told now and then how far a search is
 * @param how a search is to differ from the usual
 */
export function measure(
  algorithm: (typeof algorithmNames)[number],
  source: RoutedFabric,
  traffic: Traffic,
  say: (text: string) => void,
  how: Partial<Pick<SearchSettings, 'fewestAbove' | 'begin' | 'current'>> = {},
): Measured {
  return measured(source, traffic, () => {
    if (algorithm === 'ftree') return ftree.make(source).tables[0]!;
    if (algorithm === 'random') return random.make(source, trafficSeed).tables[0]!;
    const settings = {
      traffic,
      seed: searchSeed,
      seconds: searchSeconds[algorithm],
      mostWork: Infinity,
      current: null,
      mostChanges: null,
      threshold: 0.9,
      ...how,
    };
    return searchNamed(algorithm).make(source, settings, {
      wallMs: cpuMs,
      stopRequested: never,
      report: ({ stage, incumbent }) => {
        say(`${algorithm}, ${stage}: ${Number(incumbent.toPrecision(6))}`);
      },
    }).tables[0]!;
  });
}

/** Partitioned Binary by HiGHS. */
export async function measurePartitioned(
  source: RoutedFabric,
  traffic: Traffic,
  say: (text: string) => void,
): Promise<Measured & { readonly steps: number; readonly optimalSteps: number }> {
  const start = ftree.make(source).tables[0]!;
  const from = process.cpuUsage();
  const untilMs = performance.now() + 1000 * partitionedSeconds;
  const found = await routePartitioned(source.tree, traffic, start, highsSolver(), {
    interpodSeconds: objectiveSeconds,
    objectiveSeconds,
    secondsLeft: () => (untilMs - performance.now()) / 1000,
    say: (step) => {
      say(`Partitioned Binary, ${step}`);
    },
  });
  const { steps, optimalSteps } = found;
  return {
    tables: found.tables,
    evaluation: evaluateRoutes(source.tree, [found.tables], traffic),
    cpuSeconds: cpuSecondsSince(from),
    steps,
    optimalSteps,
  };
}

/** Measures the making of tables. */
export function measured({ tree }: RoutedFabric, traffic: Traffic, make: () => ForwardingTables): Measured {
  const from = process.cpuUsage();
  const tables = make();
  const cpuSeconds = cpuSecondsSince(from);
  return { tables, evaluation: evaluateRoutes(tree, [tables], traffic), cpuSeconds };
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const never = (): boolean => false;

function cpuSecondsSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}
