// A transport that Weft does not have, added without a line of src.

import { describe, expect, it } from 'vitest';
import { runWith } from './run.js';
import { selectiveRepeat } from './selective-repeat.js';

const scenario = (transport: string, more = ''): string => `
fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }
failures: [ { at: 0us, link: 'leaf[0]-spine[0]', errorRate: 0.01 }, { at: 0us, link: 'leaf[0]-spine[1]', errorRate: 0.01 } ]
transport: { algorithm: ${transport} }
pfc: { enabled: false }
traffic: { transfers: [ { source: 0, destination: 7, size: 3MB }, { source: 1, destination: 6, size: 2999999B } ] }
${more}`;

describe('selective repeat, added from outside', () => {
  it('delivers everything over links that lose one packet in a hundred, and sends less again than going back', async () => {
    const own = await runWith({ transports: { 'selective-repeat': selectiveRepeat } }, scenario('selective-repeat'));
    const back = await runWith({}, scenario('go-back-n'));
    expect(own.broken).toEqual([]);
    expect(own.summary.counters.payloadBytesDelivered).toBe(5_999_999);
    expect(own.summary.counters['packetsLost']).toBeGreaterThan(20);
    expect(own.summary.counters['retransmittedBytes']).toBeLessThan(back.summary.counters['retransmittedBytes']! / 4);
  });

  it('has a setting of its own, with a unit and a default', async () => {
    const runs = ['2us', '5ms'].map((time) =>
      runWith(
        { transports: { 'selective-repeat': selectiveRepeat } },
        scenario('selective-repeat', `selectiveRepeat: { timeout: ${time} }`),
      ),
    );
    const [short, long] = await Promise.all(runs);
    expect([short, long].map((run) => run!.summary.counters['timeouts']! > 0)).toEqual([true, false]);
    expect([...short!.broken, ...long!.broken]).toEqual([]);
  });
});
