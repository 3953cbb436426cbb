// The one search for cycles of waits: a walk in depth over a directed graph that keeps its own stack, however deep it
// goes. Linear in nodes and edges.
// Invariants: nodes are numbered from 0; starts are tried in ascending order, successors in the order in which the
// graph names them, so that the same graph gives the same cycle.

/** A directed graph whose edges are named one after the other. */
export interface WaitGraph {
  /**
   * The next successor of a node; -1 after the last.
   * @param at by node: how far its successors have been named, counted on here; 0 at first
   */
  successor(node: number, at: Int32Array): number;
}

const unseen = 0;
const open = 1;
const done = 2;

export class CycleSearch {
  private readonly state: Uint8Array;
  private readonly at: Int32Array;
  private readonly stack: Int32Array;

  /** @param nodes how many the graph has */
  constructor(nodes: number) {
    this.state = new Uint8Array(nodes);
    this.at = new Int32Array(nodes);
    this.stack = new Int32Array(nodes);
  }

  /**
   * A cycle of a graph, each node with an edge to the next; null if there is none. Its first node is the one that was
   * come to first.
   * @param first nodes before it stand on no cycle
   */
  find(graph: WaitGraph, first = 0): Int32Array | null {
    const { state, at, stack } = this;
    state.fill(unseen);
    at.fill(0);
    for (let start = first; start < state.length; start++) {
      if (state[start] !== unseen) continue;
      let depth = 0;
      stack[depth++] = start;
      state[start] = open;
      while (depth > 0) {
        const node = stack[depth - 1]!;
        const next = graph.successor(node, at);
        if (next === -1) {
          state[node] = done;
          depth--;
        } else if (state[next] === open) return stack.slice(stack.subarray(0, depth).indexOf(next), depth);
        else if (state[next] === unseen) {
          state[next] = open;
          stack[depth++] = next;
        }
      }
    }
    return null;
  }

  /** Whether a node was walked from, by the last search, and stands on no cycle. */
  isDone(node: number): boolean {
    return this.state[node] === done;
  }
}

/** A cycle of a graph that is given as the successors of each node; null if there is none. */
export function findCycle(successors: ReadonlyMap<number, ReadonlySet<number>>): number[] | null {
  const nodes = [...successors.keys()];
  const placeOf = new Map(nodes.map((node, place) => [node, place]));
  // whoever waits for nobody stands on no cycle
  const behind = nodes.map((node) => [...successors.get(node)!].flatMap((next) => placeOf.get(next) ?? []));
  const graph: WaitGraph = { successor: (place, at) => behind[place]![at[place]!++] ?? -1 };
  const cycle = new CycleSearch(nodes.length).find(graph);
  return cycle === null ? null : Array.from(cycle, (place) => nodes[place]!);
}
