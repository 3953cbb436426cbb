// In which steps old tables become new ones so that on the way nothing loops, is lost or can deadlock: all switches in
// any order; else some first and others after them; else destination by destination, each from its end backwards; at
// last with traffic stopped, which is said.
// Invariants: within a step the order does not matter (of destinations: each in the order that is given); between two
// steps packets under way have to have gone. Every step but the last resort was looked at in all its mixtures
// (mixed-tables.ts); tables are the new ones after the last.

import type { ForwardingTables } from '../routing/forwarding-tables.js';
import { checkDeadlock, type ChannelCycle } from '../routing/channel-dependencies.js';
import { eitherLevels, type FlowLevels } from '../routing/route-lanes.js';
import { distanceBy, mixedFaults, type MixedFault, type MixedFaults } from './mixed-tables.js';

/** One step of a transition. */
export type TransitionStep =
  | { readonly kind: 'switches'; readonly switches: readonly number[] }
  | {
      readonly kind: 'destinations';
      /** each with the switches whose entries change, in the order of writing */
      readonly destinations: readonly {
        readonly destination: number;
        /** which LID of a host with several; left out: the first */
        readonly lidOffset?: number;
        readonly switches: readonly number[];
      }[];
    }
  | { readonly kind: 'drain'; readonly switches: readonly number[] };

/** What can go wrong if switches are written in any order. */
export type TransitionFault =
  | MixedFault
  | { readonly kind: 'deadlock'; readonly cycle: ChannelCycle; readonly during: 'old' | 'new' | 'transition' };

/** How to come from tables to others. */
export interface Transition {
  /** switches may be written in any order */
  readonly safe: boolean;
  /** none if nothing changes */
  readonly steps: readonly TransitionStep[];
  /** empty if it is safe; at most one of a kind per destination */
  readonly violations: readonly TransitionFault[];
}

/** Switches and destinations up to which single ones are tried one by one. */
const mostSingles = 64;

/**
 * Finds the steps from tables to others of the same fabric.
 * @param lanes service levels of flows with old and with new tables, each a lane of its own; meanwhile a flow may have
 * either. null = one lane
 */
export function planTransition(
  old: ForwardingTables,
  next: ForwardingTables,
  lanes: { readonly before: FlowLevels; readonly after: FlowLevels } | null = null,
): Transition {
  const levels = lanes === null ? null : eitherLevels(lanes.before, lanes.after);
  const broken = firstMended({ now: old, next, levels });
  if (broken !== null) {
    const { faults, mended, step } = broken;
    const { steps, violations } = planTransition(mended, next, lanes);
    return { safe: false, steps: [step, ...steps], violations: [...faults, ...violations] };
  }
  const changed = changedSwitches(old, next);
  const all = mixtures({ now: old, next, levels }, changed);
  const violations = faultsOf(old, next, all, lanes);
  if (changed.length === 0) return { safe: violations.length === 0, steps: [], violations };
  if (violations.length === 0) return { safe: true, steps: [{ kind: 'switches', switches: changed }], violations };
  const drain: TransitionStep = { kind: 'drain', switches: changed };
  // tables that may deadlock by themselves are so in every mixture
  const isHopeless = violations.some((fault) => fault.kind === 'deadlock' && fault.during !== 'transition');
  const steps = isHopeless
    ? null
    : (bySwitches({ now: old.copy(), next, levels }, changed) ??
      byDestinations({ now: old.copy(), next, levels }, changed));
  return { safe: false, steps: steps ?? [drain], violations };
}

/**
 * Old tables that lead in circles: the step that ends these, destination by destination from its end backwards, before
 * anything else. It makes nothing worse, since what goes round arrives nowhere.
 * @returns null without circles that the new tables end
 */
function firstMended({ now, next, levels }: Course): {
  readonly faults: readonly MixedFault[];
  readonly mended: ForwardingTables;
  readonly step: TransitionStep;
} | null {
  const loops = mixtures({ now, next, levels }, []).faults.filter(({ kind }) => kind === 'loop');
  const changed = changedSwitches(now, next);
  const orders = loops.map(({ destination }) => backwards({ now, next, levels }, changed, destination));
  const destinations = orders.filter(({ switches }) => switches.length > 0);
  if (destinations.length === 0) return null;
  const mended = now.copy();
  destinations.forEach((own) => {
    takeEntries({ now: mended, next, levels }, own);
  });
  return { faults: loops, mended, step: { kind: 'destinations', destinations } };
}

function faultsOf(
  old: ForwardingTables,
  next: ForwardingTables,
  { faults, cycle }: MixedFaults,
  lanes: { readonly before: FlowLevels; readonly after: FlowLevels } | null,
): TransitionFault[] {
  const own: TransitionFault[] = [...faults];
  for (const [during, tables, levels] of [
    ['old', old, lanes?.before ?? null],
    ['new', next, lanes?.after ?? null],
  ] as const) {
    const alone = cycle === null ? null : checkDeadlock([tables], levels).cycle;
    if (alone !== null) own.push({ kind: 'deadlock', cycle: alone, during });
  }
  if (cycle !== null && !own.some(({ kind }) => kind === 'deadlock'))
    own.push({ kind: 'deadlock', cycle, during: 'transition' });
  return own;
}

/** Tables on the way from old ones to others. */
interface Course {
  /** changes step by step */
  readonly now: ForwardingTables;
  readonly next: ForwardingTables;
  readonly levels: FlowLevels | null;
}

/** What may happen while some switches get all their new entries. */
function mixtures({ now, next, levels }: Course, nodes: Iterable<number>): MixedFaults {
  return mixedFaults(now, next, { nodes: marked(now, nodes), destinations: null }, levels);
}

/** Switches some of whose entries differ, ascending. */
function changedSwitches({ switches, columns, entries }: ForwardingTables, next: ForwardingTables): number[] {
  return Array.from(switches).filter((_, row) => {
    for (let i = row * columns; i < (row + 1) * columns; i++) if (entries[i] !== next.entries[i]) return true;
    return false;
  });
}

function marked({ fabric }: ForwardingTables, nodes: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(fabric.nodeCount);
  for (const node of nodes) marks[node] = 1;
  return marks;
}

/** Gives switches their new tables. */
function take({ now, next }: Course, nodes: Iterable<number>): void {
  for (const node of nodes) {
    const from = now.rowOf[node]! * now.columns;
    now.entries.set(next.entries.subarray(from, from + now.columns), from);
  }
}

/**
 * Some switches first, others after them. In each round those are left for later that stand in the way of others: of a
 * circle or a lost way the updated switch that is farthest from the destination by the new tables.
 */
function bySwitches(course: Course, changed: readonly number[]): TransitionStep[] | null {
  const left = new Set(changed);
  const steps: TransitionStep[] = [];
  while (left.size > 0) {
    const together = safeTogether(course, left) ?? safeAlone(course, left);
    if (together === null) return null;
    take(course, together);
    for (const node of together) left.delete(node);
    steps.push({ kind: 'switches', switches: together });
  }
  return steps;
}

function safeTogether(course: Course, left: ReadonlySet<number>): number[] | null {
  const chosen = new Set(left);
  while (chosen.size > 0) {
    const { faults, cycle } = mixtures(course, chosen);
    if (faults.length === 0 && cycle === null) return [...chosen];
    const before = chosen.size;
    for (const { destination, updated } of faults) {
      const open = updated.filter((node) => chosen.has(node));
      // one that was left out already has broken this circle
      if (open.length < updated.length) continue;
      let farthest = -1;
      let most = -1;
      for (const node of open) {
        const far = distanceBy(course.next, node, destination);
        if (far <= most) continue;
        most = far;
        farthest = node;
      }
      chosen.delete(farthest);
    }
    if (chosen.size < before) continue;
    const { portNode } = course.now.fabric;
    const inCycle = cycle?.ports.map((port) => portNode[port]!).find((node) => chosen.has(node));
    if (inCycle === undefined) return null;
    chosen.delete(inCycle);
  }
  return null;
}

function safeAlone(course: Course, left: ReadonlySet<number>): number[] | null {
  if (left.size > mostSingles) return null;
  for (const node of left) {
    const { faults, cycle } = mixtures(course, [node]);
    if (faults.length === 0 && cycle === null) return [node];
  }
  return null;
}

/** The switches among given ones whose entries for a destination differ. */
function differing(
  { now, next }: Pick<Course, 'now' | 'next'>,
  changed: readonly number[],
  destination: number,
): number[] {
  return changed.filter((node) => now.entry(node, destination) !== next.entry(node, destination));
}

/** The order in which a destination's entries are written: by new tables those nearest to it first. */
function backwards(
  course: Course,
  changed: readonly number[],
  destination: number,
): { readonly destination: number; readonly switches: readonly number[] } {
  const switches = differing(course, changed, destination)
    .map((node) => ({ node, far: distanceBy(course.next, node, destination) }))
    .sort((a, b) => (a.far === b.far ? a.node - b.node : a.far - b.far))
    .map(({ node }) => node);
  return { destination, switches };
}

/** Gives switches their new entries for a destination. */
function takeEntries(
  { now, next }: Course,
  { destination, switches }: { readonly destination: number; readonly switches: readonly number[] },
): void {
  for (const node of switches) {
    const at = now.rowOf[node]! * now.columns + destination;
    now.entries[at] = next.entries[at]!;
  }
}

/**
 * Destination by destination: written from the destination backwards, every switch already leads on by new entries
 * alone when it gets its own, so that no way loops or ends. What is left to find are steps without a circle of
 * dependencies.
 */
function byDestinations({ now, next, levels }: Course, changed: readonly number[]): TransitionStep[] | null {
  const { fabric } = now;
  const isOpen = marked(now, changed);
  const left = new Set<number>();
  for (let node = 0; node < fabric.nodeCount; node++)
    if (differing({ now, next }, changed, node).length > 0) left.add(node);
  const isSafe = (destinations: Iterable<number>): boolean =>
    mixedFaults(now, next, { nodes: isOpen, destinations: marked(now, destinations) }, levels).cycle === null;
  const steps: TransitionStep[] = [];
  while (left.size > 0) {
    let chosen: number[] = [...left];
    if (!isSafe(chosen)) {
      if (left.size > 4 * mostSingles) return null;
      const together: number[] = [];
      for (const destination of left) if (isSafe([...together, destination])) together.push(destination);
      chosen = together;
    }
    if (chosen.length === 0) return null;
    const destinations = chosen.map((destination) => backwards({ now, next, levels }, changed, destination));
    for (const own of destinations) takeEntries({ now, next, levels }, own);
    for (const destination of chosen) left.delete(destination);
    steps.push({ kind: 'destinations', destinations });
  }
  return steps;
}
