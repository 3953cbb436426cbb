// What `weft route transition` prints: for people and as JSON.
// Invariant: both name the same steps; people are shown the first of many.

import { endGuid, portIdentity, shownName } from '../../fabric/port-identity.js';
import type { Diagnostic } from '../../base/diagnostics.js';
import { portText, type RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Transition, TransitionFault, TransitionStep } from '../../optimization/route-transition.js';
import { counted } from '../text-style.js';
import { fabricLine, fabricObject } from './route-text.js';

/** A transition with what it is about. */
export interface ReportedTransition {
  readonly source: RoutedFabric;
  /** files of the tables */
  readonly old: string;
  readonly new: string;
  readonly plan: Transition;
  readonly changedEntries: number;
  /** lanes of flows, before and after */
  readonly lanes: number;
  readonly warnings: readonly Diagnostic[];
}

/** A transition as JSON. */
export function transitionObject(told: ReportedTransition): Record<string, unknown> {
  const { source, plan, changedEntries, lanes } = told;
  const { identity } = source;
  const names = (nodes: readonly number[]): string[] => nodes.map((node) => shownName(identity, node));
  const guids = (nodes: readonly number[]): string[] => nodes.map((node) => endGuid(identity, node));
  return {
    old: told.old,
    new: told.new,
    fabric: fabricObject(source),
    changedEntries,
    lanes,
    safe: plan.safe,
    steps: plan.steps.map((step) =>
      step.kind === 'destinations'
        ? {
            kind: step.kind,
            destinations: step.destinations.map((own) => ({
              destination: shownName(identity, own.destination),
              destinationGuid: endGuid(identity, own.destination),
              lidOffset: own.lidOffset,
              switches: names(own.switches),
              switchGuids: guids(own.switches),
            })),
          }
        : { kind: step.kind, switches: names(step.switches), switchGuids: guids(step.switches) },
    ),
    violations: plan.violations.map((fault) =>
      fault.kind === 'deadlock'
        ? {
            kind: fault.kind,
            during: fault.during,
            links: fault.cycle.ports.map((port) => portText(source, port)),
            ports: fault.cycle.ports.map((port) => portIdentity(source, source.fabric.portNode[port]!, port)),
            lanes: fault.cycle.lanes,
          }
        : {
            kind: fault.kind,
            destination: shownName(identity, fault.destination),
            destinationGuid: endGuid(identity, fault.destination),
            lidOffset: fault.lidOffset,
            path: names(fault.path),
            pathGuids: guids(fault.path),
            updated: names(fault.updated),
            updatedGuids: guids(fault.updated),
          },
    ),
  };
}

/** A transition for people. */
export function transitionLines({ source, old, new: next, plan, changedEntries }: ReportedTransition): string[] {
  const { safe, steps, violations } = plan;
  const lines = [
    fabricLine(source),
    `${old} -> ${next}`,
    `  changed        ${counted(changedEntries, 'entry', 'entries')}`,
    `  any order      ${safe ? 'safe: no mixture loops, loses packets or can deadlock' : 'NOT SAFE'}`,
  ];
  for (const kind of ['loop', 'drop', 'deadlock'] as const) {
    const own = violations.filter((fault) => fault.kind === kind);
    if (own.length > 0) lines.push(...faultLines(source, own));
  }
  steps.forEach((step, i) => {
    lines.push(`  step ${String(i + 1).padEnd(9)} ${stepText(source, step)}`);
  });
  if (steps.length > 1) lines.push('  between steps  wait until packets under way have gone');
  return lines;
}

function faultLines(source: RoutedFabric, faults: readonly TransitionFault[]): string[] {
  const fault = faults[0]!;
  const nodeName = (node: number): string => shownName(source.identity, node);
  if (fault.kind === 'deadlock') {
    const when = { old: 'the old tables', new: 'the new tables', transition: 'old and new together' }[fault.during];
    return [
      `    links may wait in a circle (${when}):`,
      `      ${fault.cycle.ports.map((port) => portText(source, port)).join(' -> ')}`,
    ];
  }
  const what = fault.kind === 'loop' ? 'go round in circles' : 'get lost';
  return [
    `    packets for ${counted(new Set(faults.map((own) => own.kind !== 'deadlock' && own.destination)).size, 'host')} may ${what}, as for ${lidName(source, fault)}:`,
    `      ${fault.path.map((node) => nodeName(node)).join(' -> ')}`,
    `      with new tables on ${fault.updated.map((node) => nodeName(node)).join(', ') || 'none'}`,
  ];
}

const shown = 6;

function stepText(source: RoutedFabric, step: TransitionStep): string {
  if (step.kind === 'destinations')
    return `destination by destination, each from its end backwards (--json): ${few(step.destinations.map((own) => lidName(source, own)))}`;
  const names = few(step.switches.map((node) => shownName(source.identity, node)));
  return step.kind === 'switches' ? `in any order: ${names}` : `STOP TRAFFIC, then write ${names}`;
}

function few(names: readonly string[]): string {
  return `${names.slice(0, shown).join(', ')}${names.length > shown ? `, ... (${names.length})` : ''}`;
}

/** A destination as people name it, with the place of its LID if that is not the first. */
function lidName(
  { identity }: RoutedFabric,
  { destination, lidOffset = 0 }: { readonly destination: number; readonly lidOffset?: number },
): string {
  return `${shownName(identity, destination)}${lidOffset === 0 ? '' : ` (base LID + ${lidOffset})`}`;
}
