// Finds the micro-batches in a list of layers that repeats them, as AICB writes gradient accumulation: the same layers,
// one copy after the other, between layers that stand once.
// Invariants: unrolling what was found gives the list back; the search takes bounded time whatever the list. Copies may
// differ in one way: the first one alone (whose backward pass is the last) has weight-gradient collectives.

import { LayerBuilder, layerAt, type Layers } from './workload.js';

/** Comparisons of layers after which the search gives up. */
const mostComparisons = 20_000_000;

/**
 * Finds the longest section that consists of `copies` equal copies, the first of them if there are several.
 * @returns the layers with the section once and the others marked as once per iteration; null if there is no such
 * section
 */
export function foldMicroBatches(layers: Layers, copies: number): Layers | null {
  if (copies < 2 || layers.count < copies) return null;
  const ids = numbered(layers, (i) => keyOf(layers, i));
  for (
    let length = Math.floor(layers.count / copies), budget = { left: mostComparisons };
    length > 0 && budget.left > 0;
    length--
  ) {
    const start = sectionStart(layers, ids, length, copies, budget);
    if (start >= 0) return folded(layers, start, length, copies);
  }
  return null;
}

/**
 * The list as one rank runs it: the layers of every micro-batch as often as there are micro-batches. Yields layer and
 * copy (0 for layers that run once).
 */
export function* unrolled(layers: Layers, copies: number): Generator<readonly [layer: number, copy: number]> {
  const first = layers.isOnce.indexOf(0);
  if (first < 0) {
    for (let i = 0; i < layers.count; i++) yield [i, 0];
    return;
  }
  const end = layers.isOnce.lastIndexOf(0) + 1;
  for (let i = 0; i < first; i++) yield [i, 0];
  for (let copy = 0; copy < copies; copy++) for (let i = first; i < end; i++) yield [i, copy];
  for (let i = end; i < layers.count; i++) yield [i, 0];
}

/** Everything about a layer but its weight-gradient collective. */
function keyOf(layers: Layers, i: number): string {
  const {
    name,
    forward,
    inputGradient,
    weightGradient,
    updatePs,
    policy,
    isCheckpoint,
    startsRecomputation,
    modelChunk,
  } = layers;
  const passes = [forward, inputGradient].flatMap((pass) => [
    pass.computePs[i]!,
    pass.collective[i]!,
    pass.group[i]!,
    pass.sizeBytes[i]!,
  ]);
  return [
    name[i]!,
    ...passes,
    weightGradient.computePs[i]!,
    updatePs[i]!,
    policy[i]!,
    isCheckpoint[i]!,
    startsRecomputation[i]!,
    modelChunk[i]!,
  ].join(' ');
}

/** Numbers that are equal where the keys are. */
function numbered({ count }: Layers, key: (i: number) => string): Int32Array {
  const known = new Map<string, number>();
  return Int32Array.from({ length: count }, (_, i) => {
    const text = key(i);
    const id = known.get(text) ?? known.size;
    known.set(text, id);
    return id;
  });
}

/**
 * Where the first section of copies of `length` layers begins, or -1. A run of layers equal to those `length` further
 * on holds every `run`-th place.
 */
function sectionStart(
  layers: Layers,
  ids: Int32Array,
  length: number,
  copies: number,
  budget: { left: number },
): number {
  const run = (copies - 1) * length;
  const last = ids.length - length;
  for (let probe = run - 1; probe < last; probe += run) {
    let from = probe;
    while (from >= 0 && ids[from] === ids[from + length]) from--;
    let to = probe;
    while (to < last && ids[to] === ids[to + length]) to++;
    budget.left -= to - from + 1;
    for (let start = from + 1; start + run <= to && budget.left > 0; start++) {
      if (haveEqualCollectives(layers, start, length, copies, budget)) return start;
    }
    if (budget.left <= 0) return -1;
    if (to - 1 > probe) probe = to - 1 - ((to - 1 - probe) % run);
  }
  return -1;
}

/**
 * Whether the weight-gradient collectives of each layer are the same in all copies, or stand in the first copy only.
 */
function haveEqualCollectives(
  layers: Layers,
  start: number,
  length: number,
  copies: number,
  budget: { left: number },
): boolean {
  for (let i = start; i < start + length; i++) {
    const second = isSameCollective(layers, i, i + length);
    if (!second && layers.weightGradient.collective[i + length] !== 0) return false;
    for (let copy = 2; copy < copies; copy++)
      if (!isSameCollective(layers, i + length, i + copy * length)) return false;
    budget.left -= copies;
    if (budget.left <= 0) return false;
  }
  return true;
}

function isSameCollective({ weightGradient: { collective, group, sizeBytes } }: Layers, a: number, b: number): boolean {
  return collective[a] === collective[b] && group[a] === group[b] && sizeBytes[a] === sizeBytes[b];
}

function folded(layers: Layers, start: number, length: number, copies: number): Layers {
  const builder = new LayerBuilder();
  for (let i = 0; i < layers.count; i++) {
    const isInside = i >= start && i < start + length;
    if (isInside)
      builder.add({ ...layerAt(layers, i), isOnce: false, isSyncedOnce: !isSameCollective(layers, i, i + length) });
    else if (i < start || i >= start + copies * length) builder.add({ ...layerAt(layers, i), isOnce: true });
  }
  return builder.build();
}
