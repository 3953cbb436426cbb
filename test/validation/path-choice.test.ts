// The cases of the table of path choices, and what its measure of reordering says of a case that is known.

import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import {
  boundOf,
  downLinks,
  failedLinks,
  leaves,
  pathChoices,
  scenarioOf,
  spines,
  traceOf,
  traffics,
} from '../../validation/path-choice/cases.js';
import { type HeldBack, measuredTransports } from '../../validation/path-choice/held-back.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';
import { broken, engineRun, settingsWith } from '../support/engine-run.js';
import { star } from '../../validation/fabrics.js';

/** Ten packets of 1,000 B, of which one is lost once. @returns bytes */
function heldWithLoss(sequence: number | null): number {
  const held: HeldBack = { peakBytes: 0 };
  let lost = false;
  const run = engineRun(star(2, 1e6), [[0, 1, 10_000]], {
    settings: settingsWith({
      packet: { payload: 1000 },
      transport: { algorithm: 'uec' },
      loss: { model: 'once' as never },
    }),
    catalogue: {
      ...mechanisms,
      transports: measuredTransports(mechanisms, held),
      lossModels: {
        once: {
          description: 'one packet, once',
          make: ({ records }) => ({
            always: true,
            loses: (packet) => {
              if (lost || (records.words[(packet << 3) + 6]! & 7) !== 0) return false;
              return (lost = records.words[(packet << 3) + 7] === sequence);
            },
          }),
        },
      },
    },
  });
  expect(broken(run)).toEqual([]);
  return held.peakBytes;
}

describe('the cases', () => {
  it('have every balancer of the catalogue', () => {
    expect(new Set(pathChoices().map(({ balancing }) => balancing))).toEqual(
      new Set(Object.keys(mechanisms.balancers)),
    );
  });

  it('have a permutation in which everybody sends to and receives from one below another leaf', () => {
    const pairs = traceOf('permutation')
      .trim()
      .split('\n')
      .map((line) => line.split(',').map(Number));
    expect(new Set(pairs.map(([, from]) => from)).size).toBe(128);
    expect(new Set(pairs.map(([, , to]) => to)).size).toBe(128);
    for (const [, from, to] of pairs) expect(Math.floor(from! / 16)).not.toBe(Math.floor(to! / 16));
  });

  it('have different links down, the same ones and more of them', () => {
    const six = downLinks(6);
    expect(new Set(six.map(([leaf, spine]) => leaf * spines + spine)).size).toBe(6);
    expect(six.every(([leaf, spine]) => leaf < leaves && spine < spines)).toBe(true);
    expect(downLinks(1)).toEqual(six.slice(0, 1));
  });

  it('are scenarios without mistakes', async () => {
    for (const traffic of traffics)
      for (const text of [
        boundOf(traffic, failedLinks[2]),
        ...pathChoices().map((choice) => scenarioOf(traffic, choice, failedLinks[2])),
      ]) {
        const host = memoryHost({ 's.yaml': text, 'trace.csv': traceOf('permutation') });
        expect((await makePlan('s.yaml', { host, overrides: [] })).warnings).toEqual([]);
      }
  });
});

describe('what a host holds back', () => {
  it('is what came behind a packet that was lost', () => {
    expect(heldWithLoss(null)).toBe(0);
    // the first is lost: nine wait for it; the seventh: three
    expect([heldWithLoss(0), heldWithLoss(6), heldWithLoss(9)]).toEqual([9000, 3000, 0]);
  });
});
