// weft route model writes files that a solver reads; weft route evaluate --adaptive-bound lp knows the bound of a
// broken tree.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeIbnetdiscover } from '../../src/formats/ibnetdiscover-writer.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { highs } from '../support/exact-routes.js';
import { damaged, identifiedTree } from '../support/infiniband.js';

// both leaves lost a link, to different spines: one spine joins them, and cuts see two links at each
const whole = identifiedTree('fat-tree', { pods: 1, edgesPerPod: 2, hostsPerEdge: 3, aggregationPerPod: 3 });
const leaves = whole.identity.nodeName.filter((name) => /leaf/.test(name));
const spines = whole.identity.nodeName.filter((name) => /spine/.test(name));
const broken = damaged(
  whole,
  (low, high) => (low === leaves[0] && high === spines[1]) || (low === leaves[1] && high === spines[0]),
);

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-model-'));
  await writeFile(join(folder, 'broken.net'), writeIbnetdiscover(broken));
  await writeFile(
    join(folder, 'across.csv'),
    `source,destination,weight\n${[0, 1, 2].map((host) => `${host},${host + 3},1\n`).join('')}`,
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const weft = (...words: string[]): Promise<CommandResult> => runCommand(folder, words);

const input = ['--fabric', '@broken.net', '--traffic', '@across.csv'];

describe('adaptive bound', () => {
  it('of a broken tree: cuts say 1.5 or more, spreading and the linear programme 3, which static routes reach', async () => {
    await weft('route', 'compute', '--fabric', '@broken.net', '--algorithm', 'dmodk', '--out', '@new.lfts');
    const evaluate = ['route', 'evaluate', ...input, '--tables', '@new.lfts', '--json'];
    const cuts = JSON.parse((await weft(...evaluate, '--adaptive-bound', 'cuts')).stdout) as Record<string, unknown>;
    expect(cuts).toMatchObject({
      maxLoad: 3,
      adaptiveBound: 1.5,
      // small enough for a search of all ways
      lowerBound: 3,
      adaptiveBoundExact: false,
      adaptiveBoundUpper: null,
      provenOptimal: true,
    });
    for (const how of [[], ['--adaptive-bound', 'lp']]) {
      const { stdout, stderr } = await weft(...evaluate, ...how);
      expect(stderr).toBe('');
      const solved = JSON.parse(stdout) as Record<string, unknown>;
      expect(solved).toMatchObject({ maxLoad: 3, adaptiveBoundExact: true, provenOptimal: true, warnings: [] });
      expect(solved['adaptiveBound']).toBeCloseTo(3, 5);
      expect(solved['adaptiveBoundUpper']).toBeCloseTo(3, 5);
      expect(solved['netGap']).toBeCloseTo(0, 5);
    }
  });
});

describe('compute', () => {
  it.each(['basic-mcf', 'partitioned-binary', 'combined'])(
    '%s: the one way there is, in tables that evaluate reads',
    async (algorithm) => {
      const { code, stdout } = await weft(
        'route',
        'compute',
        ...input,
        '--algorithm',
        algorithm,
        '--time',
        '10s',
        '--out',
        '@new.lfts',
        '--json',
      );
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ algorithm, maxLoad: 3, validity: { valid: true }, omittedEntries: 0 });
      expect(
        JSON.parse((await weft('route', 'evaluate', ...input, '--tables', '@new.lfts', '--json')).stdout),
      ).toMatchObject({ maxLoad: 3, validity: { valid: true } });
    },
  );

  it('the whole of quartz1 is refused, with a hint', async () => {
    const { code, stderr } = await weft(
      'route',
      'compute',
      '--fabric',
      'quartz1',
      '--traffic',
      'all-to-all',
      '--algorithm',
      'combined',
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/too large[\s\S]*--algorithm weft/);
  });
});

describe('model', () => {
  it.each(['lp', 'mps'] as const)('%s: HiGHS reads it and finds 3', async (format) => {
    const { code, stdout } = await weft('route', 'model', ...input, '--out', `@model.${format}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/variables, \d+ of them whole, \d+ rows/);
    const text = await readFile(join(folder, `model.${format}`), 'utf8');
    const model = highs.createModel({
      format,
      data: format === 'lp' ? text : new TextEncoder().encode(text),
    } as Parameters<typeof highs.createModel>[0] & object);
    model.options.set({ output_flag: false });
    model.run();
    expect(model.getObjectiveValue()).toBeCloseTo(3, 6);
    model.dispose();
  });

  it('refuses a name that tells no format; help fits 80 columns', async () => {
    const { code, stderr } = await weft('route', 'model', ...input, '--out', '@model.txt');
    expect(code).toBe(2);
    expect(stderr).toMatch(/--out.*format/);
    for (const name of ['model', 'evaluate', 'compute'])
      expect((await weft('route', name, '--help')).stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
