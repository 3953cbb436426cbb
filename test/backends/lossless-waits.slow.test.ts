// Random lossless incasts never wait for a timeout.

import { expect, it } from 'vitest';
import { randomIncast } from '../../validation/random-incasts.js';
import { engineRun } from '../support/engine-run.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

it(`lossless incasts see no timeout (WEFT_SEED=${seed})`, () => {
  const count = rounds(300);
  for (let number = 1; number <= count; number++) {
    const { fabric, transfers, settings, text } = randomIncast(seed, number);
    const run = engineRun(fabric, transfers, {
      settings: { ...settings, queuePair: { ...settings.queuePair, retransmissionTimeout: 'auto' } },
      seed: number,
    });
    const { timeouts, packetsDropped } = run.network.counters;
    expect([run.flows.length, timeouts, packetsDropped], `incast ${number}: ${text}`).toEqual([transfers.length, 0, 0]);
  }
});
