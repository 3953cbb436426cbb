// What `weft run` says for an option of run.py can be typed as it stands: a scenario takes it, with the value meant.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { refuseScriptOptions } from '../../src/cli/run/script-options.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost } from '../memory-host.js';

const scenario = `fabric: { generate: wan-dumbbell }
traffic: { transfers: [ { source: 0, destination: 1, size: 1MB } ] }
`;

/** The `--set` that is named instead of what was typed. */
function insteadOf(...typed: string[]): string {
  try {
    refuseScriptOptions(typed);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return /wanted: +(.*)/.exec(String(error.message))![1]!;
  }
  throw new Error(`${typed.join(' ')} is taken`);
}

async function planWith(typed: string): Promise<Plan> {
  expect(typed).toMatch(/^--set \S+$/);
  const host = memoryHost({ 's.yaml': scenario });
  return makePlan('s.yaml', { host, overrides: [typed.slice('--set '.length)] });
}

describe('options of run.py', () => {
  // bytes, MB of 2^20, as run.py reads them
  it('have values in the units of run.py', async () => {
    expect((await planWith(insteadOf('--self_win_bytes', '500000'))).packet.queuePair.window).toBe(500_000);
    expect((await planWith(insteadOf('--self_win_bytes=5000000'))).packet.queuePair.window).toBe(5_000_000);
    expect((await planWith(insteadOf('--buffer', '9'))).packet.switch.buffer).toBe(9 * 2 ** 20);
  });

  it('can be typed with every value that run.py takes', async () => {
    for (const [name, value, wanted] of [
      ['--rnic_dma_bw', '64Gb/s', '--set rnic.dmaBandwidth=64Gbps'],
      ['--rnic_dma_fixed_latency_ns', '200', '--set rnic.dmaLatency=200ns'],
      ['--rnic_dma_tlp_payload_bytes', '256', '--set rnic.tlpPayload=256B'],
      ['--omni_mon_interval', '100000', '--set probes.rnicInterval=100000ns'],
      ['--sw_monitoring_interval', '10000', '--set probes.queueInterval=10000ns'],
    ] as const) {
      expect(insteadOf(name, value)).toBe(wanted);
      await planWith(wanted);
    }
  });

  it('say that a unit belongs to a value that is not there', () => {
    expect(insteadOf('--self_win_bytes')).toBe('--set queuePair.window=VALUE, with a unit: 500000B');
  });
});
