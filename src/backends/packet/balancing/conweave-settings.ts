// The settings of ConWeave. Defaults are those of its simulator for two levels of switches, and what a Tofino2 has of
// queues for an output port.

import type { SettingGroup } from '../../../base/settings.js';

export const conweaveSettings = {
  replyTime: {
    kind: 'time',
    default: '4us',
    description: 'a reply is late this long behind the round trip of the links of its way',
  },
  avoidTime: {
    kind: 'time',
    default: '16us',
    description: 'no queue pair is moved to a way for so long after a marked packet came over it',
  },
  tailTime: {
    kind: 'time',
    default: '16us',
    description: 'packets of the new way wait so much longer than the last one of the old way should take',
  },
  unknownTime: {
    kind: 'time',
    default: '200us',
    description: 'what is added to that where no packet of the old way has told when the last one should come',
  },
  expiryTime: {
    kind: 'time',
    default: '300us',
    description: 'a queue pair that has sent nothing for longer takes any way that is not congested',
  },
  reorderQueues: {
    kind: 'count',
    default: 31,
    minimum: 0,
    maximum: 65_535,
    description: 'queue pairs that can wait at one output port; those beyond pass out of order',
  },
  reorderBuffer: {
    kind: 'size',
    default: '2MiB',
    minimum: 0,
    description: "what can wait in one switch, in its shared buffer; what finds no room lets its queue pair's queue go",
  },
} as const satisfies SettingGroup;
