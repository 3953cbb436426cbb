// Swift in the catalogue.

import { type CongestionMechanism, needed, ownSettings } from '../../mechanism.js';
import type { CongestionControl } from '../../plug-ins.js';
import { stamps, Telemetry } from '../../telemetry.js';
import { Swift, swiftSettings } from './swift.js';

/** Swift's entry. */
export const swift = {
  description: 'windows by the delay of round trips, below one packet, too',
  sets: 'window',
  settings: { swift: swiftSettings },
  groupTexts: { swift: 'Parameters of Swift' },
  effects: {
    'swift.baseTarget': { values: ['6us', '40us'], rises: 'marks' },
    'swift.hopScaling': { values: ['1us', '30us'], rises: 'marks' },
    'swift.flowScalingRange': { values: ['0us', '500us'], rises: 'marks' },
    'swift.flowScalingMinimum': { values: ['0.1', '1'], rises: 'marks' },
    'swift.flowScalingMaximum': { values: ['100', '10000'], rises: 'marks' },
    'swift.additiveIncrease': { values: ['1', '8'], rises: 'marks' },
    'swift.decrease': { values: ['0.8', '0.1'], rises: 'marks' },
    'swift.maximumDecrease': { values: ['0.5', '0.01'], rises: 'marks' },
    'swift.minimumWindow': { values: ['0.001', '40'], rises: 'marks' },
  },
  telemetry: stamps,
  make: (parts): CongestionControl =>
    new Swift(
      { ...parts, telemetry: needed(parts.telemetry, Telemetry), payloadBytes: parts.settings.packet.payload },
      ownSettings(parts.settings, 'swift', swiftSettings),
    ),
} as const satisfies CongestionMechanism;
