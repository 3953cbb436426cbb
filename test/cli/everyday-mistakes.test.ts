// Mistakes that people make every day: where each is told, what the first lines say, what to do. A line of the table is a
// mistake; what it must contain is true of the mistake, whatever the rest of the message says.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { commandWith } from '../support/run-command.js';

const weft = commandWith({ makePlan, simulate });
const fabric = 'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\n';
const transfer = (more: string): string => `traffic: { transfers: [ { source: 0, destination: 2, ${more} } ] }\n`;
const traffic = transfer('size: 1kB');
const good = fabric + traffic;
const over = (more: string): string => fabric.replace(' }', `, ${more} }`);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-everyday-'));
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'good.yaml'), good);
  await writeFile(join(folder, 'rows.csv'), '0,0,2,1000\n');
  expect((await weft('run', join(folder, 'good.yaml'), '--out', join(folder, 'done'), '--quiet')).code).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Text, place of the first line, and what must stand in the message. */
const scenarios: Readonly<Record<string, readonly [text: string, place: string, ...says: string[]]>> = {
  'a block misspelt': [`${fabric}trafic: {}\n`, '2:1', 'trafic is not known', 'did you mean traffic?'],
  'the fabric misspelt': [`fabrik: {}\n${traffic}`, '1:1', 'fabrik is not known', 'did you mean fabric?'],
  'work of another kind misspelt': [`${fabric}worklod: {}\n`, '2:1', 'worklod is not known', 'did you mean workload?'],
  'a setting misspelt': [
    `${good}dcqcn: { gian: 0.5 }\n`,
    '3:10',
    'dcqcn.gian is not known',
    'did you mean dcqcn.gain?',
  ],
  'a plural misspelt': [
    `fabric: { generate: leaf-spine, leafs: 2 }\n${traffic}`,
    '1:33',
    'fabric.leafs is not known',
    'did you mean fabric.leaves?',
  ],
  'a singular': [
    `fabric: { generate: leaf-spine, leaf: 2 }\n${traffic}`,
    '1:33',
    'fabric.leaf is not known',
    'did you mean fabric.leaves?',
  ],
  'a key of a line misspelt': [
    fabric + transfer('sise: 1kB'),
    '2:25',
    'size is missing',
    'did you mean traffic.transfers[0].size?',
  ],
  'a setting in another block': [
    `${good}dcqcn: { payload: 1kB }\n`,
    '3:10',
    'dcqcn.payload is not known',
    'did you mean packet.payload?',
  ],
  'a dotted key': [`${good}pfc.enabled: false\n`, '3:1', 'pfc.enabled is not known', 'write pfc: { enabled: … }'],
  'a colon left out': [`fabric { generate: leaf-spine }\n${traffic}`, '1:1', 'put a colon behind fabric'],
  'a family misspelt': [
    `fabric: { generate: leaf-spin }\n${traffic}`,
    '1:21',
    'not a known family',
    'did you mean leaf-spine?',
  ],
  'a GPU misspelt': [
    `fabric: { generate: spectrum-x, gpus: 64, gpuType: H1000 }\n${traffic}`,
    '1:52',
    'found:  H1000',
    'did you mean H100?',
  ],
  'a control misspelt': [
    `${good}congestion: { algorithm: dcqn }\n`,
    '3:26',
    'not a known choice',
    'did you mean dcqcn?',
  ],
  'a choice in capitals': [`${good}congestion: { algorithm: DCQCN }\n`, '3:26', 'found:  DCQCN', 'did you mean dcqcn?'],
  'a model that is not there': [
    `${fabric}workload: { generate: transformer, model: gpt5 }\n`,
    '2:43',
    'found:  gpt5',
    'gpt3-175b',
  ],
  'a program misspelt': [
    `${fabric}workload: { program: stencl }\n`,
    '2:22',
    'not a known program',
    'did you mean stencil?',
  ],
  'megabits for a size': [fabric + transfer('size: 10Mb'), '2:60', 'Mb is bits', '1250kB for that many bits, or 10MB'],
  'gigabits for a size': [fabric + transfer('size: 8Gb'), '2:60', 'Gb is bits', '1GB for that many bits, or 8GB'],
  'bytes for a rate': [over('hostRate: 100GB') + traffic, '1:82', 'unknown unit', '100Gbps, in bits, or 800Gbps'],
  'a rate by its prefix': [over('hostRate: 100G') + traffic, '1:82', 'found:  100G', 'did you mean 100Gbps?'],
  'a rate in Gb': [over('hostRate: 40Gb') + traffic, '1:82', 'found:  40Gb', 'did you mean 40Gbps?'],
  'a rate without a unit': [over('hostRate: 100') + traffic, '1:82', 'has no unit', 'for example 100Gbps'],
  'a time without a unit': [fabric + transfer('size: 1kB, start: 5'), '2:72', 'has no unit', 'for example 5us'],
  'seconds written out': [fabric + transfer('size: 1kB, start: 5sec'), '2:72', 'unknown unit', 'did you mean 5s?'],
  'a time in capitals': [fabric + transfer('size: 1kB, start: 5MS'), '2:72', 'unknown unit', 'did you mean 5ms?'],
  'a share in percent': [`${good}dcqcn: { gain: 5% }\n`, '3:16', 'not a number', 'as a share: 0.05'],
  'a share above 1': [`${good}dcqcn: { gain: 1.5 }\n`, '3:16', 'out of range', 'from 0 to 1'],
  'a negative size': [fabric + transfer('size: -1kB'), '2:60', 'is negative', 'found:  -1kB'],
  'a size beyond all': [fabric + transfer('size: 1e30'), '2:60', 'out of range', '256GiB'],
  'nothing to send': [fabric + transfer('size: 0'), '2:60', 'out of range', '1B to'],
  'a host to itself': [
    fabric + transfer('size: 1kB').replace('destination: 2', 'destination: 0'),
    '2:51',
    'from a host to itself',
    'two different hosts',
  ],
  'a rank out of range': [
    fabric + transfer('size: 1kB').replace('destination: 2', 'destination: 99'),
    '2:51',
    'found:  99',
    '0 to 3',
  ],
  'a link that is not there': [
    `${good}failures: { events: [ { at: 1us, link: "leaf[9]-spine[0]" } ] }\n`,
    '3:40',
    'found:  leaf[9]',
    'leaf[0] to leaf[1]',
  ],
  'a tab': ['fabric:\n\tgenerate: leaf-spine\n', '2:1', 'a tab is used for indentation', 'two spaces'],
  'a block twice': [fabric + good, '2:1', 'fabric is given twice', 'the first is in line 1'],
  'a block for a list': [`${fabric}traffic: { transfers: { source: 0 } }\n`, '2:23', 'is not a list', '[ … ]'],
  'a word for a block': [`fabric: leaf-spine\n${traffic}`, '1:9', 'fabric is not a block', 'generate'],
  'a list for a value': [
    fabric + traffic.replace('source: 0', 'source: [0]'),
    '2:35',
    'is a list, not a single value',
    'a whole number',
  ],
  'an empty list': [`${fabric}traffic: { transfers: [] }\n`, '2:23', 'is empty', 'at least one'],
  'yes for true': [`${good}ecn: { enabled: yes }\n`, '3:17', 'not true or false', 'found:  yes'],
  'a bracket left open': [
    `fabric: { generate: leaf-spine\n${traffic}`,
    '2:1',
    'a { above is not closed',
    'put the missing }',
  ],
  'a list of blocks': ['- fabric\n- traffic\n', '1:1', 'not made of keys and values', '"fabric:"'],
  'nothing at all': ['', '1:1', 'the scenario is empty', 'examples/'],
  'a trace that is not there': [
    `${fabric}traffic: { trace: nope.csv }\n`,
    '2:19',
    'nope.csv: no such file',
    'relative to the folder of the scenario',
  ],
  'a folder for a trace': [
    `${fabric}traffic: { trace: empty }\n`,
    '2:19',
    'is a directory, not a file',
    'a readable trace',
  ],
  'two kinds of traffic': [
    `${fabric}traffic: { trace: rows.csv, transfers: [ { source: 0, destination: 2, size: 1kB } ] }\n`,
    '2:',
    'trace',
    'transfers',
  ],
  'Windows line ends': [
    `${fabric}trafic: {}\n`.replaceAll('\n', '\r\n'),
    '2:1',
    'trafic is not known',
    'did you mean traffic?',
  ],
  'JSON with a mistake': [
    '{"fabric": {"generate": "leaf-spine"}, "trafic": {}}',
    '1:40',
    'trafic is not known',
    'did you mean traffic?',
  ],
};

describe('in a scenario', () => {
  it.each(Object.entries(scenarios))('%s', async (name, [text, place, ...says]) => {
    const path = join(folder, `${name.replaceAll(/\W/g, '-')}.yaml`);
    await writeFile(path, text);
    const { code, stderr } = await weft('run', path, '--quiet');
    expect([code, stderr.slice(path.length + 1)]).toEqual([2, expect.stringMatching(new RegExp(`^${place}`))]);
    for (const said of says) expect(stderr).toContain(said);
    // a misspelt block is not said to be missing, too
    if (says.some((said) => said.includes('is not known'))) expect(stderr).not.toMatch(/(fabric|traffic) is missing/);
    for (const line of stderr.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(170);
  });

  it.each([
    ['a byte order mark', `\uFEFF${good}`],
    ['Windows line ends', good.replaceAll('\n', '\r\n')],
    [
      'JSON',
      JSON.stringify({
        fabric: { generate: 'leaf-spine' },
        traffic: { transfers: [{ source: 0, destination: 2, size: '1kB' }] },
      }),
    ],
    ['a quoted number', good.replace('source: 0', 'source: "0"')],
  ])('%s is none', async (name, text) => {
    const path = join(folder, `${name.replaceAll(/\W/g, '')}.yaml`);
    await writeFile(path, text);
    expect(await weft('run', path, '--quiet')).toMatchObject({ code: 0, stderr: '' });
  });

  it('a program on a small fabric takes as many ranks as there are places, and says so', async () => {
    for (const [program, sides] of [
      ['stencil', '2 x 2 x 1'],
      ['barriers', '2 x 2'],
      ['pf3d', '2 x 2 x 1'],
      ['stencil, ranksPerNode: 2', '2 x 2 x 2'],
    ]) {
      const path = join(folder, 'program.yaml');
      await writeFile(path, `${fabric}workload: { program: ${program} }\n`);
      const { code, stderr } = await weft('run', path);
      expect([code, stderr]).toEqual([0, expect.stringContaining(`workload has ${sides} ranks`)]);
    }
  });
});

/** Words of a command line (`@` is the folder), and what must stand in the message. */
const commands: Readonly<Record<string, readonly [words: string, ...says: string[]]>> = {
  'a command of other tools': ['simulate @good.yaml', "unknown command 'simulate'", 'did you mean weft run?'],
  'a command misspelt': ['rnu @good.yaml', "unknown command 'rnu'", 'did you mean weft run?'],
  'a command left out': ['@good.yaml', 'did you mean weft run ', 'good.yaml?'],
  'an option misspelt': ['run @good.yaml --sed 8', "unknown option '--sed'", '--seed'],
  'a scenario left out': ['run', "missing required argument 'scenario'", 'give a scenario file'],
  'a scenario that is not there': [
    'run @nope.yaml',
    'nope.yaml: error: the scenario cannot be read: no such file',
    'a scenario file (YAML)',
  ],
  'a folder for a scenario': ['run @empty', 'is a directory, not a file', 'name the file in it'],
  'the folder of a run for a scenario': ['run @done', 'it is the folder of a run', 'weft report '],
  'a scenario for a run': [
    'report @good.yaml',
    'good.yaml:1:1: error: this is a scenario (YAML), not a run',
    '--out DIR, then give DIR',
  ],
  'a scenario to compare': [
    'compare @good.yaml @done',
    'good.yaml:1:1: error: this is a scenario (YAML), not a run',
    'weft run ',
  ],
  'a file in place of its folder': [
    'report @done/summary.json',
    'this is JSON, not a table of a run',
    'give the folder of the run: ',
  ],
  'a run that is not there': [
    'report @nope',
    'nope: error: no such file or folder',
    'wanted: a folder of weft run --out',
    'weft run SCENARIO --out DIR',
  ],
  'a run to compare that is not there': ['compare @done @nope', 'nope: error: no such file or folder', '--out DIR'],
  'a setting without a value': ['run @good.yaml --set pfc.enabled', "'pfc.enabled' is invalid", 'a path and a value'],
  'a setting misspelt': [
    'run @good.yaml --set pfc.enabld=true',
    'pfc.enabld is not known',
    'did you mean pfc.enabled?',
  ],
  'a seed in words': ['run @good.yaml --seed abc', "'abc' is invalid", 'a whole number'],
  'a run onto its scenario': ['run @good.yaml --out @good.yaml', 'is left as it is', 'another folder'],
  'a collective misspelt': [
    'collective alreduce --fabric spectrum-x --gpus 8',
    'there is no such collective',
    'did you mean allreduce?',
  ],
  'bits of a collective': [
    'collective allreduce --fabric spectrum-x --gpus 8 --sizes 8Gb',
    'Gb is bits',
    '1GB for that many bits, or 8GB',
  ],
  'words for a number': ['collective allreduce --fabric spectrum-x --gpus x', '--gpus: error', 'a whole number'],
  'a sweep of nothing': ['sweep @good.yaml', 'nothing is swept', '--seeds 1..20'],
  'a range with a dash': ['sweep @good.yaml --seeds 1-3', 'found:  1-3', '1..20'],
};

describe('on the command line', () => {
  it.each(Object.entries(commands))('%s', async (_, [line, ...says]) => {
    const words = line.split(' ').map((word) => word.replace(/^@/, `${folder}/`));
    const { code, stderr } = await weft(...words);
    expect(code).toBeGreaterThan(0);
    for (const said of says) expect(stderr).toContain(said);
  });
});
