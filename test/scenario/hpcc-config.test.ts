// config.txt of HPCC, ConWeave and OmniDMA as what is run: what its keys give, what is explained, what is refused.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/app/simulate.js';
import type { InputError } from '../../src/base/diagnostics.js';
import { MemorySink } from '../../src/records/memory-sink.js';
import { hpccKeys } from '../../src/scenario/foreign/hpcc/config-keys.js';
import { isHpccConfig } from '../../src/scenario/foreign/hpcc/config.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { memoryHost } from '../memory-host.js';

/** Two hosts on a switch, as topo_simple_dumbbell_OS2: its file goes on behind the links. */
const topology = '3 1 2\n0\n0 1 100Gbps 1us 0.0\n0 2 100Gbps 1us 0.0\n\nFirst line: nodes, switches, links\n';
const files = {
  'config/topo_simple_dumbbell_OS2.txt': topology,
  'config/flow.txt': '1\n1 2 3 1000000 2.000000000\n',
  'config/switches.txt': '# switches\n0 [all]\n',
  'config/seqnum.txt': 'switchId, SrcNode, flowid, seq\n0, 1, 0, [5000, 7000-8000]\n',
};

const base = `TOPOLOGY_FILE config/topo_simple_dumbbell_OS2.txt
FLOW_FILE config/flow.txt

FCT_OUTPUT_FILE mix/output/1/1_out_fct.txt
CC_MODE 1
LB_MODE 0
PACKET_PAYLOAD_SIZE 1000
BUFFER_SIZE 9
KMAX_MAP 1 100000000000 400
KMIN_MAP 1 100000000000 100
PMAX_MAP 1 100000000000 0.2
`;

async function planned(more: string, set: readonly string[] = []): Promise<Plan> {
  return makePlan('mix/output/1/config.txt', {
    host: memoryHost({ ...files, 'mix/output/1/config.txt': base + more }),
    overrides: set,
  });
}

async function reorderIntervalOf(more: string): Promise<number> {
  return (await planned(more)).packet.probes.reorderInterval;
}

async function mistakes(more: string): Promise<string[]> {
  return planned(more).then(
    () => [],
    (error: unknown) =>
      (error as InputError).diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`),
  );
}

describe('a config', () => {
  it('is told from a scenario and from a SimAI.conf without files', () => {
    expect(isHpccConfig(base)).toBe(true);
    expect(isHpccConfig('fabric:\n  file: TOPOLOGY_FILE x\n')).toBe(false);
    expect(isHpccConfig('CC_MODE 1\n')).toBe(false);
  });

  it('may begin with a byte order mark, and have CR before its line ends', async () => {
    const text = `\uFEFF${base}ENABLE_PFC 1\n`.replaceAll('\n', '\r\n');
    const plan = await makePlan('c.txt', { host: memoryHost({ ...files, 'c.txt': text }), overrides: [] });
    expect(plan.packet.pfc.enabled).toBe(true);
  });

  it('is not told of what its simulator has and no line says', async () => {
    // pfc.thresholdShift and queuePair.nackInterval do nothing here, and come from no key
    const { warnings } = await planned('ENABLE_OMNIDMA 1\nHAS_WIN 0\n');
    const told = warnings.filter(({ code }) => code === 'no-effect');
    expect(told.map(({ line, message }) => `${line} ${message.split(' ')[0]!}`)).toEqual(['13 queuePair.window']);
  });

  it('with a CC_MODE that is no congestion control is told so', async () => {
    const plan = await planned('CC_MODE 99\n');
    expect(plan.packet.congestion.algorithm).toBe('none');
    expect(plan.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`)).toContain(
      '12:9 CC_MODE 99 means no congestion control: every sender keeps its rate',
    );
    expect((await planned('CC_MODE 0\n')).warnings.map(({ code }) => code)).not.toContain('conf-mode');
  });

  it('names files from the current folder, and says so', async () => {
    const error = await planned('FLOW_FILE nothing.txt\n').catch((thrown: unknown) => thrown as InputError);
    expect((error as InputError).diagnostics.find(({ code }) => code === 'file-missing')!.hint).toBe(
      'paths are relative to the current folder',
    );
  });

  it('runs with the files that it names, from the current folder', async () => {
    const plan = await planned('ENABLE_PFC 1\nHAS_WIN 0\n');
    expect(plan.packet.packet).toMatchObject({ payload: 1000, header: 48, acknowledgement: 60, gap: 0 });
    expect(plan.packet.pfc.enabled).toBe(true);
    expect(plan.packet.queuePair.window).toBe('unlimited');
    expect(plan.packet.congestion.algorithm).toBe('dcqcn');
    expect(plan.packet.switch.buffer).toBe(9 * 2 ** 20);
    expect(plan.packet.ecnThresholds).toEqual([
      { rateBps: 100e9, minimumBytes: 100_000, maximumBytes: 400_000, probability: 0.2 },
    ]);
    expect(plan.warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['conf-ignored', 'links-not-read']));
    const summary = await simulate(plan, { host: memoryHost(files), sink: new MemorySink() });
    expect([summary.outcome, summary.finished]).toEqual(['finished', 1]);
    // 1,000 packets of 1,048 B, the last on two links, and an ACK of 60 B over both
    expect(summary.fct.meanNs).toBeCloseTo(1001 * 83.84 + 2 * 2000 + 2 * 4.8, 3);
  });

  it.each([
    ['ENABLE_PFC 0\n', { transport: 'go-back-n', window: 'unlimited' }],
    [
      'ENABLE_PFC 0\nENABLE_IRN 1\nHAS_WIN 1\nSELF_DEFINE_WIN 1\nSELF_WIN_BYTES 500000\n',
      { transport: 'irn', window: 500_000 },
    ],
    ['ENABLE_IRN 1\nHAS_WIN 0\n', { transport: 'irn', window: 'unlimited' }],
    ['ENABLE_PFC 0\nENABLE_OMNIDMA 1\n', { transport: 'omnidma', window: 'unlimited' }],
    ['HAS_WIN 1\nGLOBAL_T 0\n', { transport: 'go-back-n', window: 'pair-bdp' }],
    ['HAS_WIN 1\n', { transport: 'go-back-n', window: 'max-bdp' }],
  ])('%j gives %j', async (more, expected) => {
    const { packet } = await planned(more);
    expect({ transport: packet.transport.algorithm, window: packet.queuePair.window }).toEqual(expected);
  });

  it('of OmniDMA has its packets, its DMA and its losses', async () => {
    const { packet } = await planned(
      `ENABLE_OMNIDMA 1
OMNIDMA_BITMAP_SIZE 32
RNIC_DMA_BW 128Gb/s
RNIC_DMA_FIXED_LATENCY_NS 250
MY_SWITCH_TOTAL_DROP_RATE 0.05
SWITCH_DROP_MODE lossrate
SWITCH_DROP_SWITCH_CONFIG_FILE config/switches.txt
`,
    );
    expect(packet.packet).toMatchObject({ header: 56, acknowledgement: 108 });
    expect(packet.own['omnidma']).toMatchObject({ bitmap: 32 });
    expect(packet.own['rnic']).toMatchObject({ dma: 'duplex', dmaBandwidth: 128e9, dmaLatency: 250_000 });
    expect(packet.loss).toMatchObject({ model: 'amazon', rate: 0.05 });
    // the two ports of the switch, of four in all
    expect(Array.from(packet.losses.rates!).sort()).toEqual([0, 0, 0.05, 0.05]);
  });

  it('of OmniDMA records what its files of RNICs are to hold, and one without OmniDMA does not', async () => {
    const more = `RNIC_DMA_OPS_FILE a
RNIC_DMA_STATS_FILE b
MEMORY_USAGE_MON_FILE c
HIT_RATE_OUTPUT_FILE d
OMNIDMA_EVENT_OUTPUT_FILE e
OMNI_MONITORING_INTERVAL 100000
`;
    const { packet } = await planned(`ENABLE_OMNIDMA 1\n${more}`);
    expect(packet.probes).toMatchObject({
      rnicDmaOps: true,
      rnicDmaStats: true,
      memoryUsage: true,
      adamapCache: true,
      adamapEvents: true,
      rnicInterval: 100_000_000,
    });
    const { packet: without } = await planned(`ENABLE_IRN 1\n${more}`);
    expect(without.probes).toMatchObject({ rnicDmaOps: false, rnicInterval: 10_000_000 });
  });

  it.each([
    ['MY_SWITCH_TOTAL_DROP_RATE 0.01', true],
    ['MY_SWITCH_TOTAL_DROP_RATE 0', false],
    ['SWITCH_DROP_MODE none\nMY_SWITCH_TOTAL_DROP_RATE 0.01', false],
    ['SWITCH_DROP_MODE seqnum\nSWITCH_DROP_SEQNUM_CONFIG_FILE config/seqnum.txt', true],
  ])('records lost packets if SWITCH_DROP_OUTPUT_FILE names a file and some may be lost: %s', async (more, isOn) => {
    const { packet } = await planned(`ENABLE_PFC 0\n${more}\nSWITCH_DROP_OUTPUT_FILE mix/switch_drop_output.txt\n`);
    expect(packet.probes.packetLosses).toBe(isOn);
  });

  it('reads losses by sequence number', async () => {
    const plan = await planned(
      'ENABLE_PFC 0\nSWITCH_DROP_MODE seqnum\nSWITCH_DROP_SEQNUM_CONFIG_FILE config/seqnum.txt\n',
    );
    const summary = await simulate(plan, { host: memoryHost(files), sink: new MemorySink() });
    // packets 5, 7 and 8
    expect(summary.counters['packetsLost']).toBe(3);
  });

  it('ends at SIMULATOR_STOP_TIME, with what flows have brought to their ends by then', async () => {
    const plan = await planned('ENABLE_PFC 1\nHAS_WIN 0\nSIMULATOR_STOP_TIME 2.00005\n');
    const summary = await simulate(plan, { host: memoryHost(files), sink: new MemorySink() });
    expect([summary.outcome, summary.simulatedPs]).toEqual(['ended', 2.00005e12]);
    // packets of 1,048 B, the first after two links of 1 us
    expect(summary.unfinished!.deliveredBytes).toBe(Math.floor((50_000 - 2000 - 83.84) / 83.84) * 1000);
  });

  it('of ConWeave records reorder queues where VOQ_MON_FILE names a file, and no other balancing does', async () => {
    const voq = 'VOQ_MON_FILE mix/voq.txt\n';
    expect(await reorderIntervalOf(`LB_MODE 9\n${voq}SW_MONITORING_INTERVAL 5000\n`)).toBe(5e6);
    expect(await reorderIntervalOf(`LB_MODE 9\n${voq}`)).toBe(10e6);
    expect(await reorderIntervalOf(`LB_MODE 0\n${voq}`)).toBe(0);
    expect(await reorderIntervalOf('LB_MODE 9\nSW_MONITORING_INTERVAL 5000\n')).toBe(0);
  });

  it('of ns3-rdma means what it means there', async () => {
    const host = memoryHost({
      // two ways between the switches of two hosts: where there is one, there is nothing to balance
      'topology.txt': `6 4 6\n0 1 2 3\n${['0 4', '0 1', '0 2', '1 3', '2 3', '3 5'].map((ends) => `${ends} 40Gbps 0.0001ms\n`).join('')}`,
      'flow.txt': '1\n4 5 3 10000000 2.0 9.5\n',
      'config.txt': `TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
TCP_FLOW_FILE flow_tcp.txt
PACKET_LEVEL_ECMP 1
PACKET_PAYLOAD_SIZE 1000
SIMULATOR_STOP_TIME 2.05
CNP_INTERVAL 50
NP_SAMPLING_INTERVAL 0
CLAMP_TARGET_RATE 1
BYTE_COUNTER 300000
DCTCP_GAIN 0.0078125
KMAX 1000
KMIN 40
PMAX 0.5
`,
    });
    const plan = await makePlan('config.txt', { host, overrides: [] });
    const { packet } = plan;
    expect(packet.ecnThresholds).toEqual([
      { rateBps: 40e9, minimumBytes: 41_200, maximumBytes: 1_030_000, probability: 0.5 },
    ]);
    expect(packet.own['dcqcn']).toMatchObject({ gain: 0.0078125, clampTargetRate: true });
    expect(packet.queuePair.notificationInterval).toBe(50e6);
    expect(packet.balancing).toBe('spray');
    expect([plan.source.total, plan.source.totalBytes, plan.stopPs]).toEqual([1, 1e10, 2.05e12]);
    // the flow would end at 9.5 s, and the run ends before
    expect(plan.warnings.map(({ code }) => code)).not.toContain('flow-file-end');
    const longer = await makePlan('config.txt', { host, overrides: ['stopTime=9.6s'] });
    expect(longer.warnings.map(({ code }) => code)).toContain('flow-file-end');
  });

  it('gives way to --set', async () => {
    const { packet } = await planned('ENABLE_IRN 1\n', ['irn.recovery=selective', 'packet.payload=2000B']);
    expect(packet.own['irn']).toMatchObject({ recovery: 'selective' });
    expect(packet.packet.payload).toBe(2000);
  });
});

it('has every key on its page', () => {
  const page = readFileSync('docs/formats/hpcc-config.md', 'utf8');
  expect(Object.keys(hpccKeys).filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

/** The hint of the first error of a config, without the words around what is to be written. */
async function hintOf(text: string, more: Readonly<Record<string, string>>): Promise<string> {
  const host = memoryHost({ ...files, ...more, 'c.txt': text });
  const error = await makePlan('c.txt', { host, overrides: [] }).catch((thrown: unknown) => thrown as InputError);
  return (error as InputError).diagnostics.find(({ severity }) => severity === 'error')!.hint!;
}
async function accepts(text: string, more: Readonly<Record<string, string>>): Promise<boolean> {
  return makePlan('c.txt', { host: memoryHost({ ...files, ...more, 'c.txt': text }), overrides: [] }).then(
    () => true,
    () => false,
  );
}

describe('a hint', () => {
  const fast = { 'config/topo_simple_dumbbell_OS2.txt': topology.replaceAll('100Gbps', '33Gbps') };
  const maps = /KM\w+_MAP [\d ]+|PMAX_MAP [\d. ]+/g;

  it('of thresholds is written in the keys of the config, and is accepted', async () => {
    const hint = await hintOf(base, fast);
    expect(hint).not.toContain('{');
    const lines = hint.match(maps)!;
    expect(lines).toHaveLength(3);
    expect(await accepts(base, fast)).toBe(false);
    expect(await accepts(`${base}${lines.join('\n')}\n`, fast)).toBe(true);
    const without = base.replace(/^[KP]M.*$/gm, '');
    const all = (await hintOf(without, fast)).match(maps)!;
    expect(await accepts(`${without}${all.join('\n')}\n`, fast)).toBe(true);
    expect(await accepts(`${without}ENABLE_QCN 0\n`, fast)).toBe(true);
  });

  it('of a missing flow file names its key', async () => {
    const without = base.replace(/^FLOW_FILE.*$/m, '');
    expect(await hintOf(without, {})).toContain('--set traffic.file=FILE');
    const host = memoryHost({ ...files, 'c.txt': without });
    expect(await makePlan('c.txt', { host, overrides: ['traffic.file=config/flow.txt'] })).toBeTruthy();
  });

  it('of counts and units in the files that it names is accepted', async () => {
    const flows = 'config/flow.txt';
    const missing = { [flows]: '3\n1 2 3 1000000 2.0\n' };
    const count = /to (\d+)$/.exec(await hintOf(base, missing))![1]!;
    expect(await accepts(base, { [flows]: missing[flows]!.replace('3', count) })).toBe(true);
    const name = 'config/topo_simple_dumbbell_OS2.txt';
    for (const [wrong, right] of [
      ['100Gbps', '100'],
      ['1us', '0.001'],
    ] as const) {
      const hint = await hintOf(base, { [name]: topology.replace(wrong, right) });
      const unit = /missing: (\S+)\?$/.exec(hint)![1]!;
      expect(await accepts(base, { [name]: topology.replace(wrong, unit) })).toBe(true);
    }
    // bit/s without a unit are none of that
    expect(await accepts(base, { [name]: topology.replaceAll('100Gbps', '100000000000.0') })).toBe(true);
    const links = topology.replace('3 1 2', '3 1 3').replace(/\n\nFirst[^]*/, '\n');
    const number = /to (\d+)$/.exec(await hintOf(base, { [name]: links }))![1]!;
    expect(await accepts(base, { [name]: links.replace('3 1 3', `3 1 ${number}`) })).toBe(true);
  });
});

describe('a mistake', () => {
  it.each([
    ['ENABLE_PFC 1\nENABLE_IRN 1\n', '13:1 conf-conflict ENABLE_PFC and ENABLE_IRN are 1; run.py takes one of them'],
    ['LB_MODE 5\n', '12:9 conf-mode LB_MODE is no balancing of Weft'],
    ['BUFFER_SIZE 0\n', '12:13 conf-value BUFFER_SIZE 0 is a size by ports'],
    ['HAS_WIN 1\nSELF_DEFINE_WIN 1\n', '12:1 conf-value SELF_DEFINE_WIN is 1 and SELF_WIN_BYTES is missing'],
    ['SWITCH_DROP_MODE __proto__\n', '12:18 conf-mode SWITCH_DROP_MODE is not known'],
    ['HAS_WIN yes\n', '12:9 conf-value HAS_WIN is not 0 or 1'],
    ['TOPOLOGY_FILE nothing.txt\n', '12:15 file-missing '],
  ])('%j: %s', async (more, message) => {
    expect((await mistakes(more)).map((text) => text.slice(0, message.length))).toContain(message);
  });

  it('in the list of switches stands where it is', async () => {
    const host = memoryHost({
      ...files,
      'config/switches.txt': '0 [all]\n\n 0 [1,x]\n',
      'c.txt': `${base}MY_SWITCH_TOTAL_DROP_RATE 0.1\nSWITCH_DROP_SWITCH_CONFIG_FILE config/switches.txt\n`,
    });
    const found = await makePlan('c.txt', { host, overrides: [] }).catch((error: unknown) =>
      (error as InputError).diagnostics.filter(({ severity }) => severity === 'error'),
    );
    expect(found).toEqual([
      expect.objectContaining({ code: 'loss-places', file: 'config/switches.txt', line: 3, column: 2 }),
    ]);
  });
});
