// Transitions between valid tables of trees, whole and broken, with and without lanes: every state that switches pass
// through is walked by a checker of the test's own. Each step's writes come in a drawn order, one by one; after each of
// them every pair that both tables deliver arrives, and the links that packets under way may wait for are in no circle.
// Smaller fabrics by all mixtures: test/optimization/route-transition.slow.test.ts. WEFT_DRAWS=200 draws more.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { unreachablePair } from '../../src/fabric/connectivity.js';
import { FabricBuilder, NodeKind, type Fabric } from '../../src/fabric/fabric.js';
import { failLinks } from '../../src/fabric/failed-links.js';
import { recogniseFatTree } from '../../src/fabric/fat-tree.js';
import { levelIdentity } from '../../src/fabric/level-identity.js';
import { planTransition, type TransitionStep } from '../../src/optimization/route-transition.js';
import { routeDmodK } from '../../src/routing/d-mod-k.js';
import { changedEntries, type ForwardingTables } from '../../src/routing/forwarding-tables.js';
import { layeredLanes } from '../../src/routing/lane-layers.js';
import { routeMinhop } from '../../src/routing/minhop.js';
import { routeRandom } from '../../src/routing/random-minimal.js';
import { routeSssp } from '../../src/routing/sssp.js';
import { randomTables } from '../support/random-routes.js';
import { seed } from '../support/seed.js';
import { smallMixedTree } from '../support/small-mixed-trees.js';

const draws = Number(process.env['WEFT_DRAWS'] ?? 60);

/** The levels that a flow may have. */
type Levels = (from: number, to: number) => readonly number[];

/** What switches hold, host by host: a walk and its mistakes. */
class Walks {
  /** waits of packets under way since links were empty: `port level` to those behind it */
  private waits = new Map<string, Set<string>>();

  constructor(
    private readonly fabric: Fabric,
    private readonly levels: Levels,
  ) {}

  /** Waits until nothing is under way. */
  drain(): void {
    this.waits = new Map();
  }

  /** Pairs of leaf and host that arrive, with the first pair that goes round in a circle. */
  walk(now: ForwardingTables): { readonly arrived: Set<string>; readonly loop: string | null } {
    const { hosts, portOffset, portNode, portPeer, nodeCount } = this.fabric;
    const arrived = new Set<string>();
    let loop: string | null = null;
    const leaves = new Set(Array.from(hosts, (host) => portNode[portPeer[portOffset[host]!]!]!));
    for (const leaf of leaves)
      for (const host of hosts) {
        const way: number[] = [];
        let node = leaf;
        while (node !== host && way.length <= nodeCount) {
          const port = now.rowOf[node] === -1 ? -1 : now.port(node, host);
          if (port === -1) break;
          way.push(port);
          node = portNode[portPeer[port]!]!;
        }
        for (const level of this.levels(leaf, host))
          for (let hop = 1; hop < way.length; hop++) this.wait(`${way[hop - 1]} ${level}`, `${way[hop]} ${level}`);
        if (node === host) arrived.add(`${leaf} ${host}`);
        else if (way.length > nodeCount) loop ??= `${leaf} ${host}`;
      }
    return { arrived, loop };
  }

  private wait(port: string, behind: string): void {
    const known = this.waits.get(port);
    if (known === undefined) this.waits.set(port, new Set([behind]));
    else known.add(behind);
  }

  /** Whether some links wait for each other in a circle (depth first). */
  get hasCircle(): boolean {
    const state = new Map<string, 'open' | 'done'>();
    const visit = (own: string): boolean => {
      const known = state.get(own);
      if (known !== undefined) return known === 'open';
      state.set(own, 'open');
      for (const next of this.waits.get(own) ?? []) if (visit(next)) return true;
      state.set(own, 'done');
      return false;
    };
    return [...this.waits.keys()].some(visit);
  }
}

function shuffled<Value>(values: readonly Value[], random: RandomStream): Value[] {
  return values
    .map((value) => ({ value, key: random.nextFraction() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

/** The writes of a step, one after the other in a drawn order: switch, and destination or -1 for all. */
function writesOf(step: TransitionStep, random: RandomStream): [node: number, destination: number][] {
  if (step.kind !== 'destinations') return shuffled(step.switches, random).map((node) => [node, -1]);
  const left = step.destinations.map(({ destination, switches }) => ({ destination, switches: [...switches] }));
  const writes: [number, number][] = [];
  for (let open = left; open.length > 0; open = open.filter(({ switches }) => switches.length > 0)) {
    const { destination, switches } = open[random.nextBelow(open.length)]!;
    const node = switches.shift();
    if (node !== undefined) writes.push([node, destination]);
  }
  return writes;
}

function write(now: ForwardingTables, next: ForwardingTables, node: number, destination: number): void {
  const row = now.rowOf[node]! * now.columns;
  if (destination === -1) now.entries.set(next.entries.subarray(row, row + now.columns), row);
  else now.setPort(node, destination, next.port(node, destination));
}

/** What is wrong on the way by steps; null: nothing. */
function mistakeOf(
  old: ForwardingTables,
  next: ForwardingTables,
  steps: readonly TransitionStep[],
  random: RandomStream,
  levels: Levels,
): string | null {
  const now = old.copy();
  const walks = new Walks(old.fabric, levels);
  const after = walks.walk(next).arrived;
  const kept = [...walks.walk(old).arrived].filter((pair) => after.has(pair));
  for (const [number, step] of steps.entries()) {
    const isWalked = step.kind !== 'drain';
    walks.drain();
    for (const [node, destination] of [null, ...writesOf(step, random)].map((own) => own ?? [-1, -1])) {
      if (node !== -1) write(now, next, node!, destination!);
      if (!isWalked) continue;
      const { arrived, loop } = walks.walk(now);
      if (loop !== null) return `step ${number + 1}: ${loop} goes round in a circle`;
      const lost = kept.find((pair) => !arrived.has(pair));
      if (lost !== undefined) return `step ${number + 1}: ${lost} is lost`;
    }
    if (isWalked && walks.hasCircle) return `step ${number + 1}: links wait in a circle`;
  }
  return changedEntries(now, next) === 0 ? null : 'the steps do not end at the new tables';
}

/** A tree, what is left of one after links failed, or one with cables where none belong; null: the draw is none. */
function drawnFabric(random: RandomStream): Fabric | null {
  const drawn = smallMixedTree(random);
  if (drawn === null) return null;
  const { fabric } = drawn.tree;
  const kind = random.nextBelow(3);
  if (kind === 0) return fabric;
  if (kind === 1) return withOddCables(fabric, random);
  const left = failLinks({ fabric, identity: levelIdentity(fabric, 'f') }, 0.3, random.nextUint32()).fabric;
  return unreachablePair(left) === null ? left : null;
}

/** The fabric with up to three cables between switches of any level. */
function withOddCables({ nodeKind, linkPorts, linkCount, portNode }: Fabric, random: RandomStream): Fabric {
  const builder = new FabricBuilder();
  for (const kind of nodeKind) builder.addNodes(kind as NodeKind, 1);
  for (let link = 0; link < linkCount; link++)
    builder.addLink(portNode[linkPorts[2 * link]!]!, portNode[linkPorts[2 * link + 1]!]!, 100e9, 0);
  const switches = Array.from(nodeKind.keys()).filter((node) => nodeKind[node] !== NodeKind.host);
  for (let i = 0; i < 3; i++) {
    const [a, b] = [0, 0].map(() => switches[random.nextBelow(switches.length)]!) as [number, number];
    if (a !== b) builder.addLink(a, b, 100e9, 0);
  }
  return builder.build();
}

/** Tables that lead everywhere, by an algorithm that is drawn. @param old some of the ways that are kept */
function drawnTables(fabric: Fabric, random: RandomStream, old: ForwardingTables | null = null): ForwardingTables {
  const identity = levelIdentity(fabric, 'f');
  const { tree } = recogniseFatTree(fabric);
  const kind = random.nextBelow(tree === null ? 4 : 6);
  if (kind === 0) return routeMinhop(fabric, identity);
  if (kind === 1) return routeSssp(fabric, identity);
  if (kind <= 3) return randomTables(fabric, random, old, old === null ? 0 : 0.7);
  return kind === 4 ? routeDmodK(tree!) : routeRandom(tree!, random.nextUint32());
}

describe(`transitions of trees (WEFT_SEED=${seed})`, () => {
  it(`${draws} of them: no state loops, loses a pair or waits in a circle`, { timeout: 200_000 }, () => {
    const random = new RandomStream(seed, 'transitions of trees');
    const seen = new Map<string, number>();
    for (let round = 0; round < draws;) {
      const fabric = drawnFabric(random);
      if (fabric === null) continue;
      const old = drawnTables(fabric, random);
      const next = drawnTables(fabric, random, old);
      const [before, after] = [layeredLanes([old], 4), layeredLanes([next], 4)];
      if (before === null || after === null) continue;
      const isOneLane = before.count === 1 && after.count === 1;
      const plan = planTransition(old, next, isOneLane ? null : { before, after });
      // while tables change a flow may have the level of before or of afterwards
      const levels: Levels = (from, to) => [...new Set([before.level(from, to), after.level(from, to)])];
      const mistake = mistakeOf(old, next, plan.steps, random, levels);
      expect({ round, mistake }).toEqual({ round, mistake: null });
      const isDrained = plan.steps.some(({ kind }) => kind === 'drain');
      // a plan that stops traffic says why no other was found, and a safe one needs no step but one
      if (isDrained) expect(plan.violations.length).toBeGreaterThan(0);
      if (plan.safe) expect(plan.steps.length).toBeLessThanOrEqual(1);
      const key = `${isOneLane ? 'one lane' : 'lanes'}, ${plan.steps.length === 0 ? 'nothing' : isDrained ? 'drain' : plan.safe ? 'any order' : 'steps'}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      round++;
    }
    expect(seen.get('one lane, any order') ?? 0).toBeGreaterThan(0);
    expect((seen.get('one lane, steps') ?? 0) + (seen.get('lanes, steps') ?? 0)).toBeGreaterThan(0);
  });
});
