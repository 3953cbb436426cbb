// Traffic between the pairs of a grid, and as a matrix of all hosts.

import type { RoutedFabric } from '../../fabric/routed-fabric.js';
import { TrafficBuilder, TrafficColumn, type Traffic, type TrafficMatrix } from '../../flows/traffic/matrix.js';
import type { PairGrid } from '../../reconstruction/pair-grid.js';

/** Traffic of all hosts by what was found. @param found by pair of the grid @param ranks of its blocks, one after the other */
export function trafficOfPairs(
  found: Float64Array,
  { places, first, offset }: PairGrid,
  ranks: readonly number[],
  { fabric }: RoutedFabric,
  unit: Traffic['unit'],
  classCount: number,
): Traffic {
  const classes = Array.from({ length: classCount }, () => new TrafficBuilder(fabric.hosts.length, unit));
  const least = 1e-9 * found.reduce((most, own) => Math.max(most, own), 0);
  for (let place = 0; place < places; place++) {
    const at = first[place]!;
    const builder = classes[Math.floor(at / ranks.length)]!;
    const [low, high] = [ranks[at % ranks.length]!, ranks[(at % ranks.length) + offset[place]!]!];
    if (found[2 * place]! > least) builder.add(low, high, found[2 * place]!);
    if (found[2 * place + 1]! > least) builder.add(high, low, found[2 * place + 1]!);
  }
  const phases = classes.map((builder, place) => ({
    name: classCount === 1 ? 'all' : `class ${place}`,
    matrix: builder.build(),
  }));
  return { name: 'reconstructed', hostCount: fabric.hosts.length, unit, note: '', phases };
}

/**
 * Numbers of pairs of a grid of one class, whatever their sign, as a matrix of all hosts: destination x hosts + source.
 * Blocks that have the same two hosts are added up.
 */
export function matrixOfPairs(
  numbers: Float64Array,
  { places, first, offset }: PairGrid,
  ranks: readonly number[],
  hostCount: number,
): Float32Array {
  const matrix = new Float32Array(hostCount * hostCount);
  for (let place = 0; place < places; place++) {
    const [low, high] = [ranks[first[place]!]!, ranks[first[place]! + offset[place]!]!];
    matrix[high * hostCount + low]! += numbers[2 * place]!;
    matrix[low * hostCount + high]! += numbers[2 * place + 1]!;
  }
  return matrix;
}

/**
 * Amounts of matrices by pair of a grid, one matrix for each class; 0 of pairs that move no counter.
 * @param ranks of its blocks, one after the other
 */
export function pairsOfTraffic(
  matrices: readonly TrafficMatrix[],
  { places, first, offset, rowStart }: PairGrid,
  ranks: readonly number[],
): Float64Array {
  const { hostCount } = matrices[0]!;
  const pairs = new Float64Array(2 * places);
  // pairs by class and destination
  const begin = new Int32Array(matrices.length * hostCount + 1);
  const endsOf = (pair: number): { readonly from: number; readonly key: number } => {
    const at = first[pair >> 1]!;
    const [low, high] = [ranks[at % ranks.length]!, ranks[(at % ranks.length) + offset[pair >> 1]!]!];
    const [from, to] = pair % 2 === 0 ? [low, high] : [high, low];
    return { from, key: Math.floor(at / ranks.length) * hostCount + to };
  };
  // a pair within a group may have another place behind pairs between groups, where it moves no counter
  const isOpen = (pair: number): boolean => rowStart[pair]! < rowStart[pair + 1]!;
  for (let pair = 0; pair < pairs.length; pair++) if (isOpen(pair)) begin[endsOf(pair).key + 1]!++;
  for (let key = 0; key + 1 < begin.length; key++) begin[key + 1]! += begin[key]!;
  const inOrder = new Int32Array(pairs.length);
  const next = begin.slice();
  for (let pair = 0; pair < pairs.length; pair++) if (isOpen(pair)) inOrder[next[endsOf(pair).key]!++] = pair;
  const column = new TrafficColumn(hostCount);
  const amounts = new Float64Array(hostCount);
  matrices.forEach((matrix, place) => {
    for (let to = 0; to < hostCount; to++) {
      matrix.toDestination(to, column);
      for (let i = 0; i < column.length; i++) amounts[column.sources[i]!] = column.weights[i]!;
      const key = place * hostCount + to;
      for (let at = begin[key]!; at < begin[key + 1]!; at++) pairs[inOrder[at]!] = amounts[endsOf(inOrder[at]!).from]!;
      for (let i = 0; i < column.length; i++) amounts[column.sources[i]!] = 0;
    }
  });
  return pairs;
}
