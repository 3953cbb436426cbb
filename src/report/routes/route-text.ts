// What `weft route` and `weft traffic` print for people and as JSON. Gaps are fractions in JSON and percent for people;
// 80 columns.

import { shownName } from '../../fabric/port-identity.js';
import { formatDiagnostic, type Diagnostic } from '../../base/diagnostics.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Traffic } from '../../flows/traffic/matrix.js';
import type { TrafficStatistics } from '../../flows/traffic/statistics.js';
import type { PhaseEvaluation, RouteEvaluation } from '../../optimization/evaluate-routes.js';
import type { RouteFault } from '../../optimization/route-validity.js';
import type { DeadlockCheck } from '../../optimization/route-deadlock-check.js';
import { deadlockName, reachName, type RouteVerdict } from '../../optimization/route-verdicts.js';
import { figuresObject } from '../figures/figure.js';
import {
  adaptiveMost,
  deadlockFigures,
  evaluationFigures,
  figuresOn,
  routedFabricFigures,
  validityFigures,
} from '../figures/routes.js';
import { counted, nounOf, percentText, reportColumns, wrapped } from '../text-style.js';
import type { PassedTables } from './judged-tables.js';

/** A fabric as the JSON of these commands has it. */
export function fabricObject(source: RoutedFabric): Record<string, unknown> {
  return figuresObject(routedFabricFigures, source);
}

function amount(count: number, noun: string, plural?: string): string {
  return `${count} ${nounOf(count, noun, plural)}`;
}

/** A fabric in one line. */
export function fabricLine({ name, fabric, tree }: RoutedFabric): string {
  const hosts = `${name}: ${amount(fabric.hosts.length, 'host')}`;
  if (!tree.isTree) return `${hosts}, ${amount(tree.switches[0]!.length, 'switch', 'switches')}; no fat tree`;
  const [leaves, ...above] = tree.switches;
  const kinds = ['spine', 'core'];
  const levels = [
    amount(leaves!.length, 'leaf', 'leaves'),
    ...above.map((level, i) => amount(level.length, kinds[i]!)),
  ].join(', ');
  const pods =
    tree.levels === 3 ? `; ${amount(tree.podCount, 'pod')}, ${amount(tree.coreGroupCount, 'core group')}` : '';
  return `${hosts}, ${levels}${pods}`;
}

/** What is reported on and the traffic that it is for, in one line. */
export function titleLine(what: string, traffic: Traffic | null): string {
  return `${what}${traffic === null ? '' : ` for ${traffic.name}${traffic.note === '' ? '' : ` (${traffic.note})`}`}`;
}

/** Entries that no table has, if any, with the first one. */
export function omittedLines({ identity }: RoutedFabric, { count, first }: PassedTables['omitted']): string[] {
  if (first === null) return [];
  const [node, destination] = [first.node, first.destination].map((place) => shownName(identity, place));
  return [`  omitted        ${count} entries, as ${node} -> ${destination}`];
}

/** What JSON says of tables that were checked. */
export function passedObject({
  source,
  name,
  validity,
  deadlock,
  omitted,
}: PassedTables & { readonly source: RoutedFabric; readonly name: string }): Record<string, unknown> {
  return {
    tables: name,
    fabric: fabricObject(source),
    validity: figuresOn(validityFigures, source, validity),
    ...figuresOn(deadlockFigures, source, deadlock),
    omittedEntries: omitted.count,
  };
}

/** The keys that an evaluation adds to the JSON of a command; all null without traffic. */
export function evaluationObject(source: RoutedFabric, evaluation: RouteEvaluation | null): Record<string, unknown> {
  const { collapsed, ...object } = figuresOn(evaluationFigures, source, evaluation);
  return {
    ...object,
    phases: object['phases'] ?? [],
    ...(collapsed === undefined || collapsed === null ? {} : { collapsed }),
  };
}

/** Why flows are lost. */
function lostBecause({ lostFlows, lostFlowsWithWay }: PhaseEvaluation): string {
  if (lostFlowsWithWay === 0) return 'no up-down way leads there';
  return lostFlowsWithWay === lostFlows ? 'though ways lead there' : `though ways lead there for ${lostFlowsWithWay}`;
}

const faultTexts: Readonly<Record<RouteFault, string>> = {
  unreachable: 'have no way',
  loop: 'go round in circles',
  'down-up': 'go down and up again (may deadlock)',
};

/** Validity for people. */
export function validityLines(
  { identity, tree }: RoutedFabric,
  { valid, faults, examples, detours, otherSwitches, lengths }: RouteEvaluation['validity'],
): string[] {
  const ways = detours === 0 ? 'leaf, up and then down' : 'leaf, without deadlock';
  const lines = [
    `  valid          ${valid ? `yes: every host is reached from every ${tree.isTree ? ways : 'switch with hosts'}` : 'NO'}`,
  ];
  if (detours > 0) lines.push(`    ${counted(detours, 'pair')} (leaf, host) by detours, which go down and up again`);
  for (const fault of ['unreachable', 'loop', 'down-up'] as const) {
    const example = examples[fault];
    if (example !== undefined)
      lines.push(
        `    ${faults[fault]} pairs (leaf, host) ${faultTexts[fault]}, as ${shownName(identity, example.from)} ` +
          '-> ' +
          `${shownName(identity, example.destination)}${example.offset === undefined ? '' : `, LID offset ${example.offset}`}`,
      );
  }
  const { longerPairs, mostLonger, mostSwitches } = lengths;
  if (longerPairs > 0)
    lines.push(
      `    ${counted(longerPairs, 'pair')} pass more switches than links need, by ${mostLonger} at most (longest: ${mostSwitches})`,
    );
  if (otherSwitches > 0)
    lines.push(`    ${otherSwitches} pairs (spine or core, host) have no valid way; no host needs them`);
  return lines;
}

/** Lanes and deadlock for people. */
export function deadlockLines(source: RoutedFabric, { lanes, cycle }: DeadlockCheck): string[] {
  const used = lanes === 1 ? 'one lane' : `${lanes} lanes`;
  if (cycle === null) return [`  deadlock       none can arise, on ${used}`];
  const links = cycle.ports.map((port) => portText(source, port));
  const shown = links.length > 8 ? [...links.slice(0, 8), '...'] : [...links, links[0]];
  return [`  deadlock       MAY ARISE on ${used}: ${links.length} links wait in a circle`, `    ${shown.join(' -> ')}`];
}

/** Self-checks that fail; what validityLines and deadlockLines say is not said twice. */
export function verdictLines(verdicts: readonly RouteVerdict[]): string[] {
  return verdicts
    .filter(({ ok, name }) => !ok && name !== reachName && name !== deadlockName)
    .map(({ name, detail }) => `  CHECK FAILED   ${name}: ${detail}`);
}

/** Loads, gaps and bounds for people. */
export function evaluationLines(source: RoutedFabric, evaluation: RouteEvaluation): string[] {
  const { phases, collapsed, maxLoad, adaptiveBound, lowerBound, arGap, netGap, provenOptimal } = evaluation;
  const several = phases.length > 1;
  const { loads } = collapsed;
  const exact = phases.every(({ bounds }) => bounds.inexact === null);
  const most = adaptiveMost(evaluation);
  const lines = [
    `  largest load   ${number(maxLoad)}${several ? ' (sum over the phases)' : ` on ${portText(source, loads.maxPort) ?? 'no link'}`}`,
    `  adaptive bound ${number(adaptiveBound)}${exact ? '' : ' or more'}   AR gap ${percentText(arGap, 2)}   between switches ${percentText(netGap, 2)}`,
    `  lower bound    ${number(lowerBound)}${provenOptimal ? '   reached: no static routes have a smaller load' : ''}`,
    `  links          ${loads.usedLinks} of ${loads.links} between switches carry traffic,`,
    `                 ${loads.linksAboveThreshold} above ${number(loads.threshold)}; l2 norm ${number(loads.l2)}`,
    `  deciles        ${loads.deciles.map((own) => String(Number(own.toPrecision(3)))).join(' ')}`,
  ];
  if (collapsed.lostFlows > 0)
    lines.push(
      `  lost           ${counted(collapsed.lostFlows, 'flow')} (leaf, host): ${lostBecause(collapsed)};`,
      '                 loads and bounds are those of the flows that arrive',
    );
  if (!exact)
    lines.push(
      '  (the adaptive bound is a lower bound: ' +
        `${collapsed.bounds.inexact ?? 'in some phase'}${Number.isFinite(most) ? `; it is at most ${number(most)}` : ''})`,
    );
  if (!several) return lines;
  const widest = Math.max(...phases.map(({ name }) => name.length), 'all at once'.length);
  lines.push('', `  ${'phase'.padEnd(widest)}      load     bound     AR gap   lower bound`);
  for (const phase of phases)
    lines.push(
      `  ${phase.name.padEnd(widest)} ${number(phase.loads.maxLoad).padStart(9)} ` +
        `${number(phase.bounds.adaptive).padStart(9)} ${percentText(phase.loads.arGap, 2).padStart(10)} ` +
        `${number(phase.bounds.static).padStart(13)}`,
    );
  lines.push(
    `  ${'all at once'.padEnd(widest)} ${number(loads.maxLoad).padStart(9)} ` +
      `${number(collapsed.bounds.adaptive).padStart(9)} ${percentText(loads.arGap, 2).padStart(10)} ` +
      `${number(collapsed.bounds.static).padStart(13)}`,
  );
  return lines;
}

/** Table 3.1's columns and more, phase by phase. */
export function statisticsText(
  source: RoutedFabric,
  traffic: Traffic,
  statistics: readonly TrafficStatistics[],
): string {
  const lines = [fabricLine(source), `${traffic.name}${traffic.note === '' ? '' : ` (${traffic.note})`}`];
  traffic.phases.forEach(({ name }, i) => {
    const own = statistics[i]!;
    lines.push(
      ...(traffic.phases.length > 1 ? ['', `phase ${name}`] : []),
      `  hosts          ${own.activeHosts} of ${traffic.hostCount} take part`,
      source.tree.isTree
        ? `  average hops   ${own.averageHops.toFixed(2)}   (2: ` +
            `${percentText(own.pairsByHops.leaf / Math.max(1, own.pairs), 2)}, 4: ` +
            `${percentText(own.pairsByHops.pod / Math.max(1, own.pairs), 2)}, 6: ` +
            `${percentText(own.pairsByHops.core / Math.max(1, own.pairs), 2)} of pairs)`
        : `  average hops   ${own.averageHops.toFixed(2)}`,
      `  partners       ${own.pairs} in total, ${own.partnersPerHost.toFixed(1)} per host`,
      `  traffic        ${number(own.totalWeight)}${traffic.unit === 'bytes' ? ' bytes' : ''}, of it ` +
        `${percentText(own.shareByHops.leaf, 2)} stays on ` +
        `leaves${source.tree.isTree ? `, ${percentText(own.shareByHops.core, 2)} crosses cores` : ''}`,
      `  per pair       ${number(own.smallestWeight)} to ${number(own.largestWeight)}`,
    );
  });
  return reportText(lines);
}

/** Column at which what follows a label begins. */
const labelColumns = 17;

/**
 * A report: its lines, those that are too long for a terminal broken at spaces under their beginnings, and warnings.
 */
export function reportText(lines: readonly string[], warnings: readonly Diagnostic[] = []): string {
  const folded = lines.flatMap((line) => {
    if (line.length <= reportColumns) return [line];
    const labelled = /^ {2}\S.{13} \S/.test(line);
    const start = labelled ? line.slice(0, labelColumns) : /^ */.exec(line)![0];
    const indent = ' '.repeat(labelled ? labelColumns : start.length + 2);
    return wrapped(line.slice(start.length), reportColumns - indent.length).map(
      (part, i) => (i === 0 ? start : indent) + part,
    );
  });
  return `${folded.join('\n')}\n${warningText(warnings)}`;
}

/** Warnings below a report, after an empty line. */
export function warningText(warnings: readonly Diagnostic[]): string {
  return warnings.length === 0 ? '' : `\n${warnings.map(formatDiagnostic).join('\n')}\n`;
}

/** A number in six digits. */
export function loadText(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : loadText(value);
}
