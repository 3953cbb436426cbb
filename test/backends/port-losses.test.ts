// Losses at ports: how many packets are lost, which kinds, at which ports, and what go-back-N counts of them.

import { describe, expect, it } from 'vitest';
import { packetCounters } from '../support/packet-counters.js';
import { scenarioRun } from '../support/scenario-run.js';
import { seed } from '../support/seed.js';

/** Two hosts and one switch, as a simple dumbbell: every data packet comes into a switch once. */
const one = `
seed: ${seed}
fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 2 }
packet: { payload: 1000B }
congestion: { algorithm: none }
pfc: { enabled: false }
traffic: { transfers: [ { source: 0, destination: 1, size: 10MB } ] }
`;

interface Counted {
  readonly lost: number;
  readonly data: number;
  readonly acknowledgements: number;
  readonly again: number;
}

async function counted(...set: string[]): Promise<Counted> {
  const { summary } = await scenarioRun(one, set);
  const counters = packetCounters(summary);
  expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  return {
    lost: counters.packetsLost,
    data: counters.dataPacketsSent,
    acknowledgements: counters.acknowledgementsSent,
    again: counters.retransmittedPackets,
  };
}

/** Five standard deviations of a count of independent events. */
const around = (tries: number, rate: number): number => 5 * Math.sqrt(tries * rate * (1 - rate));

describe(`independent losses (WEFT_SEED=${seed})`, () => {
  it.each([1e-3, 1e-2, 5e-2])('take %f of the data packets, one decision a switch', async (rate) => {
    const { lost, data } = await counted(`loss.rate=${rate}`);
    expect(Math.abs(lost - rate * data)).toBeLessThan(around(data, rate));
  });

  it('take acknowledgements as well if all packets count', async () => {
    const { lost, data, acknowledgements } = await counted('loss.rate=0.02', 'loss.packets=all');
    // acknowledgements come into the switch by the other host's port
    const tries = data + acknowledgements;
    expect(Math.abs(lost - 0.02 * tries)).toBeLessThan(around(tries, 0.02));
    expect(lost).toBeGreaterThan(0.02 * data + around(data, 0.02));
  });

  it('strike at the end of every link if they are asked to', async () => {
    const { lost, data } = await counted('loss.rate=0.02', 'loss.at=links');
    // what the first link leaves goes over the second
    const tries = data * (1 + 0.98);
    expect(Math.abs(lost - 0.02 * tries)).toBeLessThan(around(tries, 0.02));
  });

  it('take nothing at rate 0, and no random number', async () => {
    const [without, given] = await Promise.all([
      scenarioRun(one, []),
      scenarioRun(one, ['loss.rate=0', 'loss.at=links', 'loss.packets=all']),
    ]);
    expect(packetCounters(given.summary).packetsLost).toBe(0);
    expect(given.summary.digest).toBe(without.summary.digest);
  });

  it('add to error rates without changing what these draw', async () => {
    const error = 'fabric={ generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 2, errorRate: 0.01 }';
    const { lost, data, acknowledgements } = await counted(error, 'loss.rate=0.02');
    const crossings = data * (1 + 0.99 * 0.98) + acknowledgements * (1 + 0.99);
    const expected = 0.01 * crossings + 0.02 * 0.99 * data;
    expect(Math.abs(lost - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });
});

describe('go-back-N', () => {
  it('counts every packet that it sent more than once, and none twice', async () => {
    const { data, again } = await counted('loss.rate=0.01', 'queuePair.nackInterval=4us');
    expect(again).toBeGreaterThan(0);
    expect(again).toBe(data - 10_000);
  });

  it('counts none where nothing is lost', async () => {
    expect((await counted()).again).toBe(0);
  });
});
