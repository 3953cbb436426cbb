// Transitions by brute force: every mixture of switches with old and with new tables, one by one, walked pair by pair.

import type { ForwardingTables } from '../../src/routing/forwarding-tables.js';
import type { Transition } from '../../src/optimization/route-transition.js';
import { hasCircle } from './random-routes.js';

/** What goes wrong in some mixture: destinations with a loop or a lost way, and whether links wait in a circle. */
export interface MixtureFaults {
  readonly loops: ReadonlySet<number>;
  readonly drops: ReadonlySet<number>;
  readonly circle: boolean;
}

type Entry = (node: number, destination: number) => number;
/** lanes of what the hosts of a switch send to a host, as bits */
export type Levels = (from: number, destination: number) => number;

const oneLane: Levels = () => 1;

interface Found {
  readonly loops: Set<number>;
  readonly drops: Set<number>;
  readonly edges: Set<string>;
}

/**
 * Walks what every host sends to every other.
 * @param entry port that a switch sends by, -1 for none
 * @param levels lanes of a flow, as bits
 */
function walkAll({ fabric, rowOf }: ForwardingTables, entry: Entry, found: Found, levels: Levels): Set<string> {
  const { hosts, portOffset, portNode, portPeer } = fabric;
  const arrived = new Set<string>();
  for (const source of hosts)
    for (const destination of hosts) {
      const from = portNode[portPeer[portOffset[source]!]!]!;
      let node = from;
      let before = -1;
      let steps = 0;
      for (; node !== destination && steps < 2 * fabric.nodeCount; steps++) {
        const port = entry(node, destination);
        if (port === -1) break;
        const peer = portNode[portPeer[port]!]!;
        if (rowOf[peer] !== -1) {
          if (before !== -1)
            for (let lane = 0; lane < 15; lane++)
              if (((levels(from, destination) >> lane) & 1) === 1) found.edges.add(`${before}/${lane}>${port}/${lane}`);
          before = port;
        } else if (peer !== destination) break;
        node = peer;
      }
      if (node === destination) arrived.add(`${from} ${destination}`);
      else (steps === 2 * fabric.nodeCount ? found.loops : found.drops).add(destination);
    }
  return arrived;
}

/** Every mixture of given parts; a part is written as one. @param parts pairs of switch and destination (-1: all) */
function everyMixture(
  now: ForwardingTables,
  next: ForwardingTables,
  masks: Iterable<ReadonlySet<string>>,
  levels: Levels,
): MixtureFaults {
  const found: Found = { loops: new Set(), drops: new Set(), edges: new Set() };
  for (const mask of masks)
    walkAll(
      now,
      (node, destination) =>
        (mask.has(`${node}`) || mask.has(`${node} ${destination}`) ? next : now).port(node, destination),
      found,
      levels,
    );
  return { loops: found.loops, drops: found.drops, circle: hasCircle(found.edges) };
}

function* subsets(parts: readonly string[]): Generator<Set<string>> {
  for (let bits = 0; bits < 2 ** parts.length; bits++) yield new Set(parts.filter((_, i) => (bits >> i) & 1));
}

/** What happens if switches are written in any order. */
export function anyOrder(
  old: ForwardingTables,
  next: ForwardingTables,
  switches: readonly number[],
  levels = oneLane,
): MixtureFaults {
  return everyMixture(old, next, subsets(switches.map(String)), levels);
}

/** Carries out steps. @returns the faults of each, and the tables after the last */
export function carriedOut(
  old: ForwardingTables,
  next: ForwardingTables,
  steps: Transition['steps'],
  levels = oneLane,
): { readonly faults: readonly MixtureFaults[]; readonly end: ForwardingTables } {
  const now = old.copy();
  const faults: MixtureFaults[] = [];
  const write = (node: number, destination: number): void => {
    const at = now.rowOf[node]! * now.columns + destination;
    now.entries[at] = next.entries[at]!;
  };
  for (const step of steps) {
    if (step.kind === 'destinations') {
      // prefixes of every destination's order; pairs of destinations at every point of theirs meet in the union of edges
      const masks: Set<string>[] = [new Set()];
      for (const { destination, switches } of step.destinations)
        for (let count = 1; count <= switches.length; count++)
          masks.push(new Set(switches.slice(0, count).map((node) => `${node} ${destination}`)));
      faults.push(everyMixture(now, next, masks, levels));
      for (const { destination, switches } of step.destinations) for (const node of switches) write(node, destination);
      continue;
    }
    if (step.kind === 'switches') faults.push(everyMixture(now, next, subsets(step.switches.map(String)), levels));
    for (const node of step.switches) for (let to = 0; to < now.columns; to++) write(node, to);
  }
  return { faults, end: now };
}
