// Traffic matrices: how much every host sends to every other, over a while or in a phase of it.
// Invariants: hosts are ranks 0..hostCount-1, the places in Fabric.hosts; weights are finite and above 0, nobody sends
// to itself, a pair stands once. Matrices are read destination by destination, as static routes are made, so that dense
// ones need not be stored.
// Not modelled: when within the phase something is sent.

import { Float64List, Int32List } from '../../base/columns.js';
import { fail } from '../../base/fail.js';

/** What weights count: bytes, or nothing in particular (they only compare). */
export type TrafficUnit = 'bytes' | 'relative';

/** What is sent to one destination; filled by a matrix, the arrays are reused. */
export class TrafficColumn {
  /** ranks that send, ascending */
  readonly sources: Int32Array;
  readonly weights: Float64Array;
  length = 0;

  constructor(hostCount: number) {
    this.sources = new Int32Array(hostCount);
    this.weights = new Float64Array(hostCount);
  }
}

export interface TrafficMatrix {
  readonly hostCount: number;
  readonly unit: TrafficUnit;
  /** pairs with traffic */
  readonly pairCount: number;
  /** Puts what is sent to a destination (a rank) into a column made for as many hosts. */
  toDestination(destination: number, into: TrafficColumn): void;
}

/** A phase of a communication: everything in it is under way at the same time. */
export interface TrafficPhase {
  readonly name: string;
  readonly matrix: TrafficMatrix;
}

/** A communication: one phase or more, over the same hosts. */
export interface Traffic {
  readonly name: string;
  readonly hostCount: number;
  readonly unit: TrafficUnit;
  /** how it was made, for people: "synthetic: ..." for what stands for an application; "" if there is nothing to say */
  readonly note: string;
  /** never empty */
  readonly phases: readonly TrafficPhase[];
}

/** A stored matrix: the pairs of each destination one after another. */
export class SparseTraffic implements TrafficMatrix {
  constructor(
    readonly hostCount: number,
    readonly unit: TrafficUnit,
    /** hostCount + 1 offsets into sources and weights, by destination */
    readonly offset: Int32Array,
    /** ascending within a destination */
    readonly sources: Int32Array,
    readonly weights: Float64Array,
  ) {}

  get pairCount(): number {
    return this.sources.length;
  }

  toDestination(destination: number, into: TrafficColumn): void {
    const first = this.offset[destination]!;
    const end = this.offset[destination + 1]!;
    for (let i = first; i < end; i++) {
      into.sources[i - first] = this.sources[i]!;
      into.weights[i - first] = this.weights[i]!;
    }
    into.length = end - first;
  }
}

/** Everyone sends the same to everyone else. Nothing is stored. */
export class UniformTraffic implements TrafficMatrix {
  constructor(
    readonly hostCount: number,
    readonly unit: TrafficUnit,
    readonly weight = 1,
  ) {}

  get pairCount(): number {
    return this.hostCount * (this.hostCount - 1);
  }

  toDestination(destination: number, into: TrafficColumn): void {
    let length = 0;
    for (let source = 0; source < this.hostCount; source++) {
      if (source === destination) continue;
      into.sources[length] = source;
      into.weights[length++] = this.weight;
    }
    into.length = length;
  }
}

/** Collects pairs in any order; what is added to a pair twice adds up. */
export class TrafficBuilder {
  private readonly sources = new Int32List();
  private readonly destinations = new Int32List();
  private readonly weights = new Float64List();

  constructor(
    readonly hostCount: number,
    readonly unit: TrafficUnit,
  ) {}

  /** Number of calls of `add` that counted. */
  get length(): number {
    return this.sources.length;
  }

  /**
   * Adds traffic. Nothing is kept of a weight of 0, nor of what a host sends to itself.
   * @throws InvariantError if a rank or weight is out of range
   */
  add(source: number, destination: number, weight: number): void {
    const { hostCount } = this;
    if (
      !(
        source >= 0 &&
        source < hostCount &&
        destination >= 0 &&
        destination < hostCount &&
        weight >= 0 &&
        weight < Infinity
      )
    )
      fail(`traffic of ${weight} from ${source} to ${destination} of ${hostCount} hosts`);
    if (weight === 0 || source === destination) return;
    this.sources.push(source);
    this.destinations.push(destination);
    this.weights.push(weight);
  }

  build(): SparseTraffic {
    const { hostCount } = this;
    const length = this.sources.length;
    const bySource = sortedBy(this.sources.values, null, length, hostCount);
    const order = sortedBy(this.destinations.values, bySource, length, hostCount);
    const offset = new Int32Array(hostCount + 1);
    const sources = new Int32Array(length);
    const weights = new Float64Array(length);
    let count = 0;
    let destination = 0;
    for (let i = 0; i < length; i++) {
      const at = order[i]!;
      const source = this.sources.values[at]!;
      while (destination < this.destinations.values[at]!) offset[++destination] = count;
      if (count > offset[destination]! && sources[count - 1] === source)
        weights[count - 1]! += this.weights.values[at]!;
      else {
        sources[count] = source;
        weights[count++] = this.weights.values[at]!;
      }
    }
    while (destination < hostCount) offset[++destination] = count;
    return new SparseTraffic(hostCount, this.unit, offset, sources.slice(0, count), weights.slice(0, count));
  }
}

/** Counting sort, stable: places 0..length-1 (or those of `order`) by their keys. */
function sortedBy(keys: Int32Array, order: Int32Array | null, length: number, keyCount: number): Int32Array {
  const next = new Int32Array(keyCount + 1);
  for (let i = 0; i < length; i++) next[keys[i]! + 1]!++;
  for (let key = 0; key < keyCount; key++) next[key + 1]! += next[key]!;
  const sorted = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const at = order === null ? i : order[i]!;
    sorted[next[keys[at]!]!++] = at;
  }
  return sorted;
}

/** All phases together: what is sent over the whole communication. */
export function collapsed(traffic: Traffic): TrafficMatrix {
  if (traffic.phases.length === 1) return traffic.phases[0]!.matrix;
  const builder = new TrafficBuilder(traffic.hostCount, traffic.unit);
  const column = new TrafficColumn(traffic.hostCount);
  for (const { matrix } of traffic.phases) {
    for (let destination = 0; destination < traffic.hostCount; destination++) {
      matrix.toDestination(destination, column);
      for (let i = 0; i < column.length; i++) builder.add(column.sources[i]!, destination, column.weights[i]!);
    }
  }
  return builder.build();
}
