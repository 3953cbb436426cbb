// What every loss model must do: let links lose at the rate that they have, nothing where they have none (unless it says that it
// always may), the same with the same seed and something else with another.

import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../src/backends/packet/mechanisms.js';
import { runWith, type SeamRun } from '../seams/run.js';
import { selectiveRepeat } from '../seams/selective-repeat.js';

/** For models that take what a file names: nothing of this run. */
const files: Readonly<Record<string, string>> = { sequence: '4, 0, 9, [0]', time: '4, 0, 9, 0, 1', trace: '0' };

function run(model: string, rates: readonly [number, number], seed = 1): Promise<SeamRun> {
  return runWith(
    { transports: { 'selective-repeat': selectiveRepeat } },
    `
seed: ${seed}
fabric: { generate: dumbbell, leftHosts: 2, rightHosts: 2 }
transport: { algorithm: selective-repeat }
loss: { model: ${model}${Object.hasOwn(files, model) ? `, file: ${model}` : ''} }
congestion: { algorithm: none }
pfc: { enabled: false }
traffic: { transfers: [ { source: 0, destination: 2, size: 20MB } ] }
failures: { events: [ { at: 0us, link: 0-4, errorRate: ${rates[0]} }, { at: 0us, link: 1-4, errorRate: ${rates[1]} } ] }`,
    {},
    files,
  );
}

describe.each(Object.keys(mechanisms.lossModels))('%s', (model) => {
  it.each([0.01, 0.05])("loses at its link's rate of %f, within five standard deviations", async (rate) => {
    const { summary, broken } = await run(model, [rate, 0]);
    expect(broken).toEqual([]);
    const { packetsLost, dataPacketsSent, acknowledgementsSent } = summary.counters as Record<string, number>;
    // both directions of the one link
    const tries = dataPacketsSent! + acknowledgementsSent!;
    expect(Math.abs(packetsLost! - rate * tries)).toBeLessThan(5 * Math.sqrt(tries * rate * (1 - rate)) + 1);
  });

  it('loses nothing on links without a rate, whatever others have', async () => {
    const { summary } = await run(model, [0, 0.5]);
    expect(summary.counters['packetsLost']).toBe(0);
  });

  it('does the same with the same seed, and something else with another', async () => {
    const [first, second, other] = await Promise.all([
      run(model, [0.02, 0]),
      run(model, [0.02, 0]),
      run(model, [0.02, 0], 2),
    ]);
    expect(second.summary.digest).toBe(first.summary.digest);
    expect(other.summary.digest).not.toBe(first.summary.digest);
  });
});
