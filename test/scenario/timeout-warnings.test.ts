// Warnings about retransmission timeouts that are given and below the round trip of the longest path, by hand.

import { describe, expect, it } from 'vitest';
import { makePlan } from '../../src/scenario/make-plan.js';
import { memoryHost } from '../memory-host.js';

/** 1 ms and 1 us there and back, 1,000 B over two links of 100 Gb/s: 2 x 1,001 us + 2 x 80 ns = 2,002.16 us. */
const text = `
fabric: { generate: wan-dumbbell, bottleneckLatency: 1ms }
packet: { payload: 1000B }
traffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }
`;

async function warned(...overrides: string[]): Promise<string[]> {
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides });
  return plan.warnings.filter(({ code }) => code === 'timeout-below-round-trip').map(({ message }) => message);
}

const isShort = (path: string): unknown[] => [expect.stringContaining(`${path} (`)];

describe('a timeout below the round trip of the longest path', () => {
  it.each([
    ['queuePair.retransmissionTimeout', ['pfc.enabled=false']],
    ['queuePair.retransmissionTimeout', ['transport.algorithm=uec']],
    ['irn.lowTimeout', ['transport.algorithm=irn']],
    ['omnidma.timeout', ['transport.algorithm=omnidma']],
  ])('is warned of, to the microsecond: %s %j', async (path, more) => {
    expect(await warned(...more, `${path}=2002160000ps`)).toEqual([]);
    expect(await warned(...more, `${path}=2002159999ps`)).toEqual(isShort(path));
    expect(await warned(...more, `${path}=auto`)).toEqual([]);
  });

  it('is none if there are no timeouts, or a transport does not have it', async () => {
    expect(await warned('queuePair.retransmissionTimeout=0us')).toEqual([]);
    expect(await warned('irn.lowTimeout=1us')).toEqual([]);
    expect(
      await warned('transport.algorithm=irn', 'queuePair.retransmissionTimeout=0us', 'irn.lowTimeout=1us'),
    ).toEqual([]);
  });

  it('counts the time that switches take', async () => {
    const short = 'queuePair.retransmissionTimeout=2003us';
    expect(await warned(short)).toEqual([]);
    expect(await warned(short, 'switch.latency=1us')).toEqual(isShort('queuePair.retransmissionTimeout'));
  });
});
