// What the report of a run says of each figure, in words: one text or several lines for what stands under one label.
// Invariant: everything said comes from the figures that are given.

import { printable } from '../../base/printable.js';
import { formatRateBps, formatSizeBytes, formatTimePs } from '../../base/units.js';
import type { CompletionStatistics } from '../../measurement/completion.js';
import type { ProgramReport } from '../../programs/program-report.js';
import type { RunFigures, RunLabel } from '../run-figures.js';
import { counted, grouped, labelled } from '../text-style.js';
import { countersText } from './counters.js';

type Known<Key extends keyof RunFigures> = NonNullable<RunFigures[Key]>;
type Probes = Known<'probes'>;

export function flows({ planned = null }: RunLabel, { outcome, finished, flows: started }: RunFigures): string {
  if (outcome !== 'stopped') return `${grouped(finished)} of ${grouped(started)} finished`;
  const all = planned === null ? '' : `; ${grouped(planned.flows)} in the ${planned.where}`;
  return `${grouped(finished)} of ${counted(started, 'started flow')} finished${all}`;
}

/** What has arrived of flows that the run ended without, and how fast since their starts. */
export function unfinished({ flows: whole, sizeBytes, deliveredBytes, rateBps }: Known<'unfinished'>): string {
  const what = `${counted(whole, 'flow')} of ${formatSizeBytes(sizeBytes)}`;
  if (deliveredBytes === null) return what;
  const rates =
    rateBps === null
      ? ''
      : rateBps.least === rateBps.most
        ? `; ${formatRateBps(rateBps.mean)} since their start`
        : `; since their starts ${formatRateBps(rateBps.mean)} in the mean, ${formatRateBps(rateBps.least)} to ${formatRateBps(rateBps.most)}`;
  return `${what}: ${formatSizeBytes(deliveredBytes)} arrived${rates}`;
}

function time(ns: number): string {
  return formatTimePs(ns * 1000);
}

export function completion({ meanNs, p50Ns, p99Ns, maxNs }: CompletionStatistics): string {
  return `mean ${time(meanNs)}   p50 ${time(p50Ns)}   p99 ${time(p99Ns)}   max ${time(maxNs)}`;
}

export function collisions({ links, flowPairs, exact }: RunFigures['collisions']): string {
  if (links === 0) return 'none: no two flows shared a link between switches';
  return `${exact ? '' : 'at least '}${counted(flowPairs, 'pair')} of flows shared ${counted(links, 'link')} between switches`;
}

/** What was not simulated, and how far what was simulated all the same differs. */
export function replayed(figures: Known<'fastForward'>): string {
  const { collectives, replayed: count, replayedShare, transfers, transfersNotSent } = figures;
  const { diverged, samples, leaps } = figures;
  if (count === 0 && (leaps?.count ?? 0) === 0)
    return `none of ${counted(collectives, 'collective')}: no phase repeats`;
  const sampled =
    samples.times === 0
      ? 'no phase was simulated beside its replay'
      : `${counted(samples.phases, 'phase')} simulated beside the replay, ${counted(samples.times, 'time')} ` +
        `compared: they differ by ${percent(samples.mean)} on average, ${percent(samples.largest)} at most`;
  const went = diverged === 0 ? '' : `; ${counted(diverged, 'phase')} went on otherwise than the recorded one`;
  const leapt =
    leaps === null || leaps.count === 0
      ? ''
      : `; ${counted(leaps.count, 'leap')} over ${time(leaps.lengthNs)} of what was simulated, after which its ` +
        `rate differed by ${percent(leaps.largestChange)} at most`;
  return (
    `${grouped(count)} of ${counted(collectives, 'collective')} (${percent(replayedShare)} of their time), ` +
    `${grouped(transfersNotSent)} of ${counted(transfers, 'transfer')} not sent; ${sampled}${went}${leapt}`
  );
}

function percent(share: number): string {
  return share === 0 ? '0 %' : `${Number((100 * share).toPrecision(2))} %`;
}

export function controller({ policy, assigned, unassigned, moved, wait }: Known<'controller'>): string {
  const what = {
    'first-fit': 'found no free path and kept their hash',
    'least-loaded': 'found no free path and took the one with the fewest bytes',
    'bandwidth-aware': 'found no path with room for their rate and took the emptiest',
    batch: 'of them share links with others: not all could be apart',
  };
  // the source's policy leaves those their own; the others give every queue pair a port
  const given = policy === 'first-fit' ? assigned : assigned + unassigned;
  return (
    `${counted(given, 'source port')} ` +
    `assigned${unassigned > 0 ? `; ${grouped(unassigned)} ${what[policy]}` : ''}${moved === null ? '' : `; ${grouped(moved)} moved to other ports after routes changed`}${wait === null ? '' : `; answers took ${time(wait.medianNs)} (median), ${time(wait.maxNs)} at most`}`
  );
}

export function pins({ pinned, unpinned }: Known<'pins'>): string {
  return (
    `${counted(pinned, 'queue pair')} on the plane or NIC asked ` +
    `for${unpinned > 0 ? `; ${grouped(unpinned)} went by their hash: failures left no such path` : ''}`
  );
}

export function failures({ changes, reroutes }: Known<'failures'>): string {
  return `${counted(changes, 'change')} of links, ${reroutes === 0 ? 'no new routes' : `new routes ${counted(reroutes, 'time')}`}`;
}

export function network({ backend, insteadOfPackets, sendsCollectives, flows, jobs, counters }: RunFigures): string {
  if (!sendsCollectives && flows === 0)
    return `${backend}: collectives take what closed forms estimate, nothing is sent; ${counted(counters.events, 'event')}`;
  if (insteadOfPackets === null) return countersText(counters);
  const estimated = sendsCollectives || jobs.length === 0 ? '' : '; collectives by closed forms, estimates';
  return `${backend}: ${insteadOfPackets}${estimated}; ${countersText(counters)}`;
}

/** Jobs of transfers that are listed at most. */
const mostTransferJobs = 20;

/** Programs, and the jobs that transfers of one name are, under labels of `indent` columns. */
export function owners({ programs, transferJobs }: RunFigures, indent: number): string[] {
  const under = (label: string, lines: readonly string[]): string[] =>
    lines.flatMap((line, i) => labelled(i === 0 ? label : '', line, indent));
  const shown = transferJobs
    .slice(0, mostTransferJobs)
    .map(
      ({ name, isFinished, transfers, payloadBytes, totalPs }) =>
        `${printable(name)}: ${isFinished ? formatTimePs(totalPs) : 'not finished'}, ${counted(transfers, 'transfer')}, ${formatSizeBytes(payloadBytes)}`,
    );
  const beyond = transferJobs.length - shown.length;
  return [
    ...programs.flatMap((program) => under('program', programLines(program))),
    ...under('jobs', beyond > 0 ? [...shown, `and ${counted(beyond, 'more job')}`] : shown),
  ];
}

function programLines(report: ProgramReport): string[] {
  const { name, program, isFinished, ranks, nodes, totalPs, computePs, waitPs, overheadPs } = report;
  const end = isFinished ? formatTimePs(totalPs) : 'not finished';
  const inNodes = report.messagesInNodes === 0 ? '' : `; ${report.messagesInNodes} more within nodes`;
  return [
    `${printable(name)} (${program}): ${end}, ${ranks} ranks on ${nodes} nodes, ${report.messages} messages, ${formatSizeBytes(report.payloadBytes)}${inNodes}`,
    `a rank computes ${formatTimePs(Math.round(computePs.mean))}, waits ` +
      `${formatTimePs(Math.round(waitPs.mean))}, sends and receives ${formatTimePs(Math.round(overheadPs.mean))} ` +
      'on average',
  ];
}

/** Why there was no mark; null: no queue was long enough for that to need a word. */
export function unmarked({
  rateBps,
  thresholdBytes,
  longestQueueBytes,
  windowBytes,
}: Known<'unmarked'>): string | null {
  if (longestQueueBytes < thresholdBytes / 4) return null;
  const window =
    windowBytes === null
      ? ''
      : `; a window of ${formatSizeBytes(windowBytes)} limits what a queue pair has in flight (queuePair.window)`;
  return (
    `none: the longest queue held ${formatSizeBytes(longestQueueBytes)}, and ports of ${formatRateBps(rateBps)} ` +
    `mark above ${formatSizeBytes(thresholdBytes)}${window}`
  );
}

/** Congestion points, and storms of pauses, that the report names. */
const mostNamed = 5;

/** Which output ports the pauses go back to, as name:interface and node:interface. */
export function pauses({ pauses: all, beyond, congestionPoints, largest }: NonNullable<Probes['pauses']>): string[] {
  if (all === 0) return ['none'];
  const more = beyond === 0 ? '' : `; ${counted(beyond, 'later pause')} not traced`;
  const points = largest
    .slice(0, mostNamed)
    .map(
      (point) =>
        `${point.name} (${point.node}:${point.interface}), priority ${point.priority}: ` +
        `${counted(point.pauses, 'pause')}, ${point.depth} deep, ${counted(point.hosts, 'host')}, ` +
        `${formatTimePs(point.pausedPs)}`,
    );
  const rest =
    congestionPoints > points.length ? [`and ${counted(congestionPoints - points.length, 'other port')}`] : [];
  return [
    `${counted(all, 'pause')} because of ${counted(congestionPoints, 'output port')} (node:port), time summed${more}`,
    ...points,
    ...rest,
  ];
}

/** Where pauses lasted too long, and what was done about it. */
export function watchdog({ action, storms, packetsDropped, first }: Known<'watchdog'>): string[] {
  if (storms === 0) return ['no queue of a switch was paused long enough to be in a storm'];
  const what = {
    drop: `${counted(packetsDropped, 'packet')} dropped`,
    forward: 'their pauses were ignored',
    alert: 'logged only',
  }[action];
  const named = first
    .slice(0, mostNamed)
    .map(
      ({ node, interface: port, name, priority, detectedPs, restoredPs, packetsDropped: dropped }) =>
        `${name} (${node}:${port}), priority ${priority}: from ${formatTimePs(detectedPs)} ` +
        `${restoredPs === null ? 'to the end' : `to ${formatTimePs(restoredPs)}`}${action === 'drop' ? `, ${counted(dropped, 'packet')}` : ''}`,
    );
  const rest = storms > named.length ? [`and ${counted(storms - named.length, 'other storm')}`] : [];
  return [`${counted(storms, 'storm')} of pauses; ${what}`, ...named, ...rest];
}

export function latency(figures: NonNullable<Probes['latency']>): string {
  return figures.packets === 0 ? 'no data packet arrived while the probe recorded' : completion(figures);
}

export function samples({ variant, every, sampledPackets, weakMasks }: NonNullable<Probes['sampling']>): string[] {
  const which = every === 1 ? 'every packet' : `one packet in ${grouped(every)}`;
  const lines = [`${variant}, ${which}: ${grouped(sampledPackets)} samples arrived`];
  if (weakMasks !== null && weakMasks.zero + weakMasks.same > 0)
    lines.push(
      `sampling.identifier: ${grouped(weakMasks.zero)} links have no hash, ${grouped(weakMasks.same)} share another's`,
    );
  return lines;
}

export function probes({ tables }: Probes): string {
  if (tables.length > 0 && tables.every(({ rows }) => rows === 0))
    return 'no row recorded: nothing that they record happened between probes.start and probes.end';
  return `rows recorded: ${tables.map(({ name, rows }) => `${name} ${grouped(rows)}`).join(', ')}`;
}
