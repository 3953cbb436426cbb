// Whether what a run's verdict says is so: every sentence is read, and each of its figures and names is held against the
// written records (verdict-records.ts). A sentence that is not read is a problem, too.
//   Of two links that cost a flow nearly the same either may be named, so counts and sums have a least and a most.

import { listsBy } from '../../src/base/lists-by-key.js';
import { titles } from '../../src/report/diagnosis/diagnosis-object.js';
import { formatRateBps } from '../../src/base/units.js';
import type { MemorySink } from '../../src/records/memory-sink.js';
import { PortCounterColumn, portCounterTable } from '../../src/records/probe-records.js';
import { near, nearTime, toNumber } from './said-numbers.js';
import { jobClaims, jobSentence, type SaidJob } from './verdict-job-claims.js';
import type { ReadFlow, VerdictRecords } from './verdict-records.js';

export interface JudgedRun {
  readonly records: VerdictRecords;
  readonly sink: MemorySink;
  readonly outcome: string;
  /** changes of links that came */
  readonly changes: number;
  readonly jobs: readonly SaidJob[];
  /** whether a finding is told, which may be of few flows */
  readonly isDiagnosed: boolean;
  /** whether ports were counted */
  readonly hasPortCounters: boolean;
  /** whether pauses are sent again before they run out */
  readonly pausesRepeat: boolean;
}

type Reader = (run: JudgedRun, groups: Readonly<Record<string, string>>, said: Said) => (string | false)[];

/** What sentences before have said. */
interface Said {
  cause: Cause | null;
}

type Cause = 'endpoint' | 'slow-part' | 'routes' | 'interior' | 'unshared';

const link = '(?<from>\\S+) -> (?<to>\\S+)';
const number = '[\\d,.]+';
const causeWords: Readonly<Record<string, Cause>> = {
  'Hosts were the narrow place: flows shared ': 'endpoint',
  'Links below the rate of their kind held flows up: ': 'slow-part',
  'Flows met although other ways were free: on ': 'routes',
  'Switches had too few links for this traffic: flows shared ': 'interior',
};

const sentences: readonly (readonly [RegExp, Reader])[] = [
  [/^Blocked: .*\.$/, ({ outcome }) => [outcome !== 'blocked' && 'it is not blocked']],
  [/^No flow was sent\./, ({ records }) => [records.flows.length > 0 && 'flows were sent']],
  [/^No flow finished\./, ({ records }) => [records.flows.some(({ isFinished }) => isFinished) && 'flows finished']],
  [
    /^(?<open>[\d,]+) flows? of (?<all>[\d,]+) flows? did not finish; this is of the others\./,
    ({ records: { flows }, outcome }, { open, all }) => {
      const unfinished = flows.filter(({ isFinished }) => !isFinished).length;
      // who stops a run gets no rows of them
      const read = outcome === 'stopped' ? toNumber(open!) : unfinished;
      return [...same('unfinished flows', open!, read), ...same('flows', all!, flows.length - unfinished + read)];
    },
  ],
  [
    /^Nothing was slow on the network: flows took (?<longer>[\d.]+) % longer than alone, all together(; the slowest took (?<slowest>[\d.]+) times as long)?\./,
    nothingSlow,
  ],
  [
    new RegExp(
      `^But (a link below the rate of its kind was crossed, |(?<links>${number}) links below the rate of their kind were crossed, first )${link} \\((?<rate>\\w[\\w.]*), others (?<usual>\\w[\\w.]*)\\)\\.`,
    ),
    slowLinks,
  ],
  [
    /^Slow: flows took (?<mean>[\d.]+) times as long as alone in the mean\./,
    ({ records, isDiagnosed }, { mean }) => [
      ...near('mean slow-down', mean!, average(records.judged.map((flow) => slowdown(flow)))),
      !isDiagnosed &&
        lostShare(records) < 0.0995 &&
        `flows lost ${lostShare(records)} of their time alone, which is not slow`,
    ],
  ],
  [
    new RegExp(
      `^(?<words>${Object.keys(causeWords).join('|')})` +
        `((?<links>${number}) links(, on which (?<flows>${number}) flows? lost most, first )?)?` +
        `(${link} \\(up to (?<atOnce>${number}) flows? at once, (?<lost>${number}\\w+) lost by (?<losers>${number}) flows?\\))?` +
        `: (?<share>[\\d.]+) % of all time lost\\.`,
    ),
    causeClaim,
  ],
  [
    /^No shared link explains it(; seen: (?<seen>[^:]*))?: (?<share>[\d.]+) % of all time lost\./,
    (run, { share, seen }, said) => {
      said.cause = 'unshared';
      return [...shareOf(run.records, 'unshared', share!), ...seenClaims(run, seen ?? '')];
    },
  ],
  [
    /^(?<changes>[\d,]+) changes? of links came meanwhile: look there first\./,
    ({ changes }, groups) => same('changes of links', groups['changes']!, changes),
  ],
  [
    /^Other routes would have avoided (?<share>[\d.]+) %; for the rest: more links, or ranks that talk to each other placed nearer\./,
    ({ records }, { share }) => shareOf(records, 'routes', share!),
  ],
  ...remediesOf(),
  [/^\(By (who shared links(; weft diagnose looks closer)?|weft diagnose)\.\)/, () => []],
  [
    new RegExp(
      `^(${[...Object.values(titles), "Each other's traffic"].join('|')}) cost (?<whom>[^:]+) (?<share>[\\d.]+) % of the time on the network: `,
    ),
    ({ jobs }, { whom, share }) => [
      toNumber(share!) > 100 && `${share} % of the time`,
      toNumber(share!) < 8.3 && `${share} % is less than a twelfth`,
      whom !== 'flows' &&
        jobs.length > 0 &&
        !whom!.split(/, | and /).some((name) => jobs.some((job) => job.name === name)) &&
        `there is no ${whom}`,
    ],
  ],
  [
    new RegExp(`^(?<flows>${number}) flows? lost most on ${link}(; [^.]* (is|are) on it as well)?\\. To try: [^.]*\\.`),
    ({ records }, { flows, from, to }) => {
      const ports = records.portsBetween(from!, to!);
      const most = Math.max(0, ...ports.map((port) => records.flowsOn(port).length));
      return [toNumber(flows!) > most && `${most} flows crossed ${from} -> ${to}`];
    },
  ],
  [
    /^Other routes would have avoided (?<share>[\d.]+) % of all time lost\./,
    ({ records }, { share }) => shareOf(records, 'routes', share!),
  ],
  [
    /^Flows took (?<mean>[\d.]+) times as long as alone in the mean, as they shared links that had to be shared: no cause cost a twelfth of the time or more, so there is nothing to gain here\./,
    ({ records }, { mean }) => near('mean slow-down', mean!, average(records.judged.map((flow) => slowdown(flow)))),
  ],
];

function remediesOf(): (readonly [RegExp, Reader])[] {
  const remedies: readonly (readonly [string, Cause])[] = [
    ['No path avoids it: let a host send to, or receive from, fewer at once.', 'endpoint'],
    ['Replace or relieve them.', 'slow-part'],
    ['Other routes, adaptive ones or a controller avoid it.', 'routes'],
    ['No choice of path helps: more links, or ranks that talk to each other placed nearer.', 'interior'],
    ["Look at losses, pauses, marks, windows and senders' own rates.", 'unshared'],
  ];
  return remedies.map(([text, cause]) => [
    new RegExp(`^${text.replaceAll('.', '\\.')}`),
    (_, __, said) => [said.cause !== cause && `a remedy of ${cause} for ${said.cause}`],
  ]);
}

/** Everything that a verdict says and that is not so. */
export function problemsOfVerdict(verdict: string, run: JudgedRun): string[] {
  const problems: string[] = [];
  const said: Said = { cause: null };
  let rest = verdict;
  while (rest !== '') {
    const job = run.jobs.find(({ name }) => rest.startsWith(`${name}: rank `));
    const found = job === undefined ? undefined : jobSentence.exec(rest.slice(job.name.length));
    if (job !== undefined && found !== null && found !== undefined) {
      problems.push(...jobClaims(run.sink, job, run.jobs.indexOf(job), found.groups!));
      rest = rest.slice(job.name.length + found[0].length).trimStart();
      continue;
    }
    const read = sentences
      .map(([pattern, reader]) => ({ match: pattern.exec(rest), reader }))
      .find(({ match }) => match);
    if (read === undefined) return [...problems, `not understood: ${rest}`];
    const groups = read.match!.groups ?? {};
    problems.push(...read.reader(run, groups, said).filter((problem): problem is string => problem !== false));
    rest = rest.slice(read.match![0].length).trimStart();
  }
  return problems;
}

const average = (values: readonly number[]): number => values.reduce((sum, own) => sum + own, 0) / values.length;
const slowdown = ({ startPs, endPs, idealPs }: ReadFlow): number => Math.max(1, (endPs - startPs) / idealPs);

/** What all finished flows lost, beside what they would have taken alone. */
function lostShare(records: VerdictRecords): number {
  const alonePs = records.judged.reduce((sum, { idealPs }) => sum + idealPs, 0);
  return alonePs > 0 ? records.judged.reduce((sum, flow) => sum + records.lostPs(flow), 0) / alonePs : 0;
}

function same(what: string, said: string, read: number): string[] {
  return toNumber(said) === read ? [] : [`${what}: said ${said}, records have ${read}`];
}

function nothingSlow({ records }: JudgedRun, { longer, slowest }: Readonly<Record<string, string>>): string[] {
  const most = Math.max(1, ...records.judged.map(slowdown));
  return [
    ...near('% longer than alone', longer!, 100 * lostShare(records)),
    ...(lostShare(records) >= 0.1005 ? [`flows lost ${lostShare(records)} of their time alone, which is slow`] : []),
    ...(slowest === undefined
      ? most >= 2.005
        ? [`the slowest flow took ${most} times as long as alone, and nothing is said of it`]
        : []
      : near('slowest', slowest, most)),
  ];
}

function slowLinks(
  { records }: JudgedRun,
  { links, from, to, rate, usual }: Readonly<Record<string, string>>,
): string[] {
  const { fabric } = records;
  const rates = records.portsBetween(from!, to!).map((port) => fabric.linkRateBps[fabric.portLink[port]!]!);
  const crossed = records.portsBetween(from!, to!).filter((port) => records.flowsOn(port).length > 0);
  return [
    ...(crossed.length === 0 ? [`no flow crossed ${from} -> ${to}`] : []),
    ...(rates.every((own) => formatRateBps(own) !== rate) ? [`${from} -> ${to} has ${rates.join(', ')} bit/s`] : []),
    ...(Array.from(fabric.linkRateBps).every((own) => formatRateBps(own) !== usual) ? [`no link has ${usual}`] : []),
    ...(rate === usual ? ['the link has the rate of others'] : []),
    ...(links !== undefined && toNumber(links) > records.crossedPorts.length ? [`${links} links, too many`] : []),
  ];
}

/** What a flow lost to a cause at a link, at least and at most. */
interface Booked {
  readonly flow: ReadFlow;
  readonly port: number;
  readonly cause: Cause;
  readonly isCertain: boolean;
  readonly lostPs: number;
  /** part of it that other ways would have avoided */
  readonly avoidablePs: number;
}

const booked = new WeakMap<VerdictRecords, readonly Booked[]>();

/** By flow, the links on which it may have lost most: within two hundredths of the most, and of what was left of it. */
function bookedOf(records: VerdictRecords): readonly Booked[] {
  const known = booked.get(records);
  if (known !== undefined) return known;
  const all = records.judged.flatMap((flow) => {
    const lostPs = records.lostPs(flow);
    if (lostPs <= 1e-6 * flow.idealPs) return [];
    const costs = records.costsOf(flow);
    const mostPs = Math.max(0, ...costs.map((own) => own.lostPs));
    const lifePs = flow.endPs - flow.startPs;
    const may = costs.filter(
      (own) => own.lostPs > 0 && own.lostPs >= 0.9799 * mostPs && lifePs - own.lostPs <= 1.0301 * (lifePs - mostPs),
    );
    return may.map(({ port, lostPs: own, groupLostPs }): Booked => {
      const explained = Math.min(lostPs, own);
      const avoidable = explained * Math.max(0, 1 - groupLostPs / own);
      const cause = records.isSlow(port) ? 'slow-part' : records.isOfHost(port) ? 'endpoint' : 'interior';
      return {
        flow,
        port,
        cause,
        isCertain: may.length === 1,
        lostPs: explained,
        avoidablePs: cause === 'interior' ? avoidable : 0,
      };
    });
  });
  booked.set(records, all);
  return all;
}

/** What a flow lost to a cause if it is booked to one of the links that it may be booked to. */
function lostTo(cause: Cause, own: Booked): number {
  if (cause === 'routes') return own.avoidablePs;
  if (cause === 'interior') return own.cause === 'interior' ? own.lostPs - own.avoidablePs : 0;
  return own.cause === cause ? own.lostPs : 0;
}

/** Least and most that a cause may have cost, of all that was lost; null: the records do not say. */
function shareRange(records: VerdictRecords, cause: Cause): readonly [least: number, most: number] | null {
  if (!records.isExact) return null;
  const byFlow = listsBy(bookedOf(records), ({ flow }) => flow);
  let [least, most, all] = [0, 0, 0];
  for (const flow of records.judged) {
    const lostPs = records.lostPs(flow);
    if (lostPs <= 1e-6 * flow.idealPs) continue;
    all += lostPs;
    const costs = (byFlow.get(flow) ?? []).map((own) =>
      cause === 'unshared' ? lostPs - own.lostPs : lostTo(cause, own),
    );
    if (costs.length === 0) costs.push(cause === 'unshared' ? lostPs : 0);
    least += Math.min(...costs);
    most += Math.max(...costs);
  }
  return [least / all, most / all];
}

function shareOf(records: VerdictRecords, cause: Cause, said: string): string[] {
  const range = shareRange(records, cause);
  return range === null
    ? toNumber(said) > 100
      ? [`${said} % of all`]
      : []
    : near(`% lost to ${cause}`, said, 100 * range[1], 100 * range[0]);
}

function causeClaim(run: JudgedRun, groups: Readonly<Record<string, string>>, said: Said): string[] {
  const { records } = run;
  const cause = causeWords[groups['words']!]!;
  said.cause = cause;
  const problems = shareOf(records, cause, groups['share']!);
  const own = shareRange(records, cause);
  for (const other of [...Object.values(causeWords), 'unshared'] as const) {
    const range = shareRange(records, other);
    if (own !== null && range !== null && range[0] > own[1] + 1e-6) problems.push(`${other} cost more than ${cause}`);
  }
  if (groups['from'] !== undefined) problems.push(...placeClaims(run, cause, groups));
  const { links, flows } = groups;
  return links === undefined ? problems : [...problems, ...countClaims(records, cause, links, flows)];
}

/** How many links the cause is at, and how many flows lost most on them. */
function countClaims(records: VerdictRecords, cause: Cause, links: string, flows: string | undefined): string[] {
  const crossed = records.crossedPorts.filter((port) => isOfCause(records, port, cause));
  if (!records.isExact) return toNumber(links) > crossed.length ? [`${links} links of ${crossed.length}`] : [];
  const places = listsBy(
    bookedOf(records).filter((one) => isOfCause(records, one.port, cause)),
    ({ port }) => port,
  );
  const may = [...places.values()].filter((list) => isOfClass(list, cause) !== false);
  const must = may.filter((list) => isOfClass(list, cause) === true).map((list) => list.filter((one) => one.isCertain));
  return [
    ...near('links', links, may.length, must.filter((list) => list.length > 0).length),
    ...(flows === undefined ? [] : near('flows', flows, flowsIn(may), flowsIn(must))),
  ];
}

function flowsIn(lists: readonly (readonly Booked[])[]): number {
  return new Set(lists.flatMap((list) => list.map(({ flow }) => flow))).size;
}

/** Whether a place belongs to a cause; null: it depends on which flows are booked there. */
function isOfClass(list: readonly Booked[], cause: Cause): boolean | null {
  if (cause !== 'routes' && cause !== 'interior') return true;
  const routed = list.map(({ lostPs, avoidablePs }) => avoidablePs > lostPs / 2);
  const [lost, avoidable] = [total(list, 'lostPs'), total(list, 'avoidablePs')];
  if (list.every(({ isCertain }) => isCertain) && Math.abs(avoidable / lost - 0.5) > 1e-6)
    return avoidable > lost / 2 === (cause === 'routes');
  return routed.every((is) => is === (cause === 'routes')) ? true : null;
}

function total(list: readonly Booked[], what: 'lostPs' | 'avoidablePs'): number {
  return list.reduce((sum, own) => sum + own[what], 0);
}

function isOfCause(records: VerdictRecords, port: number, cause: Cause): boolean {
  if (records.isSlow(port)) return cause === 'slow-part';
  return records.isOfHost(port) ? cause === 'endpoint' : cause === 'routes' || cause === 'interior';
}

/** The link that is named: it is of that kind, and who lost what there is so. Of parallel links one has to be right. */
function placeClaims(run: JudgedRun, cause: Cause, groups: Readonly<Record<string, string>>): string[] {
  const { from, to } = groups as Record<'from' | 'to', string>;
  const tried = run.records.portsBetween(from, to).map((port) => problemsOfPlace(run, cause, port, groups));
  if (tried.length === 0) return [`there is no link ${from} -> ${to}`];
  return tried.find((problems) => problems.length === 0) ?? tried[0]!;
}

function problemsOfPlace(
  { records, outcome, changes }: JudgedRun,
  cause: Cause,
  port: number,
  groups: Readonly<Record<string, string>>,
): string[] {
  if (!isOfCause(records, port, cause)) return [`the link that is named is none of ${cause}`];
  const { atOnce, lost, losers } = groups as Record<'atOnce' | 'lost' | 'losers', string>;
  const { least, most } = records.mostAtOnce(port, changes > 0);
  const finished = records.flowsOn(port).filter(({ isFinished }) => isFinished);
  const own = records.isExact ? bookedOf(records).filter((one) => one.port === port) : null;
  const certain = own?.filter(({ isCertain }) => isCertain) ?? [];
  const mostPs = own === null ? finished.reduce((sum, flow) => sum + records.lostPs(flow), 0) : total(own, 'lostPs');
  return [
    // nobody wrote down who was under way when a run was stopped
    ...(outcome === 'stopped' ? [] : near('flows at once', atOnce, most, own === null ? 0 : least)),
    ...near('flows that lost there', losers, own === null ? finished.length : own.length, certain.length),
    ...nearTime('lost there', lost, total(certain, 'lostPs'), mostPs),
  ];
}

/** What is said to have been seen where no link explains the loss: marks and pauses are counted at every port. */
function seenClaims({ records, sink, hasPortCounters, pausesRepeat, changes }: JudgedRun, seen: string): string[] {
  if (!hasPortCounters) return [];
  const sum = (index: number): number => sink.column(portCounterTable, index).reduce((all, own) => all + own, 0);
  const said = (word: string): string => new RegExp(`([\\d,]+) ${word}s?(?=,|$)`).exec(seen)?.[1] ?? '0';
  const pauses = sum(PortCounterColumn.pausesSent);
  const paused = toNumber(said('pause')) + toNumber(said('pauses? by(?: a)? slow receiver'));
  const isPfcAlone = !seen.includes('by SFC');
  return [
    ...same('ECN marks', said('ECN mark'), sum(PortCounterColumn.packetsMarked)),
    // frames that wait at a link that fails, or one of each host when the run ends, are never sent
    ...(isPfcAlone
      ? near(
          'pauses',
          String(paused),
          pauses + (changes === 0 ? records.fabric.hosts.length : paused),
          pausesRepeat ? Math.min(1, pauses) : pauses,
        )
      : []),
    ...same('packets dropped', said('packets? dropped'), sum(PortCounterColumn.packetsDropped)),
  ];
}
