// --figure of `weft route evaluate`, `compute` and `compare`: evaluations as a picture of the fabric
// (report/fabric-figure.ts); and --figure of import: counters in the same form; --trace-figure of compute: how a search
// went (report/search-figure.ts).

import { endGuid, isShared } from '../../fabric/port-identity.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { RouteEvaluation } from '../../optimization/evaluate-routes.js';
import type { SearchTrace } from '../../optimization/optimize-routes.js';
import { fabricFigure, type FabricPanel } from '../fabric-figure.js';
import { boundScale, utilisationScale } from '../load-classes.js';
import { stagesOf } from '../loaded-fabric.js';
import type { WholeChart } from '../page/chart-frame.js';
import { searchFigure } from '../search-figure.js';
import { percentText } from '../text-style.js';
import type { CountedLink } from './counter-text.js';
import { fabricLine, loadText, titleLine } from './route-text.js';

/** How busy every link was between two readings. @param every by sending port */
export function counterFigure(source: RoutedFabric, intervalSeconds: number, every: readonly CountedLink[]): string {
  const load = Float64Array.from(every, ({ sentBytes }) => sentBytes ?? NaN);
  const relative = Float64Array.from(every, ({ utilisation }) => utilisation ?? NaN);
  const unknown = stagesOf(source.tree)
    .flatMap(({ ports }) => ports)
    .filter((port) => Number.isNaN(relative[port]!)).length;
  const facts = unknown === 0 ? [] : [`nothing is known of ${unknown} links between switches: they have no colour`];
  return fabricFigure(
    `Counted over ${intervalSeconds} s`,
    [fabricLine(source)],
    [
      {
        title: 'how busy links between switches were',
        facts,
        loaded: { tree: source.tree, load, relative, scale: utilisationScale, ...namesOf(source) },
      },
    ],
  );
}

/** How a search came to its tables: `search` of weft over work, `solver` of a linear programme over seconds. */
export interface SearchCourse {
  readonly search?: { readonly work: number; readonly provenWork: number | null; readonly trace: SearchTrace };
  readonly solver?: { readonly seconds: number; readonly trace: SolverTrace };
}

/** Columns: after how many seconds a solver knew what. */
interface SolverTrace {
  readonly seconds: readonly number[];
  readonly incumbent: readonly number[];
  readonly bound: readonly number[];
  readonly stage: readonly string[];
}

/** How a search went: over work, which is the same every time; over seconds where only those are known. */
export function traceFigure(
  source: RoutedFabric,
  traffic: Traffic,
  algorithm: string,
  evaluation: RouteEvaluation,
  { search, solver }: SearchCourse,
  remarks: readonly string[] = [],
): WholeChart {
  const { adaptiveBound, arGap, provenOptimal, phases } = evaluation;
  const net = phases.reduce((sum, { bounds }) => sum + bounds.adaptiveNet, 0);
  const facts = [
    fabricLine(source),
    `AR gap ${percentText(arGap, 2)} in the ` +
      `end${provenOptimal ? ': proven, no static routes have less' : `; lower bound ${loadText(evaluation.lowerBound)}, adaptive bound ${loadText(adaptiveBound)}`}`,
    ...remarks,
  ];
  const title = titleLine(algorithm, traffic);
  if (search !== undefined) {
    const curve = { ...search.trace, at: search.trace.work, end: search.work };
    return searchFigure(title, facts, curve, 'work: links looked at', adaptiveBound > 0 ? adaptiveBound : 1);
  }
  const curve = { ...solver!.trace, at: solver!.trace.seconds, end: solver!.seconds };
  return searchFigure(title, facts, curve, 'seconds; loads between switches', net > 0 ? net : 1);
}

/** The figure of one table or several, by name. @param remarks what else is to be known, a line each */
export function routeFigure(
  source: RoutedFabric,
  traffic: Traffic,
  tables: readonly { readonly name: string; readonly evaluation: RouteEvaluation }[],
  remarks: readonly string[] = [],
): string {
  const notes = [fabricLine(source), ...remarks];
  const first = tables[0]?.evaluation;
  if (first !== undefined) {
    const { adaptiveBound, lowerBound, phases, collapsed } = first;
    const net = phases.reduce((sum, { bounds }) => sum + bounds.adaptiveNet, 0);
    notes.push(
      `adaptive bound ${loadText(adaptiveBound)}${collapsed.bounds.inexact === null ? '' : ' or more'}, ` +
        `between switches ${loadText(net)}; lower bound of static routes ` +
        `${loadText(lowerBound)}${phases.length > 1 ? `: sums over ${phases.length} phases; every link in the phase in which it is worst` : ''}`,
    );
  }
  return fabricFigure(
    titleLine('Link loads', traffic),
    notes,
    tables.map(({ name, evaluation }) => panel(source, name, evaluation)),
  );
}

function panel(source: RoutedFabric, name: string, evaluation: RouteEvaluation): FabricPanel {
  const { maxLoad, arGap, netGap, provenOptimal, phases, validity } = evaluation;
  const { loads } = evaluation.collapsed;
  const { load, relative } = worstPhase(evaluation);
  const worst =
    `largest load ${loadText(maxLoad)}, AR gap ${percentText(arGap, 2)}, between switches ` +
    `${percentText(netGap, 2)}${provenOptimal ? ': proven, no static routes have less' : ''}`;
  const others =
    `${loads.linksAboveThreshold} of ${loads.links} links above ` +
    `${loadText(loads.threshold)}${phases.length > 1 ? ' (all phases at once)' : ''}, l2 norm ` +
    `${loadText(loads.l2)}`;
  // with phases both are too long for one line
  const facts = phases.length > 1 ? [worst, others] : [`${worst};  ${others}`];
  if (!validity.valid)
    facts.push('these tables do not lead everywhere: loads are those of what arrives or is lost on its way');
  return {
    title: name,
    facts,
    loaded: { tree: source.tree, load, relative, scale: boundScale, ...namesOf(source) },
  };
}

/** What a drawing of a fabric calls switches and ports; boxes have room for the end of a GUID alone. */
export function namesOf(source: RoutedFabric): Pick<FabricPanel['loaded'], 'nodeName' | 'portName'> {
  const { nodeName } = source.identity;
  return {
    nodeName: (node) =>
      isShared(nodeName, nodeName[node]!) ? `..${endGuid(source.identity, node).slice(-8)}` : nodeName[node]!,
    portName: (port) => portText(source, port)!,
  };
}

/** For each link the phase in which it is worst, measured by that phase's adaptive bound between switches. */
function worstPhase({ phases }: RouteEvaluation): { load: Float64Array; relative: Float64Array } {
  const size = phases[0]!.load.length;
  const load = new Float64Array(size);
  const relative = new Float64Array(size);
  for (const phase of phases) {
    const bound = phase.bounds.adaptiveNet;
    for (let port = 0; port < size; port++) {
      const own = bound > 0 ? phase.load[port]! / bound : 0;
      if (own <= relative[port]!) continue;
      relative[port] = own;
      load[port] = phase.load[port]!;
    }
  }
  return { load, relative };
}
