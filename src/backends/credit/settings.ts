// The settings that the credit backend brings.

import { count, size, time, choice, type SettingGroup } from '../../base/settings.js';

const switchings = ['store-and-forward', 'cut-through'] as const;
/** What a switch makes of service levels where no file says it. */
const laneMaps = ['identity', 'modulo', 'random'] as const;
const laneQueueings = ['separate', 'shared'] as const;
const acceptances = ['input-buffer', 'output-queue', 'output-buffer'] as const;

/** How a switch chooses among next hops with `routing.balancing: adaptive` (least-loaded.ts). */
const adaptiveRules = ['least-loaded', 'lowest-port'] as const;
export type AdaptiveRule = (typeof adaptiveRules)[number];

export const creditSettings = {
  lanes: count(1, 'virtual lanes for data on every link; each has buffers and credits of its own', {
    minimum: 1,
    maximum: 15,
  }),
  levels: count(
    'auto',
    'service levels that ordered pairs of hosts are dealt out to, drawn by the seed; auto: as many as there are lanes',
    { orAuto: true, minimum: 1, maximum: 16 },
  ),
  sl2vl: choice(
    laneMaps,
    'identity',
    'the lane of a service level: identity, its own number; modulo, the rest by the number of lanes; random, ' +
      'drawn by the seed for every port in, port out and level (at hosts for every level)',
  ),
  laneQueues: choice(
    laneQueueings,
    'separate',
    'separate: every lane has queue, buffer and credits of its own; shared: lanes only count, and everything ' +
      'waits in one, as in the simulations of the dissertation',
  ),
  buffer: size(
    'auto',
    'what a port takes of each lane before its sender has to wait; every packet has to fit. auto: what the ' +
      'rate and the round trip of the link need, at least 64KiB',
    { words: ['auto'], minimum: 1 },
  ),
  returnLatency: time('0us', 'from when room is there until its credit is sent back, beside the cable latency'),
  switching: choice(
    switchings,
    'cut-through',
    'cut-through: a switch sends a packet on when its header is there; store-and-forward: when all of it is',
  ),
  adaptiveRule: choice(
    adaptiveRules,
    'least-loaded',
    'how a switch chooses with routing.balancing: adaptive: least-loaded, the port with the least to do, at ' +
      'random among equals; lowest-port, as CODES: one at random or, if it has anything to do, the least loaded, ' +
      'the lowest among equals',
  ),
  acceptance: choice(
    acceptances,
    'input-buffer',
    'input-buffer: a credit comes back when its packet has left the switch; output-queue: when there is room in the ' +
      'queue of its output; output-buffer: when there is room for it beside what waits there and what that output has ' +
      'sent without a credit back, as in CODES',
  ),
} as const satisfies SettingGroup;
