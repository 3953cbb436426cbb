// ncclFlowModel_EndToEnd.csv: to the character SimAI's where SimAI writes numbers, and mistakes in it are found where
// they are.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { endToEndOf, readEndToEnd, writeEndToEnd } from '../../src/formats/simai-end-to-end.js';
import { referencePath } from '../reference.js';
import { jobWith, kinds, pipelineJob, rankWith } from '../support/hand-made-job.js';

const folders = [
  'case_ii_ring_A100_seq',
  'case_iii_dp16_ar16M_seq',
  'case_iv_dp16_a2a16M_seq',
  'case_v_tp8dp16_ar32M_seq',
];
const textOf = (folder: string): string =>
  readFileSync(referencePath('simai', 'cases', folder, 'ncclFlowModel_EndToEnd.csv')!, 'utf8');

describe('ncclFlowModel_EndToEnd.csv', () => {
  it.skipIf(referencePath('simai') === null)(
    "is SimAI's file of case (ii) to the character, but for its -nan and its single precision",
    () => {
      const theirs = textOf(folders[0]!)
        .replaceAll('-nan', '0.000000')
        .replace('85.166573', '85.166572')
        .replace('149.041504', '149.041501');
      expect(writeEndToEnd(endToEndOf(jobWith()))).toBe(theirs);
    },
  );

  it.skipIf(referencePath('simai') === null).each(folders)('of SimAI is read: %s', (folder) => {
    const diagnostics = new Diagnostics();
    const read = readEndToEnd(folder, textOf(folder), diagnostics)!;
    expect(diagnostics.list).toEqual([]);
    const [layer] = read.layers;
    expect(read.layers.length).toBe(1);
    expect(layer!.name).toBe('embedding_layer');
    expect(layer!.forward.computeUs).toBe(556);
    // what their totals must add up to, whichever pass communicated
    expect(layer!.forward.exposedUs + layer!.weightGradient.exposedUs).toBeCloseTo(read.totalExposedUs, 1);
    expect(read.totalComputeUs + read.totalExposedUs).toBeCloseTo(read.totalUs, 6);
    expect(Math.max(...Object.values(read.exposedUs))).toBe(Math.round(read.totalExposedUs));
    expect(layer!.finishedUs).toBe(read.totalUs);
    // algbw is bytes by GiB/s: what their header says about the size
    const { communicationUs, algorithmBandwidth } =
      layer!.forward.communicationUs > 0 ? layer!.forward : layer!.weightGradient;
    expect((algorithmBandwidth * 2 ** 30 * communicationUs) / 1e6 / 2 ** 24).toBeCloseTo(
      folder.includes('32M') ? 2 : 1,
      5,
    );
  });

  it('tells of rank 0: its layers, its bubble, and all that it waited for', () => {
    const job = pipelineJob({
      stages: [
        rankWith({
          totalPs: 10e6,
          computePs: 4e6,
          bubblePs: 1e6,
          exposedPs: kinds({ TP: 1e6, DP: 0.5e6, EP: 0.25e6, DP_EP: 1.25e6, PP: 0.75e6, all: 1.25e6 }),
        }),
      ],
    });
    const text = writeEndToEnd(endToEndOf(job));
    const lines = text.split('\n');
    expect(lines[1]).toBe(
      'gpt, 1 (5.00%), 1 (12.50%), 1 (10.00%), 0 (2.50%), 1 (7.50%), 1 (10.00%), 4 (40.00%), 5 (50.00%), 10',
    );
    expect(lines.filter((line) => line.startsWith('layer')).map((line) => line.split(',')[0])).toEqual([
      'layer_name',
      ...Array.from({ length: 24 }, (_, i) => `layer${i >> 1}.${i % 2 === 0 ? 'attention' : 'mlp'}`),
    ]);
    // 24 layers of 40 us
    expect(lines[lines.length - 3]!.split(',').slice(0, 4)).toEqual(['SUM', 'gpt', '960.000000', '840.000000']);
    expect(lines[lines.length - 2]).toBe('total exposed comm,5.000000,total comp,4.000000,total time,10.000000');
  });

  it('keeps its fields apart whatever the names are', () => {
    const text = writeEndToEnd(endToEndOf(jobWith({ name: 'two, words' })));
    expect(text.split('\n').map((line) => line.split(',').length)).toEqual([10, 10, 18, 18, 17, 6, 1]);
  });

  it('divides by no time', () => {
    expect(
      writeEndToEnd(endToEndOf(jobWith({ stages: [rankWith({ totalPs: 0, computePs: 0 })], layers: [] }))),
    ).not.toMatch(/nan|infinity/i);
  });

  const good = writeEndToEnd(endToEndOf(jobWith()));
  it.each([
    ['', 0, 'not an EndToEnd file'],
    ['a\nb\nc\nd\ne\n', 1, 'not an EndToEnd file'],
    [good.replace('test1, 0', 'test1'), 2, '10 fields'],
    [good.replace('layer_name,', ''), 3, 'header of the layers'],
    [good.replace('embedding_layer,', ''), 4, '18 fields'],
    [good.replace('SUM', 'SUMME'), 5, 'is not SUM'],
    [good.replace(',total time', ''), 6, 'last line'],
  ])('finds the mistake of %#', (text, line, message) => {
    const diagnostics = new Diagnostics();
    expect(readEndToEnd('f.csv', text, diagnostics)).toBeNull();
    expect(diagnostics.list[0]).toMatchObject({ line, code: 'end-to-end' });
    expect(diagnostics.list[0]!.message).toContain(message);
  });
});
