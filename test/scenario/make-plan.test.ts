import { describe, expect, it } from 'vitest';
import { defaultPacketSettings } from '../../src/backends/packet/settings.js';
import { InputError, type Diagnostic } from '../../src/base/diagnostics.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import { planOnFabric } from '../../src/scenario/plan-on-fabric.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost, type MemoryFile } from '../memory-host.js';

const fabric = 'fabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8, bandwidth: 100Gbps, aswPswBandwidth: 100Gbps }\n';
const traffic = 'traffic:\n  transfers:\n    - { source: 0, destination: 8, size: 10MiB }\n';
/** Two servers of two GPUs on switches of their own that nothing joins. */
const unconnected =
  '6 2 0 2 4 A100\n4 5\n0 4 100Gbps 500ns 0\n1 4 100Gbps 500ns 0\n2 5 100Gbps 500ns 0\n3 5 100Gbps 500ns 0\n';

function plan(
  scenario: string,
  files: Record<string, MemoryFile> = {},
  overrides: string[] = [],
  seed?: number,
): Promise<Plan> {
  return makePlan('dir/s.yaml', {
    host: memoryHost({ 'dir/s.yaml': scenario, ...files }),
    overrides,
    ...(seed === undefined ? {} : { seed }),
  });
}

/** A scenario with transfers of one byte. @param ends `source: 0, destination: 1` of each */
function oneByteEach(ends: readonly string[]): string {
  return `${fabric}traffic:\n  transfers:\n${ends.map((line) => `    - { ${line}, size: 1 }\n`).join('')}`;
}

async function problems(...request: Parameters<typeof plan>): Promise<readonly Diagnostic[]> {
  const made = await plan(...request).catch((error: unknown) => error);
  if (made instanceof InputError) return made.diagnostics.filter(({ severity }) => severity === 'error');
  throw made instanceof Error ? made : new Error('no error was found');
}

async function errors(...request: Parameters<typeof plan>): Promise<string[]> {
  return (await problems(...request)).map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);
}

const thresholdLine = (minimum: string): string =>
  `    - { rate: 100Gbps, minimum: ${minimum}, maximum: 10kB, probability: 0 }\n`;

describe('a plan', () => {
  it('says what will be recorded, and checks when', async () => {
    const tables = async (...overrides: string[]): Promise<string[]> =>
      (await plan(fabric + traffic, {}, overrides)).tables.map(({ name }) => name);
    expect(await tables()).toEqual(['flows', 'hops']);
    expect(await tables('probes.rateInterval=1us', 'probes.queueInterval=10ns')).toEqual([
      'flows',
      'hops',
      'queues',
      'rates',
    ]);
    expect(
      await tables(
        'probes.packetLatency=true',
        'probes.pfcEvents=true',
        'probes.portCounters=true',
        'probes.notificationInterval=1us',
        'probes.bandwidthInterval=1us',
      ),
    ).toEqual([
      'flows',
      'hops',
      'bandwidth',
      'notifications',
      'packet_latency',
      'latency_histogram',
      'pfc_events',
      'port_counters',
    ]);
    expect(await errors(`${fabric}${traffic}probes:\n  queueInterval: 1us\n  start: 5us\n  end: 5us\n`)).toEqual([
      'dir/s.yaml:8:8 probes-end',
    ]);
    const { warnings } = await plan(`${fabric}${traffic}probes: { start: 5us, end: 6us }\n`);
    expect(warnings.map(({ code, line, message }) => [code, line, message])).toEqual([
      ['no-effect', 5, 'probes.start has no effect: neither samples nor packet latencies are recorded'],
      ['no-effect', 5, 'probes.end has no effect: neither samples nor packet latencies are recorded'],
    ]);
  });

  it('has the defaults of the catalogue', async () => {
    const made = await plan(fabric + traffic);
    expect(made).toMatchObject({
      name: 's',
      seed: 1,
      routing: { nextHopOrder: 'descending-node-id' },
      controller: { enabled: false },
      sendLatencyPs: 0,
      warnings: [],
    });
    // settings that mechanisms bring stand in their catalogue
    expect({ ...made.packet, own: {} }).toMatchObject(defaultPacketSettings());
    expect([made.fabric.hosts.length, made.source.total, made.source.nextStartPs()]).toEqual([16, 1, 0]);
  });

  it('takes every setting from the scenario, then from --set, then from --seed', async () => {
    const text = `name: mine\nseed: 5\nsendLatency: 6us\n${fabric}${traffic}packet: { payload: 4096 }\nrouting:\n  nextHopOrder: ascending-node-id\n`;
    const made = await plan(
      text,
      {},
      ['packet.payload=1000B', 'controller.enabled=true', 'traffic.transfers[0].size=3', 'fabric.gpus=32'],
      7,
    );
    expect(made).toMatchObject({
      name: 'mine',
      seed: 7,
      sendLatencyPs: 6e6,
      routing: { nextHopOrder: 'ascending-node-id' },
      controller: { enabled: true },
    });
    expect([made.packet.packet.payload, made.fabric.hosts.length]).toEqual([1000, 32]);
    const sizes: number[] = [];
    made.source.expand(Infinity, { transfer: (_id, _from, _to, size) => sizes.push(size) });
    expect(sizes).toEqual([3]);
  });

  it('reads topology and trace beside the scenario', async () => {
    const topology = '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n';
    const made = await plan('fabric: { file: t.topo }\ntraffic: { trace: ../t.csv }\n', {
      'dir/t.topo': topology,
      'dir/../t.csv': '0,0,1,9\n5,1,0,9\n',
    });
    await made.source.refill();
    expect([made.fabric.nodeCount, made.source.total, made.source.nextStartPs()]).toEqual([3, 2, 0]);
    await made.source.close();
    expect(made.resolved).toMatchObject({ fabric: { file: 't.topo' }, traffic: { trace: '../t.csv' } });
  });

  it('lists the files that it was made from, each once, as named and as read', async () => {
    const topology = `5 1 0 1 4 H100\n4\n${[0, 1, 2, 3].map((host) => `${host} 4 100Gbps 1us 0\n`).join('')}`;
    const workload =
      'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2\n1\nl -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 64 5\n';
    const made = await plan(
      `fabric: { file: t.topo }\ntraffic: { trace: ../t.csv }\njobs: [ { file: w.txt, ranks: 0-1 }, { file: w.txt, ranks: 2-3 } ]\n`,
      { 'dir/t.topo': topology, 'dir/../t.csv': '0,0,1,9\n5,1,0,9\n', 'dir/w.txt': workload },
    );
    expect(made.inputs).toEqual([
      { role: 'scenario', path: 'dir/s.yaml', readPath: 'dir/s.yaml' },
      { role: 'topology', path: 't.topo', readPath: 'dir/t.topo' },
      { role: 'trace', path: '../t.csv', readPath: 'dir/../t.csv' },
      { role: 'workload', path: 'w.txt', readPath: 'dir/w.txt' },
    ]);
  });

  it('sorts a trace that is out of order, with a warning', async () => {
    const made = await plan(`${fabric}traffic: { trace: t.csv }`, { 'dir/t.csv': '5,0,8,1\n4,1,9,1\n' });
    expect(made.warnings.map(({ file, line, code }) => [file, line, code])).toEqual([
      ['dir/t.csv', 2, 'trace-unsorted'],
    ]);
    expect(made.source.nextStartPs()).toBe(4000);
  });

  it('resolves to a scenario that makes the same plan', async () => {
    const text = `name: n\n${fabric}traffic:\n  transfers:\n    - { start: 1.5us, source: 3, destination: 9, size: 9052 }\ndcqcn: { gain: 0.3, additiveIncrease: 12.5Gbps }\nqueuePair: { window: unlimited }\n`;
    const first = await plan(text);
    const second = await plan(JSON.stringify(first.resolved));
    expect(second.resolved).toEqual(first.resolved);
    expect(second.packet).toEqual(first.packet);
    expect(second.warnings).toEqual([]);
    expect(first.resolved).toMatchObject({
      dcqcn: { gain: 0.3, additiveIncrease: '12.5Gbps', increaseInterval: '900us' },
      traffic: { transfers: [{ start: '1500ns', size: '9052B' }] },
    });
  });
});

async function warnings(text: string, ...set: string[]): Promise<string[]> {
  return (await plan(text, {}, set)).warnings.map(({ file, line, code }) => `${file}:${line} ${code}`);
}

describe('ECN thresholds', () => {
  const fast = 'fabric: { generate: dcn+, gpus: 16, nicsPerAsw: 8, bandwidth: 800Gbps, aswPswBandwidth: 100Gbps }\n';

  it("come with lines for the rates of Ethernet and InfiniBand in proportion to SimAI's", async () => {
    const made = await plan(fast + traffic);
    expect(made.warnings).toEqual([]);
    for (const [rateBps, minimumBytes] of [
      [10e9, 40e3],
      [40e9, 160e3],
      [56e9, 224e3],
      [100e9, 400e3],
      [800e9, 1600e3],
    ] as const) {
      expect(made.packet.ecnThresholds.find((line) => line.rateBps === rateBps)).toEqual({
        rateBps,
        minimumBytes,
        maximumBytes: 4 * minimumBytes,
        probability: 0.2,
      });
    }
  });

  it('of an unknown rate must be given, with the lines to give; without ECN nobody asks', async () => {
    const odd = fast.replace('800Gbps', '73Gbps');
    const [problem, ...others] = await problems(odd + traffic);
    expect([problem!.line, problem!.column, problem!.code, others.length]).toEqual([1, 52, 'ecn-rate-missing', 0]);
    expect(problem!.message).toContain('73Gbps');
    expect(problem!.wanted).toContain(
      '10Gbps, 25Gbps, 40Gbps, 50Gbps, 56Gbps, 100Gbps, 200Gbps, 400Gbps, 800Gbps, 1.6Tbps',
    );
    // what the hint proposes works as it stands
    const proposal = /give (ecn: .*), or ecn: \{ enabled: false \}$/.exec(problem!.hint!)![1]!;
    expect((await plan(`${odd}${traffic}${proposal}\n`)).packet.ecnThresholds).toEqual([
      { rateBps: 73e9, minimumBytes: 292e3, maximumBytes: 1168e3, probability: 0.2 },
      { rateBps: 100e9, minimumBytes: 400e3, maximumBytes: 1600e3, probability: 0.2 },
    ]);
    expect((await plan(`${odd}${traffic}ecn: { enabled: false }\n`)).warnings).toEqual([]);
  });

  it('wants every rate of a switch port when they are given', async () => {
    const given = 'ecn:\n  thresholds:\n    - { rate: 100Gbps, minimum: 400kB, maximum: 1600kB, probability: 0.2 }\n';
    expect((await plan(fabric + traffic + given)).packet.ecnThresholds).toEqual([
      { rateBps: 100e9, minimumBytes: 400e3, maximumBytes: 1600e3, probability: 0.2 },
    ]);
    const [problem, ...others] = await problems(fast + traffic + given);
    expect([problem!.line, problem!.column, problem!.code, others.length]).toEqual([6, 3, 'ecn-rate-missing', 0]);
    expect([problem!.message, problem!.got, problem!.hint]).toEqual([
      expect.stringContaining('800Gbps'),
      'lines for 100Gbps',
      'add a line such as { rate: 800Gbps, minimum: 3200kB, maximum: 12800kB, probability: 0.2 }',
    ]);
    expect(
      (await plan(fast + traffic + given.replace('400kB', '300kB'), {}, ['ecn.enabled=false'])).warnings.map(
        ({ code, file }) => [code, file],
      ),
    ).toEqual([['no-effect', '--set']]);
  });

  it('warns at --set if that is the cause', async () => {
    const gain = 'dcqcn: { gain: 0.5 }\n';
    expect(await warnings(fabric + traffic + gain, 'ecn.enabled=false')).toEqual(['--set:0 no-effect']);
    expect(await warnings(`${fabric}${traffic}ecn: { enabled: false }\n`, 'dcqcn.gain=0.5')).toEqual([
      '--set:0 no-effect',
    ]);
    expect(await warnings(`${fabric}${traffic}${gain}ecn: { enabled: false }\n`, 'seed=3')).toEqual([
      'dir/s.yaml:5 no-effect',
    ]);
    expect(await errors(fabric + traffic, {}, ['fabric.bandwidth=73Gbps'])).toEqual(['--set:0:0 ecn-rate-missing']);
  });

  it('refuses a minimum above the maximum and a rate twice', async () => {
    expect(
      await errors(`${fabric}${traffic}ecn:\n  thresholds:\n${thresholdLine('11kB')}${thresholdLine('1kB')}`),
    ).toEqual(['dir/s.yaml:7:33 ecn-minimum-above-maximum', 'dir/s.yaml:8:15 ecn-duplicate-rate']);
  });
});

describe('bad input of the issue, with file, line and column', () => {
  it('a missing scenario, and a folder', async () => {
    const host = memoryHost({ 'dir/s.yaml': '' });
    await expect(makePlan('none.yaml', { host, overrides: [] })).rejects.toThrow(
      /^none\.yaml: error: the scenario cannot be read/,
    );
    await expect(makePlan('dir', { host, overrides: [] })).rejects.toThrow(/is a directory/);
  });

  it('an empty scenario', async () => {
    expect(await errors('')).toEqual(['dir/s.yaml:1:1 scenario-empty']);
    expect(await errors('HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8\n1\n')).toEqual([
      'dir/s.yaml:1:1 scenario-workload',
    ]);
    expect(await errors('# nothing\n')).toEqual(['dir/s.yaml:1:1 yaml-empty']);
  });

  it('parameters of a fabric that exclude each other, and sizes beyond their limits in their units', async () => {
    const [shape] = await problems(`fabric: { generate: fat-tree, k: 4, pods: 2 }\n${traffic}`);
    expect([shape!.code, shape!.hint]).toEqual([
      'conflicting-parameters',
      'leave out fabric.k, or leave out fabric.pods',
    ]);
    const [size] = await problems(`${fabric}traffic: { transfers: [ { source: 0, destination: 8, size: 1TiB } ] }\n`);
    expect(size!.wanted).toBe('a size, such as 9000B or 32MiB (1B to 256GiB)');
  });

  it('missing files and folders that a scenario names, at their names', async () => {
    const text = 'fabric:\n  file: no.topo\ntraffic: { trace: no.csv }\n';
    expect(await errors(text)).toEqual(['dir/s.yaml:2:9 file-missing']);
    expect(await errors(`${fabric}traffic: { trace: no.csv }\n`)).toEqual(['dir/s.yaml:2:19 file-missing']);
    expect(await errors(`${fabric}traffic: { trace: a }\n`, { 'dir/a/b': '' })).toEqual([
      'dir/s.yaml:2:19 file-directory',
    ]);
    expect(await errors('fabric: { file: a }\ntraffic: { trace: a }\n', { 'dir/a/b': '' })).toEqual([
      'dir/s.yaml:1:17 file-directory',
    ]);
  });

  it.each([
    ['a 0-byte trace', '', '1:1 trace-empty'],
    ['a trace of 0 flows', 'timestamp_ns,src,dst,size_bytes\n# none\n', '2:1 trace-empty'],
    ['a negative size', '0,0,8,-1\n', '1:7 trace-negative'],
    ['a GPU id out of range', '\n0,0,16000,1\n', '2:5 trace-unknown-host'],
  ])('%s', async (_, trace, expected) => {
    expect(await errors(`${fabric}traffic: { trace: t.csv }\n`, { 'dir/t.csv': trace })).toEqual([
      `dir/t.csv:${expected}`,
    ]);
  });

  it('a negative size, a GPU id out of range, a switch, a transfer to itself in the scenario', async () => {
    const lines = [
      '{ source: 0, destination: 8, size: -1 }',
      '{ source: 0, destination: 1.5, size: 1 }',
      '{ source: 0, destination: 8 }',
      '{ source: 0, destination: 8, size: 0 }',
    ];
    expect(await errors(`${fabric}traffic:\n  transfers:\n${lines.map((line) => `    - ${line}\n`).join('')}`)).toEqual(
      [
        'dir/s.yaml:4:42 scenario-negative',
        'dir/s.yaml:5:33 scenario-range',
        'dir/s.yaml:6:7 scenario-missing',
        'dir/s.yaml:7:42 scenario-range',
      ],
    );
    const others = [
      '{ source: 99, destination: 8, size: 1 }',
      '{ source: 0, destination: 18, size: 1 }',
      '{ source: 3, destination: 3, size: 1 }',
    ];
    expect(
      await errors(`${fabric}traffic:\n  transfers:\n${others.map((line) => `    - ${line}\n`).join('')}`),
    ).toEqual([
      'dir/s.yaml:4:17 transfer-unknown-host',
      'dir/s.yaml:5:33 transfer-not-a-host',
      'dir/s.yaml:6:33 transfer-self',
    ]);
  });

  it('a transfer that comes again without every or times, or later than time goes', async () => {
    const lines = ['every: 1us', 'times: 2', 'every: 1h, times: 4', 'start: 1h, every: 1us, times: 3'];
    const listed = lines.map((line) => `    - { source: 0, destination: 8, size: 1, ${line} }\n`).join('');
    expect(await errors(`${fabric}traffic:\n  transfers:\n${listed}`)).toEqual([
      'dir/s.yaml:4:52 transfer-repeat',
      'dir/s.yaml:5:52 transfer-repeat',
      'dir/s.yaml:6:63 transfer-repeat',
    ]);
  });

  it('an NVSwitch and a GPU that it is not linked to, or another NVSwitch', async () => {
    // GPUs 0..7 have NVSwitch 16, GPUs 8..15 NVSwitch 17
    const found = await problems(
      oneByteEach([
        'source: 16, destination: 8',
        'source: 8, destination: 16',
        'source: 16, destination: 17',
        'source: 16, destination: 16',
      ]),
    );
    expect(found.map(({ line, column, code, got, wanted }) => [line, column, code, got, wanted])).toEqual([
      [4, 17, 'transfer-nvswitch-end', '16', 'an NVSwitch that is linked to host 8: 17'],
      [5, 33, 'transfer-nvswitch-end', '16', 'an NVSwitch that is linked to host 8: 17'],
      [6, 34, 'transfer-nvswitch-end', '17', 'a host that is linked to NVSwitch 16: 0 to 7'],
      [7, 34, 'transfer-self', '16', 'two different hosts'],
    ]);
    expect(found[0]!.message).toBe('NVSwitch 16 has no link to host 8: it sends and receives over its own links only');
    expect((await plan(oneByteEach(['source: 16, destination: 7', 'source: 7, destination: 16']))).source.total).toBe(
      2,
    );
  });

  it('servers that are not connected', async () => {
    const files = { 'dir/f': unconnected, 'dir/t.csv': '0,0,1,1\n0,1,2,1\n' };
    expect(await errors('fabric: { file: f }\ntraffic: { trace: t.csv }\n', files)).toEqual([
      'dir/t.csv:2:1 trace-unconnected',
    ]);
    expect(
      await errors('fabric: { file: f }\ntraffic: { transfers: [ { source: 1, destination: 2, size: 1 } ] }\n', files),
    ).toEqual(['dir/s.yaml:2:51 transfer-unconnected']);
  });

  it('a rate and a time without unit', async () => {
    const found = await problems(
      `${fabric}${traffic}dcqcn:\n  minimumRate: 100\n  alphaInterval: 1\nsendLatency: "6"\n`,
    );
    expect(found.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([
      '6:16 scenario-unit-missing',
      '7:18 scenario-unit-missing',
      '8:14 scenario-unit-missing',
    ]);
    expect(found.find(({ line }) => line === 6)!.wanted).toContain('Gbps');
    expect(found.find(({ line }) => line === 7)!.hint).toBe('for example 1us');
  });

  it('a tab', async () => {
    const [tab, ...others] = await problems(`${fabric}traffic:\n\ttrace: t.csv\n`);
    expect([tab!.line, tab!.column, tab!.code, others.length]).toEqual([3, 1, 'yaml-tab', 0]);
  });

  it('a trace of 0 flows in the scenario', async () => {
    expect(await errors(`${fabric}traffic:\n  transfers: []\n`)).toEqual(['dir/s.yaml:3:14 scenario-empty-list']);
  });
});

describe('combinations that cannot work', () => {
  it.each([
    ['switch: { buffer: 4157B }\n', '5:19 packet-above-buffer'],
    ['packet: { payload: 2048 }\nswitch: { buffer: 2109B }\n', '6:19 packet-above-buffer'],
    ['packet: { profile: simai }\nswitch: { buffer: 9051B }\n', '6:19 packet-above-buffer'],
    ['pfc: { headroom: delays, headroomDelays: 1000 }\n', '5:42 headroom-above-buffer'],
    ['pfc: { responseTime: 1ms }\n', '5:22 headroom-above-buffer'],
    // 65,536 quanta of 512 bit times at 100 Gb/s
    ['pfc: { pauseTime: 335544320ps }\n', '5:19 pause-too-long'],
    ['dcqcn: { minimumRate: 101Gbps }\n', '5:23 minimum-rate-above-link'],
    ['timely: { minimumRate: 101Gbps }\ncongestion: { algorithm: timely }\n', '5:24 minimum-rate-above-link'],
    ['hpcc: { minimumRate: 101Gbps }\ncongestion: { algorithm: hpcc-pint }\n', '5:22 minimum-rate-above-link'],
    ['dcqcn: { alphaInterval: 0us }\n', '5:25 scenario-range'],
  ])('%j', async (text, expected) => {
    expect(await errors(fabric + traffic + text)).toEqual([`dir/s.yaml:${expected}`]);
  });

  it('takes the longest pause of a link, and warns of one that can run out before it is repeated', async () => {
    expect((await plan(`${fabric}${traffic}pfc: { pauseTime: 335539200ps }\n`)).warnings).toEqual([]);
    // at 100 Gb/s: a packet of 4,178 B and a frame of 84 B take 340.96 ns
    const [warning] = (await plan(`${fabric}${traffic}pfc: { pauseTime: 681919ps }\n`)).warnings;
    expect([warning!.code, warning!.line, warning!.column]).toEqual(['pause-too-short', 5, 19]);
    expect(warning!.wanted).toBe('at least 681.9ns to be lossless');
    expect((await plan(`${fabric}${traffic}pfc: { pauseTime: 681920ps }\n`)).warnings).toEqual([]);
  });

  it.each([
    ['pfc: { threshold: static, thresholdShift: 1 }', 'pfc.thresholdShift'],
    ['pfc: { staticThreshold: 50kB }', 'pfc.staticThreshold'],
    ['pfc: { headroomDelays: 5 }', 'pfc.headroomDelays'],
    ['pfc: { enabled: false, pauseTime: 5us }', 'pfc.pauseTime'],
    ['pfc: { enabled: false, headroom: delays }', 'pfc.headroom'],
  ])('says that a setting has no effect: %s', async (text, setting) => {
    const found = (await plan(`${fabric}${traffic}${text}\n`)).warnings;
    expect(found.map(({ code, message }) => [code, message.split(' ')[0]])).toEqual([['no-effect', setting]]);
  });

  it('a minimum rate above the links is one of the chosen congestion control alone', async () => {
    expect(
      await warnings(`${fabric}${traffic}dcqcn: { minimumRate: 101Gbps }\ncongestion: { algorithm: none }\n`),
    ).toEqual(['dir/s.yaml:5 no-effect']);
  });

  it('reports everything at once', async () => {
    const found = await errors(
      'fabric: { generate: dcn+, gpus: 15 }\ntraffic: { trace: no.csv }\ndcqcn: { gain: 2 }\nrouting: 4\n',
      {},
      [],
      -1,
    );
    expect(found).toEqual([
      'dir/s.yaml:1:33 uneven-servers',
      'dir/s.yaml:3:16 scenario-range',
      'dir/s.yaml:4:10 scenario-type',
      '--seed:0:0 seed',
    ]);
  });

  it('reports what is wrong with parts that do not need each other', async () => {
    const found = await errors(
      `${fabric}traffic: { transfers: [ { source: 0, destination: 99, size: 1 } ] }\njobs: [ { layers: [ { name: a } ], ranks: 0-99 } ]\nfailures: { events: [ { at: 1us, switch: 3 } ] }\nstragglers: [ { rank: 99 } ]\necn: { thresholds: [ { rate: 100Gbps, minimum: 2kB, maximum: 1kB, probability: 0 } ] }\ninference: { prefill: 0-1, decode: 1-2 }\n`,
    );
    expect([...new Set(found.map((each) => each.replace(/:\d+ /, ' ')))]).toEqual([
      'dir/s.yaml:2 transfer-unknown-host',
      'dir/s.yaml:3 job-ranks',
      'dir/s.yaml:4 failure-target',
      'dir/s.yaml:5 straggler-rank',
      'dir/s.yaml:6 ecn-minimum-above-maximum',
      'dir/s.yaml:7 inference-ranks',
    ]);
  });
});

const fabricOf = async (): Promise<Plan['fabric']> => (await plan(fabric + traffic)).fabric;

describe('a plan for a command that brings fabric and work', () => {
  it('has settings and nothing else, and warns of those that the command has no use for', async () => {
    const request = {
      name: 'allreduce',
      settings: [{ path: 'seed', value: 4, option: '--seed' }],
      host: memoryHost({}),
    };
    const overrides = ['backend=analytical', 'analytical.collectives=bus-bandwidth', 'timeline.moves=true'];
    const made = await planOnFabric(await fabricOf(), { ...request, overrides });
    expect(made).toMatchObject({
      name: 'allreduce',
      seed: 4,
      backend: { name: 'analytical' },
      jobs: [],
      pins: [],
      inputs: [],
    });
    expect(made.source.total).toBe(0);
    expect(made.warnings.map(({ message }) => message)).toEqual([
      'timeline.moves has no effect: the scenario has no workload',
    ]);
  });

  it('reports everything that is wrong with them at once', async () => {
    const overrides = ['fabric={}', 'dcqcn.gain=2', 'failures.events=[{ at: 1us, switch: 0 }]'];
    const made = planOnFabric(await fabricOf(), { name: 'x', settings: [], host: memoryHost({}), overrides });
    await expect(made).rejects.toMatchObject({
      diagnostics: [{ code: 'set-path' }, { code: 'scenario-range' }, { code: 'failure-target' }],
    });
  });
});
