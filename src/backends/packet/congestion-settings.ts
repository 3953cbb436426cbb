// The settings of the congestion controls, a group per control; part of the catalogue in settings.ts. The mechanisms are
// in congestion/.
// Defaults: those of SimAI's shipped configuration, but HPCC's additive increase, which is derived (packet-profiles.ts).

import { hpccProfiles } from './packet-profiles.js';

export const congestionSettings = {
  dcqcn: {
    gain: { kind: 'fraction', default: 0.00390625, description: 'g: weight of a new mark in alpha' },
    alphaInterval: { kind: 'time', default: '1us', positive: true, description: 'period of alpha updates' },
    decreaseInterval: {
      kind: 'time',
      default: '4us',
      positive: true,
      description: 'shortest time between two rate decreases',
    },
    increaseInterval: {
      kind: 'time',
      default: '900us',
      positive: true,
      description: 'period of rate increases after the last decrease',
    },
    fastRecoveryRounds: {
      kind: 'count',
      default: 1,
      minimum: 0,
      maximum: 1000,
      description: 'increases that only halve the distance to the target rate',
    },
    additiveIncrease: { kind: 'rate', default: '50Mbps', description: 'step of the target rate' },
    hyperIncrease: { kind: 'rate', default: '100Mbps', description: 'step of the target rate in hyper increase' },
    minimumRate: { kind: 'rate', default: '100Mbps', description: 'a rate never falls below' },
    firstMarkRate: {
      kind: 'fraction',
      default: 1,
      description: 'fraction of the rate kept at the first mark of a queue pair',
    },
    clampTargetRate: {
      kind: 'flag',
      default: false,
      description: 'every decrease sets the target rate to the rate before it',
    },
  },
  dctcp: {
    gain: { kind: 'fraction', default: 0.00390625, description: "g: weight of a window's share of marks in alpha" },
    additiveIncrease: {
      kind: 'rate',
      default: '1000Mbps',
      description: 'step of the rate after a window without marks',
    },
    minimumRate: { kind: 'rate', default: '100Mbps', description: 'a rate never falls below' },
  },
  timely: {
    lowThreshold: { kind: 'time', default: '50us', description: 'a round trip below it always raises the rate' },
    highThreshold: { kind: 'time', default: '500us', description: 'a round trip above it always lowers the rate' },
    minimumRtt: { kind: 'time', default: '20us', positive: true, description: 'unit of the gradient' },
    smoothing: { kind: 'fraction', default: 0.875, description: 'weight of the newest difference of round trips' },
    decrease: { kind: 'fraction', default: 0.8, description: 'strength of a decrease' },
    additiveIncrease: { kind: 'rate', default: '50Mbps', description: 'step of the rate' },
    hyperIncrease: {
      kind: 'rate',
      default: '100Mbps',
      description: 'step of the rate from the sixth increase in a row on',
    },
    minimumRate: { kind: 'rate', default: '100Mbps', description: 'a rate never falls below' },
  },
  hpcc: {
    targetUtilisation: {
      kind: 'fraction',
      default: 0.95,
      minimum: 0.01,
      description: 'share of a link that is aimed at',
    },
    maxStage: {
      kind: 'count',
      default: 0,
      minimum: 0,
      maximum: 1000,
      description: 'additive steps in a row before a multiplicative one',
    },
    additiveIncrease: {
      kind: 'rate',
      default: hpccProfiles.rocev2.additiveIncrease,
      orAuto: true,
      description: `added at every step, for fairness; auto: the paper's rule, line rate of the sender x (1 - targetUtilisation) / expectedFlows (profile simai: ${hpccProfiles.simai.additiveIncrease})`,
    },
    expectedFlows: {
      kind: 'count',
      default: 8,
      minimum: 1,
      maximum: 1_000_000,
      description:
        'N of additiveIncrease auto: flows that are expected to share a link; more of them leave a standing queue, far fewer share slowly',
    },
    minimumRate: { kind: 'rate', default: '100Mbps', description: 'a rate never falls below' },
    multiRate: {
      kind: 'flag',
      default: false,
      description: 'a reference rate for each link of the path; the lowest rules',
    },
    fastReact: {
      kind: 'flag',
      default: true,
      description: 'react to every acknowledgement, not only once per round trip',
    },
  },
  pint: {
    logBase: {
      kind: 'fraction',
      default: 1.05,
      minimum: 1.0001,
      maximum: 16,
      description: 'ratio of neighbouring codes of the utilisation that packets carry',
    },
    probability: { kind: 'fraction', default: 1, description: 'share of the acknowledgements that bring it back' },
  },
} as const;
