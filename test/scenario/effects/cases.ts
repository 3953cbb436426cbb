// What each setting of a scenario does, shown by two runs that differ in nothing else: which figure the second value
// makes larger or smaller. A setting without a case, or a written reason why it can have none, fails the test.

import type { Mechanism } from '../../../src/backends/packet/mechanism.js';
import { mechanisms } from '../../../src/backends/packet/mechanisms.js';
import { fail } from '../../../src/base/fail.js';
import * as figures from './figures.js';
import type { Figure } from './figures.js';
import { omnidmaCases } from './omnidma.js';
import * as allScenarios from './scenarios.js';
import {
  brief,
  burst,
  collective,
  collision,
  crowded,
  crossed,
  lossy,
  neighbours,
  planes,
  planeTrace,
  pressure,
  quickBurst,
  repeating,
  serving,
  spared,
  staggered,
  training,
  weaving,
} from './scenarios.js';

export interface EffectCase {
  readonly scenario: string;
  /** --set texts of both runs, so that the setting matters */
  readonly given?: readonly string[];
  /** two values of the setting; or all --set texts, where the value alone is no scenario */
  readonly values: readonly [string, string] | readonly [readonly string[], readonly string[]];
  /** the second value makes this figure larger */
  readonly rises?: Figure;
  /** the second value makes this figure smaller */
  readonly falls?: Figure;
  /** why no direction can be told beforehand: then the records differ */
  readonly differs?: string;
}

/** Four senders into one host, without PFC, whose losses are seen at once. */
const uec = ['transport.algorithm=uec'];
const lossyUec = [...uec, 'pfc.enabled=false', 'switch.dropThreshold=0.1', 'ecn.enabled=true'];

const { meanCompletion, inFlight, marks, pauses, drops, losses, retransmissions, packets } = figures;

/** Scenarios that entries of the catalogue name. */
const { collective: _collective, ...scenarios } = allScenarios;

/** The cases that entries of mechanisms bring, each in a run with its mechanism. */
const mechanismCases: Readonly<Record<string, EffectCase>> = {
  ...casesOf(mechanisms.transports, (name) => `transport.algorithm=${name}`),
  ...casesOf(mechanisms.congestionControls, (name) => `congestion.algorithm=${name}`),
  ...casesOf(mechanisms.flowControls, (name) => `flowControl=[${[...new Set(['pfc', name])].join(', ')}]`),
  ...casesOf(mechanisms.balancers, (name) => `routing.balancing=${name}`),
};

/** The cases of a kind of mechanism, by path. @param choose the --set text that chooses one by its name */
function casesOf(
  entries: Readonly<Record<string, Mechanism<never, unknown>>>,
  choose: (name: string) => string,
): Record<string, EffectCase> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, { effects = {}, effectsIn = {} }]) =>
      Object.entries(effects).map(([path, { scenario = effectsIn.scenario ?? 'burst', given = [], ...effect }]) => [
        path,
        {
          scenario: named(scenarios, scenario),
          given: [choose(name), ...(effectsIn.given ?? []), ...given],
          values: effect.values,
          ...(effect.rises === undefined ? {} : { rises: figureNamed(effect.rises) }),
          ...(effect.falls === undefined ? {} : { falls: figureNamed(effect.falls) }),
          ...(effect.differs === undefined ? {} : { differs: effect.differs }),
        },
      ]),
    ),
  );
}

function named<T>(all: Readonly<Record<string, T | undefined>>, name: string): T {
  return all[name] ?? fail(`an entry of the catalogue names ${name}, which is not there`);
}

/** A figure of figures.ts, or the counter of that name, which is absent where nothing happened. */
function figureNamed(name: string): Figure {
  const known: Readonly<Record<string, Figure>> = { ...figures };
  return known[name] ?? (({ summary }) => summary.counters[name] ?? 0);
}

const transports: Readonly<Record<string, EffectCase>> = {
  'transport.algorithm': { scenario: lossy, values: ['go-back-n', 'irn'], falls: retransmissions },
};

/** A case in which a switch pauses another one, for its host receives less than its link brings. */
const pausedSwitch = (effect: Omit<EffectCase, 'scenario' | 'given'>, ...given: string[]): EffectCase => ({
  scenario: pressure,
  given: ['fabric.bottleneckRate=400Gbps', ...given],
  ...effect,
});
/** Lanes that are counted; pairs are on level 0. */
const byLevel: Pick<EffectCase, 'given' | 'values' | 'differs'> = {
  given: ['backend=credit', 'credit.lanes=2', 'credit.levels=1', 'polling.interval=10us', 'polling.lanes=true'],
  values: ['0', '1'],
  differs: 'packets count on another lane',
};
const threshold = (minimum: string, maximum: string, probability: number): string[] => [
  `ecn.thresholds=[ { rate: 100Gbps, minimum: ${minimum}, maximum: ${maximum}, probability: ${probability} } ]`,
];

/** Losses by event and by state of the channel. */
const bursty = { scenario: crossed, given: ['loss.rate=0.02', 'loss.model=burst'] };
const frequent = { scenario: crossed, given: ['loss.rate=0.02', 'loss.model=high-frequency'] };
const channel = { scenario: crossed, given: ['loss.rate=0.1', 'loss.model=gilbert-elliott'] };

const sending: Readonly<Record<string, EffectCase>> = {
  'packet.profile': { scenario: crossed, values: ['rocev2', 'simai'], falls: packets },
  'packet.payload': { scenario: crossed, values: ['4096B', '1024B'], rises: packets },
  'packet.header': { scenario: crossed, values: ['62B', '500B'], rises: meanCompletion },
  'packet.acknowledgement': { scenario: crossed, values: ['66B', '500B'], rises: meanCompletion },
  // CNPs meet the data of the other direction
  'packet.notification': {
    scenario: `${crossed}queuePair: { notificationDelay: 1us }\n`,
    given: ['ecn.enabled=true', ...threshold('4kB', '8kB', 1)],
    values: ['78B', '1024B'],
    rises: figures.reverseCompletion,
  },
  // a longer frame comes later, and each sender has put one or two small packets more on its way by then
  'packet.pauseFrame': {
    scenario: pressure,
    given: ['packet.payload=256B'],
    values: ['64B', '1024B'],
    rises: inFlight,
  },
  'packet.gap': { scenario: crossed, values: ['20B', '500B'], rises: meanCompletion },

  'queuePair.perFlow': { scenario: planes, values: ['1', '4'], falls: meanCompletion },
  // three of six on each port; the hash puts four on one
  'queuePair.portChoice': {
    scenario: planes,
    given: ['queuePair.perFlow=6'],
    values: ['in-turn', 'hash'],
    rises: meanCompletion,
  },
  // in a queue of their own, data no longer stand before the acknowledgements of the other direction
  'queuePair.priority': { scenario: crossed, values: ['3', '4'], falls: meanCompletion },
  'queuePair.acknowledgementPriority': { scenario: crossed, values: ['3', '0'], falls: meanCompletion },
  'queuePair.window': { scenario: neighbours, values: ['max-bdp', 'pair-bdp'], falls: inFlight },
  'queuePair.variableWindow': {
    scenario: quickBurst,
    given: ['queuePair.window=max-bdp', 'queuePair.rateBound=false', 'dcqcn.minimumRate=20Gbps'],
    values: ['true', 'false'],
    rises: marks,
  },
  'queuePair.rateBound': { scenario: quickBurst, values: ['true', 'false'], rises: marks },
  'queuePair.nackInterval': { scenario: lossy, values: ['500us', '1us'], rises: retransmissions },
  'queuePair.notificationInterval': { scenario: quickBurst, values: ['0us', '50us'], falls: figures.notifications },
  // the later a sender hears of marks, the more there are
  'queuePair.notificationDelay': { scenario: quickBurst, values: ['0us', '20us'], rises: marks },
  'queuePair.acknowledgementInterval': { scenario: crossed, values: ['1', '8'], falls: figures.acknowledgements },
  // the window is below the interval, so that every window ends with the delay
  'queuePair.acknowledgementDelay': {
    scenario: crossed,
    given: ['queuePair.acknowledgementInterval=1000'],
    values: ['10us', '50us'],
    rises: meanCompletion,
  },
  'queuePair.goBackTo': {
    scenario: lossy,
    given: ['queuePair.chunk=32KiB'],
    values: ['missing-packet', 'chunk-start'],
    rises: retransmissions,
  },
  'queuePair.chunk': {
    scenario: lossy,
    given: ['queuePair.goBackTo=chunk-start'],
    values: ['8KiB', '60kB'],
    rises: retransmissions,
  },
  'queuePair.retransmissionTimeout': {
    scenario: lossy,
    given: ['fabric.errorRate=0.2'],
    values: ['100us', '1ms'],
    rises: meanCompletion,
  },
  'queuePair.retries': {
    scenario: lossy,
    given: ['fabric.errorRate=0.2'],
    values: ['7', '0'],
    falls: figures.finished,
  },

  'congestion.algorithm': { scenario: burst, values: ['none', 'hpcc'], falls: inFlight },
};

const twoThresholds = (rateOfLow: string, rateOfHigh: string): string[] => [
  `ecn.thresholds=[ { rate: ${rateOfLow}, minimum: 20kB, maximum: 60kB, probability: 0.2 }, { rate: ${rateOfHigh}, minimum: 1MB, maximum: 2MB, probability: 0.2 } ]`,
];

/** Two values of `ecn.thresholds`, and two that differ in a line which no port of 100 Gb/s needs. */
export const thresholdLists: EffectCase['values'] = [threshold('20kB', '60kB', 0.2), threshold('50kB', '60kB', 0.2)];
export const unneededLines: EffectCase['values'] = [
  twoThresholds('100Gbps', '200Gbps'),
  twoThresholds('100Gbps', '400Gbps'),
];

const switches: Readonly<Record<string, EffectCase>> = {
  'ecn.enabled': { scenario: burst, values: ['true', 'false'], falls: meanCompletion },
  'ecn.thresholds[].rate': {
    scenario: burst,
    values: [twoThresholds('100Gbps', '200Gbps'), twoThresholds('200Gbps', '100Gbps')],
    falls: marks,
  },
  'ecn.thresholds[].minimum': {
    scenario: burst,
    values: [threshold('20kB', '60kB', 0.2), threshold('50kB', '60kB', 0.2)],
    falls: marks,
  },
  'ecn.thresholds[].maximum': {
    scenario: burst,
    values: [threshold('20kB', '60kB', 0.2), threshold('20kB', '200kB', 0.2)],
    falls: marks,
  },
  'ecn.thresholds[].probability': {
    scenario: burst,
    values: [threshold('20kB', '200kB', 0.1), threshold('20kB', '200kB', 1)],
    rises: marks,
  },
  flowControl: { scenario: pressure, values: ['[pfc]', '[]'], rises: drops },
  'pfc.enabled': { scenario: pressure, values: ['true', 'false'], rises: drops },
  'pfc.thresholdShift': { scenario: pressure, values: ['3', '6'], rises: pauses },
  'pfc.threshold': { scenario: pressure, values: ['dynamic', 'static'], rises: inFlight },
  'pfc.staticThreshold': {
    scenario: pressure,
    given: ['pfc.threshold=static'],
    values: ['100kB', '10kB'],
    falls: inFlight,
  },
  'pfc.headroom': { scenario: pressure, given: ['pfc.headroomDelays=1'], values: ['cable', 'delays'], rises: drops },
  'pfc.headroomDelays': { scenario: pressure, given: ['pfc.headroom=delays'], values: ['3', '0'], rises: drops },
  // headroom by cable would grow with it
  'pfc.responseTime': { scenario: pressure, given: ['pfc.headroom=delays'], values: ['0us', '5us'], rises: drops },
  'pfc.pauseTime': { scenario: pressure, values: ['0us', '2us'], rises: figures.refreshes },
  'pfc.watchdog': pausedSwitch({ values: ['off', 'drop'], rises: drops }, 'pfc.watchdogDetectionTime=2us'),
  'pfc.watchdogDetectionTime': pausedSwitch({ values: ['1s', '2us'], rises: drops }, 'pfc.watchdog=drop'),
  'pfc.watchdogRestorationTime': pausedSwitch(
    { values: ['1us', '1ms'], rises: drops },
    'pfc.watchdog=drop',
    'pfc.watchdogDetectionTime=2us',
  ),
  'pfc.reserve': { scenario: pressure, values: ['4096B', '20kB'], falls: pauses },
  // who waits for more room before it resumes is paused longer, and less often
  'pfc.resumeOffset': { scenario: pressure, values: ['3072B', '30kB'], falls: pauses },
  'switch.buffer': { scenario: pressure, values: ['400kB', '4MB'], falls: pauses },
  'switch.dropThreshold': { scenario: pressure, given: ['pfc.enabled=false'], values: ['0.5', '8'], falls: drops },
  'switch.trimming': { scenario: pressure, given: lossyUec, values: ['false', 'true'], falls: drops },
  // a header of 1,000 B is nearly a quarter of a packet
  'switch.trimmedPacket': {
    scenario: pressure,
    given: [...lossyUec, 'switch.trimming=true'],
    values: ['64B', '1000B'],
    rises: meanCompletion,
  },
  'switch.latency': { scenario: crossed, values: ['0us', '1us'], rises: meanCompletion },
  'switch.nvswitchLatency': {
    scenario: crossed,
    given: ['fabric={ file: nvlink.txt }'],
    values: ['0us', '1us'],
    rises: meanCompletion,
  },
};

/** Failures, with what is left out of each line of them. */
const failure = (event: string, convergence = '1ms'): string =>
  `failures={ convergenceTime: ${convergence}, events: [ { ${event} } ] }`;
const onSpine7 = 'link: 4-7';

const balancing: Readonly<Record<string, EffectCase>> = {
  // go-back-N takes what comes out of order for lost
  'routing.balancing': { scenario: collision, values: ['ecmp', 'spray'], rises: retransmissions },
  'reorder.buffer': {
    scenario: collision,
    given: ['routing.balancing=spray'],
    values: ['0B', '1MB'],
    falls: retransmissions,
  },
  'reorder.timeout': {
    scenario: collision,
    given: ['routing.balancing=spray', 'reorder.buffer=1MB'],
    values: ['100us', '1ps'],
    rises: retransmissions,
  },
};

const failures: Readonly<Record<string, EffectCase>> = {
  'failures.convergenceTime': {
    scenario: collision,
    given: [failure(`at: 20us, until: 300us, ${onSpine7}`)],
    values: ['10us', '100us'],
    rises: losses,
  },
  'failures.events[].at': {
    scenario: collision,
    given: [failure(`at: 20us, ${onSpine7}`, '10us')],
    values: ['20us', '5ms'],
    falls: losses,
  },
  'failures.events[].until': {
    scenario: collision,
    given: [failure(`at: 20us, until: 60us, ${onSpine7}`)],
    values: ['60us', '200us'],
    rises: losses,
  },
  'failures.events[].rate': {
    scenario: collision,
    given: [failure(`at: 20us, rate: 50Gbps, ${onSpine7}`)],
    values: ['50Gbps', '10Gbps'],
    rises: meanCompletion,
  },
  'failures.events[].errorRate': {
    scenario: collision,
    given: [failure(`at: 20us, errorRate: 0.01, ${onSpine7}`)],
    values: ['0.01', '0.1'],
    rises: losses,
  },
  'failures.events[].every': {
    scenario: collision,
    given: [failure(`at: 20us, until: 30us, every: 50us, times: 2, ${onSpine7}`)],
    values: ['50us', '5ms'],
    falls: losses,
  },
  'failures.events[].times': {
    scenario: collision,
    given: [failure(`at: 20us, until: 30us, every: 50us, ${onSpine7}`)],
    values: ['1', '3'],
    rises: losses,
  },
  'failures.events[].link': {
    scenario: collision,
    given: [failure(`at: 20us, ${onSpine7}`, '10us')],
    values: ['4-7', '4-6'],
    falls: losses,
  },
  'failures.events[].switch': {
    scenario: collision,
    given: [failure('at: 20us, switch: 7', '10us')],
    values: ['7', '6'],
    falls: losses,
  },
  'failures.events[].plane': {
    scenario: planes,
    given: ['queuePair.perFlow=1', failure('at: 20us, plane: 1', '10us')],
    values: ['1', '2'],
    falls: losses,
  },
};

const run: Readonly<Record<string, EffectCase>> = {
  seed: { scenario: burst, values: ['1', '2'], differs: 'other random numbers, so other packets are marked' },
  backend: { scenario: burst, values: ['fluid', 'analytical'], falls: meanCompletion },
  sendLatency: { scenario: burst, values: ['0us', '10us'], rises: figures.start },
  stopTime: { scenario: burst, values: ['20us', '1ms'], rises: figures.finished },
  'traffic.transfers[].start': { scenario: burst, values: ['0us', '5us'], rises: figures.latestStart },
  'traffic.transfers[].source': { scenario: burst, values: ['0', '1'], rises: figures.sources },
  'traffic.transfers[].destination': { scenario: collision, values: ['2', '3'], rises: figures.destinations },
  'traffic.transfers[].size': { scenario: burst, values: ['4MB', '5MB'], rises: figures.payload },
  'traffic.transfers[].rate': { scenario: burst, values: ['50Gbps', '10Gbps'], rises: meanCompletion },
  'traffic.transfers[].burst': {
    scenario: burst,
    given: ['traffic.transfers[0].gap=50us'],
    values: ['1MB', '500kB'],
    rises: meanCompletion,
  },
  'traffic.transfers[].every': {
    scenario: burst,
    given: ['traffic.transfers[0].times=2'],
    values: ['10us', '1ms'],
    rises: figures.latestStart,
  },
  'traffic.transfers[].times': {
    scenario: burst,
    given: ['traffic.transfers[0].every=10us'],
    values: ['2', '3'],
    rises: figures.payload,
  },
  'traffic.transfers[].gap': {
    scenario: burst,
    given: ['traffic.transfers[0].burst=1MB'],
    values: ['20us', '200us'],
    rises: meanCompletion,
  },
  // the planes' switches are numbered plane by plane
  'traffic.transfers[].plane': { scenario: planes, values: ['1', '2'], rises: figures.switchesPassed },
  'traffic.transfers[].nic': { scenario: planes, values: ['1', '2'], rises: figures.switchesPassed },
  'traffic.transfers[].destinationNic': { scenario: planes, values: ['1', '2'], rises: figures.switchesPassed },
  'traffic.transfers[].serviceLevel': { scenario: planes, ...byLevel },
  'traffic.serviceLevel': { scenario: planeTrace, ...byLevel },
  'traffic.plane': { scenario: planeTrace, values: ['1', '2'], rises: figures.switchesPassed },
  'traffic.nic': { scenario: planeTrace, values: ['1', '2'], rises: figures.switchesPassed },
  'traffic.destinationNic': { scenario: planeTrace, values: ['1', '2'], rises: figures.switchesPassed },
  'cost.switch': { scenario: crossed, values: ['0', '1000'], rises: figures.cost },
  'cost.port': { scenario: crossed, values: ['0', '10'], rises: figures.cost },
  'cost.cable': { scenario: crossed, values: ['0', '10'], rises: figures.cost },
  'cost.gpu': { scenario: crossed, values: ['0', '10000'], rises: figures.cost },
  'fabric.errorRate': {
    scenario: crossed,
    given: ['fabric={ file: nvlink.txt }'],
    values: ['0', '0.05'],
    rises: losses,
  },
  'loss.rate': { scenario: crossed, values: ['0', '0.02'], rises: losses },
  'loss.model': {
    scenario: crossed,
    given: ['loss.rate=0.02'],
    values: ['independent', 'burst'],
    differs: 'which packets are lost, and how often two go back together, is up to the draw',
  },
  'loss.burstLength': {
    ...bursty,
    values: ['15', '30'],
    differs: 'bursts of the same share of packets are fewer if they are longer',
  },
  'loss.burstSpread': { ...bursty, values: ['3', '0'], differs: 'bursts of another length begin at other packets' },
  'loss.frequentWindow': { ...frequent, values: ['15', '20'], differs: 'the same number is lost of more packets' },
  'loss.frequentLeast': { ...frequent, values: ['2', '5'], differs: 'events with more losses are fewer' },
  'loss.frequentMost': { ...frequent, values: ['14', '10'], differs: 'events with fewer losses are more' },
  'loss.badToGood': { ...channel, values: ['0.1', '0.5'], differs: 'bad times that are shorter are more' },
  'loss.badTime': {
    ...channel,
    values: ['0ps', '3us'],
    differs: 'a channel that changes by time is bad at other packets',
  },
  'loss.lossInBad': { ...channel, values: ['1', '0.5'], differs: 'bad times with fewer losses are more' },
  'loss.lossInGood': { ...channel, values: ['0', '0.005'], differs: 'what good times lose bad ones need not' },
  'loss.file': {
    scenario: crossed,
    given: ['loss.model=trace'],
    values: ['pattern.txt', 'other-pattern.txt'],
    rises: losses,
  },
  'loss.places': {
    scenario: crossed,
    given: ['loss.rate=0.02'],
    values: ['[ { link: 0-3, rate: 0.01 } ]', '[ { link: 0-3, rate: 0.1 } ]'],
    rises: losses,
  },
  'loss.packets': { scenario: crossed, given: ['loss.rate=0.02'], values: ['data', 'all'], rises: losses },
  'loss.at': { scenario: crossed, given: ['loss.rate=0.02'], values: ['switches', 'links'], rises: losses },
  // the hash counts from the other end: both flows take spine 6 instead of 7
  'routing.nextHopOrder': {
    scenario: collision,
    values: ['descending-node-id', 'ascending-node-id'],
    falls: figures.switchesPassed,
  },
  // d-mod-k sends host 2 over one spine and host 3 over the other
  'routing.algorithm': { scenario: collision, values: ['ecmp', 'dmodk'], falls: figures.collisions },
  // two transfers of a pair: over a spine each, or both over that of the first LID
  'routing.lidOffset': {
    scenario: collision,
    given: [
      'backend=credit',
      'fabric={ file: several.net }',
      'routing={ algorithm: tables, tables: several.lfts }',
      'traffic={ transfers: [ { source: 0, destination: 2, size: 1MB }, { source: 0, destination: 2, size: 1MB } ] }',
    ],
    values: ['round-robin', 'first'],
    rises: figures.collisions,
  },
  // four GPUs on one NVSwitch: by NICs, slower
  'routing.withinServers': {
    scenario: collision,
    given: ['fabric={ generate: dcn+, gpus: 8, gpusPerServer: 4 }'],
    values: ['nvlink', 'network'],
    rises: meanCompletion,
  },
  'controller.enabled': { scenario: collision, values: ['false', 'true'], falls: figures.collisions },
  // of none it places the flows
  'controller.share': {
    scenario: collision,
    given: ['controller.enabled=true'],
    values: ['1', '0'],
    rises: figures.collisions,
  },
  'controller.pollInterval': {
    scenario: staggered,
    given: ['controller.enabled=true', 'controller.policy=least-loaded', 'controller.share=0.5'],
    values: ['10us', '900us'],
    differs: 'which of the links that others are on it would have taken is up to the hash',
  },
  'controller.delay': {
    scenario: collision,
    given: ['controller.enabled=true'],
    values: ['0us', '10us'],
    rises: meanCompletion,
  },
  // two requests: the second one waits
  'controller.requestRate': {
    scenario: collision,
    given: ['controller.enabled=true'],
    values: ['0', '100000'],
    rises: meanCompletion,
  },
  // three flows over four spines: one fails, and the hash puts its flow where another is; moved, each is alone
  'controller.reassign': {
    scenario: spared,
    given: ['controller.enabled=true', failure('at: 20us, switch: "spine[0]"', '10us')],
    values: ['true', 'false'],
    rises: figures.collisions,
  },
  // two have a path of their own, three are left: by their hash on one spine, by load on both
  'controller.policy': {
    scenario: crowded,
    given: ['controller.enabled=true'],
    values: ['first-fit', 'least-loaded'],
    falls: meanCompletion,
  },
};

const stragglers: Readonly<Record<string, EffectCase>> = {
  // two of four ranks train, the other two are idle
  'stragglers[].rank': {
    scenario: training,
    given: ['stragglers=[ { rank: 0, compute: 0.5 } ]'],
    values: ['3', '0'],
    rises: figures.jobTime,
  },
  'stragglers[].compute': {
    scenario: training,
    given: ['stragglers=[ { rank: 1 } ]'],
    values: ['1', '0.5'],
    rises: figures.jobTime,
  },
  'stragglers[].receive': {
    scenario: training,
    given: ['stragglers=[ { rank: 1 } ]'],
    values: ['1', '0.5'],
    rises: figures.jobTime,
  },
  'stragglers[].receiveBuffer': {
    scenario: burst,
    given: ['stragglers=[ { rank: 2, receive: 0.5 } ]'],
    values: ['0B', '50kB'],
    differs: 'the queue stands at the host, which pauses its leaf, and not at the leaf',
  },
};

const replayed = { scenario: repeating, given: ['fastForward.enabled=true'] };
const fastForward: Readonly<Record<string, EffectCase>> = {
  'fastForward.enabled': { scenario: repeating, values: ['false', 'true'], falls: packets },
  'fastForward.sampleEvery': { ...replayed, values: ['1', '100'], falls: packets },
  'fastForward.tolerance': { ...replayed, values: ['0ps', '10us'], falls: packets },
};

const inference: Readonly<Record<string, EffectCase>> = {
  'inference.prefill': { scenario: serving, values: ['0-3', '0-1'], rises: figures.firstToken },
  'inference.decode': { scenario: serving, values: ['4-7', '6-7'], rises: figures.destinations },
  'inference.trace': { scenario: serving, values: [[], ['inference.trace=requests.csv']], falls: figures.finished },
  'inference.model': { scenario: serving, values: ['llama2-7b', 'llama2-13b'], rises: figures.payload },
  'inference.tensorParallel': { scenario: serving, values: ['2', '1'], falls: figures.finished },
  'inference.placement': { scenario: serving, values: ['same-rail', 'cross-rail'], rises: figures.switchesPassed },
  'inference.layersPerTransfer': { scenario: serving, values: ['0', '8'], falls: figures.firstToken },
  'inference.requests': { scenario: serving, values: ['3', '6'], rises: figures.payload },
  'inference.arrivals': { scenario: serving, values: ['poisson', 'fixed'], falls: figures.start },
  'inference.interval': { scenario: serving, values: ['10us', '100us'], rises: figures.latestStart },
  'inference.start': { scenario: serving, values: ['0us', '10us'], rises: figures.start },
  'inference.promptTokens': { scenario: serving, values: ['4', '8'], rises: figures.payload },
  'inference.outputTokens': { scenario: serving, values: ['5', '9'], rises: figures.lastToken },
  'inference.prefillTime': { scenario: serving, values: ['20us', '50us'], rises: figures.start },
  'inference.decodeStepTime': { scenario: serving, values: ['10us', '20us'], rises: figures.firstToken },
  'inference.gpu': {
    scenario: serving,
    given: ['inference.prefillTime=0us'],
    values: ['H100', 'A100'],
    rises: figures.start,
  },
  'inference.efficiency': {
    scenario: serving,
    given: ['inference.prefillTime=0us'],
    values: ['0.5', '0.25'],
    rises: figures.start,
  },
  'inference.serviceLevel': { scenario: serving, ...byLevel },
  'inference.plane': { scenario: serving, values: ['1', '2'], rises: figures.switchesPassed },
  'inference.nic': { scenario: serving, values: ['1', '2'], rises: figures.switchesPassed },
  'inference.destinationNic': { scenario: serving, values: ['1', '2'], rises: figures.switchesPassed },
};

const sampled = ['sampling.variant=standard'];
const hashed = ['sampling.variant=one-bit'];

const sampling: Readonly<Record<string, EffectCase>> = {
  'sampling.variant': { scenario: burst, values: ['off', 'standard'], rises: figures.sampleRows },
  'sampling.every': { scenario: burst, given: sampled, values: ['1', '10'], falls: figures.samplesTaken },
  'sampling.congested': {
    scenario: burst,
    given: sampled,
    values: ['queue', 'threshold'],
    falls: figures.sampledCongestion,
  },
  'sampling.threshold': {
    scenario: burst,
    given: [...sampled, 'sampling.congested=threshold'],
    values: ['2kB', '10MB'],
    falls: figures.sampledCongestion,
  },
  'sampling.hosts': {
    scenario: crossed,
    given: [...sampled, 'backend=credit', 'credit.buffer=10kB'],
    values: ['true', 'false'],
    falls: figures.sampledCongestion,
  },
  'sampling.window': { scenario: burst, given: sampled, values: ['0us', '10us'], rises: figures.sampleRows },
  'sampling.rankClasses': {
    scenario: collective('alltoall', 'all', '256kB'),
    given: sampled,
    values: ['8', '1'],
    falls: figures.sampleRows,
  },
  'sampling.hopCount': {
    scenario: burst,
    given: [...sampled, 'sampling.hopBits=1'],
    values: ['field', 'time-to-live'],
    rises: figures.sampledTraffic,
  },
  'sampling.hopBits': { scenario: burst, given: sampled, values: ['3', '1'], falls: figures.sampledTraffic },
  'sampling.identifier': {
    scenario: burst,
    given: hashed,
    values: ['32-bit', '16-bit'],
    differs: 'other hashes, so other packets agree by chance',
  },
  'sampling.multiplier': {
    scenario: burst,
    given: hashed,
    values: ['B5E4DC75', '127BE738'],
    differs: 'other hashes, so other packets agree by chance',
  },
  'sampling.randomness': {
    scenario: burst,
    given: sampled,
    values: ['generator', 'lfsr'],
    differs: 'other random numbers, so other links are sampled',
  },
  'sampling.exact': { scenario: burst, given: sampled, values: ['false', 'true'], rises: figures.linkCountRows },
};

const polled = ['polling.interval=20us'];

const polling: Readonly<Record<string, EffectCase>> = {
  'polling.interval': { scenario: burst, values: ['20us', '10us'], rises: figures.portPollRows },
  'polling.width': { scenario: burst, given: polled, values: ['64-bit', '32-bit'], rises: figures.narrowCounters },
  'polling.lanes': { scenario: burst, given: polled, values: ['false', 'true'], rises: figures.lanePollRows },
  'polling.spread': { scenario: burst, given: polled, values: ['0us', '15us'], rises: figures.readingTimes },
  'polling.tick': {
    scenario: crossed,
    given: [...polled, 'backend=credit', 'credit.buffer=10kB'],
    values: ['1ns', '8ns'],
    falls: figures.waitTicks,
  },
};

const probes: Readonly<Record<string, EffectCase>> = {
  'probes.queueInterval': { scenario: burst, values: ['20us', '10us'], rises: figures.queueRows },
  'probes.queueSamples': {
    scenario: burst,
    given: ['probes.queueInterval=1us'],
    values: ['2', '1000'],
    rises: figures.queueRows,
  },
  'probes.bandwidthInterval': { scenario: burst, values: ['20us', '10us'], rises: figures.bandwidthRows },
  'probes.reorderInterval': {
    scenario: weaving,
    given: ['routing.balancing=conweave'],
    values: ['20us', '10us'],
    rises: figures.reorderRows,
  },
  'probes.rateInterval': { scenario: burst, values: ['20us', '10us'], rises: figures.rateRows },
  'probes.notificationInterval': { scenario: burst, values: ['20us', '10us'], rises: figures.notificationRows },
  'probes.packetLatency': { scenario: burst, values: ['false', 'true'], rises: figures.latencyRows },
  'probes.pfcEvents': { scenario: pressure, values: ['false', 'true'], rises: figures.pfcRows },
  'probes.pauses': { scenario: pressure, values: ['false', 'true'], rises: figures.pauseRows },
  'probes.packetLosses': {
    scenario: lossy,
    given: ['loss.rate=0.1'],
    values: ['false', 'true'],
    rises: figures.lossRows,
  },
  'probes.portCounters': { scenario: burst, values: ['false', 'true'], rises: figures.counterRows },
  'probes.start': {
    scenario: burst,
    given: ['probes.bandwidthInterval=10us'],
    values: ['0us', '50us'],
    falls: figures.bandwidthRows,
  },
  'probes.end': {
    scenario: burst,
    given: ['probes.bandwidthInterval=10us'],
    values: ['0us', '50us'],
    falls: figures.bandwidthRows,
  },
};

const workloads: Readonly<Record<string, EffectCase>> = {
  'collectives.profile': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['nccl', 'simai'],
    differs: 'another algorithm, other channels',
  },
  'collectives.algorithm': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['auto', 'halving-doubling'],
    falls: figures.finished,
  },
  'collectives.protocol': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['auto', 'll'],
    differs: 'flags with the data, shorter latencies',
  },
  'collectives.collnet': {
    scenario: collective('allreduce', 'all', '2MB', 'nccl'),
    given: ['collectives.nvls=false'],
    values: ['false', 'true'],
    differs: 'another algorithm',
  },
  'collectives.environment': {
    scenario: collective('allreduce', 'all', '256kB', 'nccl'),
    values: [['collectives.environment={ NCCL_ALGO: Ring }'], ['collectives.environment={ NCCL_ALGO: Tree }']],
    differs: 'another algorithm',
  },
  'collectives.nvls': {
    scenario: collective('allreduce', 'tp', '256kB'),
    values: ['true', 'false'],
    rises: figures.finished,
  },
  'collectives.pxn': {
    scenario: collective('alltoall', 'all', '256kB'),
    values: ['false', 'true'],
    falls: figures.betweenServers,
  },
  'analytical.collectives': {
    scenario: collective('allreduce', 'all', '256kB'),
    given: ['backend=analytical'],
    values: ['steps', 'bus-bandwidth'],
    falls: figures.jobTime,
  },
  'credit.switching': {
    scenario: crossed,
    given: ['backend=credit'],
    values: ['cut-through', 'store-and-forward'],
    rises: meanCompletion,
  },
  'credit.buffer': { scenario: crossed, given: ['backend=credit'], values: ['10kB', '1MB'], falls: meanCompletion },
  'credit.returnLatency': {
    scenario: crossed,
    given: ['backend=credit', 'credit.buffer=10kB'],
    values: ['0us', '20us'],
    rises: meanCompletion,
  },
  // a drawn spine that is busy gives way to the lowest idle one
  'credit.adaptiveRule': {
    scenario: brief,
    given: ['backend=credit', 'routing.balancing=adaptive'],
    values: ['least-loaded', 'lowest-port'],
    falls: figures.switchesPassed,
  },
  'credit.acceptance': {
    scenario: crossed,
    given: ['backend=credit', 'credit.buffer=10kB'],
    values: ['input-buffer', 'output-queue'],
    falls: meanCompletion,
  },
  'credit.lanes': {
    scenario: crowded,
    given: ['backend=credit', 'credit.buffer=10kB'],
    values: ['1', '8'],
    differs: 'which pairs share a lane is drawn',
  },
  'credit.levels': {
    scenario: crowded,
    given: ['backend=credit', 'credit.buffer=10kB', 'credit.lanes=8'],
    values: ['1', '8'],
    differs: 'which pairs share a level is drawn',
  },
  'credit.sl2vl': {
    scenario: crowded,
    given: ['backend=credit', 'credit.buffer=10kB', 'credit.lanes=8'],
    values: ['identity', 'random'],
    differs: 'which packets share a lane of a link is drawn',
  },
  'credit.laneQueues': {
    scenario: crowded,
    given: ['backend=credit', 'credit.buffer=10kB', 'credit.lanes=8'],
    values: ['separate', 'shared'],
    differs: 'packets of one lane no longer pass those of another',
  },
  'fluid.streams': {
    scenario: collective('allreduce', 'all', '256kB'),
    given: ['backend=fluid'],
    values: ['never', 'always'],
    falls: figures.finished,
  },
  'collectives.channels': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['1', '4'],
    rises: figures.finished,
  },
  'timeline.ranks': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['none', 'all'],
    rises: figures.timelineRows,
  },
  'timeline.moves': {
    scenario: collective('allreduce', 'all', '256kB'),
    values: ['false', 'true'],
    rises: figures.moveRows,
  },
};

/** --set texts of one of the two values. */
export function setsOf(path: string, { values }: Pick<EffectCase, 'values'>, which: 0 | 1): readonly string[] {
  const value = values[which];
  return typeof value === 'string' ? [`${path.replace('[]', '[0]')}=${value}`] : value;
}

/** By the path of the setting; `[]` is any line of a list. */
export const effectCases: Readonly<Record<string, EffectCase>> = {
  ...run,
  ...inference,
  ...fastForward,
  ...stragglers,
  ...failures,
  ...sending,
  ...mechanismCases,
  ...transports,
  ...switches,
  ...balancing,
  ...sampling,
  ...polling,
  ...probes,
  ...workloads,
  ...transports,
  ...omnidmaCases,
};

/** Settings that cannot have a case, and why. */
export const withoutCase: Readonly<Record<string, string>> = {
  'fastForward.leaps': 'a phase that leaps has some 25,000 transfers: test/jobs/leaps.test.ts',
  name: 'a label: it stands in the results and changes nothing else',
};
