// When settings cannot change what a run with the transport irn does, and runs in which they do.

import type { NoEffectRule } from '../../backend-declaration.js';
import type { SettingEffects } from '../mechanism.js';
import { irnSettings } from './irn.js';

export const irnRules: readonly NoEffectRule[] = [
  {
    settings: ['irn.nackThreshold'],
    causes: ['irn.recovery'],
    when: ({ given }) => given.value(['irn', 'recovery'], irnSettings.recovery) === 'rewind',
    because: 'irn.recovery is rewind, and the first NACK begins it',
  },
  {
    settings: ['irn.fewPackets'],
    causes: ['irn.lowTimeout', 'queuePair.retransmissionTimeout'],
    when: ({ given, settings: { queuePair } }) =>
      given.value(['irn', 'lowTimeout'], irnSettings.lowTimeout) === queuePair.retransmissionTimeout &&
      queuePair.retransmissionTimeout !== 'auto',
    because: 'both retransmission timeouts are the same',
  },
  {
    settings: ['irn.lowTimeout'],
    causes: ['irn.fewPackets'],
    when: ({ given }) => given.value(['irn', 'fewPackets'], irnSettings.fewPackets) === 0,
    because: 'irn.fewPackets is 0, and no sender has fewer packets in flight',
  },
  {
    settings: ['irn.lowTimeout', 'irn.fewPackets'],
    causes: ['queuePair.retransmissionTimeout'],
    when: ({ settings }) => settings.queuePair.retransmissionTimeout === 0,
    because: 'queuePair.retransmissionTimeout is 0, so there are no timeouts',
  },
  {
    settings: ['queuePair.nackInterval'],
    causes: ['transport.algorithm', 'irn.recovery'],
    when: ({ given, settings }) =>
      settings.transport.algorithm === 'irn' && given.value(['irn', 'recovery'], irnSettings.recovery) === 'selective',
    because: 'IRN answers every packet behind a gap with a NACK',
  },
];

/** What shows the effect of IRN's settings, where packets are lost. */
export const irnEffects: SettingEffects = {
  'irn.recovery': { values: ['selective', 'rewind'], rises: 'retransmissions' },
  'irn.nackThreshold': { values: ['1', '100000'], rises: 'meanCompletion' },
  'irn.lowTimeout': {
    given: ['queuePair.retransmissionTimeout=20ms', 'irn.fewPackets=1000', 'irn.nackThreshold=100000'],
    values: ['50us', '10ms'],
    rises: 'meanCompletion',
  },
  'irn.fewPackets': {
    given: ['queuePair.retransmissionTimeout=10ms', 'irn.nackThreshold=100000'],
    values: ['0', '1000'],
    falls: 'meanCompletion',
  },
};
