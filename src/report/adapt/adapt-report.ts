// What `weft adapt` prints: the answer, a row for each epoch, why tables changed or stayed. Errors and gaps are fractions
// in JSON and percent for people.

import type { Diagnostic } from '../../base/diagnostics.js';
import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import type { Transition } from '../../optimization/route-transition.js';
import { alignedTable } from '../aligned-table.js';
import { fabricLine, fabricObject, loadText } from '../routes/route-text.js';
import { counted, labelled, percentText, reportColumns, wrapped } from '../text-style.js';

/** How traffic was found in an epoch. */
export interface EpochReconstruction {
  /** |x - sent| / |sent|, of pairs of hosts, and of what each leaf sends to each host; no decision sees them */
  readonly relativeError: number;
  readonly leafError: number;
  /** |R x - t| / |t|, the largest of the phases */
  readonly residual: number;
  /** pairs that counters left open, over all phases */
  readonly variables: number;
  readonly lanes: number;
  readonly cpuSeconds: number;
}

/** What was decided after an epoch. */
export interface EpochDecision {
  readonly kind: 'keep' | 'return' | 'new' | 'ftree';
  /** epoch whose tables come next; null: they were never in use */
  readonly ofEpoch: number | null;
  /** whether the traffic was that of the epoch before, as far as counters tell; true of the first one */
  readonly isSteady: boolean;
  readonly expectedMaxLoad: number;
  /** share by which the best candidate was expected below the best that was measured; null: there was none */
  readonly gain: number | null;
  readonly uncertainty: number;
}

/** A link on a way, by the port that sends, and its load. */
export interface WayLink {
  readonly link: string;
  readonly load: number;
}

/** Why a pair of hosts has its way: its links before and after a decision, with the loads that decided. */
export interface ExplainedPair {
  /** what the pair sends, as counters tell; null: nobody asked */
  readonly amount: number | null;
  /** largest loads between switches, as measured before and as expected after */
  readonly largestBefore: number;
  readonly largestAfter: number;
  readonly before: readonly WayLink[];
  readonly after: readonly WayLink[];
}

/** How long ports between switches had packets and no credits (PortXmitWait), as shares of the epoch. */
export interface WaitShares {
  readonly mean: number;
  readonly largest: number;
}

/** An epoch. */
export interface AdaptEpoch {
  readonly epoch: number;
  readonly scenario: string;
  readonly outcome: string;
  readonly totalNs: number;
  readonly jobs: readonly { readonly name: string; readonly totalNs: number }[];
  /** of what was sent: largest load of any link with the tables of the epoch, and what perfect adaptive routing has */
  readonly maxLoad: number;
  readonly adaptiveBound: number;
  readonly arGap: number;
  /** of counters: largest load between switches, summed over phases */
  readonly measuredMaxLoad: number;
  /** null: the backend does not count waits */
  readonly waits: WaitShares | null;
  /** entries that changed before the epoch; by source ports pairs whose port did */
  readonly changedEntries: number;
  /** how they changed; null: nothing did */
  readonly transition: Transition | null;
  /** null: nobody asked who sent to whom */
  readonly reconstruction: EpochReconstruction | null;
  readonly decision: EpochDecision;
  /** the pair that was asked for; null: none was */
  readonly why: ExplainedPair | null;
}

/** A loop that was carried out. */
export interface AdaptedRoutes<Epoch extends AdaptEpoch = AdaptEpoch> {
  readonly source: RoutedFabric;
  readonly epochs: readonly Epoch[];
  /** the epoch whose tables are kept */
  readonly keptEpoch: number;
  readonly interrupted: boolean;
  readonly warnings: readonly Diagnostic[];
}

/** Columns of labels below an epoch. */
const pairIndent = 8;

/** The loop as JSON, but for its warnings. @param out folder of its files, null: none */
export function adaptObject(
  { source, epochs, keptEpoch, interrupted }: AdaptedRoutes,
  out: string | null,
): Record<string, unknown> {
  return {
    fabric: fabricObject(source),
    epochs: epochs.map((epoch) => ({
      epoch: epoch.epoch,
      scenario: epoch.scenario,
      outcome: epoch.outcome,
      totalNs: epoch.totalNs,
      jobs: epoch.jobs,
      maxLoad: epoch.maxLoad,
      adaptiveBound: epoch.adaptiveBound,
      arGap: epoch.arGap,
      measuredMaxLoad: epoch.measuredMaxLoad,
      waits: epoch.waits,
      changedEntries: epoch.changedEntries,
      transition:
        epoch.transition === null
          ? null
          : { safe: epoch.transition.safe, steps: epoch.transition.steps.map(({ kind }) => kind) },
      reconstruction: epoch.reconstruction,
      decision: epoch.decision,
      why: epoch.why,
    })),
    keptEpoch,
    interrupted,
    out,
  };
}

/** The loop for people. */
export function adaptLines({ source, epochs, keptEpoch }: AdaptedRoutes, out: string | null): string[] {
  const [first, kept] = [epochs[0]!, epochs.find(({ epoch }) => epoch === keptEpoch)!];
  const rows = epochs.map((own) => [
    String(own.epoch),
    msText(own.totalNs),
    loadText(own.maxLoad),
    loadText(own.adaptiveBound),
    percentText(own.arGap),
    own.waits === null ? '' : percentText(own.waits.mean),
    String(own.changedEntries),
    own.reconstruction === null ? '' : percentText(own.reconstruction.relativeError),
    nextText(own.decision),
  ]);
  return [
    ...wrapped(answerOf(first, kept, epochs.length - 1), reportColumns),
    fabricLine(source),
    '',
    ...alignedTable([['epoch', 'ms', 'max load', 'bound', 'AR gap', 'waits', 'changed', 'error', 'next'], ...rows]),
    '',
    ...epochs.slice(0, -1).flatMap(epochLines),
    ...(out === null ? [] : [`  written        ${out}`]),
  ];
}

/** What was decided after an epoch, and what became of the pair that was asked for. */
function epochLines({ epoch, decision, why }: AdaptEpoch): string[] {
  const lines = wrapped(`epoch ${epoch}: ${whyText(decision)}`, reportColumns);
  return why === null ? lines : [...lines, ...pairLines(why)];
}

function answerOf(first: AdaptEpoch, kept: AdaptEpoch, count: number): string {
  const how = `after ${counted(count, 'epoch')}`;
  if (kept === first)
    return `Nothing was better than the tables that the loop began with, ${how}: ${msText(first.totalNs)} ms, ${percentText(first.arGap)} above the adaptive bound.`;
  return (
    `The tables of epoch ${kept.epoch} are kept ${how}: ${msText(kept.totalNs)} ms in place of ${msText(first.totalNs)}, ` +
    `the largest load ${percentText(kept.arGap)} above the adaptive bound in place of ${percentText(first.arGap)}.`
  );
}

function msText(ns: number): string {
  return (ns / 1e6).toFixed(3);
}

function nextText({ kind, ofEpoch }: EpochDecision): string {
  return kind === 'return' ? `epoch ${ofEpoch}'s` : kind;
}

function whyText({ kind, ofEpoch, isSteady, gain, uncertainty }: EpochDecision): string {
  if (!isSteady) {
    const what = kind === 'keep' ? 'the tables stay' : `back to the tables of epoch ${ofEpoch}`;
    return `${what}: the traffic is not known to be that of the epoch before, and new tables would be for what is past`;
  }
  const may = `predictions may be wrong by ${percentText(uncertainty)}`;
  const expected =
    gain === null ? 'no others were looked for' : `others promise ${percentText(Math.max(0, gain))} less load`;
  switch (kind) {
    case 'new':
      return `new tables promise ${percentText(gain!)} less load; ${may}`;
    case 'ftree':
      return `ftree promises ${percentText(gain!)} less load; ${may}`;
    case 'return':
      return `back to the tables of epoch ${ofEpoch}, whose measured load was less; ${expected}, and ${may}`;
    default:
      return `the tables stay: ${expected}, and ${may}`;
  }
}

/** The way of a pair before and after. */
function pairLines({ amount, before, after, largestBefore, largestAfter }: ExplainedPair): string[] {
  const isSame = before.length === after.length && before.every(({ link }, i) => link === after[i]!.link);
  const [old, next] = [busiest(before), busiest(after)];
  const sends =
    amount === null ? '' : amount === 0 ? 'It sent nothing that counters tell. ' : `It sent ${loadText(amount)}. `;
  const was = `The busiest link of its way, ${old.link}, carried ${loadText(old.load)} (the busiest of all ${loadText(largestBefore)})`;
  const is = `${loadText(next.load)} are expected on ${next.link} (${loadText(largestAfter)})`;
  return [
    ...labelled('way', linksText(before), pairIndent),
    ...(isSame ? [] : labelled('now', linksText(after), pairIndent)),
    ...labelled('why', `${sends}${was}; ${isSame ? 'its way stays, and' : 'by the other way'} ${is}.`, pairIndent),
  ];
}

function busiest(way: readonly WayLink[]): WayLink {
  return way.reduce((most, own) => (own.load > most.load ? own : most), way[0] ?? { link: 'no link', load: 0 });
}

function linksText(way: readonly WayLink[]): string {
  return way.map(({ link }) => link).join(' -> ');
}
