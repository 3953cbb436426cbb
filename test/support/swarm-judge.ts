// What every run of a scenario must satisfy, whatever is set in it: the judge of the swarm.

import { packetCounters } from './packet-counters.js';
import { planController } from '../../src/app/plan-controller.js';
import { simulate, type SimulateOptions } from '../../src/app/simulate.js';
import type { RunSummary } from '../../src/app/run-progress.js';
import { SenderPaces, unpaced } from '../../src/execution/sender-paces.js';
import { EventWheel } from '../../src/engine/event-wheel.js';
import { alarmBits, alarmMask } from '../../src/engine/alarms.js';
import { PacketWord } from '../../src/backends/packet/packets.js';
import type { PacketNetwork } from '../../src/backends/packet/packet-network.js';
import { PairWord, Turn } from '../../src/backends/packet/queue-pairs.js';
import type { Frontier } from '../../src/execution/frontier.js';
import { NodeKind } from '../../src/fabric/fabric.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { PathTracer } from '../../src/routing/path.js';
import type { Plan } from '../../src/scenario/plan.js';
import { problemsOf } from '../../validation/run-checker.js';
import { memoryHost } from '../memory-host.js';
import { eventCode } from './engine-records.js';
import { type EngineRun, engineRun, type Transfer } from './engine-run.js';
import { type RandomScenario, withRoom } from '../../validation/random-scenario.js';
import { moveRecordsAlways } from './moving-records.js';

export interface Judgement {
  readonly problems: readonly string[];
  /** what happened in the run, for the census of a swarm */
  readonly seen: readonly string[];
}

/** Longer runs are not judged: a swarm is many small ones. */
const mostEvents = 300_000;
/** Runs up to this size are tried with records that move at every allocation: each move copies all of them. */
const mostEventsMoving = 15_000;

/** Runs a scenario in several ways. @returns everything that is wrong @throws InputError if the plan refuses it */
export async function judge(drawn: RandomScenario): Promise<Judgement> {
  const problems: string[] = [];
  const scenario = await withRoom(drawn, (tried) => planOf(tried, false));
  const plan = await planOf(scenario, false);
  const whole = await run(await planOf(scenario, false));
  if (whole.outcome === 'stopped' || whole.counters.events > mostEvents) return { problems: [], seen: ['too long'] };
  problems.push(...wrongVerdicts(plan, whole));
  const say = (how: string, other: RunSummary): void => {
    if (other.digest !== whole.digest) problems.push(`other records ${how}`);
    if (
      JSON.stringify([other.outcome, other.counters, other.verdicts]) !==
      JSON.stringify([whole.outcome, whole.counters, whole.verdicts])
    )
      problems.push(
        `another outcome ${how}: ${JSON.stringify([other.outcome, other.counters, other.verdicts])} instead of ${JSON.stringify([whole.outcome, whole.counters, whole.verdicts])}`,
      );
  };
  say(
    'in slices and with a narrow wheel',
    await run(await planOf(scenario, false), { sliceEvents: 37, wheelWidthPs: 16 }),
  );
  say('with a wide wheel', await run(await planOf(scenario, false), { wheelWidthPs: 2 ** 22 }));
  const watched = await run(await planOf(scenario, true), { sliceEvents: 10_000 });
  const again = await run(await planOf(scenario, true), { sliceEvents: 101, wheelWidthPs: 2 ** 14 });
  if (watched.digest !== again.digest || JSON.stringify(watched.probes) !== JSON.stringify(again.probes))
    problems.push('probes record something else in other slices');
  if (
    JSON.stringify([watched.outcome, watched.counters, watched.verdicts, watched.fct]) !==
    JSON.stringify([whole.outcome, whole.counters, whole.verdicts, whole.fct])
  )
    problems.push('probes change the run');
  problems.push(...(await inside(plan, scenario, whole)));
  return { problems, seen: census(plan, whole) };
}

async function planOf(scenario: RandomScenario, isWatched: boolean): Promise<Plan> {
  const text = isWatched
    ? JSON.stringify({
        ...(JSON.parse(scenario.text) as object),
        probes: scenario.probes,
        sampling: scenario.sampling,
        polling: scenario.polling,
      })
    : scenario.text;
  return makePlan('s.yaml', { host: memoryHost({ ...scenario.files, 's.yaml': text }), overrides: [] });
}

async function run(plan: Plan, options: Partial<SimulateOptions> = {}): Promise<RunSummary> {
  const { sliceEvents = 10_000 } = options;
  let events = 0;
  // only the first of the runs may be too long: the others do the same
  return simulate(plan, {
    host: memoryHost(),
    ...options,
    sliceEvents,
    onProgress: () => {
      events += sliceEvents;
    },
    stopRequested: () => options.sliceEvents === undefined && options.wheelWidthPs === undefined && events > mostEvents,
  });
}

/** A run may end badly only for a reason. */
function wrongVerdicts(plan: Plan, summary: RunSummary): string[] {
  const { outcome, verdicts } = summary;
  const counters = packetCounters(summary);
  const { packet: settings, failures } = plan;
  const hasFailures = failures.changes.count > 0;
  const isLossy = counters.packetsLost + counters.packetsDropped > 0;
  const isDeadlocked = verdicts.some(({ name, ok }) => name === 'no deadlock by PFC' && !ok);
  // a receiver that must wait to ask for a gap again does so when a packet comes: after the last only a timer helps
  const asksOnce =
    settings.queuePair.retransmissionTimeout === 0 &&
    settings.queuePair.nackInterval > 0 &&
    counters.retransmittedPackets > 0;
  // who goes back beyond the missing packet may never get on where packets overtake each other
  const startsAnew =
    settings.queuePair.goBackTo !== 'missing-packet' &&
    settings.balancing !== 'ecmp' &&
    counters.retransmittedPackets > 0;
  // pauses that run out or are lost do not hold; a number of cable delays may be too small; a link that comes
  // back finds the headroom of its port still in use
  const mayDrop = hasFailures || settings.pfc.headroom === 'delays' || settings.pfc.pauseTime > 0;
  return verdicts
    .filter(({ name, ok }) => {
      if (ok) return false;
      if (name === 'all flows finished')
        return !(
          outcome === 'blocked' &&
          (isLossy || isDeadlocked || hasFailures || counters.timeouts > 0 || asksOnce || startsAnew)
        );
      if (name === 'no drop while lossless') return !mayDrop;
      return name !== 'no deadlock by PFC';
    })
    .map(({ name, detail }) => `${outcome}: ${name}: ${detail}`);
}

/** The same run again where a test can look inside, and with records and queue pairs that move. */
async function inside(plan: Plan, scenario: RandomScenario, whole: RunSummary): Promise<string[]> {
  const given = JSON.parse(scenario.text) as {
    traffic: { transfers: { start: string; source: number; destination: number; size: number }[] };
  };
  const startOf = (place: number): number => Number.parseInt(given.traffic.transfers[place]!.start, 10);
  const order = given.traffic.transfers.map((_, place) => place).sort((a, b) => startOf(a) - startOf(b) || a - b);
  const paces = new SenderPaces();
  const transfers = order.map((place, transfer): Transfer => {
    const { source, destination, size } = given.traffic.transfers[place]!;
    const pace = plan.paces?.of(place) ?? unpaced;
    if (pace !== unpaced) paces.set(transfer, pace);
    return [source, destination, size, startOf(place)];
  });
  // by hand there is no time between start and queue pair, and none that ends the run
  if (plan.sendLatencyPs > 0 || plan.stopPs < Infinity) return [];
  const wheel = new EventWheel();
  const hasFailures = plan.failures.changes.count > 0;
  const options = {
    settings: plan.packet,
    seed: plan.seed,
    order: plan.routing.nextHopOrder,
    controller: (tracer: PathTracer, frontier: Frontier, linksChange: boolean) =>
      planController(plan, tracer, frontier, linksChange),
    looksAtNics: true,
    paces: plan.paces === null ? null : paces,
    describe: null,
    ...(hasFailures ? { failures: plan.failures } : {}),
  };
  const open = engineRun(plan.fabric, transfers, { ...options, wheel });
  const { controller } = plan;
  const placedOverTime = controller.enabled && (controller.delay > 0 || controller.requestRate > 0);
  const problems: string[] = [];
  if (JSON.stringify(open.network.counters) !== JSON.stringify(whole.counters))
    problems.push(`the run by hand differs: ${firstDifference(open.network.counters, whole.counters)}`);
  if (!hasFailures)
    problems.push(
      ...problemsOf({
        fabric: plan.fabric,
        transfers,
        settings: plan.packet,
        flows: open.flows,
        hops: open.hops,
        counters: open.network.counters,
        paths: open.network.paths,
        portsComeBack: placedOverTime,
      }),
    );
  if (open.state !== 'running') problems.push(...leaks(open, wheel));
  if (whole.counters.events < mostEventsMoving) {
    const moving = engineRun(plan.fabric, transfers, { ...options, prepare: moveAlways });
    if (
      JSON.stringify([moving.flows, moving.network.counters, moving.verdicts]) !==
      JSON.stringify([open.flows, open.network.counters, open.verdicts])
    )
      problems.push(
        `moving records and queue pairs change the run: ${firstDifference([moving.flows, moving.network.counters, moving.verdicts], [open.flows, open.network.counters, open.verdicts])}`,
      );
  }
  return problems;
}

/** Where two texts of values begin to differ. */
function firstDifference(one: unknown, other: unknown): string {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return `${a.slice(Math.max(0, i - 60), i + 60)} instead of ${b.slice(Math.max(0, i - 60), i + 60)}`;
}

/**
 * Every reference to a queue pair belongs to a packet or an event, and every queue pair in use to a flow, a reference
 * or a turn.
 */
function leaks({ network }: EngineRun, wheel: EventWheel): string[] {
  const { pairs, packets, records, ports, pairAlarms } = network.parts;
  const references = new Map<number, number>();
  let packetCount = 0;
  const refer = (pair: number): void => {
    if (pair >= 0) references.set(pair, (references.get(pair) ?? 0) + 1);
  };
  for (let port = 0; port < ports.count; port++)
    for (let queue = 0; queue < 8; queue++)
      ports.forEachQueued(port, queue, (packet) => {
        packetCount++;
        refer(records.words[(packet << 3) + PacketWord.pair]!);
      });
  for (let record = wheel.pop(); record >= 0; record = wheel.pop()) {
    const code = eventCode(wheel, record);
    if (code < 0) {
      packetCount++;
      refer(records.words[(record << 3) + PacketWord.pair]!);
    } else if (pairAlarms.kinds.includes(code & alarmMask)) refer(code >> alarmBits);
  }
  const problems: string[] = [];
  let live = 0;
  let withheld = 0;
  for (let pair = 0; pair < pairs.count; pair++) {
    const counted = pairs.words[(pair << 4) + PairWord.references]!;
    const own = references.get(pair) ?? 0;
    // a packet may wait at the receiver for its ACK: it is in no queue
    if (counted < own || counted > own + 1) problems.push(`queue pair ${pair} counts ${counted} references of ${own}`);
    withheld += counted - own;
    if (pairs.slotOf(pair) >= 0 || counted > 0 || pairs.words[(pair << 4) + PairWord.turn] !== Turn.idle) live++;
  }
  if (packets.live !== packetCount + withheld)
    problems.push(`${packets.live} packets live, ${packetCount} found, ${withheld} withheld`);
  if (live !== pairs.live) problems.push(`${pairs.live} queue pairs live, ${live} found`);
  return problems;
}

/** Records move at every allocation, queue pairs with every flow; what is left behind is made unusable. */
function moveAlways(network: PacketNetwork): void {
  moveRecordsAlways(network);
  const { pairs } = network.parts;
  const allocatePair = pairs.allocate.bind(pairs);
  pairs.allocate = () => {
    const pair = allocatePair();
    const old = pairs.words;
    const buffer = old.slice().buffer;
    pairs.words = new Int32Array(buffer);
    pairs.reals = new Float64Array(buffer);
    old.fill(-1);
    for (const name of [
      'source',
      'destination',
      'nackPacket',
      'sourcePort',
      'destinationPort',
      'notifications',
      'windowBytes',
      'rateBps',
      'lineRateBps',
      'nackPs',
    ] as const) {
      const column = pairs[name];
      (pairs as unknown as Record<string, unknown>)[name] = column.slice();
      column.fill(7);
    }
    return pair;
  };
}

const flag = (name: string, isSeen: boolean): string[] => (isSeen ? [name] : []);

function census({ packet, failures, fabric }: Plan, summary: RunSummary): string[] {
  const { outcome, verdicts } = summary;
  const counters = packetCounters(summary);
  return [
    outcome,
    packet.congestion.algorithm,
    packet.balancing,
    ...flag('failures', failures.changes.count > 0),
    ...flag('losses', counters.packetsLost > 0),
    ...flag('drops', counters.packetsDropped > 0),
    ...flag('marks', counters.ecnMarks > 0),
    ...flag('pauses', counters.pauseFrames > 0),
    ...flag('refreshes', counters.pauseRefreshes > 0),
    ...flag('expiries', counters.pausesExpired > 0),
    ...flag('timeouts', counters.timeouts > 0),
    ...flag('nvswitches', fabric.nodeKind.includes(NodeKind.nvswitch)),
    ...flag(
      'deadlock',
      verdicts.some(({ name, ok }) => name === 'no deadlock by PFC' && !ok),
    ),
  ];
}
