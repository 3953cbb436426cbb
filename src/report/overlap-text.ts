// Collisions of flows as text and as JSON: what `weft analyze collisions` says of each set of flows.

import type { FlowOverlap } from '../measurement/flow-overlap.js';
import { alignedTable } from './aligned-table.js';
import { coloured, grouped, indented, wrapped, type TextStyle } from './text-style.js';

/** One set of flows on their paths. */
export interface CountedSet {
  /** what people call it: a run, a rule for ports */
  readonly name: string;
  readonly flows: number;
  /** flows that cross no link between switches, or whose path is not known */
  readonly withoutPath: number;
  /** paths whose flow has no completion time */
  readonly unmatchedPaths: number;
  /** flows that took several ways: they count on each for their whole time */
  readonly severalWays: number;
  /** of the controller, where ports were assigned here */
  readonly controller: { readonly assigned: number; readonly unassigned: number } | null;
  readonly static: FlowOverlap;
  /** null: nobody knows when the flows were under way */
  readonly concurrent: FlowOverlap | null;
}

/** The sets for people; ends with a newline. */
export function overlapText(sets: readonly CountedSet[], style: TextStyle): string {
  const lines: string[] = [];
  for (const set of sets) {
    lines.push(coloured(style, 'bold', `${set.name}: ${grouped(set.flows)} flows`), '');
    const rows = [['collisions', 'links used', 'shared', 'most flows', 'flows', 'pairs']];
    if (set.concurrent !== null) rows.push(['at the same time'], ...rowsOf(set.concurrent));
    rows.push(['as if all at once'], ...rowsOf(set.static));
    lines.push(...alignedTable(rows), '');
    for (const note of notesOf(set)) lines.push(...indented(note), '');
  }
  lines.push(
    ...wrapped(
      'shared: directed links between switches that carried several flows; most flows: on one of them; flows ' +
        'and pairs: that shared one. Links to hosts do not count.',
    ),
  );
  return `${lines.join('\n')}\n`;
}

function rowsOf({ all, tiers }: FlowOverlap): string[][] {
  return [...tiers.filter(({ usedLinks }) => usedLinks > 0), all].map((tier) => [
    `  ${tier.tier}`,
    grouped(tier.usedLinks),
    grouped(tier.sharedLinks),
    grouped(tier.mostFlows),
    grouped(tier.flows),
    `${tier.exact ? '' : '>='}${grouped(tier.flowPairs)}`,
  ]);
}

function notesOf({ withoutPath, unmatchedPaths, severalWays, controller, concurrent }: CountedSet): string[] {
  const notes: string[] = [];
  if (withoutPath > 0) notes.push(`${grouped(withoutPath)} flows cross no link between switches`);
  if (unmatchedPaths > 0) notes.push(`${grouped(unmatchedPaths)} paths are of flows without a completion time`);
  if (severalWays > 0)
    notes.push(
      `${grouped(severalWays)} flows took several ways, and count on each for their whole time: collisions are ` +
        `at most these; the run's own summary has them as they were`,
    );
  if (controller !== null)
    notes.push(
      `the controller found a free path for ${grouped(controller.assigned)} flows and none for ${grouped(controller.unassigned)}`,
    );
  if (concurrent === null) notes.push('when the flows were under way is not known: give --trace, or a run');
  return notes;
}

/** The sets as the object of --json. */
export function overlapObject(sets: readonly CountedSet[]): object {
  return {
    sets: sets.map((set) => ({
      ...set,
      static: overlapJson(set.static),
      concurrent: set.concurrent === null ? null : overlapJson(set.concurrent),
    })),
  };
}

function overlapJson({ all, tiers }: FlowOverlap): object {
  const { tier: _, ...figures } = all;
  return { ...figures, tiers };
}
