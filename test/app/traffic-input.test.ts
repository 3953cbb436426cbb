// Traffic on the hosts of a list of jobs, and traffic of a run's records: bytes by pair against the lines themselves.

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { generatedFabric, routedFabric } from '../../src/app/routes/fabric-input.js';
import { loadTraffic, type TrafficRequest } from '../../src/app/routes/traffic-input.js';
import { TrafficColumn, type TrafficMatrix } from '../../src/flows/traffic/matrix.js';
import { writeTopology } from '../../src/formats/simai-topology-text.js';
import { memoryHost } from '../memory-host.js';

// node000 to node015, four on each leaf
const given = generatedFabric('leaf-spine', { leaves: 4, spines: 2, hostsPerLeaf: 4 })!;
const source = routedFabric(given);

async function load(files: Record<string, string>, choice: TrafficRequest) {
  const all = { traffic: 'ring-allreduce', seed: 1, allocation: 'jobs', ...choice };
  return loadTraffic(memoryHost(files), all, source);
}

function pairs(matrix: TrafficMatrix): string[] {
  const column = new TrafficColumn(matrix.hostCount);
  const found: string[] = [];
  for (let to = 0; to < matrix.hostCount; to++) {
    matrix.toDestination(to, column);
    for (let i = 0; i < column.length; i++) found.push(`${column.sources[i]}>${to}:${column.weights[i]}`);
  }
  return found.sort();
}

const message = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof InputError ? error.diagnostics[0]!.code : String(error)),
  );

describe('a job that is alone', () => {
  const large = routedFabric(generatedFabric('leaf-spine', { leaves: 12, spines: 2, hostsPerLeaf: 16 })!);
  const hostsOf = async (traffic: string, allocation: string): Promise<Set<string>> => {
    const { phases } = (await loadTraffic(memoryHost({}), { traffic, allocation }, large)).traffic;
    return new Set(phases.flatMap(({ matrix }) => pairs(matrix)).flatMap((pair) => pair.split(/[>:]/, 2)));
  };

  it('has hosts in a row from the eleventh, as the source has', async () => {
    // 168 ranks, all of which exchange with rank 0
    const wanted = Array.from({ length: 168 }, (_, rank) => `${rank + 10}`);
    expect([...(await hostsOf('partisn', 'alone'))].sort()).toEqual(wanted.sort());
  });

  it('lies as several do where it has no size of its own', async () => {
    expect(await hostsOf('2xring-allreduce:16', 'alone')).toEqual(await hostsOf('2xring-allreduce:16', 'contiguous'));
  });
});

describe('on the jobs that Slurm lists', () => {
  it('each job runs the pattern on its own nodes, in their order', async () => {
    const { traffic, warnings } = await load({ jobs: '1 node[000-001]\n2 node[012,008]\n' }, {});
    expect(warnings).toEqual([]);
    expect(pairs(traffic.phases[0]!.matrix)).toEqual(['0>1:1', '12>8:1', '1>0:1', '8>12:1'].sort());
  });

  it('or each its own, with phases of its own', async () => {
    const jobs = { jobs: '1 node[000-001]\n2 node[008-011]\n' };
    const { traffic } = await load(jobs, { traffic: 'ring-allreduce+training-pp2-dp2' });
    expect(traffic.phases.map(({ matrix }) => pairs(matrix))).toEqual([
      ['0>1:1', '1>0:1', '8>10:1', '9>11:1'],
      ['10>8:1', '11>9:1'],
      ['10>11:1', '11>10:1', '8>9:1', '9>8:1'],
    ]);
  });

  it('a word that is no kind and no file is refused with the kinds', async () => {
    const refused = load({}, { allocation: 'alnoe' });
    await expect(refused).rejects.toMatchObject({
      diagnostics: [
        { code: 'unknown-allocation', got: 'alnoe', wanted: expect.stringContaining('contiguous, alone') as string },
      ],
    });
  });

  it('a node in two jobs is said, and its traffic adds up', async () => {
    const { traffic, warnings } = await load({ jobs: '1 node[000-001]\n2 node[000-001]\n' }, {});
    expect(warnings.map(({ code }) => code)).toEqual(['shared-nodes']);
    expect(pairs(traffic.phases[0]!.matrix)).toEqual(['0>1:2', '1>0:2']);
  });

  it.each<[string, Record<string, string>, TrafficRequest, string]>([
    ['nodes that are not there', { jobs: '1 node[014-017]\n' }, {}, 'unknown-host'],
    [
      'a number of jobs in the pattern',
      { jobs: '1 node[000-003]\n' },
      { traffic: '2xstencil:2' },
      'traffic-does-not-fit',
    ],
    ['a job that is too small', { jobs: '1 node[000-003]\n' }, { traffic: 'training-dp8' }, 'traffic-does-not-fit'],
    ['fewer patterns than jobs', { jobs: '1 node000\n' }, { traffic: 'stencil+stencil' }, 'traffic-does-not-fit'],
    ['a matrix', { 'm.csv': 'source,destination,bytes\n0,1,1\n', jobs: '' }, { traffic: 'm.csv' }, 'unused-option'],
  ])('refuses %s', async (_, files, choice, code) => {
    expect(await message(load(files, choice))).toBe(code);
  });
});

describe('of a run', () => {
  // lines of fct.txt name nodes
  const lines = '0 5 10000 100 700 0 9 9\n0 5 10001 100 300 5 9 9\n5 0 10000 100 50 0 9 9\n';
  it('adds up bytes by pair', async () => {
    const { traffic } = await load({ 'run-fct.txt': lines }, { traffic: 'run-fct.txt', allocation: 'fragmented' });
    expect(traffic.unit).toBe('bytes');
    expect(pairs(traffic.phases[0]!.matrix)).toEqual(['0>5:1000', '5>0:50']);
  });

  it('counts hosts as the fabric of the run does', async () => {
    const files = { 'a/r/fct.txt': lines, 'a/r/fabric.topo': writeTopology(given.fabric) };
    const choice = { traffic: 'a/r', allocation: 'contiguous' };
    for (const traffic of ['a/r/fct.txt', 'a/r', 'a/r/'])
      expect(pairs((await load(files, { ...choice, traffic })).traffic.phases[0]!.matrix)).toEqual([
        '0>5:1000',
        '5>0:50',
      ]);
    const other = writeTopology(generatedFabric('leaf-spine', { leaves: 3, spines: 2, hostsPerLeaf: 4 })!.fabric);
    expect(await message(load({ ...files, 'a/r/fabric.topo': other }, choice))).toBe('wrong-size');
  });

  it('refuses a file that is not as the manifest beside it says', async () => {
    const files = { 'r/fct.txt': lines, 'r/fabric.topo': writeTopology(given.fabric) };
    const sha256 = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path.slice(2), createHash('sha256').update(text).digest('hex')]),
    );
    const withManifest = (changed: object) => ({ ...files, ...changed, 'r/manifest.json': JSON.stringify({ sha256 }) });
    const choice = { traffic: 'r', allocation: 'contiguous' };
    expect(pairs((await load(withManifest({}), choice)).traffic.phases[0]!.matrix)).toHaveLength(2);
    expect(await message(load(withManifest({ 'r/fct.txt': lines.replace('700', '701') }), choice))).toBe('run-changed');
    const slower = files['r/fabric.topo'].replace('Gbps', 'Mbps');
    expect(slower).not.toBe(files['r/fabric.topo']);
    expect(await message(load(withManifest({ 'r/fabric.topo': slower }), choice))).toBe('run-changed');
  });

  it('refuses nodes that are no hosts, and files without flows', async () => {
    const allocation = 'fragmented';
    const wrong = { 'r/fct.txt': '0 17 1 1 1 0 1 1\n' };
    expect(await message(load(wrong, { traffic: 'r/fct.txt', allocation }))).toBe('unknown-host');
    expect(await message(load({ 'r/fct.txt': '' }, { traffic: 'r/fct.txt', allocation }))).toBe('empty-file');
  });
});

const hex = (guid: bigint): string => `0x${guid.toString(16)}`;
const matrix = (from: string, to: string) => ({ traffic: { csv: `source,destination,bytes\n${from},${to},5\n` } });
const rows = async (from: string, to: string): Promise<string[]> =>
  pairs((await load({}, { ...matrix(from, to), allocation: 'fragmented' })).traffic.phases[0]!.matrix);

describe('hosts of a matrix', () => {
  const { identity } = source;
  const [host, other] = [source.fabric.hosts[3]!, source.fabric.hosts[9]!];

  it.each([
    ['names', identity.nodeName[host]!, identity.nodeName[other]!],
    ['GUIDs of nodes', hex(identity.nodeGuid[host]!), hex(identity.nodeGuid[other]!)],
    ['GUIDs of ports', hex(identity.portGuid[host]!).toUpperCase().replace('X', 'x'), hex(identity.portGuid[other]!)],
    ['LIDs', `lid ${identity.lid[host]!}`, `lid ${identity.lid[other]!}`],
    ['ranks', '3', '9'],
  ])('are called by %s', async (_, from, to) => {
    expect(await rows(from, to)).toEqual(['3>9:5']);
  });

  it('a switch is none, nor is a GUID that the fabric has not', async () => {
    const spine = source.tree.switches[1]![0]!;
    for (const word of [`lid ${identity.lid[spine]!}`, hex(identity.portGuid[spine]!), '0x12'])
      expect(await message(load({}, { ...matrix(word, '9'), allocation: 'fragmented' }))).toBe('unknown-host');
  });
});
