// Proves a schedule: reads every move, checks the graph of prerequisites, looks for races on every byte of every
// buffer, and carries the moves out on real numbers in a random order that the graph allows. Shares nothing with the
// code that makes schedules.

import type { RandomStream } from '../../src/base/random.js';
import { emptyMove, type Move, type Schedule } from '../../src/collectives/schedule.js';

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly fromInput: boolean;
}

export interface ReadMove extends Readonly<Move> {
  readonly pieces: readonly Piece[];
  readonly successors: readonly number[];
  readonly predecessors: readonly number[];
  /** over connections with slots: who goes next when this one has left, and who takes its slot when it has arrived; -1 */
  readonly after: number;
  readonly takesSlot: number;
  /** moves of which this one is the `after` or `takesSlot` */
  readonly ahead: readonly number[];
}

/** Every move of a schedule, with the graph in both directions. */
export function readMoves(schedule: Schedule): ReadMove[] {
  const moves = Array.from({ length: schedule.moveCount }, (_, number) => {
    const move = emptyMove();
    schedule.describe(number, move);
    const pieces: Piece[] = [];
    schedule.pieces(
      number,
      (from, to, size, fromInput) => void (size > 0 && pieces.push({ from, to, size, fromInput })),
    );
    const successors: number[] = [];
    schedule.successors(number, (successor) => successors.push(successor));
    const after = schedule.connections?.after(number) ?? -1;
    const takesSlot = schedule.connections?.takesSlotOf(number) ?? -1;
    return { ...move, pieces, successors, predecessors: [] as number[], after, takesSlot, ahead: [] as number[] };
  });
  moves.forEach(({ successors }, number) => {
    for (const successor of successors) moves[successor]?.predecessors.push(number);
    const { after, takesSlot } = moves[number]!;
    for (const follower of [after, takesSlot]) if (follower >= 0) moves[follower]?.ahead.push(number);
  });
  return moves;
}

function isWhole(value: number, below: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < below;
}

/** What is wrong with moves and graph, in words; empty if nothing is. */
function graphProblems(schedule: Schedule, moves: readonly ReadMove[]): string[] {
  const problems: string[] = [];
  const places = schedule.rankCount + schedule.switchCount;
  const roots: number[] = [];
  schedule.roots((root) => roots.push(root));
  const expectedRoots = moves.flatMap(({ predecessors, ahead }, number) =>
    predecessors.length + ahead.length === 0 ? [number] : [],
  );
  if (roots.join() !== expectedRoots.join())
    problems.push(`roots ${roots.slice(0, 9).join()} instead of ${expectedRoots.slice(0, 9).join()}`);
  moves.forEach((move, number) => {
    // a schedule has thousands, and words are for those that something is wrong with
    const blame = (what: string): void => void problems.push(`move ${number}${what}`);
    if (!isWhole(move.source, places) || !isWhole(move.destination, places))
      blame(` from ${move.source} to ${move.destination} of ${places}`);
    if (
      !isWhole(move.step, schedule.stepCount) ||
      !isWhole(move.channel, schedule.channelCount) ||
      !isWhole(move.chunk, schedule.chunkCount)
    )
      blame(`: step ${move.step}, channel ${move.channel}, chunk ${move.chunk}`);
    if (move.sizeBytes > 0 && move.source === move.destination) blame(` sends to itself`);
    if (move.pieces.reduce((sum, { size }) => sum + size, 0) !== move.sizeBytes)
      blame(`: pieces do not make ${move.sizeBytes} B`);
    for (const { from, to, size, fromInput } of move.pieces) {
      if (
        !isWhole(size, Infinity) ||
        !isWhole(to, schedule.bufferBytes - size + 1) ||
        !isWhole(from, fromInput ? Infinity : schedule.bufferBytes - size + 1)
      )
        blame(`: ${size} B from ${from} to ${to} of ${schedule.bufferBytes}`);
    }
    const named = move.predecessors.length + move.ahead.length;
    if (schedule.prerequisites(number) !== named)
      blame(` has ${schedule.prerequisites(number)} prerequisites, but ${named} moves name it`);
    const told: number[] = [];
    schedule.predecessors(number, (predecessor) => told.push(predecessor));
    told.sort((a, b) => a - b);
    if (told.length !== move.predecessors.length || told.some((one, i) => one !== move.predecessors[i]))
      blame(` says it waits for ${told.join()}, but ${move.predecessors.join()} name it`);
    if (move.successors.length > 1 && new Set(move.successors).size !== move.successors.length)
      blame(` names a successor twice`);
    if (!move.successors.every((successor) => isWhole(successor, moves.length)))
      blame(` names a successor that does not exist`);
  });
  const own = Array.from({ length: places }, () => 0);
  for (const { source, destination } of moves) {
    own[source]!++;
    if (destination !== source) own[destination]!++;
  }
  if (Array.from(schedule.movesByPlace()).join() !== own.join())
    problems.push(`places take part in ${own.join()} moves, not ${schedule.movesByPlace().join()}`);
  if (topological(moves.map(({ successors }) => successors)).length !== moves.length) problems.push('a cycle');
  return [...problems, ...connectionProblems(schedule, moves), ...deliveryProblems(schedule, moves)];
}

/** What is wrong with connections: moves of one follow each other, and the slot that one takes is `slots` before it. */
function connectionProblems({ connections }: Schedule, moves: readonly ReadMove[]): string[] {
  if (!connections) return [];
  const problems: string[] = [];
  moves.forEach((move, number) => {
    let later = number;
    for (let i = 0; i < connections.slots && later >= 0; i++) later = moves[later]!.after;
    if (move.after >= 0 && connections.before(move.after) !== number)
      problems.push(`move ${move.after} goes after ${number} and not before it`);
    if (connections.before(number) >= 0 && moves[connections.before(number)]?.after !== number)
      problems.push(`move ${number} is not the one after ${connections.before(number)}`);
    if (later !== move.takesSlot) problems.push(`move ${move.takesSlot} takes the slot of ${number}, not ${later}`);
    const next = moves[move.after];
    if (next === undefined) return;
    if (next.source !== move.source || next.destination !== move.destination || next.channel !== move.channel)
      problems.push(`move ${move.after} goes after ${number} over another connection`);
    if (next.ahead.filter((one) => moves[one]!.after === move.after).length !== 1)
      problems.push(`move ${move.after} goes after several`);
  });
  // if a wait for the wire were one for the arrival, there would still be an order
  const extended = moves.map(({ successors, after }) => (after >= 0 ? [...successors, after] : successors));
  if (topological(extended).length !== moves.length) problems.push('a cycle by the order on the wire');
  return problems;
}

/**
 * What is wrong with the order of delivery: it has to follow one connection after the other, every move once, and fit
 * the graph.
 */
function deliveryProblems({ delivery }: Schedule, moves: readonly ReadMove[]): string[] {
  if (delivery === null) return [];
  const problems: string[] = [];
  const isAfter = new Set<number>();
  moves.forEach((move, number) => {
    const next = delivery.next(number);
    if (next < 0) return;
    const other = moves[next];
    if (
      other === undefined ||
      isAfter.has(next) ||
      other.source !== move.source ||
      other.destination !== move.destination ||
      other.channel !== move.channel
    )
      problems.push(`move ${next} is delivered after ${number}`);
    isAfter.add(next);
  });
  moves.forEach((_, number) => {
    if (delivery.isFirst(number) === isAfter.has(number))
      problems.push(`move ${number} is ${isAfter.has(number) ? '' : 'not '}the first delivery of its connection`);
  });
  // after the moves their deliveries: one follows its move and the delivery before it, and successors follow a delivery
  const extended = moves.map((_, number) => [moves.length + number]);
  moves.forEach(({ successors }, number) => {
    const next = delivery.next(number);
    extended.push(next < 0 ? [...successors] : [...successors, moves.length + next]);
  });
  if (topological(extended).length !== extended.length) problems.push('a cycle by the order of delivery');
  return problems;
}

/** Numbers in an order that the graph allows, whose edges lead from each to its successors; shorter if there is a cycle. */
function topological(successors: readonly (readonly number[])[]): number[] {
  const waiting = new Int32Array(successors.length);
  for (const list of successors) for (const successor of list) waiting[successor]!++;
  const order: number[] = [];
  waiting.forEach((count, number) => count === 0 && order.push(number));
  for (const number of order)
    for (const successor of successors[number]!) if (--waiting[successor]! === 0) order.push(successor);
  return order;
}

/** What a move does to a byte, beside its number in the list of what touches the byte. */
const touches = ['reads', 'adds to', 'writes'] as const;
const [reads, adds, writes] = [0, 1, 2];

/**
 * Looks at every byte of every buffer: two moves that touch it, one of them writing, have to be ordered by the graph;
 * two that both add to it need not. @returns the first few races, in words
 */
function races(moves: readonly ReadMove[]): string[] {
  // which moves are before a move, a bit each: row after row
  const words = Math.ceil(moves.length / 32);
  const before = new Uint32Array(moves.length * words);
  const isBefore = (a: number, b: number): boolean => ((before[b * words + (a >> 5)]! >>> (a & 31)) & 1) === 1;
  for (const number of topological(moves.map(({ successors }) => successors))) {
    for (const successor of moves[number]!.successors) {
      const [from, to] = [number * words, successor * words];
      for (let i = 0; i < words; i++) before[to + i]! |= before[from + i]!;
      before[to + (number >> 5)]! |= 1 << (number & 31);
    }
  }
  // by place and byte: moves and what they do, as move times three plus the place in `touches`
  const touched: number[][][] = [];
  const touch = (place: number, offset: number, number: number, how: number): void => {
    const bytes = (touched[place] ??= []);
    (bytes[offset] ??= []).push(number * touches.length + how);
  };
  moves.forEach(({ source, destination, isReduction, pieces }, number) => {
    for (const { from, to, size, fromInput } of pieces) {
      for (let i = 0; i < size; i++) {
        if (!fromInput) touch(source, from + i, number, reads);
        touch(destination, to + i, number, isReduction ? adds : writes);
      }
    }
  });
  const found: string[] = [];
  const look = (list: readonly number[], key: string): void => {
    for (let i = 0; i < list.length; i++) {
      const [a, aHow] = [Math.floor(list[i]! / touches.length), list[i]! % touches.length];
      for (let j = i + 1; j < list.length; j++) {
        const [b, bHow] = [Math.floor(list[j]! / touches.length), list[j]! % touches.length];
        if ((aHow === bHow && aHow !== writes) || a === b || isBefore(a, b) || isBefore(b, a)) continue;
        if (found.length < 5) found.push(`move ${a} ${touches[aHow]} ${key} while move ${b} ${touches[bHow]} it`);
      }
    }
  };
  touched.forEach((bytes, place) => {
    let last: readonly number[] = [];
    bytes.forEach((list, offset) => {
      // bytes of the same pieces are touched alike
      const isAsLast = list.length === last.length && list.every((touch, i) => touch === last[i]);
      if (!isAsLast) look(list, `byte ${offset} of place ${place}`);
      last = list;
    });
  });
  return found;
}

/**
 * Carries the moves out: each leaves (reads its bytes) and arrives (writes them) at random times that the graph allows.
 * @param inputs by rank; an input may be shorter than the buffer
 * @returns the working buffers by rank at the end
 */
function carryOut(
  schedule: Schedule,
  moves: readonly ReadMove[],
  inputs: readonly (readonly number[])[],
  random: RandomStream,
): number[][] {
  const buffers = Array.from({ length: schedule.rankCount + schedule.switchCount }, (_, place) => {
    const buffer = Array.from({ length: schedule.bufferBytes }, () => 0);
    if (schedule.kind !== 'alltoall' && place < schedule.rankCount)
      inputs[place]!.forEach((value, i) => (buffer[i] = value));
    return buffer;
  });
  const waiting = moves.map(({ predecessors, ahead }) => predecessors.length + ahead.length);
  const ready = moves.flatMap((_, number) => (waiting[number] === 0 ? [number] : []));
  const countDown = (number: number): void => {
    if (number >= 0 && --waiting[number]! === 0) ready.push(number);
  };
  const underWay: { readonly number: number; readonly values: readonly (readonly number[])[] }[] = [];
  const take = <T>(list: T[]): T => {
    const index = random.nextBelow(list.length);
    const taken = list[index]!;
    list[index] = list[list.length - 1]!;
    list.pop();
    return taken;
  };
  while (ready.length + underWay.length > 0) {
    if (underWay.length === 0 || (ready.length > 0 && random.nextBelow(2) === 0)) {
      const number = take(ready);
      const { source, pieces, after } = moves[number]!;
      countDown(after);
      underWay.push({
        number,
        values: pieces.map(({ from, size, fromInput }) =>
          (fromInput ? inputs[source]! : buffers[source]!).slice(from, from + size),
        ),
      });
      continue;
    }
    const { number, values } = take(underWay);
    const { destination, isReduction, pieces, successors, takesSlot } = moves[number]!;
    const buffer = buffers[destination]!;
    pieces.forEach(({ to, size }, p) => {
      for (let i = 0; i < size; i++) buffer[to + i] = values[p]![i]! + (isReduction ? buffer[to + i]! : 0);
    });
    for (const successor of successors) countDown(successor);
    countDown(takesSlot);
  }
  return buffers.slice(0, schedule.rankCount);
}

/** Random whole numbers for every rank. */
function randomInputs(rankCount: number, sizeBytes: number, random: RandomStream): number[][] {
  return Array.from({ length: rankCount }, () => Array.from({ length: sizeBytes }, () => random.nextBelow(2 ** 20)));
}

/**
 * Where part i of `count` begins, one byte at a time dealt out to the parts: written without the formula under test.
 */
export function plainStarts(sizeBytes: number, count: number): number[] {
  const sizes = Array.from({ length: count }, () => 0);
  let left = sizeBytes;
  const each = Math.floor(sizeBytes / count);
  sizes.forEach((_, i) => {
    const size = left - each * (count - i) > 0 ? each + 1 : each;
    sizes[i] = size;
    left -= size;
  });
  const starts = [0];
  for (const size of sizes) starts.push(starts[starts.length - 1]! + size);
  return starts;
}

/** What a rank has to have in the end: values from an offset on; null: nothing is promised. */
type Wanted = { readonly offset: number; readonly values: readonly number[] } | null;

/** What each rank of a collective must end with. All kinds but all-to-all and send-receive, which say it themselves. */
function wantedResult(
  schedule: Schedule,
  inputs: readonly (readonly number[])[],
  sizeBytes: number,
  root = 0,
): Wanted[] {
  const sum = Array.from({ length: sizeBytes }, (_, i) => inputs.reduce((total, input) => total + input[i]!, 0));
  const starts = plainStarts(sizeBytes, schedule.rankCount);
  const gathered = inputs.flatMap((input, rank) => input.slice(starts[rank]!, starts[rank + 1]!));
  return inputs.map((_, rank): Wanted => {
    switch (schedule.kind) {
      case 'allreduce':
        return { offset: 0, values: sum };
      case 'allgather':
        return { offset: 0, values: gathered };
      case 'reducescatter':
        return { offset: starts[rank]!, values: sum.slice(starts[rank]!, starts[rank + 1]!) };
      case 'broadcast':
        return { offset: 0, values: inputs[root]!.slice(0, sizeBytes) };
      case 'reduce':
        return rank === root ? { offset: 0, values: sum } : null;
      default:
        throw new Error(`${schedule.kind} says itself what it wants`);
    }
  });
}

/**
 * Everything that is wrong with a schedule; empty if it is proved.
 * @param wanted in place of what `wantedResult` says
 */
export function problemsOfSchedule(
  schedule: Schedule,
  sizeBytes: number,
  random: RandomStream,
  options: { root?: number; inputBytes?: number; wanted?: (inputs: readonly (readonly number[])[]) => Wanted[] } = {},
): string[] {
  const moves = readMoves(schedule);
  const problems = graphProblems(schedule, moves);
  if (problems.length > 0) return problems.slice(0, 5);
  const inputs = randomInputs(schedule.rankCount, options.inputBytes ?? sizeBytes, random);
  const buffers = carryOut(schedule, moves, inputs, random);
  const wanted = options.wanted?.(inputs) ?? wantedResult(schedule, inputs, sizeBytes, options.root);
  wanted.forEach((result, rank) => {
    if (result === null) return;
    const got = buffers[rank]!.slice(result.offset, result.offset + result.values.length);
    const wrong = result.values.findIndex((value, i) => value !== got[i]);
    if (wrong >= 0)
      problems.push(
        `rank ${rank} has ${got[wrong]} at byte ${result.offset + wrong} instead of ${result.values[wrong]}`,
      );
  });
  return [...problems.slice(0, 5), ...races(moves)];
}

/** Bytes that each place sends. */
export function bytesSent(moves: readonly ReadMove[], places: number): number[] {
  const sent = Array.from({ length: places }, () => 0);
  for (const { source, sizeBytes } of moves) sent[source]! += sizeBytes;
  return sent;
}

/** Bytes that each place receives. */
export function bytesReceived(moves: readonly ReadMove[], places: number): number[] {
  const received = Array.from({ length: places }, () => 0);
  for (const { destination, sizeBytes } of moves) received[destination]! += sizeBytes;
  return received;
}
