// When a setting cannot change what a run does: the rules about settings that every backend has, and the settings that
// always can. Backends bring the rules about their own.
// Invariant: a rule is true, whatever else is set: under it two values of its setting give the same flows, paths and
// times (counters of what nobody reacts to, such as marks, may differ). Every setting of the catalogue stands in
// exactly one of the two lists; a test sees to it. Not told here: what only the run itself shows (a timeout that is
// never reached, a controller that finds nothing to steer).

import type { GivenSettings, NoEffectRule, SettingPath, Situation } from '../backends/backend-declaration.js';
import { isNccl, isProfilePath } from '../collectives/selection.js';
import { NodeKind } from '../fabric/fabric.js';
import { canSumInServer } from '../fabric/gpu-types.js';
import { LinkChangeKind } from '../fabric/link-states.js';
import { nicNumbers } from '../fabric/nics.js';
import { isEqualCost, shortestWaysBranch } from '../routing/next-hop-choice.js';
import { hasSpread } from '../routing/nic-ports.js';
import type { Catalogues } from './catalogues.js';
import { inferenceSettings } from './form/inference-schema.js';
import { failureEventSettings, fileFabricSettings, runSettings } from './form/schema.js';

const eventOf = (given: GivenSettings, path: SettingPath) => given.group(path.slice(0, -1), failureEventSettings);

const routingAlgorithm = ({ given }: Pick<Situation, 'given'>): string =>
  given.value(['routing', 'algorithm'], runSettings.routing.algorithm);

/** What chooses among next hops, and the settings of it. */
const choosers: readonly string[] = [
  'routing.balancing',
  'credit.adaptiveRule',
  'entropy.*',
  ...['spray', 'drill', 'letflow', 'conga', 'conweave', 'reps'].map((balancing) => `${balancing}.*`),
];

const commonRules: readonly NoEffectRule[] = [
  {
    settings: [
      'controller.policy',
      'controller.delay',
      'controller.requestRate',
      'controller.share',
      'controller.pollInterval',
      'controller.reassign',
    ],
    causes: ['controller.enabled'],
    when: ({ given }) => !given.value(['controller', 'enabled'], runSettings.controller.enabled),
    because: 'there is no controller',
  },

  {
    settings: ['controller.pollInterval'],
    causes: ['controller.share'],
    when: ({ given }) => given.value(['controller', 'share'], runSettings.controller.share) === 1,
    because: 'the controller places all transfers',
  },
  {
    settings: ['controller.pollInterval'],
    causes: ['controller.policy'],
    when: ({ given }) => given.value(['controller', 'policy'], runSettings.controller.policy) === 'first-fit',
    because: 'first-fit knows nothing of loads',
  },
  {
    settings: ['collectives.*', 'collectives.environment', 'timeline.*'],
    causes: [],
    when: ({ given }) => !given.has(['workload']) && !given.has(['jobs']),
    because: 'the scenario has no workload',
  },
  {
    settings: [
      'inference.requests',
      'inference.arrivals',
      'inference.interval',
      'inference.start',
      'inference.promptTokens',
      'inference.outputTokens',
    ],
    causes: ['inference.trace'],
    when: ({ given }) => given.has(['inference', 'trace']),
    because: 'the requests come from a file',
  },
  {
    settings: ['inference.interval'],
    causes: ['inference.requests'],
    when: ({ given }) =>
      given.value(['inference', 'arrivals'], inferenceSettings.arrivals) === 'fixed' &&
      given.value(['inference', 'requests'], inferenceSettings.requests) === 1,
    because: 'there is one request',
  },
  {
    settings: ['inference.efficiency'],
    causes: ['inference.prefillTime'],
    when: ({ given }) => given.value(['inference', 'prefillTime'], inferenceSettings.prefillTime) > 0,
    because: 'the time of a prefill is given',
  },
  {
    settings: ['inference.gpu'],
    causes: ['inference.decodeStepTime'],
    when: ({ given }) =>
      given.value(['inference', 'prefillTime'], inferenceSettings.prefillTime) > 0 &&
      given.value(['inference', 'decodeStepTime'], inferenceSettings.decodeStepTime) > 0,
    because: 'the times of prefill and decode are given',
  },
  {
    settings: ['inference.placement'],
    causes: ['inference.tensorParallel'],
    when: ({ given }) => given.value(['inference', 'tensorParallel'], inferenceSettings.tensorParallel) === 1,
    because: 'an instance has one rank',
  },
  {
    settings: ['collectives.channels'],
    causes: ['collectives.profile'],
    when: ({ given }) => given.value(['collectives', 'profile'], runSettings.collectives.profile) === 'simai',
    because: 'SimAI takes as many channels as a server has ranks',
  },
  {
    settings: ['collectives.nvls'],
    causes: ['fabric'],
    when: ({ fabric }) => !canSumInServer(fabric.gpuType) || !fabric.nodeKind.includes(NodeKind.nvswitch),
    because: ({ fabric: { gpuType } }) =>
      `NVSwitches sum from Hopper on, and the fabric has none of these (${gpuType === '' ? 'it names no GPU' : gpuType})`,
  },
  {
    settings: ['collectives.nvls'],
    causes: ['collectives.profile'],
    when: ({ given, fabric: { gpuType } }) =>
      ['simai', 'document'].includes(given.value(['collectives', 'profile'], runSettings.collectives.profile)) &&
      given.value(['collectives', 'algorithm'], runSettings.collectives.algorithm) === 'auto' &&
      gpuType !== 'H100' &&
      gpuType !== 'H800',
    because: 'this profile takes NVLS for H100 and H800 alone',
  },
  {
    settings: ['collectives.collnet', 'collectives.environment'],
    causes: ['collectives.profile'],
    when: ({ given }) => {
      const profile = given.value(['collectives', 'profile'], runSettings.collectives.profile);
      return !isProfilePath(profile) && !isNccl(profile);
    },
    because: 'only the profiles of NCCL read it',
  },

  {
    settings: choosers,
    causes: ['routing.algorithm'],
    when: (situation) => !isEqualCost(routingAlgorithm(situation)),
    because: (situation) =>
      `routing.algorithm is ${routingAlgorithm(situation)}: its tables come first, and leave one next hop to choose`,
  },
  {
    settings: choosers,
    causes: ['fabric'],
    when: ({ fabric, failures }) => failures.changes.count === 0 && !shortestWaysBranch(fabric),
    because: 'no switch of the fabric has several shortest next hops to choose among',
  },
  {
    settings: ['routing.lidOffset'],
    causes: ['routing.algorithm'],
    when: (situation) => routingAlgorithm(situation) !== 'tables',
    because: (situation) =>
      `routing.algorithm is ${routingAlgorithm(situation)}: only tables of a file have ways for several LIDs`,
  },
  {
    settings: ['routing.nextHopOrder'],
    causes: ['routing.algorithm'],
    when: (situation) =>
      !isEqualCost(routingAlgorithm(situation)) &&
      situation.fabric.hosts.every(
        (host) => situation.fabric.portOffset[host + 1]! <= situation.fabric.portOffset[host]! + 1,
      ),
    because: 'tables leave one next hop',
  },
  {
    settings: ['routing.withinServers'],
    causes: ['fabric'],
    when: ({ fabric }) => !fabric.nodeKind.includes(NodeKind.nvswitch),
    because: 'the fabric has no NVSwitches',
  },
  {
    settings: ['queuePair.portChoice'],
    causes: ['queuePair.perFlow'],
    when: ({ settings: { queuePair } }) => queuePair.perFlow === 1,
    because: 'a flow has one queue pair, and its port is the one that the hash gives',
  },
  {
    settings: ['queuePair.portChoice'],
    causes: ['queuePair.perFlow'],
    when: ({ settings: { queuePair }, fabric }) => queuePair.perFlow === 'auto' && !hasSpread(fabric),
    because: 'no host has a NIC with two ports or several NVSwitches, so that a flow has one queue pair',
  },
  {
    settings: ['queuePair.portChoice'],
    causes: [],
    when: ({ fabric }) => !nicNumbers(fabric).some((number) => number > 1),
    because: 'no host has more than one link to the network',
  },

  {
    settings: ['fabric.errorRate'],
    causes: ['fabric.file'],
    when: ({ given, fabric }) =>
      given.has(['fabric', 'file']) &&
      !fabric.linkErrorRate.includes(given.value(['fabric', 'errorRate'], fileFabricSettings.errorRate)),
    because: 'every link has an error rate of its own in the topology file',
  },

  {
    settings: ['failures.convergenceTime', 'controller.reassign'],
    causes: ['failures.events'],
    when: ({ failures: { changes } }) =>
      !changes.timePs.some(
        (timePs, i) => timePs > 0 && (changes.kind[i] === LinkChangeKind.down || changes.kind[i] === LinkChangeKind.up),
      ),
    because: 'no link fails or comes back during the run; what is down at 0 is known to routing from the start',
  },
  {
    settings: ['failures.events[].every'],
    causes: ['failures.events'],
    when: ({ given }, path) => eventOf(given, path).times === 1,
    because: 'times is 1: it happens once',
  },
];

/**
 * The rules of a catalogue; the first that holds for a setting is the one that is told.
 * @param backend the one that runs, whose rules come first
 */
export function noEffectRulesOf({ backends }: Catalogues, backend: string): readonly NoEffectRule[] {
  const own = backends.filter(({ name }) => name === backend);
  const others = backends.filter(({ name }) => name !== backend);
  const isRead = (group: string): boolean => own.some(({ reads }) => reads.includes(group));
  return [
    ...new Set([...own, ...others].flatMap(({ noEffectRules }) => noEffectRules)),
    ...others.flatMap(({ name, groups }) =>
      Object.keys(groups)
        .filter((group) => !isRead(group))
        .map((group): NoEffectRule => ({
          settings: [`${group}.*`],
          causes: ['backend'],
          when: () => true,
          because: `it is a setting of the ${name} backend, and backend is ${backend}`,
        })),
    ),
    ...commonRules,
  ];
}

/** Settings that can always change a run, or of which only the run shows whether they do. */
export const alwaysMatter: readonly string[] = [
  'seed',
  'backend',
  'sendLatency',
  'stopTime',
  'routing.algorithm',
  'controller.enabled',
  'cost.switch',
  'cost.port',
  'cost.cable',
  'cost.gpu',
  'failures.events[].at',
  'failures.events[].until',
  'failures.events[].rate',
  'failures.events[].times',
  'failures.events[].link',
  'failures.events[].switch',
  'failures.events[].plane',
  'packet.payload',
  'packet.header',
  'packet.acknowledgement',
  'packet.gap',
  'queuePair.perFlow',
  'inference.model',
  'inference.tensorParallel',
  'inference.layersPerTransfer',
  'inference.prefillTime',
  'inference.decodeStepTime',
];
