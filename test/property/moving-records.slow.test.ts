// Records of packets and events may move to a larger buffer whenever one is allocated. Here they move every time, and
// what is left behind is made unusable: whoever still looks at the old place, or writes there, gives another result.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { broken, engineRun } from '../support/engine-run.js';
import { moveRecordsAlways } from '../support/moving-records.js';
import { randomIncast } from '../../validation/random-incasts.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`moving records change nothing (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31), (number) => {
      const incast = randomIncast(seed, number);
      // a few thousand packets: every move copies all records
      const transfers = incast.transfers
        .slice(0, 6)
        .map(
          ([source, destination, sizeBytes, startPs = 0]) =>
            [source, destination, Math.min(sizeBytes, 20_000), startPs] as const,
        );
      const settings = {
        ...incast.settings,
        ecn: { enabled: true },
        ecnThresholds: incast.settings.ecnThresholds.map((line) => ({
          ...line,
          minimumBytes: 1000,
          maximumBytes: 5000,
        })),
      };
      const still = engineRun(incast.fabric, transfers, { settings });
      const moving = engineRun(incast.fabric, transfers, { settings, prepare: moveRecordsAlways, mostEvents: 300_000 });
      expect(broken(moving)).toEqual([]);
      expect(moving.flows).toEqual(still.flows);
      expect(moving.network.counters).toEqual(still.network.counters);
    }),
    { seed, numRuns: rounds(60), endOnFailure: true },
  );
});
