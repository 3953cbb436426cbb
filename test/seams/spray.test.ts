// A balancer that decides packet by packet, added without a line of src: the records say which ways were taken, not
// which one would have been.

import { describe, expect, it } from 'vitest';
import { portsTaken, runWith } from './run.js';
import { selectiveRepeat } from './selective-repeat.js';
import { spray } from './spray.js';

const scenario = (balancing: string, transport = 'go-back-n'): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4 }
routing: { balancing: ${balancing} }
transport: { algorithm: ${transport} }
traffic: { transfers: [ { source: 0, destination: 4, size: 8MB }, { source: 1, destination: 5, size: 8MB } ] }
`;
const more = { balancers: { spray }, transports: { 'selective-repeat': selectiveRepeat } };
// hosts 0 to 7, then leaves 8 and 9
const firstLeaf = 8;

describe('spraying per packet, added from outside', () => {
  it.each(['go-back-n', 'selective-repeat'])(
    'delivers everything, with every verdict green, on %s',
    async (transport) => {
      const { summary, broken } = await runWith(more, scenario('spray', transport));
      expect(broken).toEqual([]);
      expect(summary.counters.payloadBytesDelivered).toBe(16_000_000);
    },
  );

  it('takes all four spines, and the records and collisions say so', async () => {
    const sprayed = await runWith(more, scenario('spray', 'selective-repeat'));
    const hashed = await runWith(more, scenario('ecmp', 'selective-repeat'));
    expect([0, 1].map((flow) => portsTaken(sprayed.sink, flow, firstLeaf))).toEqual([4, 4]);
    expect([0, 1].map((flow) => portsTaken(hashed.sink, flow, firstLeaf))).toEqual([1, 1]);
    // two flows over four spines, up and down: they share all eight links between switches
    expect(sprayed.summary.collisions.links).toBe(8);
  });
});
