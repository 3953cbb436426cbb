// The settings that the credit backend brings.

import { choice, type SettingGroup } from '../../base/settings.js';

export const switchings = ['store-and-forward', 'cut-through'] as const;
export const acceptances = ['input-buffer', 'output-queue'] as const;

export const creditSettings = {
  lanes: {
    kind: 'count',
    default: 1,
    minimum: 1,
    maximum: 15,
    description: 'virtual lanes for data on every link; each has buffers and credits of its own',
  },
  buffer: {
    kind: 'size',
    default: '64KiB',
    minimum: 1,
    description: 'what a port takes of each lane before its sender has to wait; every packet has to fit',
  },
  returnLatency: {
    kind: 'time',
    default: '0us',
    description: 'from when room is there until its credit is sent back, beside the cable latency',
  },
  switching: choice(
    switchings,
    'cut-through',
    'cut-through: a switch sends a packet on when its header is there; store-and-forward: when all of it is',
  ),
  acceptance: choice(
    acceptances,
    'input-buffer',
    'input-buffer: a credit comes back when its packet has left the switch; output-queue: when there is room in the queue of its output, as in CODES',
  ),
} as const satisfies SettingGroup;
