// The settings of source flow control, the group `sfc` of the scenario. Names of times and thresholds follow the closed
// form (source-flow-control/): buildTime is its t1, reactionTime its t2, pause its t_PAUSE, threshold its T_SFC.

import { choice, flag, fraction, type SettingValues, size, time } from '../../../../base/settings.js';

export const sfcSettings = {
  reaction: choice(
    ['end-station', 'proxy', 'bridge'],
    'end-station',
    'who reacts to a message: the sending host; its edge switch, which pauses the host with PFC frames ' +
      '(proxy); or its edge switch, which holds what comes from the host and leaves pauses to its own PFC ' +
      '(bridge, bSFC)',
  ),
  per: choice(
    ['flow', 'priority', 'interface'],
    'flow',
    "what is paused: the flow's queue pair, the priority of its port, or all priorities of its port; a proxy pauses priorities",
  ),
  bridgeShare: fraction(
    0,
    "with reaction bridge: the share of the rate of the host's link at which the edge switch goes on sending what a message is about; 0: it stops",
    { minimum: 0, maximum: 0.99 },
  ),
  at: choice(
    ['egress', 'ingress'],
    'egress',
    'what the threshold is about, by priority: what waits for an output port, or what came in by a port and waits',
  ),
  threshold: size(
    '1MB',
    'a queue of at least this size is congested: sources of packets that come to it are told to pause',
    { minimum: 1 },
  ),
  hysteresis: size('0B', 'bytes below the threshold down to which a queue stays congested'),
  minimumInterval: time(
    'auto',
    'a congested queue tells the same flow again only after this time; auto: the largest round trip, ' +
      'buildTime and reactionTime, within which a message cannot have worked',
    { orAuto: true },
  ),
  buildTime: time('1us', 'from a packet that comes to a congested queue until the message about it is sent (t1)'),
  reactionTime: time(
    '1us',
    'from the arrival of a message until it is obeyed, at a proxy until its PFC frame is sent (t2)',
  ),
  pause: time(
    'auto',
    "how long a source pauses; auto: what is queued when the message is sent, at the output port's rate",
    { orAuto: true, positive: true },
  ),
  refresh: flag(
    false,
    'a queue that is still congested when a pause is over tells the sources again, unasked by packets',
  ),
  earlyResume: flag(
    false,
    'a queue that is not congested any more tells the sources to go on before their pauses are over',
  ),
  message: size('110B', 'bytes of a message, which is routed in queue 0 (docs/formats/sfc-message.md)', {
    minimum: 1,
    maximum: 1024,
  }),
} as const;

export type SfcSettings = SettingValues<typeof sfcSettings>;
