// Two runs that the page has, beside each other: which is faster and why, as `weft compare` says it, the flows and links that
// changed most, and the lines of the scenario that differ.
// Invariant: only what both runs list is compared; how much that is of all is said.

import type { RunView } from '#weft/app/view/run-view.js';
import type { ViewedRun } from '#weft/app/view/view-scenario.js';
import { hasShapeOf } from './fabric-lines.js';
import { type ComparedFlows, flowChanges } from '#weft/measurement/run-comparison.js';
import { outcomesVerdict } from '#weft/report/outcome-comparison.js';
import type { Json } from '#weft/report/page/report-run.js';
import { storedOutcome } from '#weft/report/page/stored-outcome.js';

/** A run with the text that it was made from. */
export interface TitledRun {
  readonly title: string;
  readonly text: string;
  readonly run: ViewedRun;
}

/** A flow or a link that changed. */
export interface Change {
  readonly name: string;
  /** place in the list of the run that is shown */
  readonly place: number;
  /** of a flow picoseconds, of a link the share of the time for which it sent */
  readonly before: number;
  readonly after: number;
}

export interface Comparison {
  readonly verdict: string;
  /** lines of the text that only one has: `- ` before, `+ ` after */
  readonly lines: readonly string[];
  readonly matched: number;
  readonly faster: number;
  readonly slower: number;
  readonly isPartial: boolean;
  readonly flows: readonly Change[];
  readonly links: readonly Change[];
  /** by line of the fabric: what changed of the link that changed most, as a share of the longer run; null: other fabrics */
  readonly lineChanges: Float64Array | null;
}

/** changes of each kind that are shown */
const mostChanges = 8;
/** a flow has changed if its time differs by more, as a share; a link, if its use does */
const threshold = 0.01;

/** Compares a run with the one before. */
export function compared(before: TitledRun, after: TitledRun): Comparison {
  const [old, own] = [before.run.view, after.run.view];
  const changes = flowChanges(columnsOf(old), columnsOf(own), threshold);
  return {
    verdict: outcomesVerdict([before, after].map(({ title, run }) => storedOutcome(title, run.json as Json))),
    lines: changedLines(before.text, after.text),
    matched: changes.matched,
    faster: changes.faster,
    slower: changes.slower,
    isPartial: old.flows.length < old.flowCount || own.flows.length < own.flowCount,
    flows: changes.changed.slice(0, mostChanges).map((pair) => {
      const { source, destination } = own.flows[pair.after]!;
      return { name: `${source} to ${destination}`, place: pair.after, before: pair.beforePs, after: pair.afterPs };
    }),
    links: changedLinks(old, own),
    lineChanges: lineChanges(old, own),
  };
}

/** The flows that a view lists, by number. */
function columnsOf({ flows }: RunView): ComparedFlows<string> {
  return {
    flowId: Float64Array.from(flows, ({ flow }) => flow),
    source: flows.map(({ source }) => source),
    destination: flows.map(({ destination }) => destination),
    sizeBytes: Float64Array.from(flows, ({ sizeBytes }) => sizeBytes),
    startPs: Float64Array.from(flows, ({ startPs }) => startPs),
    finishPs: Float64Array.from(flows, ({ finishPs }) => finishPs),
    isNumbered: true,
  };
}

/** Links of either run by what they carried in both; of a link that only the run before has, `place` is -1. */
function linkUses(before: RunView, after: RunView): (Change & { readonly line: number })[] {
  const placeBefore = new Map(before.links.map((name, place) => [name, place]));
  const uses = after.links.map((name, place) => {
    const other = placeBefore.get(name);
    placeBefore.delete(name);
    const was = other === undefined ? 0 : usedPs(before, other);
    return { name, place, before: was, after: usedPs(after, place), line: after.lineOfLink[place]! };
  });
  const gone = Array.from(placeBefore, ([name, place]) => {
    return { name, place: -1, before: usedPs(before, place), after: 0, line: before.lineOfLink[place]! };
  });
  return [...uses, ...gone];
}

function longerPs(...views: readonly RunView[]): number {
  return Math.max(...views.map(({ originPs, endPs }) => endPs - originPs));
}

/** Links whose use changed most, by name. */
function changedLinks(before: RunView, after: RunView): Change[] {
  return linkUses(before, after)
    .filter((own) => own.place >= 0 && Math.abs(own.after - own.before) > threshold * longerPs(before, after))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || a.place - b.place)
    .slice(0, mostChanges);
}

/** By line of the fabric: the change of the link of it that changed most; null if the fabrics are not the same. */
function lineChanges(before: RunView, after: RunView): Float64Array | null {
  if (!hasShapeOf(before, after)) return null;
  const changes = new Float64Array(after.lineEnds.length / 2);
  for (const { line, before: was, after: is } of linkUses(before, after)) {
    const change = (is - was) / longerPs(before, after);
    if (line >= 0 && Math.abs(change) > Math.abs(changes[line]!)) changes[line] = change;
  }
  return changes;
}

/** For how long a link would have sent what it carried, at its rate. */
function usedPs({ linkLoads, bins, originPs, endPs }: RunView, place: number): number {
  let sum = 0;
  for (let at = place * bins; at < (place + 1) * bins; at++) sum += linkLoads[at]!;
  return ((sum / 255) * (endPs - originPs)) / bins;
}

/** Lines that only one of two texts has. */
function changedLines(before: string, after: string): string[] {
  const [old, own] = [before, after].map((text) => text.split('\n').map((line) => line.trimEnd())) as [
    string[],
    string[],
  ];
  const [isOld, isOwn] = [new Set(old), new Set(own)];
  return [
    ...old.filter((line) => line !== '' && !isOwn.has(line)).map((line) => `- ${line.trim()}`),
    ...own.filter((line) => line !== '' && !isOld.has(line)).map((line) => `+ ${line.trim()}`),
  ];
}
