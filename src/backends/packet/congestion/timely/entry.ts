// TIMELY in the catalogue.

import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl } from '../../plug-ins.js';
import { stamps, Telemetry } from '../../telemetry.js';
import { Timely, timelySettings } from './timely.js';

/** Round trips of an empty network are below it. */
const low = 'timely.lowThreshold=10us';

/** TIMELY's entry. */
export const timely = {
  description: 'rates by the change of round-trip times',
  sets: 'rate',
  settings: { timely: timelySettings },
  groupTexts: { timely: 'Parameters of TIMELY' },
  effects: {
    'timely.lowThreshold': { values: ['10us', '60us'], falls: 'meanCompletion' },
    'timely.highThreshold': { given: [low, 'timely.smoothing=0'], values: ['500us', '15us'], rises: 'meanCompletion' },
    'timely.minimumRtt': { given: [low], values: ['20us', '40us'], falls: 'meanCompletion' },
    'timely.smoothing': { given: [low], values: ['0.875', '0.1'], falls: 'meanCompletion' },
    'timely.decrease': { given: [low], values: ['0.8', '0.2'], falls: 'meanCompletion' },
    'timely.additiveIncrease': { given: [low], values: ['50Mbps', '5Gbps'], falls: 'meanCompletion' },
    'timely.hyperIncrease': { given: [low], values: ['100Mbps', '5Gbps'], falls: 'meanCompletion' },
    'timely.minimumRate': { given: [low], values: ['100Mbps', '50Gbps'], falls: 'meanCompletion' },
  },
  telemetry: stamps,
  make: (parts): CongestionControl =>
    new Timely(
      { ...parts, telemetry: needed(parts.telemetry, Telemetry) },
      ownSettings(parts.settings, 'timely', timelySettings),
    ),
} as const satisfies CongestionMechanism;
