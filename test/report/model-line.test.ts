// Where NCCL's model and the simulation are apart, a collective's table says so.

import type { CollectiveRow } from '../../src/report/figures/collectives.js';
import { describe, expect, it } from 'vitest';
import { plainChoice } from '../../src/collectives/choice.js';
import { modelLine } from '../../src/report/collective-table.js';

const row = (sizeBytes: number, timeUs: number, modelUs: number | null): CollectiveRow => ({
  kind: 'allreduce',
  ranks: 8,
  sizeBytes,
  root: -1,
  choice: {
    ...plainChoice,
    algorithm: 'ring',
    channels: 1,
    reason: '',
    ...(modelUs === null ? {} : { modelPs: modelUs * 1e6 }),
  },
  timePs: timeUs * 1e6,
  algorithmBandwidth: 0,
  busBandwidth: 0,
  flows: 0,
  cpuSeconds: 0,
  digest: '',
  places: [],
  errorBand: null,
  isBlocked: false,
  problems: [],
});

describe('the model of the tuner', () => {
  it('is not mentioned within 25 %, nor where there is none', () => {
    expect(modelLine([row(8, 125, 100), row(16, 75, 100), row(32, 500, null)])).toBe('');
  });

  it('is named with the row that is farthest, longer or shorter', () => {
    // trials of November 2026: A100, 62.7 ms and 42.6 in one output
    const rows = [row(8, 130, 100), row(2 ** 33, 42_600, 62_700), row(64, 100, 100)];
    expect(modelLine(rows)).toBe(
      '# NCCL chose by a model that is over 25 % off in 2 of 3 rows:\n#   62700.00 us by the model, 42600.00 simulated at 8GiB\n',
    );
  });
});
