// When settings of flow control, and of switches that drop, trim or forward, cannot change what a run does.

import { NodeKind } from '../../../fabric/fabric.js';
import { switchRates } from '../../../fabric/switch-rates.js';
import type { NoEffectRule } from '../../backend-declaration.js';
import { isLossless } from '../switch/headroom.js';
import { hasProxies, isUec, pausesNothing, withoutPfc } from './situations.js';

export const flowControlRules: readonly NoEffectRule[] = [
  {
    settings: ['pfc.enabled'],
    causes: ['flowControl'],
    when: ({ settings }) => !settings.flowControl.includes('pfc'),
    because: withoutPfc,
    // true is the default: who writes it wants pauses all the same
    evenIfDefault: true,
  },
  {
    settings: ['packet.pauseFrame', 'pfc.responseTime'],
    causes: ['pfc.enabled', 'flowControl'],
    when: (situation) => pausesNothing(situation) && !hasProxies(situation),
    because: withoutPfc,
  },
  {
    settings: [
      'pfc.threshold',
      'pfc.thresholdShift',
      'pfc.staticThreshold',
      'pfc.headroom',
      'pfc.headroomDelays',
      'pfc.resumeOffset',
      'pfc.pauseTime',
      'pfc.watchdog',
      'pfc.watchdogDetectionTime',
      'pfc.watchdogRestorationTime',
      'pfc.reserve',
    ],
    causes: ['pfc.enabled', 'flowControl'],
    when: pausesNothing,
    because: withoutPfc,
  },
  {
    settings: ['pfc.watchdogDetectionTime', 'pfc.watchdogRestorationTime'],
    causes: ['pfc.watchdog'],
    when: ({ settings }) => settings.pfc.watchdog === 'off',
    because: 'pfc.watchdog is off',
  },
  {
    settings: ['switch.dropThreshold'],
    causes: ['pfc.enabled'],
    when: ({ settings }) => isLossless(settings),
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    causes: ['pfc.enabled'],
    when: ({ settings }) => isLossless(settings),
    because: 'pfc.enabled is true, and switches pause their upstream instead',
  },
  {
    settings: ['switch.trimming', 'switch.trimmedPacket'],
    causes: ['transport.algorithm'],
    when: (situation) => !isUec(situation),
    because: ({ settings }) => `the transport ${settings.transport.algorithm} does not read trimmed packets`,
  },
  {
    settings: ['switch.trimmedPacket'],
    causes: ['switch.trimming'],
    when: ({ settings }) => !settings.switch.trimming,
    because: 'switch.trimming is false',
  },
  // NVSwitches hold what waits, however much it is
  {
    settings: [
      'switch.buffer',
      'switch.dropThreshold',
      'switch.trimming',
      'switch.trimmedPacket',
      'packet.pauseFrame',
      'pfc.*',
    ],
    causes: ['fabric'],
    when: ({ fabric }) => switchRates(fabric).length === 0,
    because: 'the fabric has no switches that use PFC',
  },
  {
    settings: ['sfc.*'],
    causes: ['fabric'],
    when: ({ fabric }) => switchRates(fabric).length === 0,
    because: 'the fabric has no switches that tell sources to pause',
  },
  {
    settings: ['pfc.headroomDelays'],
    causes: ['pfc.headroom'],
    when: ({ settings }) => settings.pfc.headroom === 'cable',
    because: 'pfc.headroom is cable',
  },
  {
    settings: ['pfc.thresholdShift'],
    causes: ['pfc.threshold'],
    when: ({ settings }) => settings.pfc.threshold === 'static',
    because: 'pfc.threshold is static',
  },
  {
    settings: ['pfc.staticThreshold'],
    causes: ['pfc.threshold'],
    when: ({ settings }) => settings.pfc.threshold === 'dynamic',
    because: 'pfc.threshold is dynamic',
  },
  {
    settings: ['switch.latency'],
    causes: ['fabric'],
    when: ({ fabric }) => !fabric.nodeKind.includes(NodeKind.switch),
    because: 'the fabric has no switches',
  },
  {
    settings: ['switch.nvswitchLatency'],
    causes: ['fabric'],
    when: ({ fabric }) => !fabric.nodeKind.includes(NodeKind.nvswitch),
    because: 'the fabric has no NVSwitches',
  },
];
