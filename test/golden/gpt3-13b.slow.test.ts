// GPT-3 13B on 128 GPUs, one layer of it, as its users run it: fluid and packets agree on its time to 3 %, as its page
// says, and sum as many bytes.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { runProgram } from '../../src/cli/program.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { scriptedContext } from '../support/command-context.js';

const scenario = fileURLToPath(new URL('../../examples/training/gpt3-13b.yaml', import.meta.url));

interface Summary {
  readonly outcome: string;
  readonly cpuSeconds: number;
  readonly packetHops: number | null;
  readonly counters: { readonly payloadBytesDelivered: number };
  readonly workload: { readonly totalNs: number; readonly computeNs: number };
}

async function oneLayer(backend: string): Promise<Summary> {
  const context = scriptedContext({ makePlan, simulate });
  const words = `run ${scenario} --backend ${backend} --json --quiet --set workload.layerCount=1`.split(' ');
  expect(await runProgram(words, context)).toBe(0);
  return JSON.parse(context.stdout.text) as Summary;
}

describe('a layer of GPT-3 13B on 128 GPUs', () => {
  it('takes the same on packets and on fluid, to 3 %', async () => {
    const fluid = await oneLayer('fluid');
    const packet = await oneLayer('packet');
    expect([fluid.outcome, packet.outcome]).toEqual(['finished', 'finished']);
    expect(fluid.packetHops).toBe(null);
    expect(packet.packetHops).toBeGreaterThan(1e6);
    expect(Math.min(fluid.cpuSeconds, packet.cpuSeconds)).toBeGreaterThan(0);
    expect(Math.abs(fluid.workload.totalNs / packet.workload.totalNs - 1)).toBeLessThan(0.03);
    expect(fluid.workload.computeNs).toBe(packet.workload.computeNs);
    // a ring of 16 sends 30 sixteenths of what it sums from each of 16 ranks: in 8 groups the layer's weights at two
    // bytes, attention 4 h h and feed-forward 8 h h of hidden size 5,120, a tensor group's eighth of each
    const ringBytes = 8 * 30 * ((12 * 5120 * 5120 * 2) / 8);
    for (const { counters } of [fluid, packet]) expect(counters.payloadBytesDelivered).toBeGreaterThan(ringBytes);
  });
});
