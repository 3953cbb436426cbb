// What `weft diagnose` prints: findings as JSON, and in words.

import { formatTimePs } from '../../base/units.js';
import type { Cause, CauseFinding } from '../../diagnosis/finding.js';
import type { JobMapping } from '../../diagnosis/flow-findings.js';
import { interfaceIndex, type Fabric } from '../../fabric/fabric.js';
import type { FabricIdentity } from '../../fabric/identity.js';
import { linkNamer, type NamedLink } from '../../fabric/named-link.js';
import { counted, labelled, percentText, wrapped } from '../text-style.js';

/** A run that was diagnosed. */
export interface DiagnosedRun {
  readonly shown: string;
  readonly as: 'owner' | 'operator';
  readonly fabric: Fabric;
  /** null: the fabric has no GUIDs */
  readonly identity: FabricIdentity | null;
  /** its jobs by number; without nodes: transfers, which have hosts and no ranks */
  readonly jobs: readonly { readonly name: string; readonly nodes: Int32Array | null }[];
  readonly findings: readonly CauseFinding[];
  /** how long the run took */
  readonly totalPs: number;
  /** null: nothing was tried */
  readonly trials: readonly TriedChange[] | null;
  /** by job: its mapping and a better one; null: nobody asked */
  readonly mappings: ReadonlyMap<number, JobMapping> | null;
}

/** A change of the run that was tried. */
interface TriedChange {
  readonly causes: readonly Cause[];
  readonly change: string;
  readonly predictedPs: number;
  /** null: it has no time */
  readonly totalPs: number | null;
  readonly reason: string;
}

/** A link in one direction on which flows lost time. */
export interface SaidLink extends NamedLink {
  readonly node: number;
  /** its output port, from 1 in the order of the node's links */
  readonly interface: number;
  readonly lostNs: number;
  /** those that lost most there */
  readonly flows: number;
}

/** A finding as JSON has it. */
export interface SaidFinding {
  readonly cause: Cause;
  /** numbers of the jobs that it held up; -1: flows of none */
  readonly jobs: readonly number[];
  readonly links: readonly SaidLink[];
  /** jobs whose flows are on the first link as well */
  readonly others: readonly number[];
  readonly ranks: readonly number[];
  /** what `ranks` are: of the job that lost most, or hosts, where that is transfers */
  readonly ranksAre: 'ranks' | 'hosts';
  readonly phases: readonly number[];
  readonly lostNs: number;
  /** of the time in which these jobs had flows under way */
  readonly share: number;
  readonly evidence: readonly string[];
  readonly suggestion: string;
}

/** What findings are said of. */
type Diagnosed = Pick<DiagnosedRun, 'fabric' | 'identity' | 'jobs' | 'findings'>;

/** Findings as JSON has them, those that cost most first. */
export function findingObjects(run: Diagnosed): SaidFinding[] {
  const { fabric, findings } = run;
  const namedLink = linkNamer(fabric, run.identity);
  return findings.map((finding) => ({
    cause: finding.cause,
    jobs: [...finding.jobs.keys()],
    links: finding.links.map(({ port, lostPs, flows }) => ({
      ...namedLink(port),
      node: fabric.portNode[port]!,
      interface: interfaceIndex(fabric, port),
      lostNs: lostPs / 1000,
      flows,
    })),
    others: finding.others,
    ranks: finding.ranks,
    ranksAre: (run.jobs[finding.ranksOf]?.nodes ?? null) === null ? 'hosts' : 'ranks',
    phases: finding.phases,
    lostNs: Math.round(finding.lostPs) / 1000,
    share: finding.busyPs > 0 ? finding.lostPs / finding.busyPs : 0,
    evidence: evidenceOf(finding, namedLink, run),
    suggestion: suggestions[finding.cause],
  }));
}

/** A finding in a sentence: the cause, whom it cost what, where, and what to try. @param names of the jobs, by number */
export function findingSentence(finding: SaidFinding, names: readonly string[]): string {
  const { share, links, evidence, suggestion } = finding;
  const seen = links.length === 0 ? '' : `: ${evidence.slice(0, 2).join('; ')}`;
  return `${titleOf(finding)} cost ${heldUp(finding.jobs, names)} ${percentText(share)} of the time on the network${seen}. To try: ${suggestion}.`;
}

/** Who was held up: three jobs at most. */
function heldUp(jobs: readonly number[], names: readonly string[]): string {
  const named = jobs.filter((job) => job >= 0).map((job) => names[job] ?? `job ${job}`);
  return named.length === 0 ? 'flows' : listed(named.slice(0, 3));
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
}

/** Whether jobs were in each other's way, and nobody else in theirs. */
function isMutual({ cause, jobs, others }: Pick<SaidFinding, 'cause' | 'jobs' | 'others'>): boolean {
  return cause === 'other-traffic' && jobs.length > 1 && others.length > 0 && others.every((job) => jobs.includes(job));
}

/** The cause of a finding in words, as a sentence begins with it. */
export function titleOf(finding: Pick<SaidFinding, 'cause' | 'jobs' | 'others'>): string {
  return isMutual(finding) ? "Each other's traffic" : titles[finding.cause];
}

/** The object of `--json` (docs/formats/json-output.md). */
export function diagnosisObject(run: DiagnosedRun) {
  const { totalPs } = run;
  return {
    run: run.shown,
    as: run.as,
    verdict: verdictOf(run),
    totalNs: totalPs / 1000,
    findings: findingObjects(run),
    ...(run.trials === null
      ? {}
      : {
          trials: run.trials.map((trial) => ({
            causes: trial.causes,
            change: trial.change,
            predictedNs: trial.predictedPs / 1000,
            totalNs: trial.totalPs === null ? null : trial.totalPs / 1000,
            gainedNs: trial.totalPs === null ? null : (totalPs - trial.totalPs) / 1000,
            reason: trial.reason,
          })),
        }),
    ...(run.mappings === null
      ? {}
      : {
          mappings: [...run.mappings].map(([job, { now, best }]) => ({
            job,
            mapping: best.name,
            nodes: Array.from(best.nodes),
            busiestNs: {
              now: { hosts: now.hostsPs / 1000, switches: now.switchesPs / 1000 },
              proposed: { hosts: best.hostsPs / 1000, switches: best.switchesPs / 1000 },
            },
          })),
        }),
  };
}

/** The same for people: the answer first. */
export function diagnosisText(run: DiagnosedRun): string {
  const object = diagnosisObject(run);
  const lines = wrapped(object.verdict);
  object.findings.forEach((finding, i) => {
    const title = `${titleOf(finding)}: ${formatTimePs(Math.round(finding.lostNs * 1000))} lost, ${percentText(finding.share)} of the time with flows`;
    lines.push('', ...wrapped(`${i + 1}. ${title}`), ...findingLines(finding));
  });
  lines.push(...trialLines(run));
  for (const [job, { now, best }] of run.mappings ?? [])
    lines.push('', ...mappingLines(run.jobs[job]?.name ?? `job ${job}`, now, best));
  return `${lines.join('\n')}\n`;
}

/** A line of a finding, under its label. */
function say(label: string, text: string): string[] {
  return labelled(` ${label}`, text, 10);
}

function findingLines({ evidence, links, ranks, ranksAre, suggestion }: SaidFinding): string[] {
  return [
    ...evidence.flatMap((text) => say('seen', text)),
    ...links
      .slice(0, 4)
      .flatMap(({ from, to, flows, lostNs }) =>
        say(
          'link',
          `${from} -> ${to}: ${counted(flows, 'flow')} lost ${formatTimePs(Math.round(lostNs * 1000))}, all together`,
        ),
      ),
    ...(ranks.length === 0 ? [] : say(ranksAre, [...ranks].sort((a, b) => a - b).join(', '))),
    ...say('try', suggestion),
  ];
}

/** What was tried: the quickest first, then what could not run. */
function trialLines({ trials, totalPs: nowPs }: DiagnosedRun): string[] {
  if (trials === null) return [];
  if (trials.length === 0) return ['', 'tried: nothing; there is no change that a run could show'];
  const ordered = [...trials].sort((a, b) => (a.totalPs ?? Infinity) - (b.totalPs ?? Infinity));
  return [
    '',
    `tried, beside the ${formatTimePs(nowPs)} that it took:`,
    ...ordered.flatMap(({ change, predictedPs, totalPs, reason }) =>
      totalPs === null
        ? labelled(' -', `${change}: ${reason}`, 14)
        : labelled(` ${formatTimePs(totalPs)}`, `${change} (${formatTimePs(Math.round(predictedPs))} predicted)`, 14),
    ),
  ];
}

/** What the busiest link of a mapping needs. */
function worst({ hostsPs, switchesPs }: JobMapping['now']): string {
  return formatTimePs(Math.round(Math.max(hostsPs, switchesPs)));
}

function mappingLines(job: string, now: JobMapping['now'], best: JobMapping['best']): string[] {
  if (worst(best) === worst(now)) return [`mapping of ${job}: none is better than its own`];
  return [
    `mapping of ${job}: ${best.name}; its busiest link needs ${worst(best)}, ${worst(now)} now`,
    // as it goes into a scenario: one line, however long
    `   nodes  ${Array.from(best.nodes).join(',')}`,
  ];
}

function verdictOf({ findings, jobs }: DiagnosedRun): string {
  const [first] = findings;
  if (first === undefined) return 'Nothing to gain here: no cause cost as much as a twelfth of the time.';
  const held = [...first.jobs.keys()];
  const whom = heldUp(
    held,
    jobs.map(({ name }) => name),
  );
  return `${titleOf({ ...first, jobs: held })} cost ${whom} ${percentText(first.lostPs / first.busyPs)} of the time on the network.`;
}

/** Causes in words, as sentences begin with them. */
export const titles: Readonly<Record<Cause, string>> = {
  endpoint: 'Hosts that are asked for more than their share',
  interior: 'Too few links between switches',
  mapping: 'Ranks that talk to each other and sit far apart',
  pattern: 'Messages that meet at hosts which stand idle at other times',
  routes: 'Routes that put flows on one link while others are free',
  'other-traffic': "Somebody else's traffic",
  'slow-part': 'A host or link slower than its kind',
};

const suggestions: Readonly<Record<Cause, string>> = {
  endpoint: 'spread what the busiest hosts receive or send over more hosts',
  interior: 'more links between switches, or less traffic across them',
  mapping: 'place ranks that talk to each other below one switch: weft diagnose --propose-mapping',
  pattern: 'send in another order, so that a host receives from one at a time',
  routes: 'other routes (weft route compute), adaptive routing, or the central controller',
  'other-traffic': 'wait for the other job, or place ranks where its traffic does not pass',
  'slow-part': 'mend or replace it, or leave it out',
};

function evidenceOf(
  { cause, jobs: held, evidence, links, others, lostPs, busyPs }: CauseFinding,
  namedLink: (port: number) => NamedLink,
  { jobs }: Diagnosed,
): string[] {
  const [first] = links;
  if (first === undefined)
    return [
      `${percentText(lostPs / Math.max(1, busyPs))} of the time with flows under way was lost by it`,
      ...evidence,
    ];
  const { from, to } = namedLink(first.port);
  // whom it held up is said before: who else is there if others are
  const isOwn = isMutual({ cause, jobs: [...held.keys()], others });
  const there = (isOwn ? [] : others).map((job) => (job < 0 ? 'flows of no job' : (jobs[job]?.name ?? `job ${job}`)));
  return [
    `${counted(first.flows, 'flow')} lost most on ${from} -> ${to}`,
    ...(there.length === 0
      ? []
      : [`${listed(there)} ${there.length > 1 || others[0]! < 0 ? 'are' : 'is'} on it as well`]),
    ...evidence,
  ];
}
