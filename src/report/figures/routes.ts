// The catalogue of what routes come to: the fabric, loads and bounds, in all and by phase, validity and deadlock. JSON of
// `weft route` and docs/formats/json-output.md follow: a new figure is one entry. Gaps and shares are fractions.

import { endGuid, portIdentity, shownName, type PortIdentity } from '../../fabric/port-identity.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { PhaseEvaluation, RouteEvaluation } from '../../optimization/evaluate-routes.js';
import type { DeadlockCheck } from '../../optimization/route-deadlock-check.js';
import type { RouteValidity } from '../../optimization/route-validity.js';
import { figuresObject, load, plain, ratio, whole, type FigureEntry } from './figure.js';

/** What is known of routes on a fabric. */
type On<Known> = Known & { readonly source: RoutedFabric };

/** Of a fabric. */
export const routedFabricFigures: readonly FigureEntry<RoutedFabric>[] = [
  plain('name', 'the file or family'),
  whole('hosts', ({ fabric }) => fabric.hosts.length, 'how many there are'),
  whole('switches', ({ fabric }) => fabric.nodeCount - fabric.hosts.length, 'how many there are'),
  whole('links', ({ fabric }) => fabric.portCount, 'directed links'),
  plain('isTree', ({ tree }) => tree.isTree, 'whether it is a fat tree; if not, all switches stand on one level'),
  whole('levels', ({ tree }) => tree.levels, 'of switches'),
  plain('switchesByLevel', ({ tree }) => tree.switches.map((level) => level.length), 'leaves, spines, cores'),
  whole('pods', ({ tree }) => tree.podCount, 'of a fat tree of three levels'),
  whole('coreGroups', ({ tree }) => tree.coreGroupCount, 'of a fat tree of three levels'),
];

/** Of one phase of traffic, or of all at once. */
export const phaseFigures: readonly FigureEntry<On<PhaseEvaluation>>[] = [
  plain('name', 'of the phase'),
  load('maxLoad', ({ loads }) => loads.maxLoad, 'largest load', { lessIsBetter: true }),
  plain('maxLink', ({ source, loads }) => portText(source, loads.maxPort), 'the link that has it, as `switch[port]`'),
  plain('maxPort', ({ source, loads }) => portOrNull(source, loads.maxPort), 'its port, [as all](#ports), or `null`'),
  load('adaptiveBound', ({ bounds }) => bounds.adaptive, 'what no routes can beat'),
  ratio('arGap', ({ loads }) => loads.arGap, 'how far `maxLoad` is above it', { lessIsBetter: true }),
  load('netMaxLoad', ({ loads }) => loads.netMaxLoad, 'largest load of links between switches', { lessIsBetter: true }),
  plain('netMaxLink', ({ source, loads }) => portText(source, loads.netMaxPort), 'the link that has it'),
  plain('netMaxPort', ({ source, loads }) => portOrNull(source, loads.netMaxPort), 'its port, or `null`'),
  load('netAdaptiveBound', ({ bounds }) => bounds.adaptiveNet, 'what no routes can beat there'),
  load('netAdaptiveBoundUpper', ({ bounds }) => finite(bounds.adaptiveNetMost), 'what that is at most, or `null`'),
  ratio('netGap', ({ loads }) => loads.netGap, 'how far `netMaxLoad` is above its bound', { lessIsBetter: true }),
  load('lowerBound', ({ bounds }) => bounds.static, 'what no static routes can beat'),
  load('netLowerBound', ({ bounds }) => bounds.staticNet, 'the same between switches'),
  plain('provenOptimal', '`maxLoad` is the lower bound'),
  load('threshold', ({ loads }) => loads.threshold, 'load above which a link between switches is hot'),
  whole('linksAboveThreshold', ({ loads }) => loads.linksAboveThreshold, 'hot links', { lessIsBetter: true }),
  load('l2', ({ loads }) => loads.l2, 'l2 norm of the loads of links between switches', { lessIsBetter: true }),
  whole('usedLinks', ({ loads }) => loads.usedLinks, 'links between switches that carry traffic'),
  whole('links', ({ loads }) => loads.links, 'all links between switches'),
  plain('deciles', ({ loads }) => loads.deciles, 'loads at 0, 10, ... 100 % of the links between switches'),
  whole('lostFlows', 'flows (leaf, host) that do not arrive; loads and bounds are those of the others'),
  whole('lostFlowsWithWay', 'of these, flows that other up-down routes would carry'),
];

/** Of tables under traffic. */
export const evaluationFigures: readonly FigureEntry<On<RouteEvaluation>>[] = [
  load('maxLoad', 'largest load; as the bounds, a sum over the phases', { lessIsBetter: true }),
  load('adaptiveBound', 'what no routes can beat, adaptive ones included'),
  ratio('arGap', 'how far `maxLoad` is above `adaptiveBound`', { lessIsBetter: true }),
  ratio('netGap', 'the same over links between switches', { lessIsBetter: true }),
  load('lowerBound', 'what no static routes can beat'),
  plain('provenOptimal', '`maxLoad` is the lower bound in every phase'),
  plain(
    'adaptiveBoundExact',
    ({ phases }) => phases.every(({ bounds }) => bounds.inexact === null),
    'whether `adaptiveBound` is the optimum, up to a millionth; if not, it is a lower bound of it',
  ),
  load(
    'adaptiveBoundUpper',
    (evaluation) => finite(adaptiveMost(evaluation)),
    'what the optimum is at most, with the links of hosts; `null` if only cuts are known (`--adaptive-bound cuts`)',
  ),
  plain('phases', (own) => own.phases.map((phase) => phaseObject(own, phase)), 'a list of phases, as below'),
  plain(
    'collapsed',
    (own) => (own.phases.length > 1 ? phaseObject(own, own.collapsed) : undefined),
    'the same of all phases at once, if there are several',
  ),
];

/** Of whether tables lead everywhere. */
export const validityFigures: readonly FigureEntry<On<RouteValidity>>[] = [
  plain('valid', 'every host is reached from every leaf with hosts, up and then down'),
  whole('unreachable', ({ faults }) => faults.unreachable, 'pairs (leaf, host) without a way'),
  whole('loops', ({ faults }) => faults.loop, 'pairs (leaf, host) whose way goes in a circle'),
  whole('downUp', ({ faults }) => faults['down-up'], 'pairs (leaf, host) whose way goes up again, and may deadlock'),
  whole('detours', 'pairs (leaf, host) whose way goes down and up again, without deadlock'),
  whole('otherSwitches', 'pairs (spine or core, host) without a way'),
  plain(
    'lengths',
    'of ways that lead, from switches with hosts to hosts: `averageSwitches`, `mostSwitches` that packets pass, ' +
      '`longerPairs` whose way passes more than links would need, and `mostLonger`, by how many the longest does',
  ),
  plain(
    'examples',
    ({ source: { identity }, examples }) => {
      const named = (node: number): string => shownName(identity, node);
      const guid = (node: number): string => endGuid(identity, node);
      const told = Object.entries(examples).map(([fault, { from, destination, path, offset }]) => {
        const names = { from: named(from), fromGuid: guid(from), destination: named(destination) };
        const way = { path: path.map(named), pathGuids: path.map(guid) };
        return [fault, { lidOffset: offset, ...names, destinationGuid: guid(destination), ...way }];
      });
      return Object.fromEntries(told) as Record<string, unknown>;
    },
    'of each fault, by its name: `from`, `destination` and `path`, names of nodes, and the GUIDs of their end ports, ' +
      '`fromGuid`, `destinationGuid`, `pathGuids`; `lidOffset` if it is of a further LID of the host',
  ),
];

/** Of lanes and circles of waits. */
export const deadlockFigures: readonly FigureEntry<On<DeadlockCheck>>[] = [
  whole('lanes', 'virtual lanes that the routes use; 1 where the tables say nothing of lanes'),
  plain('deadlockFree', ({ cycle }) => cycle === null, 'no links can come to wait for each other, on any lane'),
  plain(
    'deadlock',
    ({ source, cycle }) => {
      if (cycle === null) return null;
      const [links, ports] = [portText, portOrNull].map((of) => cycle.ports.map((port) => of(source, port)));
      return { links, ports, lanes: cycle.lanes };
    },
    'links that may wait for each other in a circle, `null` without one: `links`, each as `switch[port]` that sends ' +
      'into it and waits for the next, its `ports` ([as all](#ports)) and `lanes`, of each link',
  ),
];

/** The object of some figures of what is known on a fabric; of what is not known each is null. */
export function figuresOn<Known extends object>(
  entries: readonly FigureEntry<On<Known>>[],
  source: RoutedFabric,
  known: Known | null,
): Record<string, unknown> {
  if (known !== null) return figuresObject(entries, { ...known, source });
  return Object.fromEntries(entries.map(({ key }) => [key, null]));
}

/** What the adaptive bound is at most, over phases; Infinity if nothing is known. */
export function adaptiveMost({ phases }: RouteEvaluation): number {
  return phases.reduce((sum, { bounds }) => sum + Math.max(bounds.adaptive, bounds.adaptiveNetMost), 0);
}

function phaseObject({ source }: On<RouteEvaluation>, phase: PhaseEvaluation): object {
  return figuresOn(phaseFigures, source, phase);
}

function portOrNull(source: RoutedFabric, port: number): PortIdentity | null {
  return port === -1 ? null : portIdentity(source, source.fabric.portNode[port]!, port);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
