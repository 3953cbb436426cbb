// Under which other settings a setting has no effect: for each rule of src/scenario/no-effect-rules.ts a run in which
// it holds.

import type { CongestionMechanism } from '../../../src/backends/packet/mechanism.js';
import { mechanisms } from '../../../src/backends/packet/mechanisms.js';
import { omnidmaConditions } from './omnidma.js';
import { burst } from './scenarios.js';

export interface NoEffectCase {
  /** settings, as the rule names them */
  readonly settings: readonly string[];
  /** instead of the scenarios in which the settings show their effect */
  readonly scenario?: string;
  /** instead of the values that show their effect: the second gets the warning */
  readonly values?: readonly [string, string];
  /** --set texts that make the rule hold */
  readonly given: readonly string[];
  /** what the warning says after "has no effect: " */
  readonly because: string;
}

const entries = Object.entries<CongestionMechanism>(mechanisms.congestionControls);
const entriesByName = new Map(entries);
const isMarkBlind = (name: string): boolean => entriesByName.get(name)?.readsMarks !== true;
const controlNames = entries.map(([name]) => name);
/** For each group of parameters the first control that has it. */
const controls = new Map<string, string>();
for (const [name, { settings = {} }] of entries)
  for (const group of Object.keys(settings)) if (!controls.has(group)) controls.set(group, name);
const parameters = [...controls.keys()].map((group) => `${group}.*`);

/** For a group of parameters: the controls beside those that have it, which may be most like it, and none. */
function controlsWithout(group: string): string[] {
  const without = entries.map(([, { settings = {} }]) => !Object.hasOwn(settings, group));
  const isBeside = (i: number): boolean => without[i - 1] === false || without[i + 1] === false;
  return controlNames.filter((name, i) => without[i] && (isBeside(i) || name === 'none'));
}
const uec = ['transport.algorithm=uec'];
const unfollowed = ['queuePair.rateBound=false', 'queuePair.variableWindow=false'];
/** five GPUs on an NVSwitch, and no switch */
const nvlink = ['fabric={ file: nvlink.txt }'];

const onlyCounted = (control: string): string =>
  control === 'none'
    ? 'without congestion control nobody reacts to marks; they are only counted'
    : `${control} does not react to marks; they are only counted`;
const lossEvents = ['burstLength', 'burstSpread', 'frequentWindow', 'frequentLeast', 'frequentMost'];
const channel = ['badToGood', 'badTime', 'lossInBad', 'lossInGood'];
const notFollowed = 'neither pacing nor the window follows the rate';

/** What chooses among next hops. */
const choosers = [
  'routing.balancing',
  'credit.adaptiveRule',
  ...['entropy', 'spray', 'drill', 'letflow', 'conga', 'conweave', 'reps'].map((balancing) => `${balancing}.*`),
];

/** What the backends without packets do without, by the settings that are about it. */
const withoutPackets: readonly (readonly [settings: readonly string[], what: string])[] = [
  [['congestion.algorithm', ...parameters], 'no congestion control: a flow has its rate from the start'],
  [['ecn.enabled', 'ecn.thresholds'], 'no queues in which packets could be marked'],
  [['transport.algorithm', 'irn.*', 'omnidma.*', 'rnic.*'], 'no packets that could be repeated'],
  [['routing.balancing'], 'no packets that could take ways of their own'],
  [['reorder.*'], 'no packets that could come out of order'],
  [['pfc.*', 'sfc.*', 'flowControl'], 'no queues that could be paused'],
  [
    ['switch.buffer', 'switch.dropThreshold', 'switch.trimming', 'switch.trimmedPacket'],
    'no queues, so no buffer fills',
  ],
  [
    [
      'priority',
      'acknowledgementPriority',
      'window',
      'variableWindow',
      'rateBound',
      'nackInterval',
      'notificationInterval',
      'notificationDelay',
      'acknowledgementInterval',
      'acknowledgementDelay',
      'goBackTo',
      'chunk',
      'retransmissionTimeout',
      'retries',
    ].map((name) => `queuePair.${name}`),
    'no packets that a NIC could order, hold back or repeat',
  ],
  [['packet.notification', 'packet.pauseFrame'], 'no CNPs or PFC frames'],
  [
    ['fabric.errorRate', 'failures.events[].errorRate', 'loss.*', 'loss.places', 'loss.file'],
    'no packets that could be lost',
  ],
  [['probes.*'], 'no packets or queues for probes to record'],
  [['fastForward.*'], 'no packets of phases that it could replay'],
  [['sampling.*'], 'no packets that could carry samples'],
  [['polling.*'], 'no packets that ports could count'],
];

/** What the credit backend does without, in the same order. */
const lackedByCredit: readonly string[] = [
  'no congestion control: credits alone hold senders back',
  'no marks',
  'no losses, so nothing is repeated',
  'two balancings, ecmp and adaptive',
  'receivers that take packets in any order',
  'credits in place of pause frames',
  'a buffer for each lane of each port (credit.buffer) in place of a shared one',
  'no windows, acknowledgements or timeouts: a NIC gives its queue pairs turns',
  'no CNPs or PFC frames',
  'no losses: its links repeat what is damaged by themselves',
  'no probes',
  'no replay of phases',
];

export const noEffectCases: readonly NoEffectCase[] = [
  ...omnidmaConditions,
  ...withoutPackets.map(([settings, what]) => ({
    settings,
    given: ['backend=fluid'],
    because: `the fluid backend has ${what}`,
  })),
  ...withoutPackets.map(([settings, what]) => ({
    settings: settings.filter((path) => !path.startsWith('failures')),
    given: ['backend=analytical'],
    because: `the analytical backend has ${what}`,
  })),
  {
    settings: ['collectives.*', 'collectives.environment', 'timeline.*'],
    scenario: burst,
    given: [],
    because: 'the scenario has no workload',
  },
  {
    settings: ['collectives.channels', 'collectives.pxn'],
    given: ['backend=analytical', 'analytical.collectives=bus-bandwidth'],
    because: 'models of bus bandwidth have no channels and no proxies',
  },
  {
    settings: ['analytical.*'],
    scenario: burst,
    given: ['backend=analytical'],
    because: 'the scenario has no workload',
  },
  { settings: ['fluid.*'], scenario: burst, given: ['backend=fluid'], because: 'the scenario has no workload' },
  { settings: ['fastForward.*'], scenario: burst, given: [], because: 'the scenario has no workload' },
  {
    settings: ['fastForward.tolerance', 'fastForward.sampleEvery', 'fastForward.leaps'],
    given: ['fastForward.enabled=false'],
    because: 'fastForward.enabled is false',
  },
  {
    settings: ['analytical.*'],
    given: ['backend=packet'],
    because: 'it is a setting of the analytical backend, and backend is packet',
  },
  {
    settings: ['credit.*'],
    given: ['backend=packet'],
    because: 'it is a setting of the credit backend, and backend is packet',
  },
  {
    settings: ['credit.sl2vl', 'credit.laneQueues'],
    given: ['backend=credit', 'credit.lanes=1'],
    because: 'there is one lane',
  },
  {
    settings: ['credit.levels'],
    given: ['backend=credit', 'credit.lanes=1', 'credit.sl2vl=modulo'],
    because: 'there is one lane',
  },
  {
    settings: ['credit.levels'],
    given: ['backend=credit', 'routing.serviceLevels=levels.txt'],
    because: 'a file lists the service levels',
  },
  {
    settings: ['credit.sl2vl'],
    given: ['backend=credit', 'routing.sl2vl=lanes.txt'],
    because: 'a file lists the lanes of service levels',
  },
  {
    settings: ['credit.lanes', 'credit.levels', 'credit.sl2vl'],
    given: ['backend=credit', 'credit.laneQueues=shared'],
    because: 'lanes only count, and nothing reads the counters (polling.lanes)',
  },
  ...withoutPackets.slice(0, lackedByCredit.length).map(([settings], i) => ({
    settings: settings.filter((path) => !path.startsWith('failures')),
    given: ['backend=credit'],
    because: `the credit backend has ${lackedByCredit[i]!}`,
  })),
  {
    settings: ['credit.adaptiveRule'],
    given: ['backend=credit', 'routing.balancing=ecmp'],
    because: 'routing.balancing is ecmp',
  },
  {
    settings: ['fluid.*'],
    given: ['backend=packet'],
    because: 'it is a setting of the fluid backend, and backend is packet',
  },
  {
    settings: ['collectives.channels'],
    given: ['collectives.profile=simai'],
    because: 'SimAI takes as many channels as a server has ranks',
  },
  {
    settings: ['collectives.nvls'],
    given: ['fabric.gpuType=A100'],
    because: 'NVSwitches sum from Hopper on, and the fabric has none of these (A100)',
  },
  {
    settings: ['collectives.nvls'],
    given: ['fabric.gpuType=B200', 'collectives.profile=simai'],
    because: 'this profile takes NVLS for H100 and H800 alone',
  },
  {
    settings: ['collectives.collnet', 'collectives.environment'],
    given: ['collectives.profile=document'],
    because: 'only the profiles of NCCL read it',
  },

  {
    settings: ['queuePair.portChoice'],
    given: ['queuePair.perFlow=1'],
    because: 'a flow has one queue pair, and its port is the one that the hash gives',
  },
  {
    settings: ['queuePair.portChoice'],
    scenario: burst,
    given: ['queuePair.perFlow=auto'],
    because: 'no host has a NIC with two ports or several NVSwitches, so that a flow has one queue pair',
  },
  {
    settings: ['queuePair.portChoice'],
    scenario: burst,
    given: ['queuePair.perFlow=4'],
    because: 'no host has more than one link to the network',
  },
  {
    settings: ['packet.profile'],
    given: [
      'packet.payload=1000B',
      'packet.header=50B',
      'packet.acknowledgement=70B',
      'packet.notification=70B',
      'packet.pauseFrame=50B',
      'packet.gap=10B',
      'pfc.headroom=cable',
      'pfc.responseTime=1us',
      'queuePair.retransmissionTimeout=1ms',
      'queuePair.perFlow=2',
      'queuePair.portChoice=in-turn',
    ],
    because: 'every setting that the profile gives is given, with another value',
  },
  ...[...controls.keys()].flatMap((group) =>
    controlsWithout(group).map((control) => ({
      settings: [`${group}.*`],
      given: [`congestion.algorithm=${control}`],
      because: `congestion.algorithm is ${control}`,
    })),
  ),
  ...[
    ['hpcc.additiveIncrease=70Mbps', '70Mbps'],
    ['packet.profile=simai', '50Mbps'],
  ].map(([given, rate]) => ({
    settings: ['hpcc.expectedFlows'],
    given: ['congestion.algorithm=hpcc', given!],
    because: `hpcc.additiveIncrease is ${rate}`,
  })),
  {
    settings: ['uec.*'],
    given: ['transport.algorithm=go-back-n'],
    because: 'transport.algorithm is go-back-n',
  },
  ...['rccc', 'none'].map((control) => ({
    settings: ['uec.targetDelay'],
    given: [...uec, `uec.control=${control}`],
    because: `uec.control is ${control}`,
  })),
  ...['nscc', 'none'].map((control) => ({
    settings: ['uec.firstCredit'],
    given: [...uec, `uec.control=${control}`],
    because: `uec.control is ${control}`,
  })),
  {
    settings: ['congestion.algorithm', ...parameters],
    given: uec,
    because: 'the transport uec has a congestion control of its own (uec.control)',
  },
  {
    settings: [
      'acknowledgementPriority',
      'window',
      'variableWindow',
      'rateBound',
      'nackInterval',
      'notificationInterval',
      'notificationDelay',
    ].map((name) => `queuePair.${name}`),
    given: uec,
    because: 'the transport uec has a window of its own, and answers in queue 0',
  },
  { settings: ['packet.notification'], given: uec, because: 'the transport uec sends no CNPs' },
  {
    settings: ['ecn.thresholds'],
    given: [...uec, 'uec.control=rccc'],
    because: 'with uec.control rccc nobody reacts to marks; they are only counted',
  },
  {
    settings: ['ecn.enabled'],
    values: ['false', 'true'],
    given: [...uec, 'uec.control=rccc'],
    because: 'with uec.control rccc nobody reacts to marks; they are only counted',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    given: ['pfc.enabled=true'],
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    given: ['transport.algorithm=go-back-n'],
    because: 'the transport go-back-n does not read trimmed packets',
  },
  { settings: ['switch.trimmedPacket'], given: ['switch.trimming=false'], because: 'switch.trimming is false' },
  { settings: ['entropy.*'], given: ['routing.balancing=ecmp'], because: 'routing.balancing is ecmp' },
  ...choosers.flatMap((settings) => [
    {
      settings: [settings],
      given: ['routing.algorithm=dmodk', 'failures={ events: [] }'],
      because: 'routing.algorithm is dmodk: its tables come first, and leave one next hop to choose',
    },
    {
      settings: [settings],
      given: ['fabric={ generate: leaf-spine, leaves: 3, spines: 1, hostsPerLeaf: 12 }', 'failures={ events: [] }'],
      because: 'no switch of the fabric has several shortest next hops to choose among',
    },
  ]),
  { settings: ['reorder.*'], given: ['transport.algorithm=irn'], because: 'irn takes packets out of order' },
  { settings: ['reorder.timeout'], given: ['reorder.buffer=0B'], because: 'reorder.buffer is 0' },
  ...['spray', 'drill', 'letflow', 'conga', 'conweave', 'reps'].map((balancing) => ({
    settings: [`${balancing}.*`],
    given: ['routing.balancing=ecmp'],
    because: 'routing.balancing is ecmp',
  })),
  {
    settings: ['hpcc.multiRate'],
    given: ['congestion.algorithm=hpcc-pint'],
    because: 'with HPCC over PINT packets carry one figure for the whole path',
  },
  ...[...controls].flatMap(([group, control]) =>
    entriesByName.get(control)?.readsMarks === true
      ? {
          settings: [`${group}.*`],
          given: [`congestion.algorithm=${control}`, 'ecn.enabled=false'],
          because: 'without ECN no packet is marked and no rate changes',
        }
      : [],
  ),
  { settings: ['dcqcn.alphaInterval'], given: ['dcqcn.gain=0'], because: 'dcqcn.gain is 0, and alpha stays 1' },
  ...[...controls].flatMap(([group, control]) =>
    entriesByName.get(control)?.sets === 'rate'
      ? {
          settings: [`${group}.*`],
          given: [`congestion.algorithm=${control}`, ...unfollowed],
          because: notFollowed,
        }
      : [],
  ),
  { settings: ['congestion.algorithm'], given: unfollowed, because: notFollowed },

  { settings: ['ecn.thresholds'], given: ['ecn.enabled=false'], because: 'ecn.enabled is false' },
  ...controlNames.filter(isMarkBlind).flatMap((control): NoEffectCase[] => [
    {
      settings: ['ecn.thresholds', 'queuePair.notificationInterval'],
      given: [`congestion.algorithm=${control}`],
      because: onlyCounted(control),
    },
    {
      settings: ['ecn.enabled'],
      values: ['false', 'true'],
      given: [`congestion.algorithm=${control}`],
      because: onlyCounted(control),
    },
  ]),
  {
    settings: ['ecn.enabled', 'ecn.thresholds', 'queuePair.notificationInterval'],
    given: unfollowed,
    because: `${notFollowed}, so marks are only counted`,
  },
  {
    settings: ['ecn.enabled', 'ecn.thresholds'],
    given: nvlink,
    because: 'the fabric has no switches that mark packets',
  },
  { settings: ['ecn.thresholds[]'], given: [], because: 'no switch port has 400Gbps' },

  { settings: ['queuePair.variableWindow'], given: ['queuePair.window=unlimited'], because: 'the window is unlimited' },
  ...entries.flatMap(([name, { sets }]) =>
    sets === 'window'
      ? {
          settings: ['queuePair.variableWindow'],
          given: [`congestion.algorithm=${name}`],
          because: `${name} sets the window itself`,
        }
      : [],
  ),
  {
    settings: ['queuePair.variableWindow', 'queuePair.rateBound'],
    given: ['congestion.algorithm=none', 'queuePair.window=max-bdp'],
    because: 'congestion.algorithm is none, and every sender keeps the rate of its NIC',
  },
  {
    settings: ['queuePair.variableWindow', 'queuePair.rateBound'],
    given: ['ecn.enabled=false', 'queuePair.window=max-bdp'],
    because: 'without ECN every sender keeps the rate of its NIC',
  },
  {
    settings: ['queuePair.notificationInterval', 'queuePair.notificationDelay', 'packet.notification'],
    given: ['ecn.enabled=false'],
    because: 'without ECN no packet is marked',
  },
  {
    settings: ['packet.notification'],
    given: ['queuePair.notificationDelay=0us'],
    because: 'there are no CNPs without queuePair.notificationDelay',
  },
  {
    settings: ['queuePair.acknowledgementDelay'],
    given: ['queuePair.acknowledgementInterval=1'],
    because: 'every packet is acknowledged at once',
  },
  { settings: ['irn.*'], given: ['transport.algorithm=go-back-n'], because: 'transport.algorithm is go-back-n' },
  {
    settings: ['irn.nackThreshold'],
    given: ['irn.recovery=rewind'],
    because: 'irn.recovery is rewind, and the first NACK begins it',
  },
  {
    settings: ['irn.fewPackets'],
    given: ['queuePair.retransmissionTimeout=1ms', 'irn.lowTimeout=1ms'],
    because: 'both retransmission timeouts are the same',
  },
  {
    settings: ['irn.lowTimeout'],
    given: ['irn.fewPackets=0'],
    because: 'irn.fewPackets is 0, and no sender has fewer packets in flight',
  },
  {
    settings: ['irn.lowTimeout', 'irn.fewPackets'],
    given: ['queuePair.retransmissionTimeout=0us'],
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },
  {
    settings: [
      'queuePair.acknowledgementInterval',
      'queuePair.acknowledgementDelay',
      'queuePair.goBackTo',
      'queuePair.chunk',
    ],
    given: ['transport.algorithm=irn'],
    because: 'transport.algorithm is irn',
  },
  {
    settings: ['queuePair.nackInterval'],
    given: ['transport.algorithm=irn', 'irn.recovery=selective'],
    because: 'IRN answers every packet behind a gap with a NACK',
  },
  {
    settings: ['queuePair.chunk'],
    given: ['queuePair.goBackTo=missing-packet'],
    because: 'queuePair.goBackTo is missing-packet',
  },
  {
    settings: ['queuePair.chunk'],
    given: ['queuePair.goBackTo=message-start'],
    because: 'queuePair.goBackTo is message-start',
  },
  { settings: ['queuePair.goBackTo'], given: ['packet.payload=40000B'], because: 'a chunk of 32KiB is one packet' },
  { settings: ['queuePair.chunk'], given: ['packet.payload=61000B'], because: 'a chunk of 60kB is one packet' },
  {
    settings: ['queuePair.retries'],
    given: ['queuePair.retransmissionTimeout=0us'],
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },

  {
    settings: [
      'packet.pauseFrame',
      'pfc.threshold',
      'pfc.thresholdShift',
      'pfc.staticThreshold',
      'pfc.headroom',
      'pfc.headroomDelays',
      'pfc.resumeOffset',
      'pfc.responseTime',
      'pfc.pauseTime',
      'pfc.watchdog',
      'pfc.watchdogDetectionTime',
      'pfc.watchdogRestorationTime',
      'pfc.reserve',
    ],
    given: ['pfc.enabled=false'],
    because: 'pfc.enabled is false',
  },
  {
    settings: ['switch.dropThreshold'],
    given: ['pfc.enabled=true'],
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: [
      'switch.buffer',
      'switch.dropThreshold',
      'switch.trimming',
      'switch.trimmedPacket',
      'packet.pauseFrame',
      'pfc.*',
    ],
    given: nvlink,
    because: 'the fabric has no switches that use PFC',
  },
  {
    settings: ['pfc.watchdogDetectionTime', 'pfc.watchdogRestorationTime'],
    given: ['pfc.watchdog=off'],
    because: 'pfc.watchdog is off',
  },
  { settings: ['pfc.headroomDelays'], given: ['pfc.headroom=cable'], because: 'pfc.headroom is cable' },
  { settings: ['pfc.thresholdShift'], given: ['pfc.threshold=static'], because: 'pfc.threshold is static' },
  { settings: ['pfc.staticThreshold'], given: ['pfc.threshold=dynamic'], because: 'pfc.threshold is dynamic' },
  {
    settings: ['model', 'packets', 'at', ...lossEvents, ...channel].map((name) => `loss.${name}`),
    given: ['loss.rate=0'],
    because: 'loss.rate is 0',
  },
  ...lossEvents.slice(0, 2).map((name) => ({
    settings: [`loss.${name}`],
    given: ['loss.model=high-frequency'],
    because: 'loss.model is high-frequency',
  })),
  ...lossEvents.slice(2).map((name) => ({
    settings: [`loss.${name}`],
    given: ['loss.model=burst'],
    because: 'loss.model is burst',
  })),
  {
    settings: ['loss.rate'],
    given: ['loss.model=trace', 'loss.file=pattern.txt'],
    because: 'loss.model trace takes what loss.file names',
  },
  {
    settings: ['loss.at', 'loss.places'],
    given: ['loss.model=time', 'loss.file=times.txt'],
    because: 'loss.file names the switches',
  },
  { settings: ['loss.at'], given: ['loss.places=[ { link: 0-3, rate: 0.02 } ]'], because: 'loss.places says where' },
  {
    settings: ['loss.badToGood'],
    given: ['loss.rate=0.1', 'loss.model=gilbert-elliott', 'loss.badTime=3us'],
    because: 'loss.badTime has the channel change by time',
  },
  { settings: ['loss.file'], given: ['loss.model=burst'], because: 'loss.model is burst' },
  ...channel.map((name) => ({
    settings: [`loss.${name}`],
    given: ['loss.model=amazon'],
    because: 'loss.model is amazon',
  })),
  {
    settings: ['loss.model', 'loss.rate', 'loss.packets'],
    given: [...nvlink, 'loss.rate=0.02', 'loss.at=switches'],
    because: 'the fabric has no switches, at whose ports packets could be lost',
  },
  {
    settings: ['fabric.errorRate'],
    given: ['fabric={ file: noisy.txt }'],
    because: 'every link has an error rate of its own in the topology file',
  },
  { settings: ['switch.latency'], given: nvlink, because: 'the fabric has no switches' },
  {
    settings: ['routing.lidOffset'],
    given: ['routing.algorithm=dmodk'],
    because: 'routing.algorithm is dmodk: only tables of a file have ways for several LIDs',
  },
  {
    settings: ['routing.nextHopOrder'],
    given: ['routing.algorithm=dmodk'],
    because: 'tables leave one next hop',
  },
  {
    settings: ['routing.withinServers'],
    given: ['fabric={ generate: dumbbell, leftHosts: 2, rightHosts: 2 }'],
    because: 'the fabric has no NVSwitches',
  },
  {
    settings: ['switch.nvswitchLatency'],
    given: ['fabric={ generate: dumbbell, leftHosts: 2, rightHosts: 1 }'],
    because: 'the fabric has no NVSwitches',
  },

  {
    settings: [
      'inference.requests',
      'inference.interval',
      'inference.start',
      'inference.promptTokens',
      'inference.outputTokens',
    ],
    given: ['inference.trace=requests.csv'],
    because: 'the requests come from a file',
  },
  {
    settings: ['inference.arrivals'],
    given: ['inference.trace=requests.csv'],
    because: 'the requests come from a file',
  },
  { settings: ['inference.interval'], given: ['inference.requests=1'], because: 'there is one request' },
  {
    settings: [
      'controller.policy',
      'controller.delay',
      'controller.requestRate',
      'controller.share',
      'controller.pollInterval',
      'controller.reassign',
    ],
    given: ['controller.enabled=false'],
    because: 'there is no controller',
  },
  {
    settings: ['inference.efficiency'],
    given: ['inference.prefillTime=20us'],
    because: 'the time of a prefill is given',
  },
  {
    settings: ['inference.gpu'],
    given: ['inference.prefillTime=20us', 'inference.decodeStepTime=10us'],
    because: 'the times of prefill and decode are given',
  },
  { settings: ['inference.placement'], given: ['inference.tensorParallel=1'], because: 'an instance has one rank' },

  {
    settings: [
      'sampling.every',
      'sampling.congested',
      'sampling.threshold',
      'sampling.hosts',
      'sampling.window',
      'sampling.rankClasses',
      'sampling.hopCount',
      'sampling.hopBits',
      'sampling.identifier',
      'sampling.multiplier',
      'sampling.randomness',
      'sampling.exact',
    ],
    given: ['sampling.variant=off'],
    because: 'packets carry no samples (sampling.variant is off)',
  },
  {
    settings: ['polling.width', 'polling.lanes', 'polling.spread', 'polling.tick'],
    given: ['polling.interval=0us'],
    because: 'no counters are read (polling.interval is 0)',
  },
  {
    settings: ['sampling.rankClasses'],
    scenario: burst,
    given: ['sampling.variant=standard'],
    because: 'nothing that is sent has ranks (there is no workload)',
  },
  {
    settings: ['sampling.threshold'],
    given: ['sampling.variant=standard', 'sampling.congested=queue'],
    because: 'sampling.congested is queue',
  },
  {
    settings: ['sampling.identifier', 'sampling.multiplier'],
    given: ['sampling.variant=standard'],
    because: 'the standard variant carries no hash',
  },
  {
    settings: ['sampling.hopBits'],
    given: ['sampling.variant=standard', 'sampling.hopCount=time-to-live'],
    because: 'the hop count is known by the time to live',
  },
  {
    settings: ['probes.start', 'probes.end'],
    given: ['probes.bandwidthInterval=0us', 'probes.portCounters=true'],
    because: 'neither samples nor packet latencies are recorded',
  },
  {
    settings: ['probes.reorderInterval'],
    given: ['routing.balancing=drill'],
    because: 'drill has no queues in which switches put packets in order',
  },
  {
    settings: ['probes.notificationInterval'],
    given: ['ecn.enabled=false'],
    because: 'without ECN no packet is marked',
  },
  { settings: ['pfc.enabled'], given: ['flowControl=[]'], because: 'flowControl has no pfc' },
  { settings: ['sfc.*'], given: ['flowControl=[pfc]'], because: 'flowControl has no sfc' },
  {
    settings: ['sfc.*'],
    given: [...nvlink, 'flowControl=[pfc, sfc]'],
    because: 'the fabric has no switches that tell sources to pause',
  },
  {
    settings: ['sfc.per'],
    given: ['flowControl=[pfc, sfc]', 'sfc.reaction=proxy'],
    because: 'sfc.reaction is proxy, which pauses priorities',
  },
  {
    settings: ['sfc.bridgeShare'],
    given: ['flowControl=[pfc, sfc]', 'sfc.reaction=proxy'],
    because: 'sfc.reaction is proxy: no edge switch holds packets',
  },
  {
    settings: ['sfc.bridgeShare'],
    given: ['flowControl=[pfc, sfc]', 'sfc.reaction=end-station'],
    because: 'sfc.reaction is end-station: no edge switch holds packets',
  },
  { settings: ['probes.pfcEvents', 'probes.pauses'], given: ['pfc.enabled=false'], because: 'pfc.enabled is false' },

  {
    settings: ['failures.convergenceTime'],
    given: ['failures.events=[ { at: 20us, rate: 10Gbps, link: 4-7 }, { at: 0us, link: 4-6 } ]'],
    because: 'no link fails or comes back during the run; what is down at 0 is known to routing from the start',
  },
  {
    settings: ['controller.pollInterval'],
    given: ['controller.enabled=true', 'controller.policy=least-loaded', 'controller.share=1'],
    because: 'the controller places all transfers',
  },
  {
    settings: ['controller.pollInterval'],
    given: ['controller.enabled=true', 'controller.policy=first-fit', 'controller.share=0.5'],
    because: 'first-fit knows nothing of loads',
  },
  {
    settings: ['controller.reassign'],
    given: [
      'controller.enabled=true',
      'failures.events=[ { at: 20us, rate: 10Gbps, link: 8-10 }, { at: 0us, link: 8-11 } ]',
    ],
    because: 'no link fails or comes back during the run; what is down at 0 is known to routing from the start',
  },
  {
    settings: ['failures.events[].every'],
    given: ['failures.events=[ { at: 20us, until: 30us, every: 50us, link: 4-7 } ]'],
    because: 'times is 1: it happens once',
  },
];
