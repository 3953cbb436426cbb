// Random pairs of tables on small fabrics: what planTransition says of them against every mixture by brute force.

import { RandomStream } from '../../src/base/random.js';
import { changedEntries, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { planTransition, type Transition } from '../../src/optimization/route-transition.js';
import { RouteLanes, type FlowLevels } from '../../src/routing/route-lanes.js';
import { anyOrder, carriedOut, type Levels } from './every-mixture.js';
import { randomSwitches, randomTables } from './random-routes.js';

/** How a pair was gone over, and what does not agree; null = all does. */
export interface CheckedPair {
  readonly way: 'any order' | 'switches' | 'destinations' | 'drain' | 'unchanged';
  readonly mistake: string | null;
}

/** Draws a pair of tables and checks its transition. */
export function checkRandomPair(random: RandomStream): CheckedPair {
  const fabric = randomSwitches(random, 7, 7);
  const old = randomTables(fabric, random);
  const next = randomTables(fabric, random, old, [0, 0.5, 0.8, 0.9][random.nextBelow(4)]!);
  // now and then an entry is missing, in the old tables or in the new
  if (random.nextBelow(4) === 0) {
    const tables = random.nextBelow(2) === 0 ? old : next;
    tables.entries[random.nextBelow(tables.entries.length)] = 255;
  }
  // now and then with lanes, others before than after
  if (random.nextBelow(3) > 0) return checkPair(old, next, null);
  const [before, after] = [drawnLevels(old, random), drawnLevels(old, random)];
  return checkPair(old, next, { before, after: random.nextBelow(2) === 0 ? before : after });
}

function drawnLevels({ fabric, switches }: ForwardingTables, random: RandomStream): RouteLanes {
  const levels = new RouteLanes(fabric, switches);
  for (const from of switches) for (const host of fabric.hosts) levels.setLevel(from, host, random.nextBelow(3));
  return levels;
}

type Lanes = { readonly before: FlowLevels; readonly after: FlowLevels } | null;

function checkPair(old: ForwardingTables, next: ForwardingTables, lanes: Lanes): CheckedPair {
  const plan = planTransition(old, next, lanes);
  return { way: wayOf(plan), mistake: mistakeOf(old, next, plan, lanes) };
}

/** Destinations that tables do not lead to from everywhere. */
function lostBy(tables: ForwardingTables): ReadonlySet<number> {
  return anyOrder(tables, tables, []).drops;
}

/** Nodes ascending. */
function listed(nodes: ReadonlySet<number>): string {
  return [...nodes].sort((a, b) => a - b).join(' ');
}

function wayOf({ safe, steps }: Transition): CheckedPair['way'] {
  if (steps.length === 0) return 'unchanged';
  return safe ? 'any order' : steps.some(({ kind }) => kind === 'drain') ? 'drain' : steps[0]!.kind;
}

function mistakeOf(old: ForwardingTables, next: ForwardingTables, plan: Transition, lanes: Lanes): string | null {
  const levels: Levels | undefined =
    lanes === null ? undefined : (from, to) => lanes.before.levels(from, to) | lanes.after.levels(from, to);
  const { switches, columns, entries } = old;
  const changed = Array.from(switches).filter((_, row) =>
    entries.subarray(row * columns, (row + 1) * columns).some((own, i) => own !== next.entries[row * columns + i]),
  );
  const truth = anyOrder(old, next, changed, levels);
  const said = (kind: string): string =>
    [
      ...new Set(
        plan.violations.flatMap((fault) => (fault.kind === kind && 'destination' in fault ? [fault.destination] : [])),
      ),
    ]
      .sort((a, b) => a - b)
      .join(' ');
  if (said('loop') !== listed(truth.loops)) return `loops: said ${said('loop')}, are ${listed(truth.loops)}`;
  // what is lost by the old or the new tables themselves is not the transition's doing
  const excused = new Set([...lostBy(old), ...lostBy(next)]);
  for (const destination of truth.drops)
    if (!excused.has(destination) && !said('drop').split(' ').includes(String(destination)))
      return `a way to ${destination} is lost and was not said`;
  for (const fault of plan.violations)
    if (fault.kind === 'drop' && !truth.drops.has(fault.destination)) return `no way to ${fault.destination} is lost`;
  const circle = plan.violations.some(({ kind }) => kind === 'deadlock');
  if (truth.loops.size === 0 && circle !== truth.circle) return `a circle: said ${circle}, is ${truth.circle}`;
  const isClean = truth.loops.size === 0 && said('drop') === '' && !truth.circle;
  if (plan.safe !== isClean) return `said to be ${plan.safe ? '' : 'un'}safe`;
  const { faults, end } = carriedOut(old, next, plan.steps, levels);
  if (changedEntries(end, next) !== 0) return 'the steps do not end at the new tables';
  for (const { loops, drops, circle: stuck } of faults)
    if (loops.size > 0 || stuck || [...drops].some((destination) => !excused.has(destination)))
      return 'a step is not safe';
  return null;
}

/**
 * Draws tables in which a switch of the old ones sends back where packets for a host come from, and checks that the
 * first step ends all circles and that none comes after it. @returns null for a draw without a circle
 */
export function checkRandomLoop(
  random: RandomStream,
): { readonly circles: number; readonly mistake: string | null } | null {
  const fabric = randomSwitches(random, 7, 7);
  const old = randomTables(fabric, random);
  const next = randomTables(fabric, random, old, 0.8);
  const { portPeer, portNode } = fabric;
  for (let draws = 0; draws < 3; draws++) {
    const host = fabric.hosts[random.nextBelow(fabric.hosts.length)]!;
    const from = old.switches[random.nextBelow(old.switches.length)]!;
    const port = old.port(from, host);
    const peer = port === -1 ? host : portNode[portPeer[port]!]!;
    if (peer !== host) old.setPort(peer, host, portPeer[port]!);
  }
  const { loops } = anyOrder(old, old, []);
  if (loops.size === 0) return null;
  const plan = planTransition(old, next, null);
  return { circles: loops.size, mistake: mistakeOfLoop(old, next, plan, loops) };
}

function mistakeOfLoop(
  old: ForwardingTables,
  next: ForwardingTables,
  { safe, steps, violations }: Transition,
  loops: ReadonlySet<number>,
): string | null {
  const said = new Set(violations.flatMap((fault) => (fault.kind === 'loop' ? [fault.destination] : [])));
  if (safe || [...loops].some((host) => !said.has(host))) return 'a circle was not said';
  const { faults, end } = carriedOut(old, next, steps);
  if (changedEntries(end, next) !== 0) return 'the steps do not end at the new tables';
  if ([...faults[0]!.loops].some((host) => !loops.has(host))) return 'the first step makes a circle';
  const isDrained = steps.some(({ kind }) => kind === 'drain');
  if (!isDrained && faults.slice(1).some((own) => own.loops.size > 0 || own.circle)) return 'a later step is not safe';
  const mended = carriedOut(old, next, steps.slice(0, 1)).end;
  return anyOrder(mended, mended, []).loops.size > 0 ? 'a circle is left after the first step' : null;
}
