// The inference block of a scenario: what it comes to on a network, and that every mistake in it is shown where it
// stands.

import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import type { InferenceReport } from '../../src/inference/inference-report.js';
import { FlowColumn, flowTable } from '../../src/records/flow-records.js';
import { scenarioRun } from '../support/scenario-run.js';

// eight GPUs without servers on one leaf
const fabric = 'fabric: { generate: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 8 }\n';
const block = (rest: string): string =>
  `${fabric}inference:\n  model: llama2-7b\n  prefillTime: 50us\n  decodeStepTime: 10us\n  arrivals: fixed\n  ${rest.replaceAll('; ', '\n  ')}\n`;

async function servingOf(text: string): Promise<InferenceReport> {
  return (await scenarioRun(text, [])).summary.inference!;
}

const sending = (prefill: string, requests: number): string =>
  block(`tensorParallel: 2; prefill: ${prefill}; decode: 4-5; requests: ${requests}; interval: 0us; promptTokens: 40`);
const layered = (layers: number): string =>
  block(
    `tensorParallel: 2; prefill: 0-1; decode: 2-3; requests: 1; promptTokens: 4; prefillTime: 1ms; layersPerTransfer: ${layers}`,
  ).replace('  prefillTime: 50us\n', '');

describe('requests over a network', () => {
  // a token of Llama 2 7B on one rank of two: 32 layers x 2 x 16 heads x 128 x 2 B = 262,144 B
  const bytes = 4 * 262_144;

  it('take the closed form of a transfer when they are alone', async () => {
    const { summary, sink } = await scenarioRun(
      block('tensorParallel: 2; prefill: 0-1; decode: 2-3; requests: 1; promptTokens: 4; outputTokens: 3'),
      [],
    );
    expect([...sink.column(flowTable, FlowColumn.size)]).toEqual([bytes, bytes]);
    const inference = summary.inference!;
    // 256 packets of 4,096 B and 82 B around each, over two links of 100 Gb/s and 1 us; the last acknowledgement comes
    // back over them
    const packets = Math.ceil(bytes / 4096);
    const dataNs = ((packets + 1) * (4096 + 82) * 8) / 100 + 2000;
    expect(inference.transfer.maxNs).toBeCloseTo(dataNs + 2000 + (2 * 86 * 8) / 100, 0);
    expect(inference.exposedTransfer.maxNs).toBeCloseTo(inference.transfer.maxNs, 6);
    expect(inference.timeToFirstToken.maxNs).toBeCloseTo(50_000 + inference.transfer.maxNs + 10_000, 6);
    expect(inference.request.maxNs).toBeCloseTo(50_000 + inference.transfer.maxNs + 30_000, 6);
    expect(summary.verdicts.filter(({ ok }) => !ok)).toEqual([]);
  });

  it('have half a NIC each when two prefill instances send to one of decode', async () => {
    const [shared, alone] = [await servingOf(sending('0-3', 2)), await servingOf(sending('0-1', 1))];
    expect(shared.transfer.maxNs / alone.transfer.maxNs).toBeGreaterThan(1.9);
    expect(shared.transfer.maxNs / alone.transfer.maxNs).toBeLessThan(2.1);
    expect(shared.nicShare.mean).toBeCloseTo(alone.nicShare.mean / 2, 1);
  });

  it('hide their transfers behind the prefill, but for the last layers', async () => {
    const [whole, byLayer] = [await servingOf(layered(0)), await servingOf(layered(1))];
    // 32 KiB a layer: 8 packets after the last, not 256
    expect(byLayer.exposedTransfer.maxNs - whole.exposedTransfer.maxNs).toBeCloseTo((-248 * (4096 + 82) * 8) / 100, 0);
  });

  it('run beside traffic, which keeps its numbers', async () => {
    const { summary, sink } = await scenarioRun(
      `${block('tensorParallel: 2; prefill: 0-1; decode: 2-3; requests: 3; promptTokens: 4')}traffic: { transfers: [ { source: 6, destination: 7, size: 777B }, { source: 7, destination: 6, size: 778B, start: 1ms } ] }\n`,
      [],
    );
    expect(summary.finished).toBe(8);
    expect(summary.inference!.finished).toBe(3);
    const flows = sink.column(flowTable, FlowColumn.flow);
    const sizes = sink.column(flowTable, FlowColumn.size);
    expect([...flows].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect([sizes[flows.indexOf(0)], sizes[flows.indexOf(1)]]).toEqual([777, 778]);
  });
});

describe('a mistake is shown where it stands', () => {
  it.each([
    ['tensorParallel: 2; prefill: 0-1', 'scenario-missing 2:1'],
    ['tensorParallel: 2; prefill: 0-2; decode: 4-5', 'inference-ranks 8:12'],
    ['tensorParallel: 2; prefill: 0-1; decode: 1-2', 'inference-ranks 9:11'],
    ['tensorParallel: 2; prefill: 0-1; decode: 7-8', 'inference-ranks 9:11'],
    ['tensorParallel: 2; prefill: first; decode: 4-5', 'inference-ranks 8:12'],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; plane: 2', 'pin-plane 10:10'],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; nic: 2', 'inference-path 2:1'],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; promptTokens: 9000000', 'inference-too-large 2:1'],
    [
      'tensorParallel: 2; prefill: 0-1; decode: 4-5; requests: 1000000; outputTokens: 10000000',
      'inference-too-long 2:1',
    ],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; trace: none.csv', 'file-missing 10:10'],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; trace: bad.csv', 'requests-value 1:3'],
    ['tensorParallel: 2; prefill: 0-1; decode: 4-5; prompt: 5', 'scenario-unknown-key 10:3'],
  ])('%s', async (rest, wanted) => {
    const error = await scenarioRun(block(rest), [], { 'bad.csv': '0,x,1\n' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(InputError);
    expect(
      (error as InputError).diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ code, line, column }) => `${code} ${line}:${column}`)
        .join(),
    ).toBe(wanted);
  });
});
