// A run from SimAI's inputs: what each key of the conf becomes, what is said of the others, the environment, and
// mistakes with their places.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/base/diagnostics.js';
import { makePlan } from '../../src/scenario/make-plan.js';
import type { Plan } from '../../src/scenario/plan.js';
import { confKeys } from '../../src/scenario/foreign/simai/conf-keys.js';
import { environmentVariables } from '../../src/scenario/foreign/simai/environment.js';
import { memoryHost } from '../memory-host.js';
import { rounds } from '../support/rounds.js';
import { seed } from '../support/seed.js';

/** Our own small conf: the values of SimAI's shipped one, which are the defaults here. */
const conf = `# comment
ENABLE_QCN 1
CC_MODE 1            # DCQCN
PACKET_PAYLOAD_SIZE 9000
RATE_AI 50Mb/s
KMAX_MAP 2 25000000000 400 100000000000 1600
KMIN_MAP 2 25000000000 100 100000000000 400
PMAX_MAP 2 25000000000 0.2 100000000000 0.2
LINK_DOWN 0 0 0
BUFFER_SIZE 32
`;
const topology = '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n';

interface Given {
  readonly environment?: Record<string, string>;
  readonly overrides?: readonly string[];
  readonly topology?: string;
  /** instead of a trace */
  readonly hasWorkload?: boolean;
}

const workload =
  'HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1000 1\n';

async function plan(text: string, given: Given = {}): Promise<Plan> {
  const host = memoryHost({
    'conf/SimAI.conf': text,
    'topology.txt': given.topology ?? topology,
    'trace.csv': '0,0,1,9\n',
    'w.txt': workload,
  });
  const work = given.hasWorkload === true ? { workload: 'w.txt' } : { trace: 'trace.csv' };
  return makePlan(
    { conf: 'conf/SimAI.conf', topology: 'topology.txt', work, environment: given.environment ?? {} },
    { host, overrides: given.overrides ?? [] },
  );
}

/** What a path of the resolved scenario says. */
function resolvedAt({ resolved }: Plan, path: string): unknown {
  return path.split('.').reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], resolved);
}

async function errorsOf(text: string, given: Given = {}): Promise<string[]> {
  try {
    await plan(text, given);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
  }
}

const warningsOf = ({ warnings }: Plan): string[] =>
  warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);

it("resolves to the same as a scenario with nothing but SimAI's packets when the conf is the shipped one", async () => {
  const ours = await plan(conf);
  const host = memoryHost({
    's.yaml':
      'name: SimAI\nfabric: { file: topology.txt }\ntraffic: { trace: trace.csv }\npacket: { profile: simai }\n',
    'topology.txt': topology,
    'trace.csv': '0,0,1,9\n',
  });
  const { resolved } = await makePlan('s.yaml', {
    host,
    overrides: [
      'ecn.thresholds=[{rate: 25Gbps, minimum: 100kB, maximum: 400kB, probability: 0.2}, {rate: 100Gbps, minimum: 400kB, maximum: 1600kB, probability: 0.2}]',
    ],
  });
  expect(ours.resolved).toEqual(resolved);
  expect(ours.warnings).toEqual([]);
});

/** Each key with a value that is not the default, and what it gives. */
const changes: readonly [string, string, Record<string, unknown>][] = [
  ['ENABLE_QCN', '0', { 'ecn.enabled': false }],
  ['ECN_ENABLED', '0', { 'ecn.enabled': false }],
  ['CC_MODE', '3', { 'congestion.algorithm': 'hpcc', 'packet.header': '94B', 'packet.acknowledgement': '92B' }],
  ['CC_MODE', '7', { 'congestion.algorithm': 'timely', 'packet.header': '60B', 'packet.acknowledgement': '60B' }],
  ['CC_MODE', '8', { 'congestion.algorithm': 'dctcp', 'packet.header': '52B', 'packet.acknowledgement': '60B' }],
  ['CC_MODE', '10', { 'congestion.algorithm': 'hpcc-pint', 'packet.header': '54B', 'packet.acknowledgement': '60B' }],
  ['PINT_LOG_BASE', '1.1', { 'pint.logBase': 1.1 }],
  ['PINT_PROB', '0.5', { 'pint.probability': 0.5 }],
  ['CC_MODE', '0', { 'congestion.algorithm': 'none' }],
  ['CC_MODE', '5', { 'congestion.algorithm': 'none' }],
  ['PACKET_PAYLOAD_SIZE', '4096', { 'packet.payload': '4KiB' }],
  ['ALPHA_RESUME_INTERVAL', '55', { 'dcqcn.alphaInterval': '55us' }],
  ['RATE_DECREASE_INTERVAL', '1.5', { 'dcqcn.decreaseInterval': '1500ns' }],
  ['CLAMP_TARGET_RATE', '1', { 'dcqcn.clampTargetRate': true }],
  ['RP_TIMER', '300', { 'dcqcn.increaseInterval': '300us' }],
  ['EWMA_GAIN', '0.0625', { 'dcqcn.gain': 0.0625, 'dctcp.gain': 0.0625 }],
  ['DCTCP_GAIN', '0.0625', { 'dcqcn.gain': 0.00390625, 'dctcp.gain': 0.0625 }],
  ['FAST_RECOVERY_TIMES', '5', { 'dcqcn.fastRecoveryRounds': 5 }],
  [
    'RATE_AI',
    '60Mb/s',
    { 'dcqcn.additiveIncrease': '60Mbps', 'timely.additiveIncrease': '60Mbps', 'hpcc.additiveIncrease': '60Mbps' },
  ],
  ['RATE_HAI', '200Mb/s', { 'dcqcn.hyperIncrease': '200Mbps', 'timely.hyperIncrease': '200Mbps' }],
  [
    'MIN_RATE',
    '1Gb/s',
    {
      'dcqcn.minimumRate': '1Gbps',
      'dctcp.minimumRate': '1Gbps',
      'timely.minimumRate': '1Gbps',
      'hpcc.minimumRate': '1Gbps',
    },
  ],
  ['DCTCP_RATE_AI', '500000000', { 'dctcp.additiveIncrease': '500Mbps' }],
  ['HAS_WIN', '0', { 'queuePair.window': 'unlimited' }],
  ['VAR_WIN', '0', { 'queuePair.variableWindow': false }],
  ['RATE_BOUND', '0', { 'queuePair.rateBound': false }],
  ['FAST_REACT', '0', { 'hpcc.fastReact': false }],
  ['U_TARGET', '0.9', { 'hpcc.targetUtilisation': 0.9 }],
  ['MI_THRESH', '5', { 'hpcc.maxStage': 5 }],
  ['MULTI_RATE', '1', { 'hpcc.multiRate': true }],
  ['ACK_HIGH_PRIO', '1', { 'queuePair.acknowledgementPriority': 0 }],
  ['L2_BACK_TO_ZERO', '1\nPACKET_PAYLOAD_SIZE 1000', { 'queuePair.goBackTo': 'chunk-start', 'queuePair.chunk': '4kB' }],
  ['L2_BACK_TO_ZERO', '1\nL2_CHUNK_SIZE 0', { 'queuePair.goBackTo': 'message-start' }],
  ['L2_CHUNK_SIZE', '65536\nL2_BACK_TO_ZERO 1', { 'queuePair.goBackTo': 'chunk-start', 'queuePair.chunk': '64KiB' }],
  ['L2_ACK_INTERVAL', '0', { 'queuePair.acknowledgementInterval': 4 }],
  ['L2_ACK_INTERVAL', '0\nL2_CHUNK_SIZE 6000\nPACKET_PAYLOAD_SIZE 1500', { 'queuePair.acknowledgementInterval': 4 }],
  ['L2_ACK_INTERVAL', '0\nL2_CHUNK_SIZE 10000\nPACKET_PAYLOAD_SIZE 1500', { 'queuePair.acknowledgementInterval': 20 }],
  [
    'KMIN_MAP',
    '1 100000000000 500',
    { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '500kB', maximum: '1600kB', probability: 0.2 }] },
  ],
  [
    'KMAX_MAP',
    '1 100000000000 900',
    { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '400kB', maximum: '900kB', probability: 0.2 }] },
  ],
  [
    'PMAX_MAP',
    '1 100000000000 0.5',
    { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '400kB', maximum: '1600kB', probability: 0.5 }] },
  ],
  ['KMIN', '300', { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '300kB', maximum: '1600kB', probability: 0.2 }] }],
  [
    'KMAX',
    '3200000',
    { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '400kB', maximum: '3200kB', probability: 0.2 }] },
  ],
  ['PMAX', '0.7', { 'ecn.thresholds': [{ rate: '100Gbps', minimum: '400kB', maximum: '1600kB', probability: 0.7 }] }],
  ['ERROR_RATE_PER_LINK', '0.01', { 'fabric.errorRate': 0.01 }],
  ['LINK_DOWN', '100 0 2', { 'failures.convergenceTime': '0us', 'failures.events': [{ at: '100us', link: '0-2' }] }],
  ['BUFFER_SIZE', '16', { 'switch.buffer': '16MiB' }],
  ['BUFFER_SIZE', '16777216', { 'switch.buffer': '16MiB' }],
  ['PFC_OUTPUT_FILE', '/etc/astra-sim/pfc.txt', { 'probes.pfcEvents': true }],
  ['QLEN_MON_FILE', 'qlen.txt', { 'probes.queueInterval': '10ms' }],
  ['BW_MON_FILE', 'bw.txt', { 'probes.bandwidthInterval': '10ms' }],
  ['RATE_MON_FILE', 'rate.txt', { 'probes.rateInterval': '100us', 'probes.notificationInterval': '0us' }],
  ['CNP_MON_FILE', 'cnp.txt', { 'probes.rateInterval': '0us', 'probes.notificationInterval': '100us' }],
  ['QLEN_MON_INTERVAL', '5\nQLEN_MON_FILE qlen.txt', { 'probes.queueInterval': '5us' }],
  ['BW_MON_INTERVAL', '0.5\nBW_MON_FILE bw.txt', { 'probes.bandwidthInterval': '500ns' }],
  [
    'QP_MON_INTERVAL',
    '7\nRATE_MON_FILE rate.txt\nCNP_MON_FILE cnp.txt',
    { 'probes.rateInterval': '7us', 'probes.notificationInterval': '7us' },
  ],
  ['MON_START', '3\nQLEN_MON_FILE qlen.txt', { 'probes.start': '3us' }],
  ['MON_END', '20000\nQLEN_MON_FILE qlen.txt', { 'probes.end': '20ms' }],
];

it.each(changes)('%s %s', async (key, value, wanted) => {
  const changed = await plan(`${key} ${value}\n`);
  for (const [path, text] of Object.entries(wanted)) expect([path, resolvedAt(changed, path)]).toEqual([path, text]);
  expect((await plan('VAR_WIN 1\n')).resolved).not.toEqual(changed.resolved);
});

it('tests every key that gives a setting', () => {
  const mapped = Object.entries(confKeys)
    .filter(([, { settings = [] }]) => settings.length > 0)
    .map(([key]) => key);
  expect(mapped.filter((key) => !changes.some(([changed]) => changed === key))).toEqual([]);
});

describe('warnings', () => {
  it.each([
    [
      'PAUSE_TIME 5',
      [
        '1:1 PAUSE_TIME is ignored: a pause lasts until it is resumed, as in SimAI, which only writes the time into its frames (pfc.pauseTime gives pauses a time)',
      ],
    ],
    ['L2_BACK_TO_ZERO 0\nL2_ACK_INTERVAL 1\nGLOBAL_T 0\nVAR_WIN 1', []],
    ['L2_BACK_TO_ZERO 1', ['1:1 queuePair.goBackTo, queuePair.chunk have no effect: a chunk of 4kB is one packet']],
    ['L2_BACK_TO_ZERO 1\nL2_CHUNK_SIZE 65536', []],
    [
      'L2_CHUNK_SIZE 65536',
      ['1:1 L2_CHUNK_SIZE is ignored: chunks matter only to L2_BACK_TO_ZERO 1 and L2_ACK_INTERVAL 0'],
    ],
    ['L2_CHUNK_SIZE 0\nL2_BACK_TO_ZERO 0', []],
    [
      'L2_CHUNK_SIZE 0\nL2_BACK_TO_ZERO 1',
      [
        '1:1 L2_CHUNK_SIZE 0 with L2_BACK_TO_ZERO 1: a sender goes back to the start of the message (SimAI divides by zero)',
      ],
    ],
    [
      'L2_ACK_INTERVAL 0\nL2_CHUNK_SIZE 0',
      ['2:1 L2_CHUNK_SIZE 0 with L2_ACK_INTERVAL 0: every packet is acknowledged (SimAI divides by zero)'],
    ],
    [
      'L2_ACK_INTERVAL 16',
      ['1:1 L2_ACK_INTERVAL 16: every packet is acknowledged, as in SimAI 1.6 with any interval from 1 on'],
    ],
    ['L2_WAIT_FOR_ACK 0', []],
    [
      'L2_WAIT_FOR_ACK 1',
      ['1:1 L2_WAIT_FOR_ACK is ignored: no release of SimAI reads it; a sender waits when its window is full'],
    ],
    [
      'FLOW_FILE a b\nTRACE_FILE',
      [
        '1:1 FLOW_FILE, TRACE_FILE are ignored: flows come from --trace or --workload, and results go to the folder of --out',
      ],
    ],
    ['VAR_WINN 0', ['1:1 VAR_WINN is not known and does nothing']],
    ['constructor 0', ['1:1 constructor is not known and does nothing']],
    ['CC_MODE 5', ['1:9 CC_MODE 5 means no congestion control: every sender keeps its rate']],
    ['BUFFER_SIZE 16777216', ['1:13 BUFFER_SIZE 16777216 is read as bytes']],
    [
      'ENABLE_QCN 1\nECN_ENABLED 0',
      ['2:1 ECN_ENABLED is ignored: ENABLE_QCN in line 1 says otherwise, and SimAI reads that one'],
    ],
    [
      'KMIN 1500\nKMAX 100000\nPMAX 0.2',
      ['1:1 KMIN, KMAX, PMAX hold for the switch ports of every rate; KMIN 1500 and KMAX 100000 are taken for bytes'],
    ],
    ['QLEN_MON_FILE qlen.txt\nQLEN_MON_INTERVAL 10\nMON_START 0\nMON_END 20000\nPFC_OUTPUT_FILE pfc.txt', []],
    [
      'QLEN_MON_INTERVAL 10\nQP_MON_INTERVAL 100\nBW_MON_FILE bw.txt',
      [
        '1:1 QLEN_MON_INTERVAL is ignored: QLEN_MON_FILE is not given, so nothing is recorded',
        '2:1 QP_MON_INTERVAL is ignored: RATE_MON_FILE and CNP_MON_FILE are not given, so nothing is recorded',
      ],
    ],
    [
      'RATE_MON_FILE\nMON_END 5',
      [
        '1:1 RATE_MON_FILE is ignored: it names no file',
        '2:1 probes.end has no effect: neither samples nor packet latencies are recorded',
      ],
    ],
    ['PMAX 0.1\nPMAX_MAP 1 100000000000 0.5', ['1:1 PMAX is ignored: the maps by port rate take precedence']],
  ])('%s', async (text, wanted) => {
    expect(warningsOf(await plan(text))).toEqual(wanted);
  });

  it('explain every key that gives nothing', async () => {
    for (const [key, { reason }] of Object.entries(confKeys)) {
      if (reason !== undefined)
        expect(warningsOf(await plan(`${key} 77\n`).catch(() => plan(`${key} 0\n`)))).toEqual([
          `1:1 ${key} is ignored: ${reason}`,
        ]);
    }
  });

  it('suggest the key that was meant', async () => {
    expect((await plan('VAR_WINN 0')).warnings).toMatchObject([
      { code: 'conf-unknown-key', file: 'conf/SimAI.conf', hint: 'did you mean VAR_WIN?' },
    ]);
  });
});

describe('errors stand where the conf says it', () => {
  it.each([
    ['', 'conf-empty conf/SimAI.conf:1:1'],
    ['VAR_WIN 1\nERROR_RATE_PER_LINK 1.01', 'scenario-range conf/SimAI.conf:2:21'],
    ['QLEN_MON_FILE q\nMON_START 9\nMON_END 9', 'probes-end conf/SimAI.conf:3:9'],
    ['QLEN_MON_FILE q\nQLEN_MON_INTERVAL often', 'conf-value conf/SimAI.conf:2:19'],
    ['LINK_DOWN 5 3', 'conf-value conf/SimAI.conf:1:1'],
    ['LINK_DOWN 1.5 3 4', 'conf-value conf/SimAI.conf:1:1'],
    ['LINK_DOWN', 'conf-value conf/SimAI.conf:1:1'],
    ['CC_MODE DCQCN', 'conf-value conf/SimAI.conf:1:9'],
    ['PACKET_PAYLOAD_SIZE 100', 'scenario-range conf/SimAI.conf:1:21'],
    ['EWMA_GAIN 2', 'scenario-range conf/SimAI.conf:1:11,scenario-range conf/SimAI.conf:1:11'],
    ['RP_TIMER 0', 'scenario-range conf/SimAI.conf:1:10'],
    ['BUFFER_SIZE 0', 'scenario-range conf/SimAI.conf:1:13'],
    ['PMAX 2', 'scenario-range conf/SimAI.conf:1:6'],
    ['KMIN 2000\nKMAX 1000', 'ecn-minimum-above-maximum conf/SimAI.conf:1:6'],
    ['KMAX_MAP 1 25000000000 400', 'ecn-rate-missing conf/SimAI.conf:1:1'],
    [
      'KMAX_MAP 1 100000000000 4\nKMIN_MAP 1 25000000000 4',
      'conf-map-rate conf/SimAI.conf:1:12,conf-map-rate conf/SimAI.conf:2:12',
    ],
    ['KMAX_MAP 2 100000000000 4000 100000000000 5000', 'ecn-duplicate-rate conf/SimAI.conf:1:30'],
    ['MIN_RATE 200Gb/s', 'minimum-rate-above-link conf/SimAI.conf:1:10'],
  ])('%j', async (text, wanted) => {
    expect((await errorsOf(text)).join()).toBe(wanted);
  });

  it('also for the files of the options', async () => {
    const host = memoryHost({ 'SimAI.conf': conf, topology });
    const inputs = { conf: 'SimAI.conf', topology: 'topology', work: { trace: 'missing.csv' }, environment: {} };
    await expect(makePlan(inputs, { host, overrides: [] })).rejects.toThrow(
      '--trace: error: the trace cannot be read: missing.csv: no such file',
    );
    await expect(makePlan({ ...inputs, conf: 'none' }, { host, overrides: [] })).rejects.toThrow(
      'none: error: the conf cannot be read: no such file',
    );
  });
});

it('ERROR_RATE_PER_LINK is for links whose own error rate is 0', async () => {
  const ours = await plan('ERROR_RATE_PER_LINK 0.01\n', {
    topology: topology.replace('0 2 100Gbps 1us 0', '0 2 100Gbps 1us 0.5'),
  });
  expect([...ours.fabric.linkErrorRate]).toEqual([0.5, 0.01]);
  expect([...(await plan(conf)).fabric.linkErrorRate]).toEqual([0, 0]);
});

it("the conf that the communication stack's document shows is a run, and what is doubtful in it is said", async () => {
  const shown =
    'ENABLE_QCN 1\nUSE_DYNAMIC_PFC_THRESHOLD 1\nCC_MODE 1\nPACKET_PAYLOAD_SIZE 9000\nPAUSE_TIME 5\nL2_WAIT_FOR_ACK 0\nBUFFER_SIZE 16777216\nKMIN 1500\nKMAX 100000\nPMAX 0.2\nECN_ENABLED 1\nDCTCP_GAIN 0.00390625\n';
  const ours = await plan(shown);
  expect(resolvedAt(ours, 'ecn')).toEqual({
    enabled: true,
    thresholds: [{ rate: '100Gbps', minimum: '1500B', maximum: '100kB', probability: 0.2 }],
  });
  expect(
    ['switch.buffer', 'packet.payload', 'congestion.algorithm', 'dctcp.gain'].map((path) => resolvedAt(ours, path)),
  ).toEqual(['16MiB', '9kB', 'dcqcn', 0.00390625]);
  expect(ours.warnings.map(({ code, line }) => [code, line])).toEqual([
    ['conf-unit', 7],
    ['conf-ignored', 5],
    ['conf-unit', 8],
  ]);
});

const readingsOf = async (time: string): Promise<string[]> =>
  (await plan(`LINK_DOWN ${time} 0 2\n`)).warnings
    .map(({ message }) => message)
    .filter((text) => text.includes('readings'));

it('a LINK_DOWN that may mean nanoseconds is said, with both readings', async () => {
  expect(await readingsOf('999999')).toEqual([]);
  const [message, ...more] = await readingsOf('1000000');
  expect(more).toEqual([]);
  for (const reading of ['microseconds', '1 s', 'nanoseconds', '1 ms', 'write 1000'])
    expect(message).toContain(reading);
});

const environmentWarnings = ({ warnings }: Plan): string[] =>
  warnings.map(({ file, message }) => `${file}: ${message}`);

describe('the environment', () => {
  it('gives the controller and the latency, and the output says so', async () => {
    const ours = await plan(conf, { environment: { CC_ENABLE: '1', AS_SEND_LAT: '6' } });
    expect([ours.controller.enabled, ours.sendLatencyPs]).toEqual([true, 6e6]);
    expect(environmentWarnings(ours)).toEqual([
      'environment variable CC_ENABLE: controller.enabled is true, because CC_ENABLE is 1',
      'environment variable AS_SEND_LAT: sendLatency is 6us, because AS_SEND_LAT is 6',
    ]);
  });

  it('is explained in one warning where it does nothing', async () => {
    const environment = {
      AS_NVLS_ENABLE: '1',
      AS_PXN_ENABLE: '1',
      AS_LOG_LEVEL: 'INFO',
      AS_SEND_LATENCY: '6',
      CC_LOG_FILE: '',
      CC_FOR_BUILD: 'gcc',
      PATH: '/bin',
    };
    expect(environmentWarnings(await plan(conf, { environment }))).toEqual([
      'environment: AS_PXN_ENABLE does nothing here: a trace has single transfers, and no collectives; AS_LOG_LEVEL does nothing here: there is no log; see --quiet; AS_SEND_LATENCY does nothing here: did you mean AS_SEND_LAT?',
    ]);
  });

  it('chooses how collectives are done where there are any: as SimAI, which reads not all that its documents name', async () => {
    const withWorkload = (environment: Record<string, string>, ...overrides: string[]): Promise<Plan> =>
      plan(conf, { environment, overrides, hasWorkload: true });
    expect((await withWorkload({})).collectives).toMatchObject({
      profile: 'simai',
      algorithm: 'auto',
      nvls: false,
      pxn: false,
      channels: 0,
    });
    expect((await withWorkload({ AS_NVLS_ENABLE: '1', AS_PXN_ENABLE: '1' })).collectives).toMatchObject({
      nvls: true,
      pxn: true,
    });
    expect((await withWorkload({ AS_NVLS_ENABLE: '1' }, 'collectives.nvls=false')).collectives.nvls).toBe(false);
    // NVSwitches of this fabric's GPUs do not sum: the variable is told that it does nothing
    const { warnings } = await withWorkload({ AS_NVLS_ENABLE: '1' });
    expect(warnings.filter(({ code, path }) => code === 'no-effect' && path === 'collectives.nvls')).toMatchObject([
      { file: 'environment variable AS_NVLS_ENABLE' },
    ]);
    // the document's nvls_enable chooses tables; SimAI 1.6 takes NVSwitches whatever it says
    const waysOf = async (...given: Parameters<typeof withWorkload>): Promise<unknown> => {
      const { collectives, routing } = await withWorkload(...given);
      return [collectives.nvls, routing.withinServers];
    };
    const document = 'collectives.profile=document';
    expect(await waysOf({ AS_NVLS_ENABLE: '0' })).toEqual([false, 'nvlink']);
    expect(await waysOf({}, document)).toEqual([false, 'nvlink']);
    expect(await waysOf({ AS_NVLS_ENABLE: '0' }, document)).toEqual([false, 'network']);
    expect(await waysOf({ AS_NVLS_ENABLE: '1' }, document)).toEqual([true, 'nvlink']);
    expect(await waysOf({ AS_NVLS_ENABLE: '0' }, document, 'routing.withinServers=nvlink')).toEqual([false, 'nvlink']);
    expect(
      await errorsOf(conf, { environment: { AS_RING_CHANNELS: '4', AS_NV_CHANNELS: '8' }, hasWorkload: true }),
    ).toEqual([
      'environment environment variable AS_RING_CHANNELS:0:0',
      'environment environment variable AS_NV_CHANNELS:0:0',
    ]);
    expect((await withWorkload({ AS_RING_CHANNELS: '4' }, 'collectives.profile=document')).collectives).toMatchObject({
      profile: 'document',
      channels: 4,
    });
    expect(await errorsOf(conf, { environment: { AS_NVLS_ENABLE: 'yes' }, hasWorkload: true })).toEqual([
      'environment environment variable AS_NVLS_ENABLE:0:0',
    ]);
  });

  it("chooses the document's tables within servers for a trace", async () => {
    const { routing, warnings } = await plan(conf, { environment: { AS_NVLS_ENABLE: '0' } });
    expect(routing.withinServers).toBe('network');
    expect(warnings.map(({ message }) => message)).toContain(
      'routing.withinServers is network, because AS_NVLS_ENABLE is 0',
    );
    for (const environment of [{}, { AS_NVLS_ENABLE: '1' }])
      expect((await plan(conf, { environment })).routing.withinServers).toBe('nvlink');
    expect(await errorsOf(conf, { environment: { AS_NVLS_ENABLE: 'yes' } })).toEqual([
      'environment environment variable AS_NVLS_ENABLE:0:0',
    ]);
  });

  it("runs a workload in SimAI's order, over all GPUs", async () => {
    const { jobs, resolved } = await plan(conf, { hasWorkload: true });
    expect(jobs.map(({ ranks, pipelineSchedule, iterations }) => [ranks.length, pipelineSchedule, iterations])).toEqual(
      [[2, 'all-forward-all-backward', 1]],
    );
    expect(resolved['workload']).toMatchObject({ file: 'w.txt', asSimai: true });
  });

  // all names of the communication-stack document and of SimAI's tutorial
  it.each(
    [
      'AS_SEND_LAT',
      'AS_NVLS_ENABLE',
      'AS_NVLSTREE_ENABLE',
      'AS_PXN_ENABLE',
      'AS_LOG_LEVEL',
      'AS_GPU_TYPE',
      'AS_NV_CHANNELS',
      'AS_RING_CHANNELS',
      'AS_NET_BW',
      'AS_SIM_THREADS',
      'CC_ENABLE',
      'CC_LOG_FILE',
      'TRACE_INJECT_FILE',
    ].flatMap((name) => ['2', '1', '0'].flatMap((text) => [true, false].map((has) => [name, text, has] as const))),
  )('%s=%s works, is explained or is refused (with a workload: %s)', async (name, text, hasWorkload) => {
    expect(Object.keys(environmentVariables)).toContain(name);
    const request = { environment: { [name]: text }, hasWorkload };
    const outcome = await plan(conf, request).catch((error: unknown) => error);
    if (outcome instanceof InputError) {
      expect(outcome.diagnostics.map(({ severity, file }) => [severity, file])).toContainEqual([
        'error',
        `environment variable ${name}`,
      ]);
      expect(outcome.message).toMatch(/wanted|hint/);
      return;
    }
    const said = (outcome as Plan).warnings.filter(({ message }) => message.includes(name)).length;
    // silent alone where Weft does what the value asks for
    const isAsHere = ['AS_NVLSTREE_ENABLE=0', 'AS_PXN_ENABLE=0', 'AS_RING_CHANNELS=0', 'AS_SIM_THREADS=1'].includes(
      `${name}=${text}`,
    );
    const isNvlsOfTrace = name === 'AS_NVLS_ENABLE' && text === '1' && !hasWorkload;
    expect(said).toBe((isAsHere && !(hasWorkload && name === 'AS_PXN_ENABLE')) || isNvlsOfTrace ? 0 : 1);
  });

  it.each([
    ['AS_GPU_TYPE', 'H100', /the topology file says it/],
    ['AS_NET_BW', '400', /the topology file says it/],
    ['AS_NV_CHANNELS', '8', /SimAI 1\.6 does not read it/],
    ['AS_NVLSTREE_ENABLE', '1', /SimAI 1\.6 does not read it/],
  ])('%s, which would change results, is refused with the reason', async (name, text, reason) => {
    await expect(plan(conf, { environment: { [name]: text }, hasWorkload: true })).rejects.toThrow(reason);
    // unset and empty are the same
    await expect(plan(conf, { environment: { [name]: '' }, hasWorkload: true })).resolves.toBeDefined();
  });

  it('is silent where it asks for what is done anyway', async () => {
    expect(
      environmentWarnings(
        await plan(conf, { environment: { AS_NVLS_ENABLE: '1', AS_PXN_ENABLE: '0', AS_SIM_THREADS: '1' } }),
      ),
    ).toEqual([]);
  });

  it('gives way to --set', async () => {
    const ours = await plan(conf, {
      environment: { CC_ENABLE: '1', AS_SEND_LAT: '' },
      overrides: ['controller.enabled=false'],
    });
    expect([ours.controller.enabled, warningsOf(ours)]).toEqual([
      false,
      ['0:0 CC_ENABLE is ignored: --set gives controller.enabled'],
    ]);
  });

  it('is checked', async () => {
    expect(await errorsOf(conf, { environment: { CC_ENABLE: 'yes', AS_SEND_LAT: '1.5' } })).toEqual([
      'environment environment variable CC_ENABLE:0:0',
      'environment environment variable AS_SEND_LAT:0:0',
    ]);
  });
});

it('--set wins over the conf', async () => {
  const ours = await plan('KMIN 5\nVAR_WIN 0\n', {
    overrides: [
      'queuePair.variableWindow=true',
      'ecn.thresholds=[{rate: 100Gbps, minimum: 1kB, maximum: 2kB, probability: 1}]',
    ],
  });
  expect([ours.packet.queuePair.variableWindow, ours.packet.ecnThresholds[0]!.minimumBytes]).toEqual([true, 1000]);
});

it(`any conf gives a plan or an InputError (WEFT_SEED=${seed})`, async () => {
  const value = fc.oneof(
    fc.constantFrom('0', '1', '10', '0.5', '1e11', '1e300', '50Mb/s', '1 100000000000 5', '-1', 'x', '', '0 0 0'),
    fc.string({ maxLength: 6 }),
  );
  const line = fc
    .tuple(fc.oneof(fc.constantFrom(...Object.keys(confKeys)), fc.string({ maxLength: 5 })), value)
    .map(([key, text]) => `${key} ${text}`);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      // errorsOf throws whatever is no InputError
      await errorsOf(lines.join('\n'));
    }),
    { seed, numRuns: rounds(300) },
  );
});
