// Requests on two prefill instances by hand: who waits for whom, what leaves when, and what the report says of it.

import { describe, expect, it } from 'vitest';
import { type Inference, schedulePrefill } from '../../src/inference/inference.js';
import { InferenceWork } from '../../src/inference/inference-work.js';
import { cacheBytesPerTokenAndLayer, decodeStepPs, prefillPs } from '../../src/inference/serving-times.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { RequestColumn, requestTable } from '../../src/records/request-records.js';
import { gpus } from '../../src/workload/gpus.js';
import { knownModels } from '../../src/workload/known-models.js';

const columns = (...values: number[]): Float64Array => Float64Array.from(values);

/**
 * Two prefill instances of two ranks, one decode instance; prompts of 100, 300 and 100 ps; four layers of 10 bytes a
 * token.
 */
const inference: Inference = {
  requests: {
    count: 3,
    arrivalPs: columns(0, 10, 20),
    promptTokens: columns(1, 2, 3),
    outputTokens: columns(5, 5, 5),
    prefillPs: columns(100, 300, 100),
  },
  prefill: [Int32Array.of(0, 1), Int32Array.of(2, 3)],
  decode: [Int32Array.of(4, 5)],
  railShift: 0,
  layerCount: 4,
  layersPerTransfer: 4,
  cacheBytesPerTokenAndLayer: 10,
  decodeStepPs: 7,
  trafficClass: 3,
};

/** Everything that a source sends, in order, with nothing finishing. */
function sentBy(work: InferenceWork): number[][] {
  const sent: number[][] = [];
  for (let nextPs = work.nextStartPs(); nextPs !== Infinity; nextPs = work.nextStartPs())
    work.expand(nextPs, { transfer: (...row) => sent.push(row as number[]) });
  return sent;
}

const workOf = (changes: Partial<Inference>, sink = new MemorySink()): InferenceWork =>
  new InferenceWork({ ...inference, ...changes }, () => 8e12, sink, 1000);

describe('requests', () => {
  it('take the instance that is free first, and wait for it', () => {
    const { instance, startPs } = schedulePrefill(inference.requests, 2);
    expect([[...instance], [...startPs]]).toEqual([
      [0, 1, 0],
      [0, 10, 100],
    ]);
    expect([...schedulePrefill(inference.requests, 1).startPs]).toEqual([0, 100, 400]);
  });

  it('send what they have when the prefill has ended: number, ends, bytes, time, class', () => {
    expect(sentBy(workOf({}))).toEqual([
      [1000, 0, 4, 40, 100, 3],
      [1001, 1, 5, 40, 100, 3],
      [1004, 0, 4, 120, 200, 3],
      [1005, 1, 5, 120, 200, 3],
      [1002, 2, 4, 80, 310, 3],
      [1003, 3, 5, 80, 310, 3],
    ]);
  });

  it('to the next rail, if they are to cross', () => {
    expect(
      sentBy(workOf({ railShift: 1 }))
        .slice(0, 2)
        .map(([, source, destination]) => [source, destination]),
    ).toEqual([
      [0, 5],
      [1, 4],
    ]);
  });

  it('send three layers and then one, as they are computed; of two at one time the request that came first', () => {
    const requests = { ...inference.requests, arrivalPs: columns(0, 0, 0), prefillPs: columns(100, 300, 100) };
    expect(
      sentBy(workOf({ layersPerTransfer: 3, requests }))
        .filter((_, i) => i % 2 === 0)
        .map(([id, , , sizeBytes, startPs]) => [id, sizeBytes, startPs]),
    ).toEqual([
      [1000, 30, 75],
      [1002, 10, 100],
      [1008, 90, 175],
      [1010, 30, 200],
      [1004, 60, 225],
      [1006, 20, 300],
    ]);
  });

  it('are done when the last transfer has arrived', () => {
    const sink = new MemorySink();
    const work = workOf({}, sink);
    sentBy(work);
    // 40 bytes over 8 Tbit/s take 40 ps alone: the first takes 80, so has half a NIC; the others all of it
    work.transferFinished(1000, 180);
    expect(work.unfinished).toBe(5);
    work.transferFinished(1001, 140);
    work.transferFinished(1004, 320);
    work.transferFinished(1005, 320);
    const report = work.report();
    expect(report).toMatchObject({
      requests: 3,
      finished: 2,
      prefillInstances: 2,
      decodeInstances: 1,
      ranks: 2,
      cacheBytes: 320,
      nicShare: { mean: (0.5 + 1 + 1 + 1) / 4, least: 0.5 },
    });
    expect(report.wait.maxNs).toBe(0.08);
    // after the second transfer; and after prefill's end at 200
    expect([report.exposedTransfer.p50Ns, report.exposedTransfer.maxNs]).toEqual([0.04, 0.12]);
    // arrival to 140 + 7; 20 to 320 + 7
    expect([report.timeToFirstToken.p50Ns, report.timeToFirstToken.maxNs]).toEqual([0.147, 0.307]);
    expect(report.request.maxNs).toBe(0.335);
    expect([...sink.column(requestTable, RequestColumn.request)]).toEqual([0, 2]);
    expect([...sink.column(requestTable, RequestColumn.finish)]).toEqual([175, 355]);
  });
});

describe('serving a model', () => {
  it('leaves 320 KiB of keys and values per token of Llama 3 70B (Dubey et al.: 8 heads of 128, 80 layers)', () => {
    const model = knownModels['llama3-70b'];
    expect(80 * cacheBytesPerTokenAndLayer(model, 1)).toBe(320 * 1024);
    expect(8 * cacheBytesPerTokenAndLayer(model, 8)).toBe(cacheBytesPerTokenAndLayer(model, 1));
    // more ranks than heads: each keeps one whole head
    expect(cacheBytesPerTokenAndLayer(model, 16)).toBe(cacheBytesPerTokenAndLayer(model, 8));
  });

  it('takes 2 operations per parameter and token of a prompt, and attention (2 % of 2,048 tokens)', () => {
    const model = knownModels['llama2-70b'];
    // 68.98e9 parameters, of which 32,000 x 8192 only look up; 4 s^2 h operations of attention per layer
    const flops = 2 * 2048 * (68.98e9 - 2 * 32_000 * 8192) + 2 * 32_000 * 8192 + 80 * 4 * 2048 * 2048 * 8192;
    expect(prefillPs(model, 2048, 8, gpus.H100, 0.5) / 1e12).toBeCloseTo(flops / 8 / (989.4e12 * 0.5), 4);
  });

  it('reads the weights once for a step of decode', () => {
    expect(decodeStepPs(knownModels['llama2-70b'], 8, gpus.H100) / 1e12).toBeCloseTo((68.98e9 * 2) / 8 / 3.35e12, 5);
  });
});
