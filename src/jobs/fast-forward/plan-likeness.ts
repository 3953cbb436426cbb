// Whether two groups of islands of one shape do a collective alike: the same moves between the same places.
// Invariant: plans with the same number have the same choice, as many moves with the same dependencies (which follow
// from the choice, the algorithm and the sizes), and each move has the same ends, bytes, step, channel and chunk.

import { moveWireBytes } from '../../collectives/protocols.js';
import { emptyMove } from '../../collectives/schedule.js';
import type { CollectivePlan, JobGroup } from '../job-groups.js';

/** What is known of a plan. */
export interface PlanLikeness {
  /** the same for plans that are alike */
  readonly number: number;
  readonly transfers: number;
  /** of all its transfers, on the wire of the protocol */
  readonly payloadBytes: number;
}

export class PlanLikenesses {
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<CollectivePlan, PlanLikeness>();

  of(group: JobGroup, plan: CollectivePlan): PlanLikeness {
    let likeness = this.known.get(plan);
    if (likeness === undefined) this.known.set(plan, (likeness = this.look(group, plan)));
    return likeness;
  }

  private look({ communicator }: JobGroup, { request, choice, schedule }: CollectivePlan): PlanLikeness {
    const { rankCount, serverOf } = communicator;
    const { moveCount, stepCount, channelCount, chunkCount } = schedule;
    const move = emptyMove();
    let payloadBytes = 0;
    let transfers = 0;
    // two sums with other steps: that both agree by chance is out of the question
    let first = 0;
    let second = 1;
    const mix = (value: number): void => {
      const low = value | 0;
      const high = (value / 2 ** 32) | 0;
      first = Math.imul(first ^ low, 0x01000193) ^ high;
      second = (Math.imul(second, 0x5bd1e995) + low) ^ (high + (second >>> 15));
    };
    for (let number = 0; number < moveCount; number++) {
      schedule.describe(number, move);
      const { source, destination, sizeBytes } = move;
      mix(source);
      mix(destination);
      mix(sizeBytes);
      mix(move.step);
      mix(move.channel);
      mix(move.chunk);
      if (sizeBytes === 0) continue;
      const isAtSwitch = source >= rankCount || destination >= rankCount;
      transfers++;
      payloadBytes += moveWireBytes(
        choice,
        sizeBytes,
        isAtSwitch,
        isAtSwitch || serverOf[source] === serverOf[destination],
      );
    }
    const text = JSON.stringify([
      { ...choice, reason: '' },
      schedule.algorithm,
      request.kind,
      request.sizeBytes,
      rankCount,
      moveCount,
      stepCount,
      channelCount,
      chunkCount,
      first,
      second,
    ]);
    let number = this.numbers.get(text);
    if (number === undefined) this.numbers.set(text, (number = this.numbers.size));
    return { number, transfers, payloadBytes };
  }
}
