// Command lines and bad input of every kind, through the whole program but in this process: messages, exit code 2,
// nothing left behind.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import { fail } from '../../src/base/fail.js';
import { runProgram } from '../../src/cli/program.js';
import type { CommandContext } from '../../src/cli/context.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { OutputError } from '../../src/storage/output-error.js';
import { scriptedContext } from '../support/command-context.js';

const example = fileURLToPath(new URL('../../examples/server-pair/controller.yaml', import.meta.url));

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-program-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function weft(commandLine: readonly string[], changes: Partial<CommandContext> = {}): Promise<Ended> {
  const world = scriptedContext({ makePlan, simulate, ...changes });
  const code = await runProgram(commandLine, world);
  return { code, stdout: world.stdout.text, stderr: world.stderr.text };
}

const fabric = 'fabric:\n  generate: dumbbell\n';
const transfers = 'traffic:\n  transfers:\n    - { source: 0, destination: 1, size: 1MiB }\n';
const trace = 'traffic:\n  trace: trace.csv\n';
/** nodes, GPUs per server, NVSwitches, switches, links, GPU type: two hosts, each at a switch of its own */
const twoIslands = '4 1 0 2 2 A100\n2 3\n0 2 100Gbps 500ns 0\n1 3 100Gbps 500ns 0\n';

/** A name, the files of the folder (scenario.yaml among them), and what the message must say. */
const badInputs: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['a scenario that is missing', {}, /scenario\.yaml.*no such file/],
  ['an empty scenario', { 'scenario.yaml': '' }, /scenario\.yaml.*empty/],
  ['YAML with a tab', { 'scenario.yaml': 'fabric:\n\tgenerate: dumbbell\n' }, /scenario\.yaml:2:1: error: .*tab/i],
  [
    'an unknown key',
    { 'scenario.yaml': `${fabric}${transfers}controler:\n  enabled: true\n` },
    /scenario\.yaml:6:1: [^]*controller/,
  ],
  [
    'a rate without a unit',
    { 'scenario.yaml': `fabric:\n  generate: dumbbell\n  bottleneckRate: 100\n${transfers}` },
    /scenario\.yaml:3:\d+: error/,
  ],
  [
    'a negative size',
    { 'scenario.yaml': `${fabric}traffic:\n  transfers:\n    - { source: 0, destination: 1, size: -5 }\n` },
    /scenario\.yaml:5:\d+: error/,
  ],
  [
    'a GPU that does not exist',
    { 'scenario.yaml': `${fabric}traffic:\n  transfers:\n    - { source: 0, destination: 999, size: 5 }\n` },
    /scenario\.yaml:5:\d+: error/,
  ],
  ['a trace of 0 bytes', { 'scenario.yaml': fabric + trace, 'trace.csv': '' }, /trace\.csv/],
  [
    'a trace of 0 flows',
    { 'scenario.yaml': fabric + trace, 'trace.csv': 'timestamp_ns,src,dst,size_bytes\n# nothing\n' },
    /trace\.csv/,
  ],
  [
    'a trace with a negative size',
    { 'scenario.yaml': fabric + trace, 'trace.csv': '0,0,1,-5\n' },
    /trace\.csv:1:7: error/,
  ],
  ['a trace that is missing', { 'scenario.yaml': fabric + trace }, /trace\.csv/],
  [
    'servers that are not connected',
    { 'scenario.yaml': `fabric:\n  file: f.topo\n${transfers}`, 'f.topo': twoIslands },
    /no path|not connected|cannot reach|unreachable/i,
  ],
];

describe('bad input', () => {
  it.each(badInputs)('%s', async (_name, files, message) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { code, stdout, stderr } = await weft([
      'run',
      join(folder, 'scenario.yaml'),
      '--out',
      join(folder, 'new', 'out'),
      '--json',
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
    const left = await readdir(folder);
    left.sort();
    const given = Object.keys(files);
    given.sort();
    expect(left).toEqual(given);
  });

  it('a missing file is named once', async () => {
    const missing = join(folder, 'none.yaml');
    expect((await weft(['run', missing])).stderr).toBe(
      `${missing}: error: the scenario cannot be read: no such file\n  wanted: a scenario file (YAML)\n`,
    );
    await writeFile(join(folder, 's.yaml'), fabric + trace);
    const { stderr } = await weft(['run', join(folder, 's.yaml')]);
    expect(stderr.match(/trace\.csv/g)).toHaveLength(1);
  });

  it('a directory instead of a scenario', async () => {
    expect(await weft(['run', folder])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/directory/) as unknown,
    });
  });
});

describe('command lines', () => {
  it.each<[string[], RegExp]>([
    [['rnu', 'x.yaml'], /unknown command 'rnu'[^]*did you mean weft run/],
    [['run', 'c.txt', '--omnidma', '1'], /--omnidma: error: is an option of run\.py[^]*transport\.algorithm=omnidma/],
    [['sweep', 'c.txt', '--my_switch_total_drop_rate=0.05'], /--set loss\.rate=0\.05/],
    [['run', 'c.txt', '--rnic_dma_bw', '128Gb/s', '--lb', 'fecmp'], /rnic\.dmaBandwidth=128Gbps[^]*routing\.balancing/],
    [['run', 'x.yaml', '--jsno'], /unknown option '--jsno'[^]*Did you mean --json/],
    [['run'], /missing required argument 'scenario'/],
    [['run', 'a.yaml', 'b.yaml'], /too many arguments/],
    [['run', 'x.yaml', '--seed', 'seven'], /whole number/],
    [['run', 'x.yaml', '--set', 'oops'], /controller\.enabled=false/],
    [['run', example, '--set', 'controller.enabeld=true'], /enabled/],
    [['run', example, '--out', '/'], /is not an earlier run of Weft/],
    [['run', example, '--out', ''], /no name/],
    [['run', example, '--seed', '1', '--seed', '1'], /'--seed <number>' is given more than once/],
    [['schema', '--out', '/dev/null'], /not a regular file/],
    [['topology', 'generate', 'dcn', '--gpus', 'x'], /gpus/],
    [[], /Examples:/],
  ])('%j is a mistake', async (commandLine, message) => {
    const { code, stdout, stderr } = await weft(commandLine);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each([
    [['--help']],
    [['run', '--help']],
    [['demo', '--help']],
    [['help', 'run']],
    [['topology', 'generate', '--help']],
    [['schema', '--help']],
    [['collective', '--help']],
    [['calibrate', '--help']],
    [['compare-fabrics', '--help']],
  ])('%j helps, with examples, within 80 columns', async (commandLine) => {
    const { code, stdout, stderr } = await weft(commandLine);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Examples:');
    expect(stdout).not.toContain('default: []');
    expect(stdout.split('\n').filter(({ length }) => length > 80)).toEqual([]);
  });

  it('--version is that of the package', async () => {
    expect((await weft(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('failures', () => {
  it('a full disk is one clear line', async () => {
    const { code, stderr } = await weft(['run', example], {
      simulate: () => Promise.reject(new OutputError('out/fct.txt', 'ENOSPC', 'no space left on the device')),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: out/fct.txt: no space left on the device\n' });
  });

  it.each([
    ['an invariant', () => fail('the wheel turned backwards')],
    [
      'anything unexpected',
      () => {
        throw new TypeError('x is undefined');
      },
    ],
  ])('%s that breaks says what to report', async (_name, broken) => {
    const { code, stderr } = await weft(['run', example, '--seed', '3'], {
      simulate: () => Promise.resolve().then(broken),
    });
    expect(code).toBe(70);
    expect(stderr).toContain('This is a bug in Weft');
    expect(stderr).toContain(`weft run ${example} --seed 3`);
    expect(stderr).toMatch(/Node v\d+/);
  });
});
