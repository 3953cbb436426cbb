// Ranks that come to a collective one after the other: nothing leaves a rank that has not come, everything leaves once,
// and every rank is told once that it is done. Moves arrive in any order.

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { algorithmsFor, buildSchedule, scheduleProblem } from '../../src/collectives/build-schedule.js';
import { CollectiveRun } from '../../src/collectives/collective-run.js';
import { algorithmNames, describeSent, emptyMove, type CollectiveKind } from '../../src/collectives/schedule.js';
import { Draw } from '../../validation/draw.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';

const kinds: readonly CollectiveKind[] = ['allreduce', 'allgather', 'reducescatter', 'alltoall', 'broadcast', 'reduce'];

describe(`ranks that come late (WEFT_SEED=${seed})`, () => {
  it.each(algorithmNames)('%s', (algorithm) => {
    const draw = new Draw(new RandomStream(seed, `joining ${algorithm}`));
    for (const kind of kinds.filter((each) => algorithmsFor(each).includes(algorithm))) {
      for (let round = 0; round < 4; round++) {
        const gpus = draw.of([1, 2, 4]);
        const ranks = algorithm === 'nvls' ? gpus : draw.between(1, 9);
        const communicator = placementOf(ranks, gpus);
        if (scheduleProblem(algorithm, kind, communicator) !== null) continue;
        const sizeBytes = draw.of([0, 1, 5, 1000]);
        const schedule = buildSchedule(
          { kind, sizeBytes },
          {
            algorithm,
            channels: draw.between(1, 2),
            chunks: draw.between(1, 3),
            ringLayout: 'cross-rail',
            peerOrder: 'by-distance',
            pxn: draw.chance(0.5),
            slots: draw.of([1, 2, 8, Infinity]),
            dropsRemainder: false,
          },
          communicator,
        );
        const done: number[] = [];
        const hasCome = new Set<number>();
        const run = new CollectiveRun(communicator, schedule, {
          onPlaceFinished: (place) => {
            expect(hasCome.has(place)).toBe(true);
            done.push(place);
          },
        });
        const handed = new Set<number>();
        const underWay: number[] = [];
        const left = new Set<number>();
        const move = emptyMove();
        const sink = {
          transfer: (id: number): void => {
            schedule.describe(id, move);
            expect([handed.has(id), move.source >= ranks || hasCome.has(move.source)]).toEqual([false, true]);
            handed.add(id);
            underWay.push(id);
          },
        };
        const late = Array.from({ length: ranks }, (_, rank) => rank);
        for (let now = 0; late.length + underWay.length > 0; now++) {
          if (late.length > 0 && (underWay.length === 0 || draw.chance(0.1))) {
            const [rank] = late.splice(draw.between(0, late.length - 1), 1) as [number];
            hasCome.add(rank);
            run.join(rank, now, sink);
            continue;
          }
          const at = draw.between(0, underWay.length - 1);
          const id = underWay[at]!;
          if (!left.has(id)) {
            left.add(id);
            run.sent(id, now, sink);
            if (draw.chance(0.5)) continue;
          }
          underWay.splice(at, 1);
          run.finished(id, now, sink);
        }
        let sent = 0;
        for (let id = 0; id < schedule.moveCount; id++) {
          describeSent(schedule, id, move);
          if (move.sizeBytes > 0) sent++;
        }
        expect([run.remaining, run.waitingMoves, handed.size, done.sort((a, b) => a - b)]).toEqual([
          0,
          0,
          sent,
          Array.from({ length: ranks }, (_, rank) => rank),
        ]);
      }
    }
  });
});
