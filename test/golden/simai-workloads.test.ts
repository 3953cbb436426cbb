// SimAI's cases (ii) to (v) as its users run them: its files on the command line, its figures in `--json` and in its
// EndToEnd file. Queues of (iii) and (iv) cross the marking threshold: for medians over 20 seeds see
// simai-workloads.slow.test.ts.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.js';
import { readEndToEnd, type EndToEnd } from '../../src/formats/simai-end-to-end.js';
import { referencePath } from '../reference.js';
import { caseOptions, weftAsSimai } from '../support/simai-command.js';
import { caseII, caseIII, caseIV, type SimaiCase } from '../support/simai-collective-cases.js';

const reference = referencePath('simai');

async function endToEndIn(folder: string): Promise<EndToEnd> {
  const diagnostics = new Diagnostics();
  const read = readEndToEnd(
    'EndToEnd',
    await readFile(join(folder, 'ncclFlowModel_EndToEnd.csv'), 'utf8'),
    diagnostics,
  );
  diagnostics.throwIfErrors();
  return read!;
}

interface Summary {
  readonly flows: number;
  readonly finished: number;
  readonly workload: {
    readonly totalNs: number;
    readonly computeNs: number;
    readonly communicationNs: number;
    readonly exposedNs: Readonly<Record<string, number>>;
    readonly ranks: { readonly min: number; readonly max: number };
  };
}

async function summaryOf(given: SimaiCase): Promise<Summary> {
  const { code, stdout } = await weftAsSimai('run', ...caseOptions(given, reference!), '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Summary;
}

describe.skipIf(reference === null)("SimAI's case", () => {
  it.each([caseIII, caseIV])('($name) has as many flows as there', async (given) => {
    const {
      flows,
      finished,
      workload: { computeNs, communicationNs, totalNs },
    } = await summaryOf(given);
    expect([flows, finished]).toEqual([given.flows, given.flows]);
    expect(totalNs).toBeCloseTo(computeNs + communicationNs, 3);
  });

  it("(ii) runs by SimAI's own letters, and ends in a folder with SimAI's file", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weft-simai-'));
    try {
      const out = join(folder, 'results');
      const { code, stdout, stderr } = await weftAsSimai(
        'run',
        '-t',
        '16',
        ...caseOptions(caseII, reference!, true),
        '-o',
        `${out}/`,
      );
      expect(code).toBe(0);
      expect(stderr).toContain('--threads: warning: 16 threads are asked for: a run uses one');
      expect(stdout).toMatch(/waits for TP +184\.7us +24\.9 %/);
      expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes(out))).toEqual([]);
      const ours = await endToEndIn(out);
      const theirs = await endToEndIn(join(reference!, 'cases', caseII.folder));
      expect(ours.layers.map(({ name }) => name)).toEqual(theirs.layers.map(({ name }) => name));
      for (const [mine, other] of [
        [ours.totalUs, theirs.totalUs],
        [ours.totalComputeUs, theirs.totalComputeUs],
        [ours.exposedUs.TP, theirs.exposedUs.TP],
        [ours.layers[0]!.finishedUs, theirs.layers[0]!.finishedUs],
        [ours.layers[0]!.forward.busBandwidth, theirs.layers[0]!.forward.busBandwidth],
      ] as const) {
        expect(Math.abs(mine / other - 1)).toBeLessThanOrEqual(0.02);
      }
      expect([ours.exposedUs.DP, ours.exposedUs.EP, ours.bubbleUs]).toEqual([0, 0, 0]);
      const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as {
        inputs: { role: string }[];
        files: string[];
      };
      expect(manifest.inputs.map(({ role }) => role)).toEqual(['conf', 'topology', 'workload']);
      expect(manifest.files).toEqual(
        expect.arrayContaining(['ncclFlowModel_EndToEnd.csv', 'timeline.svg', 'collectives.parquet', 'fct.txt']),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
