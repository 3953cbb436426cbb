// The settings of ConWeave. Defaults are those of its simulator for two levels of switches, and what a Tofino2 has of
// queues for an output port.

import { count, type SettingGroup, size, time } from '../../../base/settings.js';
import type { SettingEffects } from '../mechanism.js';

export const conweaveSettings = {
  replyTime: time('4us', 'a reply is late this long behind the round trip of the links of its way'),
  avoidTime: time('16us', 'no queue pair is moved to a way for so long after a marked packet came over it'),
  tailTime: time('16us', 'packets of the new way wait so much longer than the last one of the old way should take'),
  unknownTime: time(
    '200us',
    'what is added to that where no packet of the old way has told when the last one should come',
  ),
  expiryTime: time('300us', 'a queue pair that has sent nothing for longer takes any way that is not congested'),
  reorderQueues: count(31, 'queue pairs that can wait at one output port; those beyond pass out of order', {
    minimum: 0,
    maximum: 65_535,
  }),
  reorderBuffer: size(
    '2MiB',
    "what can wait in one switch, in its shared buffer; what finds no room lets its queue pair's queue go",
    { minimum: 0 },
  ),
} as const satisfies SettingGroup;

/** What shows the effect of ConWeave's settings. */
export const conweaveEffects: SettingEffects = {
  'conweave.replyTime': { values: ['4us', '1ms'], falls: 'reroutes' },
  'conweave.avoidTime': { values: ['0us', '1ms'], falls: 'reroutes' },
  'conweave.tailTime': { values: ['16us', '0us'], rises: 'reorderSwitchTimeouts' },
  'conweave.unknownTime': {
    given: ['conweave.tailTime=0us'],
    values: ['200us', '0us'],
    differs: 'who waits less goes back more, and sends less that could wait',
  },
  'conweave.expiryTime': { values: ['300us', '0us'], rises: 'retransmissions' },
  'conweave.reorderQueues': { values: ['31', '0'], rises: 'retransmissions' },
  'conweave.reorderBuffer': { values: ['2MiB', '0B'], rises: 'retransmissions' },
};
