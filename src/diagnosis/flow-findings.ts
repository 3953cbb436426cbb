// From what jobs lost in each world to findings: what an operator learns from flows, paths and rates.
//   A part of a job's loss is a finding if it is at least a twelfth of the time in which the job had flows under way.
//   What no sharing explains is a slow part if flows of one host or one link lose it and hardly others; else it is what
//   a congestion tree cost those who crossed it, and goes to the causes at its root.

import type { Fabric } from '../fabric/fabric.js';
import { isOfHost } from '../fabric/link-tiers.js';
import { behindOthers } from './behind-others.js';
import type { Cause, CauseFinding, LosingLink } from './finding.js';
import { lostBetween, type FlowProgress, type World } from './flow-progress.js';
import type { JobLoss, LostParts } from './lost-by-world.js';
import { obstacleOf, shareAtOwnMeetings, shareBehindThin, type SingleWays } from './owner-causes.js';
import type { SampledTraffic } from './rules.js';
import { lossyPlace, slowPlace } from './slow-place.js';
import { addToSum, sorted, sumOf } from './sums.js';
import type { MappingCost, MappingProposal } from './propose-mapping.js';
import type { ObservedFlows } from './observed-flows.js';

/** Least share of a job's busy time that is told. */
const leastShare = 1 / 12;
/** The same of a pattern: messages always meet a little. */
const leastPattern = 1 / 8;
/** Links and ranks that a finding names at most. */
const mostLinks = 10;
const mostRanks = 16;

/** What flows lost between two worlds. @param to null: alone */
interface Step {
  readonly cause: Cause | null;
  readonly part: keyof LostParts;
  readonly from: World;
  readonly to: World | null;
}

const steps: readonly Step[] = [
  { cause: null, part: 'unexplained', from: 'made', to: 'shared' },
  { cause: 'slow-part', part: 'slowPart', from: 'shared', to: 'whole' },
  { cause: 'other-traffic', part: 'otherTraffic', from: 'whole', to: 'own' },
  { cause: 'routes', part: 'routes', from: 'own', to: 'spread' },
  { cause: 'interior', part: 'interior', from: 'spread', to: 'hosts' },
  { cause: 'pattern', part: 'pattern', from: 'hosts', to: null },
  { cause: 'endpoint', part: 'endpoint', from: 'hosts', to: null },
];

/**
 * Findings of all jobs, those that lost most first.
 * @param mappings better places for ranks, by job @param sampled what an owner's samples say; null: an operator asks
 * @param isLossy by output port: 1 where packets are lost, as far as it is known
 * @param isOrdered whether a job's messages come in the order of collectives, by its number
 */
export function flowFindings(
  fabric: Fabric,
  flows: ObservedFlows,
  found: FlowProgress,
  losses: readonly JobLoss[],
  mappings: ReadonlyMap<number, JobMapping>,
  sampled: Sampled | null = null,
  isLossy: Uint8Array = new Uint8Array(fabric.portCount),
  isOrdered: (job: number) => boolean = () => false,
): CauseFinding[] {
  return joinedFindings(
    losses.flatMap((loss) =>
      findingsOfJob({ fabric, flows, found, sampled, isLossy, isOrdered }, loss, mappings.get(loss.job) ?? null),
    ),
  );
}

/** One finding of each cause, those that cost most first. */
export function joinedFindings(findings: readonly CauseFinding[]): CauseFinding[] {
  const byCause = new Map<Cause, CauseFinding>();
  for (const finding of findings) {
    const known = byCause.get(finding.cause);
    byCause.set(finding.cause, known === undefined ? finding : joined(known, finding));
  }
  return [...byCause.values()].sort((a, b) => b.lostPs - a.lostPs);
}

function joined(a: CauseFinding, b: CauseFinding): CauseFinding {
  const links = new Map<number, LosingLink>();
  for (const { port, lostPs, flows } of [...a.links, ...b.links]) {
    const own = links.get(port);
    links.set(port, { port, lostPs: lostPs + (own?.lostPs ?? 0), flows: flows + (own?.flows ?? 0) });
  }
  return {
    ...(a.lostPs >= b.lostPs ? a : b),
    jobs: new Map([...a.jobs, ...b.jobs].sort(([x], [y]) => x - y)),
    links: byLoss(links),
    lostPs: a.lostPs + b.lostPs,
    unexplainedPs: a.unexplainedPs + b.unexplainedPs,
    busyPs: a.busyPs + b.busyPs,
  };
}

/** What findings are made of. */
interface Known {
  readonly fabric: Fabric;
  readonly flows: ObservedFlows;
  readonly found: FlowProgress;
  readonly sampled: Sampled | null;
  readonly isLossy: Uint8Array;
  readonly isOrdered: (job: number) => boolean;
}

/** What an owner has besides: what samples of its packets say of links. */
export interface Sampled {
  readonly seen: SampledTraffic;
  readonly single: SingleWays;
}

function findingsOfJob(known: Known, loss: JobLoss, mapping: JobMapping | null): CauseFinding[] {
  const { flows, found } = known;
  const parts = resolved(known, loss);
  latenessFolded(parts);
  const { mapped, saved, lessPs } =
    mapping === null ? { mapped: [], saved: 0, lessPs: 0 } : mappingParts(mapping, parts, loss);
  const told = (lostPs: number, least = leastShare): boolean => lostPs >= least * loss.busyPs;
  const common = { busyPs: loss.busyPs, ranksOf: loss.job, evidence: [], others: [] };
  const findings: CauseFinding[] = [];
  const mappedPs = lessPs + saved * mapped.reduce((sum, part) => sum + parts[part], 0);
  if (told(mappedPs)) {
    const step = steps.find(({ part }) => part === mapped[0])!;
    findings.push({
      ...placesOf(flows, found, loss, step, -1),
      ...common,
      cause: 'mapping',
      lostPs: mappedPs,
      unexplainedPs: saved * mapped.reduce((sum, part) => sum + Math.max(0, parts[part] - loss.lostPs[part]), 0),
      jobs: new Map([[loss.job, mappedPs]]),
    });
  }
  for (const step of steps) {
    // in the order of their algorithm messages meet, whatever one does: only what followed from it is told
    const inherent =
      step.part === 'pattern' && known.isOrdered(loss.job) ? Math.min(parts.pattern, loss.lostPs.pattern) : 0;
    const lostPs = parts[step.part] - inherent;
    if (step.cause === null || mapped.includes(step.part)) continue;
    if (!told(lostPs, step.cause === 'pattern' ? leastPattern : leastShare)) continue;
    const place = step.part === parts.obstacle?.part ? parts.obstacle.port : -1;
    const places = placesOf(flows, found, loss, step, place);
    const isOthers = step.cause === 'other-traffic' && known.sampled === null;
    findings.push({
      ...places,
      ...common,
      cause: step.cause,
      others: isOthers ? othersOn(flows, places.links[0]?.port ?? -1, loss.job) : [],
      lostPs,
      unexplainedPs: Math.max(0, Math.min(lostPs, parts[step.part] - loss.lostPs[step.part])),
      jobs: new Map([[loss.job, lostPs]]),
    });
  }
  return findings;
}

/** Jobs other than one whose flows cross a link, those with most bytes first. @param port output port; -1: none */
function othersOn({ count, offsets, ports, job, wireBytes }: ObservedFlows, port: number, own: number): number[] {
  const bytes = new Map<number, number>();
  for (let flow = 0; flow < count; flow++)
    for (let entry = offsets[flow]!; job[flow] !== own && entry < offsets[flow + 1]!; entry++)
      if (ports[entry] === port) addToSum(bytes, job[flow]!, wireBytes[flow]!);
  return sorted(bytes).map(([other]) => other);
}

/** Least share of what messages lose by meeting that another cause costs, for their meeting to be its consequence. */
const lateness = 1 / 3;

/** Messages that are late for another cause meet those that come after them: that is no fault of their order. */
function latenessFolded(parts: LostParts): void {
  const others = ['slowPart', 'otherTraffic', 'routes', 'interior'] as const;
  const most = others.reduce((a, b) => (parts[b] > parts[a] ? b : a));
  if (parts[most] < parts.pattern * lateness) return;
  parts[most] += parts.pattern;
  parts.pattern = 0;
}

/** A job's mapping beside the best that is known. */
export interface JobMapping {
  readonly now: MappingCost;
  readonly best: MappingProposal;
}

/** A mapping is to blame where another one needs at most this much of its time on the busiest link. */
const muchLess = 0.75;

/** Links between switches are too few for a mapping if they need this many times as long as those of hosts. */
const narrower = 1.05;

/** What another mapping would save of a loss. */
interface MappedLoss {
  /** parts of it, the first of them being the one that the mapping is for */
  readonly mapped: readonly (keyof LostParts)[];
  /** share of them, 0 to 1 */
  readonly saved: number;
  /** what the busiest link of a host needs less, beside them */
  readonly lessPs: number;
}

function mappingParts({ now, best }: JobMapping, parts: LostParts, loss: JobLoss): MappedLoss {
  const least = leastShare * loss.busyPs;
  if (
    // spread over all ways alike its bytes take longest between switches: no routes make up for that
    (parts.interior >= least / 2 || now.switchesPs > narrower * now.hostsPs) &&
    best.switchesPs <= muchLess * now.switchesPs &&
    best.hostsPs <= Math.max(1.05 * now.hostsPs, muchLess * now.switchesPs)
  )
    return {
      mapped: ['interior', 'routes'],
      saved: savedShare(now.switchesPs, best.switchesPs, now.hostsPs),
      lessPs: 0,
    };
  // several ranks of a host share its link: another mapping keeps more of their messages at home, and has less to send
  const lessPs = now.hostsPs - Math.max(best.hostsPs, best.switchesPs);
  if (now.hostsPs >= loss.busyPs / 2 && best.hostsPs <= muchLess * now.hostsPs && lessPs > 0)
    return { mapped: ['endpoint', 'pattern'], saved: savedShare(now.hostsPs, best.hostsPs, 0), lessPs };
  return { mapped: [], saved: 0, lessPs: 0 };
}

/** How much of what a place costs beyond a least time goes if it needs another one. */
function savedShare(nowPs: number, thenPs: number, leastPs: number): number {
  return nowPs <= leastPs ? 1 : Math.min(1, (nowPs - Math.max(thenPs, leastPs)) / (nowPs - leastPs));
}

/** Where flows lost it, and which ranks did. @param place an output port in place of each flow's narrowest; -1: none */
function placesOf(
  flows: ObservedFlows,
  found: FlowProgress,
  loss: JobLoss,
  { from, to }: Step,
  place: number,
): Pick<CauseFinding, 'links' | 'ranks' | 'phases'> {
  const links = new Map<number, LosingLink>();
  const ranks = new Map<number, number>();
  const phases = new Map<number, number>();
  for (const flow of loss.flows) {
    const lostPs =
      place === -1 ? lostBetween(flows, found, flow, from, to) : lostBetween(flows, found, flow, 'made', to);
    if (lostPs <= 0) continue;
    const port = place === -1 ? found.narrowest[from][flow]! : place;
    if (port === -1) continue;
    const own = links.get(port) ?? { port, lostPs: 0, flows: 0 };
    links.set(port, { port, lostPs: own.lostPs + lostPs, flows: own.flows + 1 });
    const phase = flows.phase[flow]!;
    if (phase !== -1) addToSum(phases, phase, lostPs);
    for (const rank of [flows.sourceRank[flow]!, flows.destinationRank[flow]!])
      if (rank !== -1) addToSum(ranks, rank, lostPs);
  }
  return { links: byLoss(links), ranks: mostOf(ranks), phases: mostOf(phases) };
}

/** Numbers that lost at least half as much as the one that lost most, that first. */
function mostOf(lost: ReadonlyMap<number, number>): number[] {
  const ranked = sorted(lost);
  const most = ranked[0]?.[1] ?? 0;
  return ranked
    .filter(([, own]) => own >= most / 2)
    .slice(0, mostRanks)
    .map(([number]) => number);
}

function byLoss(links: ReadonlyMap<number, LosingLink>): LosingLink[] {
  const ranked = [...links.values()].sort((a, b) => b.lostPs - a.lostPs || a.port - b.port);
  const most = ranked[0]?.lostPs ?? 0;
  return ranked.filter(({ lostPs }) => lostPs >= most / 10).slice(0, mostLinks);
}

/** Where something stood in the way that no sharing among the known flows explains. */
interface PlacedPart {
  readonly part: 'slowPart' | 'otherTraffic' | 'routes';
  /** output port */
  readonly port: number;
}

/** Share of what no sharing explains that was lost in congestion trees of others, for them to be its cause. */
const mostlyBehind = 0.5;

/** The parts of a loss once what no sharing explains has its cause. */
function resolved(known: Known, loss: JobLoss): LostParts & { readonly obstacle: PlacedPart | null } {
  const { unexplained, ...explained } = loss.lostPs;
  const parts = { unexplained: 0, ...explained };
  if (unexplained <= 0) return { ...parts, obstacle: null };
  const sum = Object.values(explained).reduce((whole, own) => whole + own, 0);
  const isExplained = sum >= leastShare * loss.busyPs && !isStrange(known, loss, sum);
  const obstacle = knownObstacle(known, loss) ?? (isExplained ? null : obstacleFor(known, loss));
  if (obstacle !== null) return { ...parts, [obstacle.part]: parts[obstacle.part] + unexplained, obstacle };
  // who waits behind a congestion tree, or comes back slowly after it, has its cause; where parts are small their ratio
  // says nothing, and where flows met does
  const causes = sum >= leastShare * loss.busyPs ? Object.entries(explained) : lostByMeeting(known, loss);
  const whole = sumOf(causes);
  if (whole === 0) return { ...parts, unexplained, obstacle };
  for (const [part, own] of causes) parts[part as keyof LostParts] += (unexplained * own) / whole;
  return { ...parts, obstacle };
}

/** What flows may lose where they meet most at a link of a host, and at one between switches. */
const stepsAtHosts = steps.filter(({ part }) => ['slowPart', 'otherTraffic', 'pattern'].includes(part));
const stepsBetween = steps.filter(({ part }) => ['slowPart', 'otherTraffic', 'routes', 'interior'].includes(part));

/** What no sharing explains of flows that met others, by what they lose where they met most: there they come back. */
function lostByMeeting(
  { fabric, flows, found }: Known,
  { flows: own, lostPs }: JobLoss,
): (readonly [part: keyof LostParts, lostPs: number])[] {
  const lost = new Map<keyof LostParts, number>();
  let [strayPs, metPs] = [0, 0];
  for (const flow of own) {
    const port = found.narrowest.shared[flow]!;
    const unexplainedPs = lostBetween(flows, found, flow, 'made', 'shared');
    strayPs += unexplainedPs;
    metPs += lostBetween(flows, found, flow, 'shared', null);
    if (port === -1 || unexplainedPs <= 0) continue;
    const met = (isOfHost(fabric, port) ? stepsAtHosts : stepsBetween).map(
      ({ part, from, to }) => [part, lostBetween(flows, found, flow, from, to)] as const,
    );
    const sumPs = sumOf(met);
    if (sumPs > 0) for (const [part, partPs] of met) addToSum(lost, part, (unexplainedPs * partPs) / sumPs);
  }
  if (metPs < leastMeeting * strayPs) return [];
  const atHostsPs = lost.get('pattern') ?? 0;
  const endpoint = lostPs.endpoint === 0 ? 0 : lostPs.endpoint / (lostPs.endpoint + lostPs.pattern);
  return [...lost.set('endpoint', endpoint * atHostsPs).set('pattern', (1 - endpoint) * atHostsPs)];
}

/** Share of what no sharing explains that sharing has to cost, for it to have begun it. */
const leastMeeting = 1 / 50;

/** What an operator knows to stand in the way: others' congestion trees, and links that lose packets. */
function knownObstacle({ flows, found, sampled, isLossy }: Known, loss: JobLoss): PlacedPart | null {
  if (sampled !== null) return null;
  const { share, port } = behindOthers(flows, found, loss.job, loss.flows);
  if (share >= mostlyBehind) return { part: 'otherTraffic', port };
  const lossy = lossyPlace(flows, found, loss.flows, isLossy);
  return lossy === -1 ? null : { part: 'slowPart', port: lossy };
}

/** Least share of the unexplained loss of flows that met hardly any of their own job, for it to have another cause. */
const leastLonely = 0.25;
/** A flow met hardly any if sharing left it this much. */
const lonely = 0.7;

/** Whether something unknown held up flows that had their links to themselves, as far as the owner knows. */
function isStrange({ fabric, flows, found, sampled }: Known, loss: JobLoss, explainedPs: number): boolean {
  if (sampled === null) return false;
  let [alone, all] = [0, 0];
  for (const flow of loss.flows) {
    const lostPs = lostBetween(flows, found, flow, 'made', 'shared');
    all += lostPs;
    if (found.progress.shared[flow]! >= lonely) alone += lostPs;
  }
  if (alone >= leastLonely * all) return true;
  if (shareAtOwnMeetings(fabric, flows, found, sampled.seen) >= mostlyBehind) return false;
  if (explainedPs < loss.lostPs.unexplained / 2) return true;
  return explainedPs < loss.lostPs.unexplained && shareBehindThin(fabric, flows, found, sampled.seen) >= mostlyBehind;
}

function obstacleFor({ fabric, flows, found, sampled }: Known, loss: JobLoss): PlacedPart | null {
  if (sampled !== null) return obstacleOf(fabric, flows, found, sampled.seen, sampled.single);
  const port = slowPlace(fabric, flows, found, loss.flows);
  return port === -1 ? null : { part: 'slowPart', port };
}
