// What a run came to, for people, within 80 columns: what ran, the completion times, what the network did, the
// self-checks.
// Invariant: everything said comes from the figures; a failed check is never collapsed.

import { programLines } from './program-json.js';
import { printable } from '../base/printable.js';
import { formatRateBps, formatSizeBytes, formatTimePs } from '../base/units.js';
import type { FastForwardFigures } from '../jobs/fast-forward/fast-forward-figures.js';
import { jobLines } from './job-report-text.js';
import { inferenceLines } from './inference-text.js';
import { bandSentence } from './error-band.js';
import type { ControllerFigures } from '../measurement/controller-figures.js';
import type { UnfinishedFigures } from '../measurement/unfinished-figures.js';
import type { RunLabel } from './json.js';
import type {
  CounterFigures,
  PauseFigures,
  ProbeFigures,
  RunFigures,
  UnmarkedFigures,
  WatchdogSummary,
} from './run-figures.js';
import { type TextStyle, coloured, counted, grouped, labelled, wrapped } from './text-style.js';

const indent = 15;

/**
 * The report of one run.
 * @param results one line saying where the results are
 * @returns text that ends with a newline
 */
export function runReport(run: RunLabel, figures: RunFigures, results: string, style: TextStyle): string {
  const lines = [
    ...wrapped(headline(run.name, figures)).map((line) => coloured(style, 'bold', line)),
    '',
    ...jobLines(figures.jobs, style),
    ...inferenceLines(figures.inference, style),
  ];
  const say = (label: string, text: string): void => {
    lines.push(...labelled(label, text, indent));
  };
  // nothing was measured of jobs that do not end
  const isWhole = figures.outcome === 'finished';
  if (isWhole && figures.jobs.length > 0 && run.errorBand !== undefined) say('error band', bandSentence(run.errorBand));
  // closed forms of collectives send none
  const isSilent = figures.flows === 0 && figures.jobs.length > 0 && !figures.sendsCollectives;
  if (!isSilent) say('flows', flows(run, figures));
  if (figures.unfinished !== null && !isSilent) say('unfinished', unfinished(figures.unfinished));
  if (figures.finished > 0) say('completion', completion(figures));
  for (const program of figures.programs)
    for (const [i, line] of programLines(program).entries()) say(i === 0 ? 'program' : '', line);
  for (const [i, line] of transferJobs(figures.transferJobs).entries()) say(i === 0 ? 'jobs' : '', line);
  if (!isSilent) say('collisions', collisions(figures));
  if (figures.fastForward !== null) say('replayed', replayed(figures.fastForward));
  if (figures.controller !== null) say('controller', controller(figures.controller));
  if (figures.pins !== null) say('pins', pins(figures.pins));
  if (figures.failures !== null) say('failures', failures(figures.failures));
  say('network', network(figures));
  if ((figures.counters['timeouts'] ?? 0) > 0) say('timeouts', timeouts(figures.counters));
  if (figures.unmarked !== null && isNear(figures.unmarked)) say('marking', unmarked(figures.unmarked));
  if (figures.watchdog !== null)
    for (const [i, line] of watchdog(figures.watchdog).entries()) say(i === 0 ? 'watchdog' : '', line);
  if (figures.probes !== null) {
    if (figures.probes.pauses !== null)
      for (const [i, line] of pauses(figures.probes.pauses).entries()) say(i === 0 ? 'pauses' : '', line);
    if (figures.probes.latency !== null) say('latency', latency(figures.probes.latency));
    if (figures.probes.sampling !== null)
      for (const [i, line] of samples(figures.probes.sampling).entries()) say(i === 0 ? 'samples' : '', line);
    say('probes', probes(figures.probes));
  }
  lines.push(...checks(figures, style));
  say(
    'run',
    `seed ${run.seed}, ${figures.cpuSeconds.toFixed(2)} s of CPU, at most ${formatSizeBytes(Math.round(figures.peakMemoryBytes / 1e5) * 1e5)}, digest ${figures.digest.slice(0, 16)}`,
  );
  if (run.warnings.length > 0) say('warnings', String(run.warnings.length));
  say('results', results);
  return `${lines.join('\n')}\n`;
}

function headline(name: string, figures: RunFigures): string {
  const after = formatTimePs(figures.simulatedPs);
  switch (figures.outcome) {
    case 'finished':
      return `${name}: finished after ${after} of simulated time`;
    case 'ended':
      return `${name}: ended at its stopTime, ${after}`;
    case 'stopped':
      return `${name}: stopped; what follows is partial`;
    case 'blocked':
      return `${name}: BLOCKED: ${figures.verdicts.find(({ cause }) => cause !== undefined)?.cause ?? 'flows are unfinished, but nothing moves any more'}`;
    default:
      return `${name}: ${figures.outcome} after ${after} of simulated time`;
  }
}

function flows({ planned = null }: RunLabel, { outcome, finished, flows: started }: RunFigures): string {
  if (outcome !== 'stopped') return `${grouped(finished)} of ${grouped(started)} finished`;
  const all = planned === null ? '' : `; ${grouped(planned.flows)} in the ${planned.where}`;
  return `${grouped(finished)} of ${counted(started, 'started flow')} finished${all}`;
}

/** What has arrived of flows that the run ended without, and how fast since their starts. */
function unfinished({ flows: count, sizeBytes, deliveredBytes, rateBps }: UnfinishedFigures): string {
  const what = `${counted(count, 'flow')} of ${formatSizeBytes(sizeBytes)}`;
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

function completion({ fct }: RunFigures): string {
  return `mean ${time(fct.meanNs)}   p50 ${time(fct.p50Ns)}   p99 ${time(fct.p99Ns)}   max ${time(fct.maxNs)}`;
}

function collisions({ collisions: { links, flowPairs, exact } }: RunFigures): string {
  if (links === 0) return 'none: no two flows shared a link between switches';
  return `${exact ? '' : 'at least '}${counted(flowPairs, 'pair')} of flows shared ${counted(links, 'link')} between switches`;
}

/** What was not simulated, and how far what was simulated all the same differs. */
function replayed(figures: FastForwardFigures): string {
  const {
    collectives,
    replayed: count,
    replayedShare,
    transfers,
    transfersNotSent,
    diverged,
    samples,
    leaps,
  } = figures;
  if (count === 0 && (leaps?.count ?? 0) === 0)
    return `none of ${counted(collectives, 'collective')}: no phase repeats`;
  const sampled =
    samples.times === 0
      ? 'no phase was simulated beside its replay'
      : `${counted(samples.phases, 'phase')} simulated beside the replay, ${counted(samples.times, 'time')} compared: they differ by ${percent(samples.mean)} on average, ${percent(samples.largest)} at most`;
  const went = diverged === 0 ? '' : `; ${counted(diverged, 'phase')} went on otherwise than the recorded one`;
  const leapt =
    leaps === null || leaps.count === 0
      ? ''
      : `; ${counted(leaps.count, 'leap')} over ${time(leaps.lengthNs)} of what was simulated, after which its rate differed by ${percent(leaps.largestChange)} at most`;
  return `${grouped(count)} of ${counted(collectives, 'collective')} (${percent(replayedShare)} of their time), ${grouped(transfersNotSent)} of ${counted(transfers, 'transfer')} not sent; ${sampled}${went}${leapt}`;
}

function percent(share: number): string {
  return share === 0 ? '0 %' : `${Number((100 * share).toPrecision(2))} %`;
}

function controller({ policy, assigned, unassigned, moved, wait }: ControllerFigures): string {
  const what = {
    'first-fit': 'found no free path and kept their hash',
    'least-loaded': 'found no free path and took the one with the fewest bytes',
    'bandwidth-aware': 'found no path with room for their rate and took the emptiest',
    batch: 'of them share links with others: not all could be apart',
  };
  // the source's policy leaves those their own; the others give every queue pair a port
  const given = policy === 'first-fit' ? assigned : assigned + unassigned;
  return `${counted(given, 'source port')} assigned${unassigned > 0 ? `; ${grouped(unassigned)} ${what[policy]}` : ''}${moved === null ? '' : `; ${grouped(moved)} moved to other ports after routes changed`}${wait === null ? '' : `; answers took ${time(wait.medianNs)} (median), ${time(wait.maxNs)} at most`}`;
}

function pins({ pinned, unpinned }: { readonly pinned: number; readonly unpinned: number }): string {
  return `${counted(pinned, 'queue pair')} on the plane or NIC asked for${unpinned > 0 ? `; ${grouped(unpinned)} went by their hash: failures left no such path` : ''}`;
}

function failures({ changes, reroutes }: { readonly changes: number; readonly reroutes: number }): string {
  return `${counted(changes, 'change')} of links, ${reroutes === 0 ? 'no new routes' : `new routes ${counted(reroutes, 'time')}`}`;
}

function network({ backend, insteadOfPackets, sendsCollectives, flows, jobs, counters }: RunFigures): string {
  if (!sendsCollectives && flows === 0)
    return `${backend}: collectives take what closed forms estimate, nothing is sent; ${counted(counters.events, 'event')}`;
  if (insteadOfPackets !== null) {
    const estimated = sendsCollectives || jobs.length === 0 ? '' : '; collectives by closed forms, estimates';
    return `${backend}: ${insteadOfPackets}${estimated}; ${counted(counters.events, 'event')}`;
  }
  const { packetsDropped, pauseFrames, pausesExpired = 0, ecnMarks, packetHops } = counters;
  const { packetsLost = 0, retransmittedBytes = 0 } = counters;
  const parts: string[] = [];
  if (packetsDropped !== undefined) parts.push(`${grouped(packetsDropped)} dropped`);
  if (pauseFrames !== undefined)
    parts.push(`${counted(pauseFrames, 'pause')}${pausesExpired > 0 ? ` (${grouped(pausesExpired)} ran out)` : ''}`);
  if (ecnMarks !== undefined) parts.push(counted(ecnMarks, 'ECN mark'));
  if (packetsLost > 0) parts.push(`${grouped(packetsLost)} lost on links or for want of a route`);
  if (retransmittedBytes > 0) parts.push(`${formatSizeBytes(retransmittedBytes)} sent again`);
  parts.push(packetHops === undefined ? counted(counters.events, 'event') : counted(packetHops, 'packet-hop'));
  return parts.join(', ');
}

/** What lost packets cost in time; without a loss nothing called for it. */
function timeouts(counters: CounterFigures): string {
  const { timeouts: count = 0, timeoutWaitPs = 0, longestTimeoutWaitPs = 0 } = counters;
  const { packetsDropped = 0, packetsLost = 0 } = counters;
  const cost = `queue pairs stood still for ${formatTimePs(timeoutWaitPs)} in all, one of them for ${formatTimePs(longestTimeoutWaitPs)}`;
  const needless =
    packetsDropped + packetsLost > 0
      ? ''
      : '; nothing was lost: queuePair.retransmissionTimeout is shorter than packets wait here';
  return `${counted(count, 'retransmission timeout')}: ${cost}${needless}`;
}

/** Jobs of transfers that are listed at most. */
const mostTransferJobs = 20;

/** A line for each job that transfers of one name are. */
function transferJobs(jobs: RunFigures['transferJobs']): string[] {
  const lines = jobs
    .slice(0, mostTransferJobs)
    .map(
      ({ name, isFinished, transfers, payloadBytes, totalPs }) =>
        `${printable(name)}: ${isFinished ? formatTimePs(totalPs) : 'not finished'}, ${counted(transfers, 'transfer')}, ${formatSizeBytes(payloadBytes)}`,
    );
  return jobs.length > mostTransferJobs
    ? [...lines, `and ${counted(jobs.length - mostTransferJobs, 'more job')}`]
    : lines;
}

/** Whether a queue was long enough for its lack of marks to need a word. */
function isNear({ longestQueueBytes, thresholdBytes }: UnmarkedFigures): boolean {
  return longestQueueBytes >= thresholdBytes / 4;
}

/** Why there was no mark. */
function unmarked({ rateBps, thresholdBytes, longestQueueBytes, windowBytes }: UnmarkedFigures): string {
  const window =
    windowBytes === null
      ? ''
      : `; a window of ${formatSizeBytes(windowBytes)} limits what a queue pair has in flight (queuePair.window)`;
  return `none: the longest queue held ${formatSizeBytes(longestQueueBytes)}, and ports of ${formatRateBps(rateBps)} mark above ${formatSizeBytes(thresholdBytes)}${window}`;
}

/** Congestion points that the report names. */
const pointsNamed = 5;

/** Which output ports the pauses go back to, as name:interface and node:interface. */
function pauses({ pauses: all, beyond, congestionPoints, largest }: PauseFigures): string[] {
  if (all === 0) return ['none'];
  const more = beyond === 0 ? '' : `; ${counted(beyond, 'later pause')} not traced`;
  const points = largest
    .slice(0, pointsNamed)
    .map(
      (point) =>
        `${point.name} (${point.node}:${point.interface}), priority ${point.priority}: ${counted(point.pauses, 'pause')}, ${point.depth} deep, ${counted(point.hosts, 'host')}, ${formatTimePs(point.pausedPs)}`,
    );
  const rest =
    congestionPoints > points.length ? [`and ${counted(congestionPoints - points.length, 'other port')}`] : [];
  return [
    `${counted(all, 'pause')} because of ${counted(congestionPoints, 'output port')} (node:port), time summed${more}`,
    ...points,
    ...rest,
  ];
}

/** Storms that the report names. */
const stormsNamed = 5;

/** Where pauses lasted too long, and what was done about it. */
function watchdog({ action, storms, packetsDropped, first }: WatchdogSummary): string[] {
  if (storms === 0) return ['no queue of a switch was paused long enough to be in a storm'];
  const what = { drop: `${counted(packetsDropped, 'packet')} dropped`, forward: 'their pauses were ignored' }[action];
  const named = first
    .slice(0, stormsNamed)
    .map(
      ({ node, interface: port, name, priority, detectedPs, restoredPs, packetsDropped: dropped }) =>
        `${name} (${node}:${port}), priority ${priority}: from ${formatTimePs(detectedPs)} ${restoredPs === null ? 'to the end' : `to ${formatTimePs(restoredPs)}`}${action === 'drop' ? `, ${counted(dropped, 'packet')}` : ''}`,
    );
  const rest = storms > named.length ? [`and ${counted(storms - named.length, 'other storm')}`] : [];
  return [`${counted(storms, 'storm')} of pauses; ${what ?? 'logged only'}`, ...named, ...rest];
}

function latency({ packets, meanNs, p50Ns, p99Ns, maxNs }: NonNullable<ProbeFigures['latency']>): string {
  if (packets === 0) return 'no data packet arrived while the probe recorded';
  return `mean ${time(meanNs)}   p50 ${time(p50Ns)}   p99 ${time(p99Ns)}   max ${time(maxNs)}`;
}

function samples({ variant, every, sampledPackets, weakMasks }: NonNullable<ProbeFigures['sampling']>): string[] {
  const which = every === 1 ? 'every packet' : `one packet in ${grouped(every)}`;
  const lines = [`${variant}, ${which}: ${grouped(sampledPackets)} samples arrived`];
  if (weakMasks !== null && weakMasks.zero + weakMasks.same > 0)
    lines.push(
      `sampling.identifier: ${grouped(weakMasks.zero)} links have no hash, ${grouped(weakMasks.same)} share another's`,
    );
  return lines;
}

function probes({ tables }: ProbeFigures): string {
  if (tables.length > 0 && tables.every(({ rows }) => rows === 0))
    return 'no row recorded: nothing that they record happened between probes.start and probes.end';
  return `rows recorded: ${tables.map(({ name, rows }) => `${name} ${grouped(rows)}`).join(', ')}`;
}

function checks({ verdicts }: RunFigures, style: TextStyle): string[] {
  const failed = verdicts.filter((verdict) => !verdict.ok);
  const label = `  ${'checks'.padEnd(indent - 2)}`;
  if (failed.length === 0) return [`${label}${coloured(style, 'green', `all ${verdicts.length} passed`)}`];
  const lines = [`${label}${coloured(style, 'red', `${failed.length} of ${verdicts.length} FAILED`)}`];
  for (const { name, detail } of failed) {
    for (const [i, part] of wrapped(`${name}: ${detail}`, 80 - indent - 2).entries())
      lines.push(`${' '.repeat(indent)}${i === 0 ? '- ' : '  '}${part}`);
  }
  return lines;
}
