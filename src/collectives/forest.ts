// The trees along which tree collectives send, one per channel, as columns; a tree is given by the parent of each
// place.
// Invariant: the edge of a place is the one to its parent, and edges are numbered tree by tree, parents before their
// children.

import { fail } from '../base/fail.js';

/** By place: its parent; `isRoot`: the root; `isAbsent`: not in this tree. */
export type Parents = Int32Array;
export const isRoot = -1;
export const isAbsent = -2;

export class Forest {
  readonly treeCount: number;
  readonly edgeCount: number;
  /** by edge: its tree, the place below, the place above, and edges between the place above and the root */
  readonly treeOf: Int32Array;
  readonly child: Int32Array;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** by edge: the edge of the place above; -1 below the root */
  readonly edgeAbove: Int32Array;
  /** by edge: edges below the place below are firstBelow .. firstBelow + countBelow - 1 */
  readonly firstBelow: Int32Array;
  readonly countBelow: Int32Array;
  /** by tree: first edge (treeCount + 1 entries); the edges below the root come first */
  readonly firstEdge: Int32Array;
  readonly countBelowRoot: Int32Array;
  readonly root: Int32Array;
  /** edges from a root to the place farthest from it, over all trees */
  readonly height: number;

  /** @param placeCount places that parents may name */
  constructor(
    readonly placeCount: number,
    trees: readonly Parents[],
  ) {
    const edges = trees.reduce((sum, parents) => sum + parents.filter((parent) => parent >= 0).length, 0);
    this.treeCount = trees.length;
    this.edgeCount = edges;
    this.treeOf = new Int32Array(edges);
    this.child = new Int32Array(edges);
    this.parent = new Int32Array(edges);
    this.depth = new Int32Array(edges);
    this.edgeAbove = new Int32Array(edges);
    this.firstBelow = new Int32Array(edges);
    this.countBelow = new Int32Array(edges);
    this.firstEdge = new Int32Array(trees.length + 1);
    this.countBelowRoot = new Int32Array(trees.length);
    this.root = new Int32Array(trees.length);
    trees.forEach((parents, tree) => this.add(tree, parents));
    this.height = this.depth.reduce((most, depth) => Math.max(most, depth + 1), 0);
  }

  /** By place: edges at it, over all trees. */
  degrees(): Float64Array {
    const degree = new Float64Array(this.placeCount);
    for (let edge = 0; edge < this.edgeCount; edge++) {
      degree[this.child[edge]!]!++;
      degree[this.parent[edge]!]!++;
    }
    return degree;
  }

  /** Numbers the edges of a tree breadth first. */
  private add(tree: number, parents: Parents): void {
    const root = parents.indexOf(isRoot);
    const below: number[][] = Array.from(parents, () => []);
    parents.forEach((parent, place) => {
      if (parent >= 0) below[parent]!.push(place);
    });
    const first = this.firstEdge[tree]!;
    let next = first;
    const append = (place: number, edgeAbove: number): void => {
      for (const child of below[place]!) {
        this.treeOf[next] = tree;
        this.child[next] = child;
        this.parent[next] = place;
        this.edgeAbove[next] = edgeAbove;
        this.depth[next] = edgeAbove < 0 ? 0 : this.depth[edgeAbove]! + 1;
        next++;
      }
    };
    append(root, -1);
    this.root[tree] = root;
    this.countBelowRoot[tree] = next - first;
    for (let edge = first; edge < next; edge++) {
      this.firstBelow[edge] = next;
      append(this.child[edge]!, edge);
      this.countBelow[edge] = next - this.firstBelow[edge]!;
    }
    if (root < 0 || next - first !== parents.filter((parent) => parent >= 0).length)
      fail(`channel ${tree} has no tree`);
    this.firstEdge[tree + 1] = next;
  }
}
