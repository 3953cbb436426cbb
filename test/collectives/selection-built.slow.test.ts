// What is chosen, for every profile, kind and group, can be built and is right (see selection.test.ts for the
// rules).

import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../src/base/random.js';
import { buildSchedule, groupFacts, scheduleProblem } from '../../src/collectives/build-schedule.js';
import type { Communicator } from '../../src/collectives/communicator.js';
import { canNvls } from '../../src/collectives/nvls.js';
import { type AlgorithmName, type CollectiveKind, collectiveKinds } from '../../src/collectives/schedule.js';
import {
  choose,
  type SelectionProfile,
  selectionProfiles,
  type SelectionRequest,
} from '../../src/collectives/selection.js';
import { problemsOfSchedule } from '../support/collective-proof.js';
import { placementOf } from '../support/placements.js';
import { seed } from '../support/seed.js';
import { requestOf } from '../support/selection-requests.js';

describe(`what is chosen (WEFT_SEED=${seed})`, () => {
  const random = new RandomStream(seed, 'selection test');

  const proof = (
    kind: CollectiveKind,
    sizeBytes: number,
    algorithm: AlgorithmName,
    changes: Partial<SelectionRequest>,
    profile: SelectionProfile,
    communicator: Communicator,
  ): string[] => {
    const choice = {
      ...choose(
        profile,
        requestOf({
          kind,
          sizeBytes,
          facts: groupFacts(communicator),
          hasNvswitches: canNvls(communicator),
          ...changes,
        }),
      ),
      dropsRemainder: false,
    };
    const shape = {
      ...choice,
      algorithm: algorithm === 'direct' && choice.algorithm === 'aggregated' ? choice.algorithm : algorithm,
      chunks: Math.min(choice.chunks, 4),
    };
    const root = communicator.rankCount - 1;
    const schedule = buildSchedule({ kind, sizeBytes, root }, shape, communicator);
    if (kind === 'alltoall' || kind === 'sendrecv') return [];
    return problemsOfSchedule(schedule, sizeBytes, random, { root });
  };

  it('can be built, and is right, for every profile, kind and group', () => {
    for (const profile of selectionProfiles) {
      for (const kind of collectiveKinds) {
        for (const [ranks, gpus, nvswitches] of [
          [1, 8, 1],
          [8, 8, 1],
          [8, 8, 0],
          [12, 4, 2],
          [5, 1, 1],
          [16, 8, 1],
        ] as const) {
          for (const pxn of [false, true]) {
            const communicator = placementOf(ranks, gpus, { nvswitches });
            const request = requestOf({
              kind,
              groupKind: kind === 'allreduce' ? 'tp' : 'dp',
              sizeBytes: 203,
              pxn,
              facts: groupFacts(communicator),
              hasNvswitches: canNvls(communicator),
            });
            const choice = choose(profile, request);
            expect(scheduleProblem(choice.algorithm, kind, communicator)).toBeNull();
            expect(
              proof(kind, 203, choice.algorithm, { pxn, groupKind: request.groupKind }, profile, communicator),
              `${profile} ${kind}: ${choice.reason}`,
            ).toEqual([]);
          }
        }
      }
    }
  });
});
