// Properties: a workload that is written and read is the same workload; no text, however broken, gives anything but a
// workload or positioned errors; micro-batches are found again wherever they stand.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readSimaiWorkload } from '../../src/formats/simai-workload.js';
import { unwritable, writeSimaiWorkload } from '../../src/formats/simai-workload-text.js';
import { readWorkloadFile } from '../../src/formats/workload-file.js';
import { foldMicroBatches, unrolled } from '../../src/workload/micro-batches.js';
import { policyNames, type PolicyName } from '../../src/workload/policies.js';
import { collectiveNames, LayerBuilder, type Layers, type Pass, type Workload } from '../../src/workload/workload.js';
import { rounds } from '../support/rounds.js';
import { readAnything } from '../support/read-anything.js';
import { seed } from '../support/seed.js';

const pass: fc.Arbitrary<Pass> = fc.record({
  computePs: fc.nat(9_007_199_254_740).map((nanoseconds) => nanoseconds * 1000),
  collective: fc.constantFrom(...collectiveNames),
  group: fc.constantFrom('tp' as const, 'dp' as const, 'ep' as const, 'dp_ep' as const),
  sizeBytes: fc.maxSafeNat(),
});
const layer = fc.record({
  passes: fc.record({ forward: pass, inputGradient: pass, weightGradient: pass }),
  updatePs: fc.nat(1e9).map((nanoseconds) => nanoseconds * 1000),
  isSyncedOnce: fc.boolean(),
  isStart: fc.boolean(),
  policy: fc.constantFrom(...policyNames.filter((policy) => policy !== 'HYBRID_CUSTOMIZED')),
});
const someLayers = (least: number): fc.Arbitrary<(typeof layer extends fc.Arbitrary<infer T> ? T : never)[]> =>
  fc.array(layer, { minLength: least, maxLength: 6 });

/**
 * Workloads of one pipeline stage whose collectives have names; every layer has a name of its own, so that
 * micro-batches can be told.
 */
const anyWorkload: fc.Arbitrary<Workload> = fc
  .record({
    policy: fc.constantFrom(...policyNames),
    tensor: fc.integer({ min: 1, max: 9 }),
    expert: fc.integer({ min: 1, max: 9 }),
    pipeline: fc.integer({ min: 1, max: 9 }),
    replicas: fc.nat(3),
    chunksPerStage: fc.integer({ min: 1, max: 9 }),
    microBatches: fc.integer({ min: 1, max: 5 }),
    stageTransferBytes: fc.maxSafeNat(),
    lastBottomLayer: fc.integer({ min: -1, max: 3 }),
    before: someLayers(0),
    repeated: someLayers(1),
    after: someLayers(0),
  })
  .map(({ policy, tensor, expert, pipeline, replicas, before, repeated, after, ...rest }) => {
    const builder = new LayerBuilder();
    const isFolded = rest.microBatches > 1;
    for (const [part, layers] of [before, repeated, after].entries()) {
      for (const [i, { passes, isSyncedOnce, isStart, ...others }] of layers.entries()) {
        const { collective, sizeBytes } = passes.weightGradient;
        const isOnce = isFolded && part !== 1;
        builder.add({
          ...others,
          ...passes,
          name: `${part}.${i}`,
          isOnce,
          isSyncedOnce: isFolded && !isOnce && isSyncedOnce && collective !== 'none' && sizeBytes > 0,
          // recomputation needs a checkpoint at or before it
          isCheckpoint: isStart,
          startsRecomputation: isStart,
          policy: policy === 'HYBRID_CUSTOMIZED' ? others.policy : policy,
        });
      }
    }
    return Object.assign(rest, {
      policy,
      groups: { tensor, expert, pipeline, gpus: replicas * tensor * pipeline * expert },
      layers: builder.build(),
    });
  });

const asFile = (text: string, diagnostics: Diagnostics): Workload | null => readSimaiWorkload(text, 'w', diagnostics);
const asEither = (text: string, diagnostics: Diagnostics): Workload | null =>
  readWorkloadFile(text, 'w', { tensor: 2, data: 4, expert: 2 }, diagnostics);

it(`a workload that is written and read is the same workload (WEFT_SEED=${seed})`, () => {
  fc.assert(
    fc.property(anyWorkload, (workload) => {
      expect(unwritable(workload)).toBeNull();
      const text = writeSimaiWorkload(workload);
      const again = readAnything(text, asFile);
      expect(again).toEqual(workload);
      expect(writeSimaiWorkload(again!)).toBe(text);
    }),
    { seed, numRuns: rounds(200) },
  );
});

it(`a file with a few characters changed gives a workload or errors, and what it gives is written and read back (WEFT_SEED=${seed})`, () => {
  const edit = fc.record({
    at: fc.nat(),
    drop: fc.nat(6),
    insert: fc.string({
      unit: fc.constantFrom(
        '0',
        '1',
        '9',
        '-',
        '.',
        'e',
        'E',
        'P',
        '_',
        ':',
        ' ',
        '\t',
        '\n',
        '#',
        '\r',
        'x',
        '\u2028',
        '\ufeff',
        '😀',
      ),
      maxLength: 6,
    }),
  });
  const bases = fc.sample(anyWorkload, { numRuns: 20, seed }).map((workload) => writeSimaiWorkload(workload));
  fc.assert(
    fc.property(fc.constantFrom(...bases), fc.array(edit, { minLength: 1, maxLength: 3 }), (base, edits) => {
      let text = base;
      for (const { at, drop, insert } of edits)
        text = text.slice(0, at % text.length) + insert + text.slice((at % text.length) + drop);
      const changed = readAnything(text, asFile);
      if (changed === null) return;
      expect(unwritable(changed)).toBeNull();
      const canonical = writeSimaiWorkload(changed);
      expect(writeSimaiWorkload(readAnything(canonical, asFile)!)).toBe(canonical);
    }),
    { seed, numRuns: rounds(300) },
  );
});

it(`any text at all gives a workload or errors (WEFT_SEED=${seed})`, () => {
  const word = fc.oneof(
    fc.nat(30).map(String),
    fc.constantFrom<PolicyName | string>(
      ...policyNames,
      'ep:',
      'pp',
      'ga:2',
      'checkpoints:',
      'all_gpus: 8',
      'pp_comm',
      'ALLREDUCE',
      'ALLTOALL_EP',
      'NONE',
      '\n',
      '\n',
      '-1',
      '#',
      '1e9',
      '999999999999999999',
      'TP',
      'DP',
      '1 ALLREDUCE 8 TP\n',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const first = fc.constantFrom(
    'DATA\n',
    'MICRO\n1\n',
    'HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ',
    'HYBRID_CUSTOMIZED\n2\n',
    '1 ALLREDUCE 8 TP\n',
    '',
  );
  fc.assert(
    fc.property(first, fc.array(word, { maxLength: 40 }), (start, words) => {
      readAnything(start + words.join(' '), asEither);
    }),
    { seed, numRuns: rounds(500) },
  );
});

function listOf(names: readonly string[]): Layers {
  const builder = new LayerBuilder();
  for (const name of names) builder.add({ name });
  return builder.build();
}

it(`micro-batches are found wherever equal copies stand, and unrolling gives the list back (WEFT_SEED=${seed})`, () => {
  // few names, so that sections occur by chance, overlap and are ambiguous
  const names = fc.array(fc.constantFrom('a', 'b'), { maxLength: 14 });
  fc.assert(
    fc.property(
      fc.oneof(
        names,
        fc.tuple(names, names, names).map(([x, y, z]) => x.concat(y, y, z)),
      ),
      fc.integer({ min: 2, max: 4 }),
      (text, copies) => {
        const folded = foldMicroBatches(listOf(text), copies);
        let longest = 0;
        for (let length = 1; length * copies <= text.length; length++) {
          for (let start = 0; start + length * copies <= text.length; start++) {
            if (
              Array.from(
                { length: (copies - 1) * length },
                (_, i) => text[start + i] === text[start + i + length],
              ).every(Boolean)
            )
              longest = length;
          }
        }
        expect(folded === null).toBe(longest === 0);
        if (folded === null) return;
        expect(folded.isOnce.filter((flag) => flag === 0)).toHaveLength(longest);
        expect([...unrolled(folded, copies)].map(([i]) => folded.name[i])).toEqual(text);
      },
    ),
    { seed, numRuns: rounds(500) },
  );
});

it('looking for micro-batches takes bounded time', () => {
  const builder = new LayerBuilder();
  // runs of equal layers between single ones: at every distance long stretches are equal, none long enough
  for (let i = 0; i < 200_000; i++) builder.add({ name: i % 30_011 === 0 ? `x${i}` : 'a' });
  const layers = builder.build();
  // hours if it compared all of them at every distance
  expect(foldMicroBatches(layers, 2)).toBeNull();
});
