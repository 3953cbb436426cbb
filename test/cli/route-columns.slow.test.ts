// `weft route` on whole clusters: 80 columns, and what compute says of its tables, evaluate says of their file.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { type CommandResult, runCommand, runCommandForJson } from '../support/run-command.js';
import { identifiedTree } from '../support/infiniband.js';

const tree = identifiedTree('fat-tree', { pods: 2, edgesPerPod: 2, hostsPerEdge: 2, aggregationPerPod: 2, cores: 2 });
const net = writeIbnetdiscover(tree);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-route-'));
  await writeFile(join(folder, 'f.net'), net);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

const json = (...words: string[]): Promise<Record<string, unknown>> => runCommandForJson(folder, words);

describe('compute and evaluate', () => {
  it.each(['ftree', 'random', 'dmodk', 'afar', 'weft'])(
    '%s: what compute says of its tables, evaluate says of the file',
    async (algorithm) => {
      const traffic = ['--traffic', 'bs-random-shuffle-noise', '--seed', '5'];
      const made = await json(
        'route',
        'compute',
        '--fabric',
        '@f.net',
        '--algorithm',
        algorithm,
        ...traffic,
        '--out',
        '@new.lfts',
      );
      expect(made).toMatchObject({
        algorithm,
        validity: { valid: true },
        omittedEntries: 0,
        changedFrom: 'ftree',
        warnings: [],
      });
      expect(made['cpuSeconds']).toBeGreaterThanOrEqual(0);
      const evaluated = await json('route', 'evaluate', '--fabric', '@f.net', '--tables', '@new.lfts', ...traffic);
      for (const key of [
        'maxLoad',
        'adaptiveBound',
        'arGap',
        'netGap',
        'lowerBound',
        'provenOptimal',
        'phases',
        'validity',
        'omittedEntries',
      ])
        expect(evaluated[key]).toEqual(made[key]);
      expect(evaluated['maxLoad']).toBeGreaterThanOrEqual(evaluated['lowerBound'] as number);
      expect((evaluated['arGap'] as number) + 1).toBeCloseTo(
        (evaluated['maxLoad'] as number) / (evaluated['adaptiveBound'] as number),
        12,
      );
      const again = await json(
        'route',
        'evaluate',
        '--fabric',
        '@f.net',
        '--tables',
        '@new.lfts',
        '--current',
        '@new.lfts',
      );
      expect(again).toMatchObject({ changedEntries: 0, maxLoad: null });
    },
  );

  it('prints at most 80 columns', async () => {
    for (const words of [
      ['route', 'compute', '--fabric', 'quartz1', '--algorithm', 'dmodk', '--traffic', 'cyclic-stencil'],
      ['route', 'compute', '--help'],
      ['route', 'evaluate', '--help'],
      ['route', 'import', '--help'],
      ['route', 'export', '--help'],
      ['traffic', 'list'],
      ['traffic', 'stats', '--help'],
      ['traffic', 'stats', '--fabric', 'quartz1', '--traffic', 'lulesh'],
      ['route', 'compute', '--fabric', 'quartz1', '--failed-links', '1%', '--algorithm', 'random'],
      [
        'route',
        'compute',
        '--fabric',
        'quartz1',
        '--algorithm',
        'weft',
        '--traffic',
        'bs-random-shuffle',
        '--work',
        '12345',
      ],
      ['route', 'compare', '--help'],
      ['route', 'model', '--help'],
    ]) {
      const { code, stdout } = await weft(...words);
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});
