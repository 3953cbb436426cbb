// weft topology, called as the program calls it: results, files that appear whole or not at all, and mistakes.

import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import schemaCommand from '../../src/cli/schema/schema.js';
import topologyCommand from '../../src/cli/topology/topology.js';
import { generateFabric } from '../../src/fabric/generators/catalogue.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { scriptedContext } from '../support/command-context.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-topology-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What the command prints, commander's help included. */
async function run(...words: string[]): Promise<string> {
  const world = scriptedContext();
  const command = topologyCommand(world).exitOverride();
  silence(command, (text) => void world.stdout.write(text));
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return world.stdout.text + world.stderr.text;
}

function silence(command: Command, write: (text: string) => void): void {
  command.configureOutput({ writeOut: write, writeErr: () => {}, getOutHelpWidth: () => 80 });
  for (const child of command.commands) silence(child.exitOverride(), write);
}

async function failure(...words: string[]): Promise<Error> {
  return run(...words).then(
    (text) => {
      throw new Error(`no failure: ${text}`);
    },
    (error: unknown) => error as Error,
  );
}

describe('generate', () => {
  it('prints the file, under any spelling of the family and either name of an option', async () => {
    const expected = writeTopology(
      generateFabric('dcn+', { gpus: 16, nicsPerAsw: 8, gpuType: 'A100', bandwidth: '100Gbps' }),
    );
    expect(
      await run(
        'generate',
        'dcn+',
        '--gpus',
        '16',
        '--nics-per-asw',
        '8',
        '--gpu-type',
        'A100',
        '--bandwidth',
        '100Gbps',
      ),
    ).toBe(expected);
    expect(await run('generate', 'DCN+', '--g', '16', '--npa', '8', '--gt', 'a100', '--bw', '100Gbps')).toBe(expected);
    expect(await run('generate', '--g', '16', '--npa', '8', '--gt', 'a100', '--bw', '100Gbps', 'Dcn-SingleToR')).toBe(
      expected,
    );
  });

  it('writes a whole file, or under the default name to a folder', async () => {
    expect(await run('generate', 'dumbbell', '--out', `${folder}/new/`)).toBe(
      `${join(folder, 'new', 'Dumbbell_4l_4r_100Gbps')}: 8 hosts, 2 switches, 9 links\n`,
    );
    await run('generate', 'dumbbell', '--out', folder);
    await run('generate', 'dumbbell', '--out', join(folder, 'a.topo'));
    await run('generate', 'dumbbell', '--left-hosts', '1', '--out', join(folder, 'a.topo'), '--force');
    expect(new Set(readdirSync(folder))).toEqual(new Set(['Dumbbell_4l_4r_100Gbps', 'a.topo', 'new']));
    expect(readFileSync(join(folder, 'a.topo'), 'utf8')).toBe(
      writeTopology(generateFabric('dumbbell', { leftHosts: 1 })),
    );
  });

  it('leaves a file that exists as it is, unless it is the same or --force is given', async () => {
    const file = join(folder, 'thesis.tex');
    writeFileSync(file, 'years');
    const refusal = await failure('generate', 'dumbbell', '--out', file);
    expect(refusal).toBeInstanceOf(InputError);
    expect(refusal.message).toMatch(/exists and has other content[^]*--force/);
    expect(readFileSync(file, 'utf8')).toBe('years');
    await run('generate', 'dumbbell', '--out', file, '--force');
    expect(await run('generate', 'dumbbell', '--out', file)).toBe(`${file}: 8 hosts, 2 switches, 9 links\n`);
    const schema = new Command().exitOverride().addCommand(schemaCommand(scriptedContext()));
    await expect(schema.parseAsync(['schema', '--out', file], { from: 'user' })).rejects.toThrow(/--force/);
    expect((await failure('generate', 'dumbbell', '--out', '/dev/null', '--force')).message).toContain(
      'not a regular file',
    );
    expect(readdirSync(folder)).toEqual(['thesis.tex']);
  });

  it('counts NVSwitches apart', async () => {
    const file = join(folder, 'f');
    expect(await run('generate', 'dcn+', '--gpus', '16', '--nics-per-asw', '8', '--out', file)).toBe(
      `${file}: 16 hosts, 2 NVSwitches, 10 switches, 48 links\n`,
    );
  });

  it('says as JSON what was generated', async () => {
    const object = JSON.parse(await run('generate', 'fat-tree', '--k', '4', '--json')) as Record<string, unknown>;
    expect(object).toMatchObject({
      family: 'fat-tree',
      file: null,
      parameters: { k: 4, hostRate: 100e9 },
      summary: { hosts: 16, switches: 20 },
    });
    expect(object['topology']).toBe(writeTopology(generateFabric('fat-tree', { k: 4 })));
  });

  it('refuses what does not fit, and writes nothing', async () => {
    const out = ['--out', join(folder, 'x')];
    const leaves = await failure('generate', 'spectrum-x', '--asn', '8', ...out);
    expect(leaves).toBeInstanceOf(InputError);
    expect(leaves.message).toContain(
      '--asw-switches: error: 4096 GPUs need 64 leaf switches with 64 NICs each, 8 were asked for',
    );
    expect((await failure('generate', 'dcn+', '--bandwidth', '100', ...out)).message).toMatch(
      /a rate with a unit[^]*the unit is missing: 100Gbps\?/,
    );
    expect((await failure('generate', 'dumbbell', '--host-latency', '5', ...out)).message).toContain(
      'the unit is missing: 5us?',
    );
    expect((await failure('generate', 'dumbbell', '--host-rate', 'fast', ...out)).message).not.toContain('hint');
    expect((await failure('generate', 'fat-tree', '--k', '4', '--pods', '2', ...out)).message).toContain(
      'leave out --k, or leave out --pods',
    );
    expect((await failure('generate', 'leaf-spine', '--leaves', '2', '--leaves', '3', ...out)).message).toContain(
      "'--leaves <count>' is given more than once",
    );
    expect((await failure('generate', 'dcn+', '--bw', '1Gbps', '--bandwidth', '2Gbps', ...out)).message).toContain(
      '--bw is short for --bandwidth',
    );
    expect((await failure('generate', 'sepctrum-x', ...out)).message).toContain('did you mean spectrum-x?');
    expect((await failure('generate')).message).toContain('which family');
    expect((await failure('generate', 'dumbbell', '--out', join(folder, 'no', 'x'))).message).toContain(
      'does not exist',
    );
    const option = await failure('generate', 'dcn+', '--gpu', '8', ...out);
    expect(option).toBeInstanceOf(CommanderError);
    expect(option.message).toContain('Did you mean --gpus?');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('check', () => {
  it('takes the fabric of a scenario; says once that a file of another name is one, and that there is none', async () => {
    const scenario = join(folder, 's.yaml');
    const text = '# four into one\nname: x\nfabric: { generate: dumbbell }\ntraffic: { trace: t.csv }\n';
    writeFileSync(scenario, text);
    expect(await run('check', scenario)).toContain('only the fabric of the scenario is taken, not name, traffic');
    const other = join(folder, 's.txt');
    writeFileSync(other, text);
    const { message } = await failure('check', other);
    expect(message).toContain(`${other}:3:1: error: the file is a scenario (YAML)`);
    expect(message.match(/error:/g)).toHaveLength(1);
    const missing = join(folder, 'no.topo');
    expect((await failure('check', missing)).message).toMatch(
      new RegExp(`^${missing}: error: the fabric cannot be read: no such file\n  wanted: a topology file`),
    );
  });

  it('sums a file up, with its warnings', async () => {
    const file = join(folder, 'f');
    writeFileSync(file, writeTopology(generateFabric('dcn+', { gpus: 16, nicsPerAsw: 8 })));
    expect(await run('check', file)).toBe(`${file}
  health      no cable is at fault, as far as alike switches tell
  hosts       16 H100 in 2 servers of 8
  NVSwitches  2
  switches    10 (2 + 8 from the hosts up)
  names       what nodes are called, and their ids
    host[0..15]           0-15
    nvswitch[0..1]        16-17
    leaf[0..1]            18-19
    spine[0..7]           20-27
  links       48
          16  host-nvswitch      2.88Tbps     25ns
          16  host-switch         400Gbps    500ns
          16  switch-switch       400Gbps    500ns
  connected   every linked host reaches every other
`);
    writeFileSync(file, '3 1 0 1 2 NONE\n2\n0 2 1Gbps 1us 0\n0 2 1Gbps 1us 0\n');
    expect(await run('check', file)).toContain(`${file}: warning: 1 of 2 hosts have no link: 1`);
    expect(JSON.parse(await run('check', file, '--json'))).toMatchObject({
      hosts: 2,
      unlinkedHosts: [1],
      unreachable: null,
      tiers: [
        { names: 'host[0..1]', count: 2, ids: '0-1' },
        { names: 'leaf[0]', count: 1, ids: '2' },
      ],
      planes: [],
      warnings: [{ code: 'unlinked-host' }],
    });
  });

  it('says what stands in each plane', async () => {
    const file = join(folder, 'f');
    writeFileSync(file, writeTopology(generateFabric('alibaba-hpn', { gpus: 16, pswSwitches: 4, dualPlane: true })));
    const lines = '    plane[0] holds leaf[0..7] and spine[0..1]\n    plane[1] holds leaf[8..15] and spine[2..3]\n';
    expect(await run('check', file)).toContain(lines);
  });

  it('throws what is wrong with a file', async () => {
    const file = join(folder, 'f');
    writeFileSync(file, '2 1 0 1 1 NONE\n1\n0 1 100 1us 0\n');
    expect((await failure('check', file)).message).toContain(`${file}:3:5: error: the rate of a link is not a rate`);
    expect((await failure('check', join(folder, 'missing'))).message).toMatch(/missing: error: .*no such file/);
    expect((await failure('check', folder)).message).toMatch(/: error: .*is a directory/);
  });
});

it('list and every help fit 80 columns', async () => {
  const texts = [
    await run('list'),
    await run('list', 'DCN+'),
    await run('--help'),
    await run('generate', '--help'),
    await run('generate', 'dcn+', '--help'),
    await run('generate', 'fat-tree', '--help'),
    await run('check', '--help'),
  ];
  for (const line of texts.join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(texts[0]).toContain('--nvswitches-per-server');
  expect(JSON.parse(await run('list', '--json'))).toHaveLength(11);
});

it("warns of a data sheet's rate, as the other commands do", async () => {
  const sheet = await run(
    'generate',
    'spectrum-x',
    '--gpus',
    '16',
    '--gpu-type',
    'H100',
    '--nvlink-bandwidth',
    '3600Gbps',
  );
  expect(sheet).toContain('warning');
  expect(sheet).toContain('data sheets give the links of H100');
  const plain = await run('generate', 'spectrum-x', '--gpus', '16', '--gpu-type', 'H100');
  expect(plain).not.toContain('warning');
});
