// "This setting had no effect": every setting of the catalogue has a rule or always matters, and what the warnings say
// and where. That the rules are true is shown by runs, in setting-effects.slow.test.ts.

import { describe, expect, it } from 'vitest';
import { makePlan } from '../../src/scenario/make-plan.js';
import { inferenceSettings } from '../../src/scenario/form/inference-schema.js';
import { alwaysMatter, noEffectRulesOf } from '../../src/scenario/no-effect-rules.js';
import { failureEventSettings, failureTargets } from '../../src/scenario/form/schema.js';
import { defaultCatalogues } from '../../src/scenario/catalogues.js';
import { defaultForm } from '../../src/scenario/form/scenario-form.js';
import { memoryHost } from '../memory-host.js';
import { scenarioRun } from '../support/scenario-run.js';

const { topSettings, groups: settingGroups } = defaultForm();
const noEffectRules = noEffectRulesOf(defaultCatalogues, 'packet');
const base =
  'fabric: { generate: dumbbell, leftHosts: 2, rightHosts: 1 }\ntraffic: { transfers: [ { source: 0, destination: 2, size: 10kB } ] }\n';
const nvlink = '3 2 1 0 2 H100\n2\n0 2 400Gbps 25ns 0\n1 2 400Gbps 25ns 0\n';

async function warnings(text: string, set: readonly string[] = []): Promise<string[]> {
  const host = memoryHost({ 's.yaml': base + text, 'nvlink.txt': nvlink });
  return (await makePlan('s.yaml', { host, overrides: set })).warnings.map(
    ({ code, file, line, column, message }) => `${file}:${line}:${column} ${code} ${message}`,
  );
}

async function confWarnings(text: string): Promise<string[]> {
  const host = memoryHost({
    'SimAI.conf': text,
    t: '3 1 0 1 2 H100\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n',
    'c.csv': '0,0,1,9\n',
  });
  const plan = await makePlan(
    { conf: 'SimAI.conf', topology: 't', work: { trace: 'c.csv' }, environment: {} },
    { host, overrides: [] },
  );
  return plan.warnings.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const line = (rate: string, minimum: string): string =>
  `    - { rate: ${rate}, minimum: ${minimum}, maximum: 1200kB, probability: 0.8 }\n`;

/** The settings of the catalogue, one path each. */
const settings = [
  ...Object.keys(topSettings),
  ...Object.keys(inferenceSettings).map((name) => `inference.${name}`),
  ...Object.entries(settingGroups).flatMap(([group, entries]) =>
    Object.keys(entries).map((name) => `${group}.${name}`),
  ),
  ...[...Object.keys(failureEventSettings), ...failureTargets.map(({ name }) => name)].map(
    (name) => `failures.events[].${name}`,
  ),
];

describe('the table', () => {
  const patterns = noEffectRules.flatMap((rule) => rule.settings);
  const isIn = (path: string): boolean =>
    patterns.some((pattern) => pattern === path || (pattern.endsWith('.*') && path.startsWith(pattern.slice(0, -1))));

  it('has a rule for every setting that does not always matter', () => {
    expect(settings.filter((path) => !isIn(path) && !alwaysMatter.includes(path))).toEqual([]);
  });

  it('has no rule for a setting that always matters, and names no setting that does not exist', () => {
    expect(alwaysMatter.filter((path) => isIn(path) || !settings.includes(path))).toEqual([]);
    // forms of their own, not settings of a group
    const forms = [
      'loss.places',
      'loss.file',
      'ecn.thresholds',
      'ecn.thresholds[]',
      'fabric.errorRate',
      'collectives.environment',
    ];
    const known = new Set([...settings, ...forms]);
    expect(patterns.filter((pattern) => !pattern.endsWith('.*') && !known.has(pattern))).toEqual([]);
    expect(
      patterns.filter((pattern) => pattern.endsWith('.*') && settingGroups[pattern.slice(0, -2)] === undefined),
    ).toEqual([]);
  });

  it('names causes that exist', () => {
    const known = new Set([
      ...settings,
      'fabric',
      'inference.trace',
      'fabric.file',
      'failures.events',
      'loss.places',
      'routing.serviceLevels',
      'routing.sl2vl',
    ]);
    expect(noEffectRules.flatMap(({ causes }) => causes).filter((cause) => !known.has(cause))).toEqual([]);
  });
});

describe('a warning', () => {
  it.each([
    [
      'timely: { smoothing: 0.5 }',
      ['s.yaml:3:11 no-effect timely.smoothing has no effect: congestion.algorithm is dcqcn'],
    ],
    [
      'pint: { logBase: 1.1 }\ncongestion: { algorithm: hpcc }',
      ['s.yaml:3:9 no-effect pint.logBase has no effect: congestion.algorithm is hpcc'],
    ],
    [
      'hpcc: { multiRate: true, maxStage: 3 }\ncongestion: { algorithm: hpcc-pint }',
      [
        's.yaml:3:9 no-effect hpcc.multiRate has no effect: with HPCC over PINT packets carry one figure for the whole path',
      ],
    ],
    [
      'ecn: { enabled: true }\ncongestion: { algorithm: timely }',
      ['s.yaml:3:8 no-effect ecn.enabled has no effect: timely does not react to marks; they are only counted'],
    ],
    ['ecn: { enabled: true }', []],
    ['queuePair: { rateBound: false }\ndcqcn: { gain: 0.5 }', []],
    [
      'queuePair: { notificationInterval: 50us, rateBound: false }\ncongestion: { algorithm: dctcp }\ndctcp: { gain: 0.5 }',
      [],
    ],
    [
      'ecn: { thresholds: [ { rate: 100Gbps, minimum: 1kB, maximum: 9kB, probability: 0.5 } ] }\ncongestion: { algorithm: none }',
      [
        's.yaml:3:8 no-effect ecn.thresholds has no effect: without congestion control nobody reacts to marks; they are only counted',
      ],
    ],
    [
      'queuePair: { window: unlimited, rateBound: false }\ncongestion: { algorithm: hpcc }\nhpcc: { maxStage: 4 }',
      [
        's.yaml:4:15 no-effect congestion.algorithm has no effect: neither pacing nor the window follows the rate',
        's.yaml:5:9 no-effect hpcc.maxStage has no effect: neither pacing nor the window follows the rate',
      ],
    ],
    [
      'queuePair: { window: unlimited, variableWindow: false }',
      ['s.yaml:3:33 no-effect queuePair.variableWindow has no effect: the window is unlimited'],
    ],
    [
      'queuePair: { rateBound: false }\ncongestion: { algorithm: none }',
      [
        's.yaml:3:14 no-effect queuePair.rateBound has no effect: congestion.algorithm is none, and every sender keeps the rate of its NIC',
      ],
    ],
    [
      'queuePair: { retries: 3, retransmissionTimeout: 0us }',
      [
        's.yaml:3:14 no-effect queuePair.retries has no effect: queuePair.retransmissionTimeout is 0, so there are no timeouts',
      ],
    ],
    [
      'queuePair: { notificationInterval: 50us }\nhpcc: { maxStage: 1 }\ncongestion: { algorithm: hpcc }',
      [
        's.yaml:3:14 no-effect queuePair.notificationInterval has no effect: hpcc does not react to marks; they are only counted',
      ],
    ],
    [
      'pfc: { enabled: false, resumeOffset: 9kB }',
      ['s.yaml:3:24 no-effect pfc.resumeOffset has no effect: pfc.enabled is false'],
    ],
    ['queuePair: { notificationInterval: 50us, notificationDelay: 1us }\ncongestion: { algorithm: hpcc }', []],
    [
      'queuePair: { notificationDelay: 1us }\necn: { enabled: false }',
      ['s.yaml:3:14 no-effect queuePair.notificationDelay has no effect: without ECN no packet is marked'],
    ],
    [
      'packet: { notification: 90B }',
      [
        's.yaml:3:11 no-effect packet.notification has no effect: there are no CNPs without queuePair.notificationDelay',
      ],
    ],
    [
      'queuePair: { acknowledgementDelay: 5us }',
      ['s.yaml:3:14 no-effect queuePair.acknowledgementDelay has no effect: every packet is acknowledged at once'],
    ],
    ['queuePair: { acknowledgementDelay: 5us, acknowledgementInterval: 2 }', []],
    [
      'queuePair: { chunk: 8KiB, goBackTo: message-start }',
      ['s.yaml:3:14 no-effect queuePair.chunk has no effect: queuePair.goBackTo is message-start'],
    ],
    [
      'queuePair: { chunk: 4KiB, goBackTo: chunk-start }',
      [
        's.yaml:3:14 no-effect queuePair.chunk has no effect: a chunk of 4KiB is one packet',
        's.yaml:3:27 no-effect queuePair.goBackTo has no effect: a chunk of 4KiB is one packet',
      ],
    ],
    ['queuePair: { chunk: 4097, goBackTo: chunk-start }', []],
    [
      'queuePair: { notificationDelay: 1us, retransmissionTimeout: 1ms, perFlow: 2, portChoice: in-turn }\npacket: { profile: simai, payload: 1kB, header: 50B, acknowledgement: 61B, notification: 70B, pauseFrame: 50B, gap: 1B }\npfc: { headroom: cable, responseTime: 1us }',
      [
        's.yaml:3:78 no-effect queuePair.portChoice has no effect: no host has more than one link to the network',
        's.yaml:4:11 no-effect packet.profile has no effect: every setting that the profile gives is given, with another value',
      ],
    ],
    [
      'queuePair: { notificationDelay: 1us }\npacket: { profile: simai, payload: 1kB, header: 50B, acknowledgement: 61B, notification: 70B, pauseFrame: 50B, gap: 1B }\npfc: { headroom: cable }',
      [],
    ],
    [
      'probes: { start: 1us, pauses: true }',
      ['s.yaml:3:11 no-effect probes.start has no effect: neither samples nor packet latencies are recorded'],
    ],
    [
      'probes: { start: 1us }',
      ['s.yaml:3:11 no-effect probes.start has no effect: neither samples nor packet latencies are recorded'],
    ],
    [
      'probes: { end: 9us, portCounters: true, pfcEvents: true }',
      ['s.yaml:3:11 no-effect probes.end has no effect: neither samples nor packet latencies are recorded'],
    ],
    ['probes: { start: 1us, packetLatency: true }', []],
    [
      'probes: { notificationInterval: 1us, pfcEvents: true }\necn: { enabled: false }\npfc: { enabled: false }',
      [
        's.yaml:3:11 no-effect probes.notificationInterval has no effect: without ECN no packet is marked',
        's.yaml:3:38 no-effect probes.pfcEvents has no effect: pfc.enabled is false',
      ],
    ],
    [
      'failures: { convergenceTime: 1us }',
      [
        's.yaml:3:13 no-effect failures.convergenceTime has no effect: no link fails or comes back during the run; what is down at 0 is known to routing from the start',
      ],
    ],
    [
      'failures: { convergenceTime: 1us, events: [ { at: 1us, link: 0-3, rate: 1Gbps } ] }',
      [
        's.yaml:3:13 no-effect failures.convergenceTime has no effect: no link fails or comes back during the run; what is down at 0 is known to routing from the start',
      ],
    ],
    ['failures: { convergenceTime: 1us, events: [ { at: 0us, until: 1us, link: 1-3 } ] }', []],
    [
      'failures: { events: [ { at: 1us, link: 1-3 }, { at: 1us, until: 2us, every: 9us, link: 1-3 } ] }',
      ['s.yaml:3:70 no-effect failures.events[1].every has no effect: times is 1: it happens once'],
    ],
  ])('%s', async (text, wanted) => {
    expect(await warnings(text)).toEqual(wanted);
  });

  it("names the lines of thresholds whose rate no switch port has, unless they are SimAI's", async () => {
    const text = `ecn:\n  thresholds:\n${line('100Gbps', '1kB')}${line('200Gbps', '300kB')}${line('400Gbps', '5kB')}`;
    expect(await warnings(text)).toEqual([
      's.yaml:7:7 no-effect ecn.thresholds[2] has no effect: no switch port has 400Gbps',
    ]);
  });

  it('is told of a fabric without switches', async () => {
    const set = ['fabric={file: nvlink.txt}', 'traffic.transfers[0].destination=1'];
    expect(await warnings('ecn: { enabled: false }\npfc: { resumeOffset: 1kB, reserve: 1kB }', set)).toEqual(
      [
        's.yaml:3:8 no-effect ecn.enabled has no effect: the fabric has no switches that mark packets',
        's.yaml:4:8 no-effect pfc.resumeOffset has no effect: the fabric has no switches that use PFC',
        's.yaml:4:8 no-effect pfc.reserve has no effect: the fabric has no switches that use PFC',
      ].map((text) => text.replace(/^s.yaml:\d:\d/, '--set:0:0')),
    );
  });

  it('stands at --set if the setting or its cause does', async () => {
    expect(
      await warnings('timely: { smoothing: 0.5 }\ncongestion: { algorithm: timely }', ['congestion.algorithm=none']),
    ).toEqual(['--set:0:0 no-effect timely.smoothing has no effect: congestion.algorithm is none']);
    expect(await warnings('', ['hpcc.maxStage=2', 'hpcc.multiRate=true'])).toEqual([
      '--set:0:0 no-effect hpcc.maxStage has no effect: congestion.algorithm is dcqcn',
      '--set:0:0 no-effect hpcc.multiRate has no effect: congestion.algorithm is dcqcn',
    ]);
  });

  it('is not given for a default, however it is written', async () => {
    expect(
      await warnings(
        'timely: { minimumRtt: 20000ns, hyperIncrease: 0.1Gbps }\npfc: { enabled: false, resumeOffset: 3KiB }',
      ),
    ).toEqual([]);
  });

  it('is given for one key of a SimAI.conf only if all that it sets is without effect', async () => {
    expect(await confWarnings('RATE_AI 70Mb/s\n')).toEqual([]);
    expect(await confWarnings('CC_MODE 8\nRATE_AI 70Mb/s\n')).toEqual([
      '2:1 dcqcn.additiveIncrease, timely.additiveIncrease, hpcc.additiveIncrease have no effect: congestion.algorithm is dctcp',
    ]);
    expect(await confWarnings('DCTCP_RATE_AI 70Mb/s\n')).toEqual([
      '1:1 dctcp.additiveIncrease has no effect: congestion.algorithm is dcqcn',
    ]);
    expect(await confWarnings('CC_MODE 3\nENABLE_QCN 1\nPINT_PROB 0.5\n')).toEqual([
      '2:1 ecn.enabled has no effect: hpcc does not react to marks; they are only counted',
      '3:1 pint.probability has no effect: congestion.algorithm is hpcc',
    ]);
  });
});

const leavesAnd = (count: number): string =>
  `fabric: { generate: leaf-spine, leaves: 2, spines: ${count}, hostsPerLeaf: 2 }\ntraffic: { transfers: [ { source: 0, destination: 2, size: 1MB }, { source: 1, destination: 3, size: 1MB } ] }\n`;
const plannedWarnings = async (text: string, set: readonly string[]) => {
  const plan = await makePlan('s.yaml', { host: memoryHost({ 's.yaml': text }), overrides: set });
  return plan.warnings.map(({ code, path, message }) => ({ code, path, message }));
};
const oneHop = (algorithm: string) => ({
  code: 'no-effect',
  path: 'routing.balancing',
  message: `routing.balancing has no effect: routing.algorithm is ${algorithm}: its tables come first, and leave one next hop to choose`,
});

describe('a balancing without a choice', () => {
  it.each(['ftree', 'dmodk', 'random'])('tables of %s leave none, on packets and on credit', async (algorithm) => {
    // drill over tables puts nothing out of order, so nothing else is told
    for (const set of [['routing.balancing=drill'], ['routing.balancing=adaptive', 'backend=credit']])
      expect(await plannedWarnings(leavesAnd(4), [...set, `routing.algorithm=${algorithm}`])).toEqual([
        oneHop(algorithm),
      ]);
  });

  it('one spine leaves none; a second one, or a link that fails, may leave one', async () => {
    const set = ['routing.balancing=conga', 'conga.loadBits=5'];
    expect((await plannedWarnings(leavesAnd(1), set)).map(({ path }) => path)).toEqual([
      'routing.balancing',
      'conga.loadBits',
    ]);
    expect(await plannedWarnings(leavesAnd(2), set)).toEqual([]);
    const failing = 'failures={ events: [ { at: 10us, link: "leaf[0]-spine[0]" } ] }';
    expect((await plannedWarnings(leavesAnd(1), [...set, failing])).filter(({ code }) => code === 'no-effect')).toEqual(
      [],
    );
  });

  it('and six balancers over tables send the same packets, as the warning says', async () => {
    const digests = new Set<string>();
    for (const balancing of ['ecmp', 'spray', 'adaptive', 'drill', 'letflow', 'conga', 'conweave', 'entropy'])
      digests.add(
        (await scenarioRun(leavesAnd(4), ['routing.algorithm=ftree', `routing.balancing=${balancing}`])).summary.digest,
      );
    expect(digests.size).toBe(1);
  });

  it('on credit as well, and what was slow is known as without it', async () => {
    // by ftree both go over the first of two spines
    const shared =
      'fabric: { generate: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4 }\ntraffic: { transfers: [ { source: 0, destination: 4, size: 1MB }, { source: 1, destination: 6, size: 1MB } ] }\n';
    const runs = [];
    for (const balancing of ['ecmp', 'adaptive']) {
      const set = ['routing.algorithm=ftree', `routing.balancing=${balancing}`, 'backend=credit'];
      const { summary } = await scenarioRun(shared, set);
      runs.push({ digest: summary.digest, lostTime: summary.lostTime });
    }
    expect(runs[0]!.lostTime.places).not.toEqual([]);
    expect(runs[1]).toEqual(runs[0]);
  });
});

describe('PFC that nothing carries out', () => {
  it.each([
    [
      'pfc: { enabled: true }\nflowControl: []',
      ['s.yaml:3:8 no-effect pfc.enabled has no effect: flowControl has no pfc'],
    ],
    ['flowControl: []', []],
    ['pfc: { enabled: true }\nflowControl: [pfc]', []],
  ])('%s', async (text, expected) => {
    expect(await warnings(text)).toEqual(expected);
  });
});
