// How long a reduction along trees takes in chunks that follow each other: the first chunk along the longest way, and
// what every further one adds. With one slot per edge that is the slowest edge's time. With more it is what the fullest
// link has to carry of a chunk by one channel, or in one step by all of them, or a move's time for all slots; and if
// all channels' chunk takes a link longer, because they use it in different steps, that and the first chunk's way
// partly hide each other (overlap.ts). Moves of one step into the same place share its links, as do moves out of it, if
// they are ready at the same time.
// Invariant: no less than the fullest host needs for all its bytes.
// Not modelled: in which order ports send what several channels have for them.

import { addTo } from '../base/lists-by-key.js';
import type { MoveTimes } from './move-times.js';
import { overlappedPs } from './overlap.js';
import { emptyMove } from './schedule.js';
import type { TreeReduction } from './tree-reduction.js';

/** moves of one chunk that are looked at; beyond it two trees stand for all, which have the same form */
const mostMoves = 65_536;

/** Time of a tree collective on an idle fabric, in picoseconds. */
export function pipelinePs(schedule: TreeReduction, times: MoveTimes): number {
  const { moveCount, chunkCount, stepCount, channelCount, rankCount, switchCount, slots } = schedule;
  const perChunk = moveCount / chunkCount;
  const trees = perChunk > mostMoves ? Math.min(2, channelCount) : channelCount;
  const places = rankCount + switchCount;
  const move = emptyMove();
  // moves of the first chunk, by step
  const byStep: number[][] = Array.from({ length: stepCount }, () => []);
  let shortestPs = Infinity;
  for (let number = 0; number < moveCount; number += chunkCount) {
    schedule.sent(number, move);
    times.load(move.source, move.destination, move.sizeBytes);
    if (move.channel < trees) byStep[move.step]!.push(number);
  }
  const readyPs = new Float64Array(trees * places);
  let [intervalPs, slotIntervalPs, sharedIntervalPs, firstChunkPs] = [0, 0, 0, 0];
  const firstChannel = new EndLoads();
  for (const numbers of byStep) {
    const step = new SharedStep();
    for (const number of numbers) {
      schedule.sent(number, move);
      const { source, destination, sizeBytes, channel } = move;
      const lonePs = times.lonePs(source, destination, sizeBytes);
      const drainPs = times.drainPs(source, destination, sizeBytes);
      const sharedPs = times.sharedPs(source, destination, sizeBytes);
      slotIntervalPs = Math.max(slotIntervalPs, times.transferPs(source, destination, sizeBytes) / slots);
      const busyPs = times.busyPs(source, destination, sizeBytes);
      intervalPs = Math.max(intervalPs, slots === 1 ? sharedPs : Math.max(slotIntervalPs, busyPs));
      sharedIntervalPs = Math.max(sharedIntervalPs, sharedPs - lonePs + busyPs);
      if (drainPs > 0) shortestPs = Math.min(shortestPs, lonePs - drainPs);
      const kind = times.kind(source, destination);
      // an NVSwitch has links of its own for every GPU
      const ends = [
        source < rankCount ? 4 * source + 2 * kind : -1,
        destination < rankCount ? 4 * destination + 2 * kind + 1 : -1,
      ] as const;
      if (channel === 0) firstChannel.add(busyPs, ends);
      step.add(
        { readyPs: readyPs[channel * places + source]!, lonePs, busyPs, arrival: channel * places + destination },
        ends,
      );
    }
    step.commit(readyPs);
    // channels of which every one is at the same step
    if (slots > 1) intervalPs = Math.max(intervalPs, (step.busiestPs() * channelCount) / trees);
  }
  intervalPs = Math.max(intervalPs, slots > 1 ? firstChannel.mostPs() : 0);
  intervalPs = slots > 1 ? Math.min(intervalPs, Math.max(sharedIntervalPs, slotIntervalPs)) : intervalPs;
  for (const ps of readyPs) firstChunkPs = Math.max(firstChunkPs, ps);
  const alonePs = firstChunkPs + (chunkCount - 1) * intervalPs;
  const pipelinedPs =
    slots === 1 ? alonePs : Math.max(alonePs, overlappedPs(firstChunkPs, (chunkCount - 1) * sharedIntervalPs));
  return shortestPs === Infinity ? 0 : Math.max(pipelinedPs, chunkCount * times.busiestPs() + shortestPs);
}

/** How long moves keep the hosts' links that they share. */
class EndLoads {
  private readonly byEnd = new Map<number, number>();

  /** @param ends links at both ends of a move; -1: not shared */
  add(busyPs: number, ends: readonly number[]): void {
    for (const end of ends) if (end >= 0) this.byEnd.set(end, (this.byEnd.get(end) ?? 0) + busyPs);
  }

  mostPs(): number {
    let mostPs = 0;
    for (const ps of this.byEnd.values()) mostPs = Math.max(mostPs, ps);
    return mostPs;
  }
}

/**
 * A move of a step: when it may leave, how long it takes alone, how long it keeps its ends, and whose readiness it
 * brings.
 */
interface StepMove {
  readonly readyPs: number;
  readonly lonePs: number;
  readonly busyPs: number;
  readonly arrival: number;
}

/**
 * The moves of a step by the hosts' links that they share: who is ready first goes first, who are ready together finish
 * together.
 */
class SharedStep {
  private readonly byEnd = new Map<number, StepMove[]>();
  private readonly loads = new EndLoads();

  /** @param ends links at both ends of the move; -1: not shared */
  add(move: StepMove, ends: readonly number[]): void {
    this.loads.add(move.busyPs, ends);
    for (const end of ends) {
      addTo(this.byEnd, end, move);
    }
  }

  /** Link time of all moves at the fullest end. */
  busiestPs(): number {
    return this.loads.mostPs();
  }

  /** Writes when each arrival is there. */
  commit(readyPs: Float64Array): void {
    for (const [end, moves] of this.byEnd) {
      if (end >= 0 && moves.length > 1) moves.sort((a, b) => a.readyPs - b.readyPs);
      let freePs = 0;
      for (let i = 0; i < moves.length;) {
        const { readyPs: togetherPs } = moves[i]!;
        let allPs = 0;
        let next = i;
        for (; next < moves.length && moves[next]!.readyPs === togetherPs; next++) allPs += moves[next]!.busyPs;
        freePs = Math.max(freePs, togetherPs) + allPs;
        for (; i < next; i++) {
          const { lonePs, busyPs: ownPs, arrival } = moves[i]!;
          const endPs = end < 0 ? togetherPs + lonePs : Math.max(togetherPs + lonePs, freePs + lonePs - ownPs);
          if (endPs > readyPs[arrival]!) readyPs[arrival] = endPs;
        }
      }
    }
  }
}
