// Flows over the same links are one bundle: max-min fairness gives them the same rate, so that it is computed once for
// all of them.
// Invariants: two bundles have different paths; a bundle exists while it has flows, and its number is given out again
// after that. Bundles are found by a hash of their links; chains of equal hashes are lists of bundles.

import { grown } from '../../base/columns.js';

const none = -1;

export class PathBundles {
  /** by bundle: flows in it */
  flows = new Int32Array(0);
  /** links of each bundle's path: the entries from bundle << shift on */
  links = new Int32Array(0);
  length = new Uint8Array(0);
  /** bundles have numbers below this */
  capacity = 0;
  readonly shift: number;
  /** bundles that were ever there have numbers below this */
  end = 0;
  private free = new Int32Array(0);
  private freeCount = 0;
  /** by hash: a bundle; by bundle: the next one of its hash */
  private heads = new Int32Array(64).fill(none);
  private next = new Int32Array(0);

  /** @param longestPath most links on a path */
  constructor(longestPath: number) {
    this.shift = longestPath <= 1 ? 0 : 32 - Math.clz32(longestPath - 1);
  }

  /** Bundles that are there. */
  get count(): number {
    return this.end - this.freeCount;
  }

  /** The bundle of a path, whether or not it is there. @returns its number; -1: there is none */
  find(path: Int32Array, length: number): number {
    const { links, shift } = this;
    for (let bundle = this.heads[this.hash(path, 0, length)]!; bundle >= 0; bundle = this.next[bundle]!) {
      if (this.length[bundle] !== length) continue;
      const first = bundle << shift;
      let hop = 0;
      while (hop < length && links[first + hop] === path[hop]) hop++;
      if (hop === length) return bundle;
    }
    return none;
  }

  /** Makes the bundle of a path that has none, without flows. @returns its number */
  make(path: Int32Array, length: number): number {
    const bundle = this.freeCount > 0 ? this.free[--this.freeCount]! : this.end++;
    if (bundle >= this.capacity) this.grow(bundle + 1);
    if (this.count > this.heads.length) this.rehash();
    this.length[bundle] = length;
    const first = bundle << this.shift;
    for (let hop = 0; hop < length; hop++) this.links[first + hop] = path[hop]!;
    this.flows[bundle] = 0;
    this.chain(bundle);
    return bundle;
  }

  /** Forgets a bundle that has no flows. */
  drop(bundle: number): void {
    const at = this.hash(this.links, bundle << this.shift, this.length[bundle]!);
    let before = none;
    for (let other = this.heads[at]!; other !== bundle; other = this.next[other]!) before = other;
    if (before === none) this.heads[at] = this.next[bundle]!;
    else this.next[before] = this.next[bundle]!;
    this.length[bundle] = 0;
    this.free[this.freeCount++] = bundle;
  }

  private chain(bundle: number): void {
    const at = this.hash(this.links, bundle << this.shift, this.length[bundle]!);
    this.next[bundle] = this.heads[at]!;
    this.heads[at] = bundle;
  }

  private hash(links: Int32Array, first: number, length: number): number {
    let hash = length;
    for (let i = first; i < first + length; i++) hash = Math.imul(hash ^ links[i]!, 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 13)) & (this.heads.length - 1);
  }

  private rehash(): void {
    this.heads = new Int32Array(4 * this.heads.length).fill(none);
    for (let bundle = 0; bundle < this.end; bundle++) if (this.flows[bundle]! > 0) this.chain(bundle);
  }

  private grow(bundles: number): void {
    this.capacity = Math.max(64, bundles, 2 * this.capacity);
    this.flows = grown(this.flows, this.capacity);
    this.length = grown(this.length, this.capacity);
    this.next = grown(this.next, this.capacity);
    this.free = grown(this.free, this.capacity);
    this.links = grown(this.links, this.capacity << this.shift);
  }
}
